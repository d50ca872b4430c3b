//! One ranked query over the index: of each memory one hit, and where each word was found.

use std::collections::BTreeSet;

use counterfoil_store::StoreError;
use counterfoil_store::text_index::{TermPlace, TextQuery};
use rusqlite::{Connection, params};

use super::cached::SearchCaches;
use super::rank::{IN_TIME, Ranking, bounds, share};
use super::sql::{LEFT_OUT, are_rules_current};
use super::terms::Expressions;
use super::versions::{Contents, Versions};
use super::weigh::{POOL, Weighed, Weigher};
use crate::scopes::ScopeRows;
use crate::statement::Statements;
use crate::vectors::{self, SignCache, Wanted};

/// The fewest rows that are ranked at once.
const MIN_ROWS: usize = 16;

/// One hit, before its index is turned into a WorldId.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RankedWorld {
    /// The log index.
    pub(crate) idx: u64,
    /// Larger is better.
    pub(crate) score: f64,
    /// For each term of the query its nearest place.
    pub(crate) places: Vec<Option<TermPlace>>,
    /// Share of the score that the meaning has, from 0 to 1.
    pub(crate) meaning: f64,
}

/// One page of `query` over the Worlds with an index of at most `last`, best first; equal scores
/// go by index. The query's own bound, a WorldId, is for the caller to look up.
///
/// A memory with several versions is listed once, at the rank of the best of them, as the version that
/// was current at `last` or else as the last that said a term; unless each version that brought one of the words
/// is asked for.
pub(crate) fn search(
    connection: &Connection,
    query: &TextQuery,
    last: Option<u64>,
    (contents, caches): (Contents<'_>, &SearchCaches),
) -> Result<Vec<RankedWorld>, StoreError> {
    let signs = &caches.signs;
    let last = last.unwrap_or(i64::MAX.unsigned_abs());
    require_current_rules(connection)?;
    let scope = ScopeRows::of(connection, &query.scope)?;
    let within = (last, scope.as_ref());
    if query.terms().is_empty() {
        return by_meaning(connection, query, within, (contents, signs));
    }
    let expressions = Expressions::of(query);
    let mut versions = Versions::new(connection, &expressions, within, contents);
    let mut ranking = Ranking::new(connection, (query, &expressions), within, caches)?;
    if query.each_version {
        return each_version(query, &mut ranking);
    }
    let near: BTreeSet<u64> = near(connection, query, within, signs)?;
    let forms = &expressions.forms;
    let sides = (contents, signs);
    let weigher = Weigher::new(connection, (query, forms, ranking), within, sides)?;
    let mut rows = Rows {
        near: &near,
        weigher,
        from: 0,
        factor: None,
    };
    let is_bounded = query.time_range.is_some();
    let is_filtered = expressions.phrases.is_some() || expressions.excluded.is_some();
    let (mut page, mut skip) = (Vec::new(), query.offset());
    let mut seen = BTreeSet::new();
    let size = query.offset().saturating_add(query.limit()).max(MIN_ROWS);
    while page.len() < query.limit() {
        let Some(next) = rows.next(size)? else {
            break;
        };
        for row in next {
            let memory = versions.memory(row.idx)?;
            if page.len() == query.limit() || !seen.insert(memory) {
                continue;
            }
            if skip > 0 && !is_bounded && !is_filtered {
                skip -= 1;
                continue;
            }
            let is_near = near.contains(&row.idx);
            let Some((idx, places)) =
                versions.chosen(memory, (row.idx, is_near), &rows.weigher.ranking)?
            else {
                continue;
            };
            let (after, before) = bounds(query);
            if is_bounded && !connection.has(IN_TIME, params![idx, after, before])? {
                continue;
            }
            if skip > 0 {
                skip -= 1;
                continue;
            }
            page.push(RankedWorld {
                idx,
                score: row.weight,
                places,
                meaning: row.meaning,
            });
        }
    }
    Ok(page)
}

/// One page of the versions that brought a word, by their words alone.
fn each_version(
    query: &TextQuery,
    ranking: &mut Ranking<'_>,
) -> Result<Vec<RankedWorld>, StoreError> {
    let rows = ranking.page((query.offset(), query.limit()))?;
    let found = |(idx, score)| RankedWorld {
        idx,
        score,
        places: ranking.places(idx),
        meaning: 0.0,
    };
    Ok(rows.into_iter().map(found).collect())
}

/// Rows in their order: first those that are weighed, then the others by their score.
struct Rows<'c> {
    /// Rows that are near in meaning.
    near: &'c BTreeSet<u64>,
    weigher: Weigher<'c>,
    from: usize,
    /// Weight of what follows the pool, for each unit of its score; `None` before the pool.
    factor: Option<f64>,
}

impl Rows<'_> {
    /// The next rows: the pool, or `size` of those that follow it; `None` after the last.
    fn next(&mut self, size: usize) -> Result<Option<Vec<Weighed>>, StoreError> {
        let Some(factor) = self.factor else {
            return self.pool().map(Some);
        };
        let rows = self.weigher.ranking.page((self.from, size))?;
        self.from += size;
        let follows = |(idx, score): &(u64, f64)| Weighed {
            idx: *idx,
            weight: score * factor,
            meaning: 0.0,
        };
        Ok((!rows.is_empty()).then(|| rows.iter().map(follows).collect()))
    }

    fn pool(&mut self) -> Result<Vec<Weighed>, StoreError> {
        let mut rows = self.weigher.ranking.page((0, POOL))?;
        self.from = POOL;
        let last = rows.last().map_or(1.0, |(_, score)| *score);
        let covered = match rows.first() {
            Some((best, _)) => {
                let places = self.weigher.ranking.places(*best);
                share(places.iter().flatten().count(), places.len())
            }
            None => 1.0,
        };
        let by_words: BTreeSet<u64> = rows.iter().map(|(row, _)| *row).collect();
        rows.extend(self.near.difference(&by_words).map(|row| (*row, 0.0)));
        let weighed = self.weigher.weighed(&rows, covered)?;
        let lowest = weighed.last().map_or(1.0, |lowest| lowest.weight);
        self.factor = Some(lowest / last);
        Ok(weighed)
    }
}

/// Refuses an index of other rules, in which words are not found reliably.
pub(super) fn require_current_rules(connection: &Connection) -> Result<(), StoreError> {
    match are_rules_current(connection)? {
        true => Ok(()),
        false => Err(StoreError::ReadOnly {
            reason: "the words of its memories were indexed by other rules than this program's and have to be \
                     indexed again first: open it once for writing"
                .to_owned(),
        }),
    }
}

/// The rows nearest to the query's vector, if it has one: as many as are weighed by their words.
fn near(
    connection: &Connection,
    query: &TextQuery,
    (last, scope): (u64, Option<&ScopeRows>),
    signs: &SignCache,
) -> Result<BTreeSet<u64>, StoreError> {
    match query.vector {
        Some(_) => {
            let found = nearest(connection, query, (last, POOL, scope), signs)?;
            Ok(found.into_iter().map(|(row, _)| row).collect())
        }
        None => Ok(BTreeSet::new()),
    }
}

fn nearest(
    connection: &Connection,
    query: &TextQuery,
    (last, limit, scope): (u64, usize, Option<&ScopeRows>),
    signs: &SignCache,
) -> Result<Vec<(u64, f64)>, StoreError> {
    let actor = query.actor.as_deref().unwrap_or_default();
    let wanted = Wanted {
        last,
        created: bounds(query),
        hidden: &connection.list(LEFT_OUT, [actor])?,
        scope,
        each_version: query.each_version,
    };
    let vector = query.vector.as_deref().unwrap_or_default();
    vectors::nearest(connection, signs, vector, &wanted, limit)
}

/// The same page by the query's vector alone, without places: of the nearest that are compared, those that pass the filters.
fn by_meaning(
    connection: &Connection,
    query: &TextQuery,
    (last, scope): (u64, Option<&ScopeRows>),
    (contents, signs): (Contents<'_>, &SignCache),
) -> Result<Vec<RankedWorld>, StoreError> {
    let expressions = Expressions::of(query);
    let is_filtered = expressions.phrases.is_some() || expressions.excluded.is_some();
    let end = query.offset().saturating_add(query.limit());
    let limit = if is_filtered { usize::MAX } else { end };
    let mut versions = Versions::new(connection, &expressions, (last, scope), contents);
    let mut passed = Vec::new();
    for (idx, score) in nearest(connection, query, (last, limit, scope), signs)? {
        if passed.len() == end {
            break;
        }
        if !is_filtered || versions.is_whole_passed(idx)? {
            passed.push(RankedWorld {
                idx,
                score,
                places: Vec::new(),
                meaning: 1.0,
            });
        }
    }
    Ok(passed.split_off(query.offset().min(passed.len())))
}
