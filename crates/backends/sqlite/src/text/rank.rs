//! Rows by their scores: BM25 over any of the words, and the filters of a query.

use std::collections::BTreeSet;
use std::ops::Range;

use counterfoil_store::StoreError;
use counterfoil_store::text_index::{TermPlace, TextQuery};
use counterfoil_types::UnixMillis;
use counterfoil_words::Form;
use rusqlite::{Connection, params};

use super::bounded::take_out_later;
use super::cached::SearchCaches;
use super::gain::Posting;
use super::postings::{Postings, number};
use super::sql::LEFT_OUT;
use super::terms::Expressions;
use crate::scopes::ScopeRows;
use crate::statement::Statements;

/// Rows whose scores are summed at once, so that the sums stay near the processor.
const WINDOW: u32 = 1 << 14;
/// The fewest rows that are put in order at once.
const SORTED: usize = 128;
/// Bits of columns, in which a posting has them.
const TURN: u8 = 1;
const NEAR1: u8 = 1 << 1;
const NEAR2: u8 = 1 << 2;
const DATE: u8 = 1 << 3;
/// In place of the sum of a row that holds none of the words.
const ABSENT: f64 = -1.0;

/// Finds the version `?1` if it was created between two times.
pub(super) const IN_TIME: &str =
    "SELECT 1 FROM text_turns WHERE idx = ?1 AND created_at > ?2 AND created_at < ?3";
/// Finds a version of the memory of `?1` beside it.
const SEVERAL: &str =
    "SELECT 1 FROM text_turns WHERE (idx = ?1 AND first IS NOT NULL) OR first = ?1";

/// The rows that match a query, best first; equal scores go by row.
pub(super) struct Ranking<'c> {
    connection: &'c Connection,
    query: &'c TextQuery,
    postings: Vec<Postings>,
    /// Of each word of the query the numbers of its forms.
    words: Vec<Range<usize>>,
    filter: Filter,
    /// All rows with a word: the first ones are sorted.
    rows: Vec<(f64, u64)>,
    sorted: usize,
    /// Those of the sorted ones that pass the filter.
    passed: Vec<(u64, f64)>,
}

/// Rows that a query does not want.
struct Filter {
    hidden: BTreeSet<u64>,
    phrases: Option<BTreeSet<u64>>,
    excluded: Option<BTreeSet<u64>>,
}

impl<'c> Ranking<'c> {
    /// Ranks the rows up to `last` of a scope, by the words of all rows of that scope.
    pub(super) fn new(
        connection: &'c Connection,
        (query, expressions): (&'c TextQuery, &Expressions),
        (last, scope): (u64, Option<&ScopeRows>),
        caches: &SearchCaches,
    ) -> Result<Self, StoreError> {
        let (mut all, mut words): (Vec<&Form>, Vec<Range<usize>>) = Default::default();
        for forms in &expressions.forms {
            let first = all.len();
            all.extend(forms);
            words.push(first..all.len());
        }
        let weights = &query.weights.words;
        let (mut postings, gain) = Postings::of(connection, (caches, scope), &all, weights)?;
        take_out_later(connection, (&mut postings, &all), &gain, last)?;
        let matching = |expression: &Option<String>| {
            let sql = "SELECT rowid FROM text_index WHERE text_index MATCH ?1";
            let expression = expression.as_ref();
            expression.map(|it| connection.list(sql, [it])).transpose()
        };
        let hidden = match connection.has("SELECT 1 FROM forgotten", [])? {
            true => connection.list(LEFT_OUT, [query.actor.as_deref().unwrap_or_default()])?,
            false => BTreeSet::new(),
        };
        Ok(Self {
            connection,
            query,
            words,
            filter: Filter {
                hidden,
                phrases: matching(&expressions.phrases)?,
                excluded: matching(&expressions.excluded)?,
            },
            rows: scores(&postings, last),
            postings,
            sorted: 0,
            passed: Vec::new(),
        })
    }

    /// Log index and score of matching rows by rank: so many, after so many.
    pub(super) fn page(
        &mut self,
        (offset, limit): (usize, usize),
    ) -> Result<Vec<(u64, f64)>, StoreError> {
        let end = offset.saturating_add(limit);
        while self.passed.len() < end && self.sorted < self.rows.len() {
            let wanted = end - self.passed.len();
            for (score, row) in self.sort(wanted.max(SORTED)) {
                if self.passes(row)? {
                    self.passed.push((row, score));
                }
            }
        }
        let page = self.passed.iter().skip(offset).take(limit);
        Ok(page.copied().collect())
    }

    /// Returns the nearest place of each word of the query in a row.
    pub(super) fn places(&self, row: u64) -> Vec<Option<TermPlace>> {
        // The date is nearer than the turns beside, though its column comes last.
        let place = |columns: u8| match columns {
            0 => None,
            it if it & TURN != 0 => Some(TermPlace::Turn),
            it if it & DATE != 0 => Some(TermPlace::Date),
            it if it & NEAR1 != 0 => Some(TermPlace::Near1),
            _ => Some(TermPlace::Near2),
        };
        self.columns(row).map(place).collect()
    }

    /// Returns the nearest place of each word among the turns beside a row.
    pub(super) fn nearby(&self, row: u64) -> impl Iterator<Item = Option<TermPlace>> {
        self.columns(row).map(|columns| match columns {
            it if it & NEAR1 != 0 => Some(TermPlace::Near1),
            it if it & NEAR2 != 0 => Some(TermPlace::Near2),
            _ => None,
        })
    }

    /// The share of the words that a row holds itself, or its date.
    pub(super) fn own_share(&self, row: u64) -> f64 {
        let own = self.columns(row).filter(|it| it & (TURN | DATE) != 0);
        share(own.count(), self.words.len())
    }

    /// For each word the columns of a row that hold a form of it.
    fn columns(&self, row: u64) -> impl Iterator<Item = u8> {
        self.words.iter().map(move |forms| {
            let postings = self.postings.get(forms.clone()).unwrap_or_default();
            postings.iter().fold(0, |all, it| all | it.columns(row))
        })
    }

    /// Sorts the next `count` rows.
    fn sort(&mut self, count: usize) -> Vec<(f64, u64)> {
        let best = |one: &(f64, u64), other: &(f64, u64)| {
            other.0.total_cmp(&one.0).then(one.1.cmp(&other.1))
        };
        let rest = self.rows.get_mut(self.sorted..).unwrap_or_default();
        if rest.len() > count {
            rest.select_nth_unstable_by(count, best);
        }
        let count = count.min(rest.len());
        self.sorted += count;
        let next = rest.get_mut(..count).unwrap_or_default();
        next.sort_unstable_by(best);
        next.to_vec()
    }

    fn passes(&self, row: u64) -> Result<bool, StoreError> {
        let filter = &self.filter;
        if filter.hidden.contains(&row) {
            return Ok(false);
        }
        let lacks = filter.phrases.as_ref().is_some_and(|it| !it.contains(&row));
        let is_excluded = filter.excluded.as_ref().is_some_and(|it| it.contains(&row));
        let (after, before) = bounds(self.query);
        let is_in_time = self.query.time_range.is_none()
            || self.connection.has(IN_TIME, params![row, after, before])?;
        if is_in_time && !lacks && !is_excluded {
            return Ok(true);
        }
        // Of a memory with several versions it is not known yet which one counts.
        Ok(!self.query.each_version && self.connection.has(SEVERAL, [row])?)
    }
}

/// The sums of what each form adds, in the order of the forms, for rows up to `last`.
fn scores(postings: &[Postings], last: u64) -> Vec<(f64, u64)> {
    let mut rests: Vec<(&Postings, &[Posting])> = postings
        .iter()
        .map(|postings| (postings, postings.rows.as_slice()))
        .collect();
    let mut sums = vec![ABSENT; usize::try_from(WINDOW).unwrap_or_default()];
    let (mut touched, mut scores) = (Vec::new(), Vec::new());
    while let Some(first) = rests
        .iter()
        .filter_map(|rest| Some(rest.1.first()?.row))
        .min()
    {
        for (postings, rest) in &mut rests {
            let within = rest.partition_point(|posting| posting.row - first < WINDOW);
            let (now, later) = rest.split_at_checked(within).unwrap_or_default();
            for posting in now {
                let slot = usize::try_from(posting.row - first).unwrap_or(usize::MAX);
                let Some(sum) = sums.get_mut(slot) else {
                    continue;
                };
                if *sum == ABSENT {
                    *sum = 0.0;
                    touched.push(posting.row);
                }
                *sum += postings.score(posting);
            }
            *rest = later;
        }
        for row in touched.drain(..) {
            let slot = usize::try_from(row - first).unwrap_or(usize::MAX);
            if let Some(sum) = sums.get_mut(slot) {
                if u64::from(row) <= last {
                    scores.push((*sum, row.into()));
                }
                *sum = ABSENT;
            }
        }
    }
    scores
}

/// The exclusive bounds on `created_at`, in ms.
pub(super) fn bounds(query: &TextQuery) -> (i64, i64) {
    let range = query.time_range.as_ref();
    let bound = |time: Option<UnixMillis>, none| {
        time.map_or(none, |time| i64::try_from(time.value()).unwrap_or(i64::MAX))
    };
    (
        bound(range.and_then(|range| range.after()), i64::MIN),
        bound(range.and_then(|range| range.before()), i64::MAX),
    )
}

/// The share of a part in a whole.
pub(super) fn share(part: usize, of: usize) -> f64 {
    number(part) / number(of.max(1))
}
