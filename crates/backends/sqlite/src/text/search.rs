//! One ranked query over the index, and where on its page each word was found.

use counterfoil_store::text_index::{TermPlace, TextQuery};
use rusqlite::{Connection, Result, ToSql, params};

use super::matching::{any_of, in_column, quoted};
use super::write::row_id;

/// Weights of the columns turn, near1, near2 and date: those of [`TermPlace::weight`].
const SCORE: &str = "bm25(text_index, 1.0, 0.3, 0.1, 1.0)";

/// One hit, before its index is turned into a WorldId.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Found {
    /// The log index.
    pub(crate) idx: u64,
    /// Larger is better.
    pub(crate) score: f64,
    /// For each term of the query its nearest place.
    pub(crate) places: Vec<Option<TermPlace>>,
}

/// One page of `query` over the Worlds with an index of at most `last`, best first; equal scores
/// go by index. The query's own bound, a WorldId, is for the caller to look up.
pub(crate) fn search(
    connection: &Connection,
    query: &TextQuery,
    last: Option<u64>,
) -> Result<Vec<Found>> {
    let mut page = ranked(connection, query, last)?;
    let mut finder = Finder::new(connection)?;
    for found in &mut page {
        let row = row_id(found.idx)?;
        found.places = query
            .terms()
            .iter()
            .map(|term| finder.nearest(term, row))
            .collect::<Result<_>>()?;
    }
    Ok(page)
}

fn ranked(connection: &Connection, query: &TextQuery, last: Option<u64>) -> Result<Vec<Found>> {
    let last = last.map_or(Ok(i64::MAX), row_id)?;
    let (after, before) = bounds(query);
    let limit = i64::try_from(query.limit()).unwrap_or(i64::MAX);
    let offset = i64::try_from(query.offset()).unwrap_or(i64::MAX);
    let expression = any_of(query.terms());
    let bounded = query.time_range().is_some();
    let sql = if bounded {
        in_time_sql()
    } else {
        any_time_sql()
    };
    let mut statement = connection.prepare_cached(&sql)?;
    let common: [&dyn ToSql; 4] = [&expression, &last, &limit, &offset];
    let times: [&dyn ToSql; 2] = [&after, &before];
    let parameters: Vec<&dyn ToSql> = if bounded {
        common.into_iter().chain(times).collect()
    } else {
        common.to_vec()
    };
    statement
        .query_map(parameters.as_slice(), |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, f64>(1)?))
        })?
        .map(|row| row.and_then(|(idx, score)| found(idx, score)))
        .collect()
}

fn found(idx: i64, score: f64) -> Result<Found> {
    let idx = u64::try_from(idx).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(0, idx))?;
    // SQLite's bm25 is smaller for the better match.
    Ok(Found {
        idx,
        score: -score,
        places: Vec::new(),
    })
}

fn any_time_sql() -> String {
    format!(
        "SELECT rowid, {SCORE} AS score FROM text_index
         WHERE text_index MATCH ?1 AND rowid <= ?2
         ORDER BY score, rowid LIMIT ?3 OFFSET ?4"
    )
}

fn in_time_sql() -> String {
    format!(
        "SELECT text_index.rowid, {SCORE} AS score
         FROM text_index CROSS JOIN text_turns ON text_turns.idx = text_index.rowid
         WHERE text_index MATCH ?1 AND text_index.rowid <= ?2
           AND text_turns.created_at > ?5 AND text_turns.created_at < ?6
         ORDER BY score, text_index.rowid LIMIT ?3 OFFSET ?4"
    )
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

/// Looks single terms up in single rows, which FTS5 does by seeking.
struct Finder<'c> {
    statement: rusqlite::CachedStatement<'c>,
}

impl<'c> Finder<'c> {
    fn new(connection: &'c Connection) -> Result<Self> {
        let sql = "SELECT 1 FROM text_index WHERE text_index MATCH ?1 AND rowid = ?2";
        Ok(Self {
            statement: connection.prepare_cached(sql)?,
        })
    }

    fn nearest(&mut self, term: &str, row: i64) -> Result<Option<TermPlace>> {
        if !self.matches(&quoted(term), row)? {
            return Ok(None);
        }
        for (column, place) in [
            ("turn", TermPlace::Turn),
            ("date", TermPlace::Date),
            ("near1", TermPlace::Near1),
        ] {
            if self.matches(&in_column(column, term), row)? {
                return Ok(Some(place));
            }
        }
        Ok(Some(TermPlace::Near2))
    }

    fn matches(&mut self, expression: &str, row: i64) -> Result<bool> {
        self.statement.exists(params![expression, row])
    }
}
