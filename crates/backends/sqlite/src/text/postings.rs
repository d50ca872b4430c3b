//! The rows that hold a form of a word, and how much that counts for each (BM25, as FTS5 computes it).

use std::sync::Arc;

use counterfoil_store::StoreError;
use counterfoil_words::Form;
use rusqlite::Connection;

use super::cached::SearchCaches;
use super::gain::{Gain, Posting};
use super::segments::{DAMAGED, Doclist, Structure, positions};
use super::sizes::{ROWS_END, Sizes};
use crate::scopes::{ScopeRows, is_within};

/// Weight of a form that is in nearly half of all rows or more.
const LEAST: f64 = 1e-6;
/// 2 to the power of 32.
const TWO_32: f64 = 4_294_967_296.0;
/// Bytes of a row in a doclist, about: for an estimate.
const ROW_BYTES: usize = 6;

/// The rows of one form, ascending.
#[derive(Debug, Default)]
pub(super) struct Postings {
    pub(super) rows: Arc<Vec<Posting>>,
    /// Weight of the form: the rarer, the more.
    weight: f64,
}

impl Postings {
    /// Reads those of all `forms` in a scope, in their order, by the words and sizes of the whole scope, and how much a row gains by
    /// its places. `columns` are the weights of the columns.
    pub(super) fn of<'w>(
        connection: &Connection,
        (caches, scope): (&SearchCaches, Option<&ScopeRows>),
        forms: &[&Form],
        columns: &'w [f64; 4],
    ) -> Result<(Vec<Self>, Gain<'w>), StoreError> {
        let structure = Structure::read(connection)?;
        let sizes = |wanted| caches.sizes.sizes(connection, &structure, wanted);
        let (all, tokens) = match scope {
            Some(scope) => size_of(scope, connection, &mut sizes(count(scope.rows().len()))?)?,
            None => (structure.rows, structure.tokens),
        };
        let gain = Gain {
            columns,
            average: real(tokens) / real(all),
        };
        let mut found = Vec::with_capacity(forms.len());
        for form in forms {
            found.push(match caches.postings.find(&structure, (form, &gain)) {
                Some(rows) => Ok(rows),
                None => Err(Lists::of(connection, &structure, form)?),
            });
        }
        let read = found.iter().filter_map(|found| found.as_ref().err());
        let bytes: usize = read.map(Lists::bytes).sum();
        let mut sizes = sizes(count(bytes / ROW_BYTES))?;
        let mut each = Vec::with_capacity(forms.len());
        for (form, found) in forms.iter().zip(found) {
            let mut rows = match found {
                Ok(rows) => rows,
                Err(lists) => {
                    let rows = lists.rows((connection, &structure, &mut sizes), &gain)?;
                    let rows = Arc::new(rows);
                    caches.postings.keep(&structure, (form, &gain), &rows);
                    rows
                }
            };
            if scope.is_some() {
                let within = rows.iter().filter(|it| is_within(scope, it.row.into()));
                rows = Arc::new(within.copied().collect());
            }
            let (all, those) = (real(all), number(rows.len()));
            let weight = ((all - those + 0.5) / (those + 0.5)).ln();
            let weight = if weight > 0.0 { weight } else { LEAST };
            each.push(Self { rows, weight });
        }
        Ok((each, gain))
    }

    /// Puts other places of the form, each the number of a column, in the place of those of a row that has some.
    pub(super) fn replace(
        &mut self,
        row: u64,
        size: u32,
        places: &[u8],
        gain: &Gain<'_>,
    ) -> Result<(), StoreError> {
        let found = self.rows.binary_search_by_key(&row, |it| it.row.into());
        let rows = Arc::make_mut(&mut self.rows);
        if let Some(posting) = found.ok().and_then(|at| rows.get_mut(at)) {
            let columns = places.iter().map(|column| Some(*column));
            *posting = gain.posting(posting.row, size, columns).ok_or(DAMAGED)?;
        }
        Ok(())
    }

    /// Part of the score of a row that the form is in.
    pub(super) fn score(&self, posting: &Posting) -> f64 {
        self.weight * posting.gain
    }

    /// The columns of a row that hold the form.
    pub(super) fn columns(&self, row: u64) -> u8 {
        let found = self.rows.binary_search_by_key(&row, |it| it.row.into());
        let found = found.ok().and_then(|at| self.rows.get(at));
        found.map_or(0, |posting| posting.columns)
    }
}

/// Number and sum of the sizes of the rows of a scope.
fn size_of(
    scope: &ScopeRows,
    connection: &Connection,
    sizes: &mut Sizes,
) -> Result<(u64, u64), StoreError> {
    let (mut rows, mut tokens) = (0, 0_u64);
    for row in scope.rows() {
        rows += 1;
        tokens = tokens.saturating_add(sizes.of(connection, *row)?.tokens.into());
    }
    Ok((rows, tokens))
}

/// The rows of one term. Rows that were replaced since they were written are left out.
fn of_term(
    lists: &[(usize, Doclist)],
    (connection, structure, sizes): (&Connection, &Structure, &mut Sizes),
    gain: &Gain<'_>,
) -> Result<Vec<Posting>, StoreError> {
    let mut rows = Vec::new();
    for (number, list) in in_order(lists) {
        let segment = structure.segments.get(*number).ok_or(DAMAGED)?;
        for found in list.rows() {
            let (row, bytes) = found.ok_or(DAMAGED)?;
            let size = sizes.of(connection, row)?;
            if segment.holds(size) {
                let row = u32::try_from(row).map_err(|_| DAMAGED)?;
                let columns = positions(bytes).map(|place| Some(place?.0));
                rows.push(gain.posting(row, size.tokens, columns).ok_or(DAMAGED)?);
            }
        }
    }
    if !rows.is_sorted_by_key(|posting| posting.row) {
        rows.sort_by_key(|posting| posting.row);
    }
    Ok(rows)
}

/// The rows of places.
fn of_places(
    places: &[Place],
    (connection, sizes): (&Connection, &mut Sizes),
    gain: &Gain<'_>,
) -> Result<Vec<Posting>, StoreError> {
    let each = places.chunk_by(|one, other| one.row == other.row);
    let posting = |of_row: &[Place]| {
        let row = of_row.first().map(|first| first.row).unwrap_or_default();
        let size = sizes.of(connection, row.into())?.tokens;
        let columns = of_row.iter().map(|place| Some(place.column));
        gain.posting(row, size, columns).ok_or(DAMAGED)
    };
    each.map(posting).collect()
}

/// Lists in the order of their first rows. Segments follow one another in the log, so hardly anything is left to be sorted.
fn in_order(lists: &[(usize, Doclist)]) -> Vec<&(usize, Doclist)> {
    let mut lists: Vec<_> = lists.iter().collect();
    lists.sort_by_cached_key(|(_, list)| list.rows().next().flatten().map(|(row, _)| row));
    lists
}

/// Doclists of each term of a form.
struct Lists(Vec<TermLists>);

struct TermLists {
    /// True if they are those of all terms with a beginning.
    is_prefix: bool,
    /// Each with the number of the segment that it lies in.
    found: Vec<(usize, Doclist)>,
}

/// One place of a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    row: u32,
    column: u8,
    offset: u32,
}

impl Lists {
    fn of(connection: &Connection, structure: &Structure, form: &Form) -> Result<Self, StoreError> {
        let mut terms = Vec::with_capacity(form.terms.len());
        for (at, term) in (1..).zip(&form.terms) {
            let is_prefix = form.is_prefix && at == form.terms.len();
            let mut found = Vec::new();
            for (number, segment) in structure.segments.iter().enumerate() {
                let lists = segment.doclists(connection, (term, is_prefix))?;
                found.extend(lists.into_iter().map(|list| (number, list)));
            }
            terms.push(TermLists { is_prefix, found });
        }
        Ok(Self(terms))
    }

    /// The rows of the form.
    fn rows(
        &self,
        (connection, structure, sizes): (&Connection, &Structure, &mut Sizes),
        gain: &Gain<'_>,
    ) -> Result<Vec<Posting>, StoreError> {
        match self.0.as_slice() {
            [lists] if !lists.is_prefix => {
                of_term(&lists.found, (connection, structure, sizes), gain)
            }
            _ => {
                let places = self.places(connection, structure, sizes)?;
                of_places(&places, (connection, sizes), gain)
            }
        }
    }

    fn bytes(&self) -> usize {
        let lists = self.0.iter().flat_map(|lists| &lists.found);
        lists.map(|(_, list)| list.bytes.len()).sum()
    }

    /// The places where the terms are, one directly after the other: those of the first term, ascending.
    fn places(
        &self,
        connection: &Connection,
        structure: &Structure,
        sizes: &mut Sizes,
    ) -> Result<Vec<Place>, StoreError> {
        let mut places = Vec::new();
        for (at, lists) in (0..).zip(&self.0) {
            let of_term = places_in(&lists.found, connection, (structure, sizes))?;
            if at == 0 {
                places = of_term;
                continue;
            }
            let mut following = of_term.into_iter().peekable();
            places.retain(|place| {
                let offset = place.offset.saturating_add(at);
                let wanted = Place { offset, ..*place };
                while following.next_if(|it| *it < wanted).is_some() {}
                following.peek() == Some(&wanted)
            });
        }
        Ok(places)
    }
}

/// All places in `lists`, ascending. Rows that were replaced since they were written there are left out.
fn places_in(
    lists: &[(usize, Doclist)],
    connection: &Connection,
    (structure, sizes): (&Structure, &mut Sizes),
) -> Result<Vec<Place>, StoreError> {
    let mut places = Vec::new();
    for (number, list) in in_order(lists) {
        let segment = structure.segments.get(*number).ok_or(DAMAGED)?;
        for found in list.rows() {
            let (row, bytes) = found.ok_or(DAMAGED)?;
            if !segment.holds(sizes.of(connection, row)?) {
                continue;
            }
            let row = u32::try_from(row).map_err(|_| DAMAGED)?;
            for place in positions(bytes) {
                let (column, offset) = place.ok_or(DAMAGED)?;
                let offset = u32::try_from(offset).map_err(|_| DAMAGED)?;
                places.push(Place {
                    row,
                    column,
                    offset,
                });
            }
        }
    }
    if !places.is_sorted() {
        places.sort();
    }
    Ok(places)
}

fn real(count: u64) -> f64 {
    let [high, low] = [count >> 32, count % ROWS_END];
    let [high, low] = [high, low].map(|half| f64::from(u32::try_from(half).unwrap_or(u32::MAX)));
    high * TWO_32 + low
}

fn count(of: usize) -> u64 {
    u64::try_from(of).unwrap_or(u64::MAX)
}

pub(super) fn number(count: usize) -> f64 {
    u64::try_from(count).map_or(f64::INFINITY, real)
}
