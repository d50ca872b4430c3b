//! One ranked query over the index: of each memory one hit, and where each word was found.

use std::collections::BTreeSet;

use counterfoil_store::StoreError;
use counterfoil_store::text_index::{TermPlace, TextQuery};
use counterfoil_types::UnixMillis;
use rusqlite::{Connection, ToSql, params};

use super::sql::are_rules_current;
use super::terms::Expressions;
use super::versions::{Contents, LEFT_OUT, Versions};
use super::weigh::{POOL, Weighed, Weigher, share};
use crate::statement::Statements;
use crate::vectors::{self, SignCache, Wanted};

/// Score by the query's weights of the columns turn, near1, near2 and date.
const SCORE: &str = "bm25(text_index, ?6, ?7, ?8, ?9)";

/// Finds the version `?1` if it was created between two times.
const IN_TIME: &str =
    "SELECT 1 FROM text_turns WHERE idx = ?1 AND created_at > ?2 AND created_at < ?3";

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
    (contents, signs): (Contents<'_>, &SignCache),
) -> Result<Vec<RankedWorld>, StoreError> {
    let last = last.unwrap_or(i64::MAX.unsigned_abs());
    require_current_rules(connection)?;
    if query.terms().is_empty() {
        return by_meaning(connection, query, last, signs);
    }
    let expressions = Expressions::of(query);
    let mut versions = Versions::new(connection, &expressions, last, contents);
    if query.each_version {
        let window = (query.offset(), query.limit());
        let rows = ranked(connection, (query, &expressions), last, window)?;
        let found = |(idx, score)| {
            Ok(RankedWorld {
                idx,
                score,
                places: versions.row_places(idx)?,
                meaning: 0.0,
            })
        };
        return rows.into_iter().map(found).collect();
    }
    let near: BTreeSet<u64> = near(connection, query, last, signs)?;
    let weigher = Weigher::new(connection, query, (contents, signs))?;
    let mut rows = Rows {
        ranked: |window| ranked(connection, (query, &expressions), last, window),
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
        let Some(next) = rows.next(&versions, size)? else {
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
            let Some((idx, places)) = versions.chosen(memory, row.idx, is_near)? else {
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

/// Rows in their order: first those that are weighed, then the others by their score.
struct Rows<'c, R> {
    /// Rows by their score: so many, after so many.
    ranked: R,
    /// Rows that are near in meaning.
    near: &'c BTreeSet<u64>,
    weigher: Weigher<'c>,
    from: usize,
    /// Weight of what follows the pool, for each unit of its score; `None` before the pool.
    factor: Option<f64>,
}

impl<R> Rows<'_, R>
where
    R: Fn((usize, usize)) -> Result<Vec<(u64, f64)>, StoreError>,
{
    /// The next rows: the pool, or `size` of those that follow it; `None` after the last.
    fn next(
        &mut self,
        versions: &Versions<'_>,
        size: usize,
    ) -> Result<Option<Vec<Weighed>>, StoreError> {
        let Some(factor) = self.factor else {
            return self.pool(versions).map(Some);
        };
        let rows = (self.ranked)((self.from, size))?;
        self.from += size;
        let follows = |(idx, score): &(u64, f64)| Weighed {
            idx: *idx,
            weight: score * factor,
            meaning: 0.0,
        };
        Ok((!rows.is_empty()).then(|| rows.iter().map(follows).collect()))
    }

    fn pool(&mut self, versions: &Versions<'_>) -> Result<Vec<Weighed>, StoreError> {
        let mut rows = (self.ranked)((0, POOL))?;
        self.from = POOL;
        let last = rows.last().map_or(1.0, |(_, score)| *score);
        let covered = match rows.first() {
            Some((best, _)) => {
                let places = versions.row_places(*best)?;
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
    last: u64,
    signs: &SignCache,
) -> Result<BTreeSet<u64>, StoreError> {
    match query.vector {
        Some(_) => {
            let found = nearest(connection, query, (last, POOL), signs)?;
            Ok(found.into_iter().map(|(row, _)| row).collect())
        }
        None => Ok(BTreeSet::new()),
    }
}

fn nearest(
    connection: &Connection,
    query: &TextQuery,
    (last, limit): (u64, usize),
    signs: &SignCache,
) -> Result<Vec<(u64, f64)>, StoreError> {
    let actor = query.actor.as_deref().unwrap_or_default();
    let wanted = Wanted {
        last,
        created: bounds(query),
        hidden: &connection.list(LEFT_OUT, [actor])?,
        each_version: query.each_version,
    };
    let vector = query.vector.as_deref().unwrap_or_default();
    vectors::nearest(connection, signs, vector, &wanted, limit)
}

/// The same page by the query's vector alone, without places.
fn by_meaning(
    connection: &Connection,
    query: &TextQuery,
    last: u64,
    signs: &SignCache,
) -> Result<Vec<RankedWorld>, StoreError> {
    let limit = query.offset().saturating_add(query.limit());
    let found = nearest(connection, query, (last, limit), signs)?;
    let page = found.into_iter().skip(query.offset());
    let ranked = |(idx, score)| RankedWorld {
        idx,
        score,
        places: Vec::new(),
        meaning: 1.0,
    };
    Ok(page.map(ranked).collect())
}

/// Log index and score of matching rows by rank: so many, after so many.
fn ranked(
    connection: &Connection,
    (query, expressions): (&TextQuery, &Expressions),
    last: u64,
    (offset, limit): (usize, usize),
) -> Result<Vec<(u64, f64)>, StoreError> {
    let (after, before) = bounds(query);
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let offset = i64::try_from(offset).unwrap_or(i64::MAX);
    let expression = expressions.any();
    let mut hidden = match connection.has("SELECT 1 FROM forgotten", [])? {
        true => format!("AND text_index.rowid NOT IN ({LEFT_OUT})"),
        false => String::new(),
    };
    let actor = query.actor.as_deref().unwrap_or_default();
    let mut parameters: Vec<&dyn ToSql> = vec![&actor, &expression, &last, &limit, &offset];
    let weights = query.weights.words.each_ref();
    parameters.extend(weights.map(|weight| -> &dyn ToSql { weight }));
    let times: [&dyn ToSql; 2] = [&after, &before];
    if query.time_range.is_some() {
        parameters.extend(times);
    }
    for (filter, within) in [
        (&expressions.phrases, "IN"),
        (&expressions.excluded, "NOT IN"),
    ] {
        if let Some(expression) = filter {
            parameters.push(expression);
            hidden += &filtered(within, parameters.len(), query.each_version);
        }
    }
    let sql = if query.time_range.is_none() {
        format!(
            "SELECT rowid, {SCORE} AS score FROM text_index
             WHERE text_index MATCH ?2 AND rowid <= ?3 {hidden}
             ORDER BY score, rowid LIMIT ?4 OFFSET ?5"
        )
    } else {
        let or = match query.each_version {
            true => "0",
            // Of several versions it is not known yet which one counts.
            false => {
                "text_turns.first IS NOT NULL
                 OR EXISTS (SELECT 1 FROM text_turns AS later WHERE later.first = text_turns.idx)"
            }
        };
        format!(
            "SELECT text_index.rowid, {SCORE} AS score
             FROM text_index CROSS JOIN text_turns ON text_turns.idx = text_index.rowid
             WHERE text_index MATCH ?2 AND text_index.rowid <= ?3 {hidden}
               AND (text_turns.created_at > ?10 AND text_turns.created_at < ?11 OR {or})
             ORDER BY score, text_index.rowid LIMIT ?4 OFFSET ?5"
        )
    };
    // SQLite's bm25 is smaller for the better match.
    connection.list_with(&sql, parameters.as_slice(), |row| {
        Ok((row.get(0)?, -row.get::<_, f64>(1)?))
    })
}

/// Condition on rows by an expression, the parameter `number`. Of a memory with several versions it is not known yet which one
/// counts.
fn filtered(within: &str, number: usize, each_version: bool) -> String {
    let matching = "SELECT rowid FROM text_index WHERE text_index MATCH";
    let several = match each_version {
        true => "",
        false => {
            "OR text_index.rowid IN (SELECT idx FROM text_turns WHERE first IS NOT NULL
             UNION ALL SELECT first FROM text_turns WHERE first IS NOT NULL)"
        }
    };
    format!(" AND (text_index.rowid {within} ({matching} ?{number}) {several})")
}

/// The exclusive bounds on `created_at`, in ms.
fn bounds(query: &TextQuery) -> (i64, i64) {
    let range = query.time_range.as_ref();
    let bound = |time: Option<UnixMillis>, none| {
        time.map_or(none, |time| i64::try_from(time.value()).unwrap_or(i64::MAX))
    };
    (
        bound(range.and_then(|range| range.after()), i64::MIN),
        bound(range.and_then(|range| range.before()), i64::MAX),
    )
}
