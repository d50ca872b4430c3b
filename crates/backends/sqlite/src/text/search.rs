//! One ranked query over the index: of each memory one hit, and where each word was found.

use std::collections::BTreeSet;

use counterfoil_store::StoreError;
use counterfoil_store::text_index::{TermPlace, TextQuery};
use counterfoil_types::UnixMillis;
use rusqlite::{Connection, ToSql, params};

use super::terms::any_of;
use super::versions::{Contents, LEFT_OUT, Versions};
use crate::statement::Statements;
use crate::vectors::{self, SignCache, Wanted};

/// Score by the query's weights of the columns turn, near1, near2 and date.
const SCORE: &str = "bm25(text_index, ?6, ?7, ?8, ?9)";

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
    if query.terms().is_empty() {
        return by_meaning(connection, query, last, signs);
    }
    let mut versions = Versions::new(connection, query, last, contents);
    if query.each_version {
        let rows = ranked(connection, query, last, (query.offset(), query.limit()))?;
        let found = |(idx, score)| {
            let places = versions.row_places(idx)?;
            Ok(RankedWorld { idx, score, places })
        };
        return rows.into_iter().map(found).collect();
    }
    let is_bounded = query.time_range.is_some();
    let (mut page, mut skip) = (Vec::new(), query.offset());
    let (mut seen, mut from) = (BTreeSet::new(), 0);
    let size = query.offset().saturating_add(query.limit()).max(MIN_ROWS);
    while page.len() < query.limit() {
        let rows = ranked(connection, query, last, (from, size))?;
        let all = rows.len() < size;
        for (row, score) in rows {
            let memory = versions.memory(row)?;
            if page.len() == query.limit() || !seen.insert(memory) {
                continue;
            }
            if skip > 0 && !is_bounded {
                skip -= 1;
                continue;
            }
            let (idx, places) = versions.chosen(memory, row)?;
            let (after, before) = bounds(query);
            let in_time =
                "SELECT 1 FROM text_turns WHERE idx = ?1 AND created_at > ?2 AND created_at < ?3";
            if is_bounded && !connection.has(in_time, params![idx, after, before])? {
                continue;
            }
            if skip > 0 {
                skip -= 1;
                continue;
            }
            page.push(RankedWorld { idx, score, places });
        }
        if all {
            break;
        }
        from += size;
    }
    Ok(page)
}

/// The same page by the query's vector alone, without places.
fn by_meaning(
    connection: &Connection,
    query: &TextQuery,
    last: u64,
    signs: &SignCache,
) -> Result<Vec<RankedWorld>, StoreError> {
    let actor = query.actor.as_deref().unwrap_or_default();
    let wanted = Wanted {
        last,
        created: bounds(query),
        hidden: &connection.list(LEFT_OUT, [actor])?,
        each_version: query.each_version,
    };
    let vector = query.vector.as_deref().unwrap_or_default();
    let limit = query.offset().saturating_add(query.limit());
    let found = vectors::nearest(connection, signs, vector, &wanted, limit)?;
    let page = found.into_iter().skip(query.offset());
    let ranked = |(idx, score)| RankedWorld {
        idx,
        score,
        places: Vec::new(),
    };
    Ok(page.map(ranked).collect())
}

/// Log index and score of matching rows by rank: so many, after so many.
fn ranked(
    connection: &Connection,
    query: &TextQuery,
    last: u64,
    (offset, limit): (usize, usize),
) -> Result<Vec<(u64, f64)>, StoreError> {
    let (after, before) = bounds(query);
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let offset = i64::try_from(offset).unwrap_or(i64::MAX);
    let expression = any_of(query.terms());
    let hidden = match connection.has("SELECT 1 FROM forgotten", [])? {
        true => format!("AND text_index.rowid NOT IN ({LEFT_OUT})"),
        false => String::new(),
    };
    let actor = query.actor.as_deref().unwrap_or_default();
    let mut parameters: Vec<&dyn ToSql> = vec![&actor, &expression, &last, &limit, &offset];
    let weights = query.weights.each_ref();
    parameters.extend(weights.map(|weight| -> &dyn ToSql { weight }));
    let sql = if query.time_range.is_none() {
        format!(
            "SELECT rowid, {SCORE} AS score FROM text_index
             WHERE text_index MATCH ?2 AND rowid <= ?3 {hidden}
             ORDER BY score, rowid LIMIT ?4 OFFSET ?5"
        )
    } else {
        let times: [&dyn ToSql; 2] = [&after, &before];
        parameters.extend(times);
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
