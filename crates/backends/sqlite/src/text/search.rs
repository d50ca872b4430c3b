//! One ranked query over the index: of each memory one hit, and where each word was found.

use std::collections::BTreeSet;

use counterfoil_store::StoreError;
use counterfoil_store::text_index::{Listing, TermPlace, TextQuery};
use rusqlite::{Connection, Result, ToSql, params};

use super::matching::any_of;
use super::versions::{Contents, Versions};
use super::write::row_id;
use crate::error::from_sqlite;
use crate::left_out::{EVERYONE, LEFT_OUT};

/// Weights of the columns turn, near1, near2 and date: those of [`TermPlace::weight`].
const SCORE: &str = "bm25(text_index, 1.0, 0.3, 0.1, 1.0)";

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

/// A row of the index that matches.
struct Ranked {
    idx: u64,
    score: f64,
}

/// One page of `query` over the Worlds with an index of at most `last`, best first; equal scores
/// go by index. The query's own bound, a WorldId, is for the caller to look up.
///
/// A memory with several versions is listed once, at the rank of the best of them, as the version that
/// was current at `last` or else as the last that said a term.
pub(crate) fn search(
    connection: &Connection,
    query: &TextQuery,
    last: Option<u64>,
    contents: Contents<'_>,
) -> Result<Vec<RankedWorld>, StoreError> {
    match query.listing() {
        Listing::EachVersion => each_version(connection, query, last, contents),
        _ => each_memory(connection, query, last, contents),
    }
}

/// Each row that matches by itself: every version that brought one of the words.
fn each_version(
    connection: &Connection,
    query: &TextQuery,
    last: Option<u64>,
    contents: Contents<'_>,
) -> Result<Vec<RankedWorld>, StoreError> {
    let mut versions = Versions::new(connection, query, last, contents).map_err(from_sqlite)?;
    let rows = ranked(connection, query, last, (query.offset(), query.limit()));
    let found = |row: Ranked| {
        Ok(RankedWorld {
            idx: row.idx,
            score: row.score,
            places: versions.row_places(row.idx)?,
        })
    };
    rows.map_err(from_sqlite)?.into_iter().map(found).collect()
}

fn each_memory(
    connection: &Connection,
    query: &TextQuery,
    last: Option<u64>,
    contents: Contents<'_>,
) -> Result<Vec<RankedWorld>, StoreError> {
    let mut versions = Versions::new(connection, query, last, contents).map_err(from_sqlite)?;
    let (mut page, mut skip) = (Vec::new(), query.offset());
    let (mut seen, mut from) = (BTreeSet::new(), 0);
    let size = query.offset().saturating_add(query.limit()).max(MIN_ROWS);
    while page.len() < query.limit() {
        let rows = ranked(connection, query, last, (from, size)).map_err(from_sqlite)?;
        let all = rows.len() < size;
        for row in rows {
            let memory = versions.memory(row.idx)?;
            if page.len() == query.limit() || !seen.insert(memory) {
                continue;
            }
            if skip > 0 && query.time_range().is_none() {
                skip -= 1;
                continue;
            }
            let (idx, places) = versions.chosen(memory, row.idx)?;
            if !is_in_time(connection, query, idx).map_err(from_sqlite)? {
                continue;
            }
            if skip > 0 {
                skip -= 1;
                continue;
            }
            let score = row.score;
            page.push(RankedWorld { idx, score, places });
        }
        if all {
            break;
        }
        from += size;
    }
    Ok(page)
}

/// Matching rows by rank: so many, after so many.
fn ranked(
    connection: &Connection,
    query: &TextQuery,
    last: Option<u64>,
    (offset, limit): (usize, usize),
) -> Result<Vec<Ranked>> {
    let last = last.map_or(Ok(i64::MAX), row_id)?;
    let (after, before) = bounds(query);
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let offset = i64::try_from(offset).unwrap_or(i64::MAX);
    let expression = any_of(query.terms());
    let bounded = query.time_range().is_some();
    let hidden = &but_forgotten(connection)?;
    let sql = match (bounded, query.listing()) {
        (false, _) => any_time_sql(hidden),
        (true, Listing::EachVersion) => in_time_sql(hidden, "0"),
        // Of several versions it is not known yet which one counts.
        (true, _) => in_time_sql(
            hidden,
            "text_turns.first IS NOT NULL
             OR EXISTS (SELECT 1 FROM text_turns AS later WHERE later.first = text_turns.idx)",
        ),
    };
    let mut statement = connection.prepare_cached(&sql)?;
    let actor = query.actor().unwrap_or(EVERYONE);
    let common: [&dyn ToSql; 5] = [&actor, &expression, &last, &limit, &offset];
    let times: [&dyn ToSql; 2] = [&after, &before];
    let parameters: Vec<&dyn ToSql> = if bounded {
        common.into_iter().chain(times).collect()
    } else {
        common.to_vec()
    };
    statement
        .query_map(parameters.as_slice(), |row| {
            // SQLite's bm25 is smaller for the better match.
            Ok(Ranked {
                idx: row.get(0)?,
                score: -row.get::<_, f64>(1)?,
            })
        })?
        .collect()
}

/// Returns the condition that leaves out forgotten Worlds, empty where none is.
fn but_forgotten(connection: &Connection) -> Result<String> {
    let anything = connection
        .prepare_cached("SELECT 1 FROM forgotten")?
        .exists([])?;
    Ok(if anything {
        format!("AND text_index.rowid NOT IN ({LEFT_OUT})")
    } else {
        String::new()
    })
}

fn any_time_sql(hidden: &str) -> String {
    format!(
        "SELECT rowid, {SCORE} AS score FROM text_index
         WHERE text_index MATCH ?2 AND rowid <= ?3 {hidden}
         ORDER BY score, rowid LIMIT ?4 OFFSET ?5"
    )
}

fn in_time_sql(hidden: &str, or: &str) -> String {
    format!(
        "SELECT text_index.rowid, {SCORE} AS score
         FROM text_index CROSS JOIN text_turns ON text_turns.idx = text_index.rowid
         WHERE text_index MATCH ?2 AND text_index.rowid <= ?3 {hidden}
           AND (text_turns.created_at > ?6 AND text_turns.created_at < ?7 OR {or})
         ORDER BY score, text_index.rowid LIMIT ?4 OFFSET ?5"
    )
}

/// Tests whether the World was created within the query's bounds.
fn is_in_time(connection: &Connection, query: &TextQuery, idx: u64) -> Result<bool> {
    if query.time_range().is_none() {
        return Ok(true);
    }
    let (after, before) = bounds(query);
    connection
        .prepare_cached(
            "SELECT 1 FROM text_turns WHERE idx = ?1 AND created_at > ?2 AND created_at < ?3",
        )?
        .exists(params![row_id(idx)?, after, before])
}

/// The exclusive bounds on `created_at`, in ms.
fn bounds(query: &TextQuery) -> (i64, i64) {
    let range = query.time_range();
    let after = range
        .and_then(|range| range.after())
        .map(|time| time.value());
    let before = range
        .and_then(|range| range.before())
        .map(|time| time.value());
    (
        after.map_or(i64::MIN, |time| i64::try_from(time).unwrap_or(i64::MAX)),
        before.map_or(i64::MAX, |time| i64::try_from(time).unwrap_or(i64::MAX)),
    )
}
