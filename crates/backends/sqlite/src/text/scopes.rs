//! Scopes of Worlds: which rows of the index a scoped query is made of (decision 0067).
//!
//! A query in a scope reads postings, sizes, phrases, vectors and versions of these rows alone, so that its order, its scores and
//! its page are those of a store that holds nothing else.

use std::collections::BTreeSet;

use counterfoil_store::StoreError;
use counterfoil_types::{Scope, WorldId};
use rusqlite::Connection;

use crate::counts;
use crate::statement::Statements;

/// The tables of this part: each scope that a World has, by its canonical JSON; its pairs, as `key=value`; and the scopes of
/// Worlds by their log indices. A World whose scope is empty is in none of them.
pub(super) const SQL: &str = "
CREATE TABLE text_scopes (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE text_scope_pairs (
    pair  TEXT    NOT NULL,
    scope INTEGER NOT NULL,
    PRIMARY KEY (pair, scope)
) STRICT, WITHOUT ROWID;
CREATE TABLE text_scoped (
    idx   INTEGER PRIMARY KEY,
    scope INTEGER NOT NULL
) STRICT;
CREATE INDEX text_scoped_scope ON text_scoped (scope);
";

/// Bits of one element of [`ScopeRows`].
const BITS: u64 = 64;

/// Rows of one scope.
#[derive(Debug, Default)]
pub(crate) struct ScopeRows {
    /// A bit for each log index.
    bits: Vec<u64>,
    rows: Vec<u64>,
}

impl ScopeRows {
    /// The rows that are in `scope`; `None` for the empty scope, which all are in.
    ///
    /// # Errors
    /// When the index can't be read.
    pub(crate) fn of(connection: &Connection, scope: &Scope) -> Result<Option<Self>, StoreError> {
        if scope.is_empty() {
            return Ok(None);
        }
        let mut found = Self::default();
        for id in containing(connection, scope)? {
            let sql = "SELECT idx FROM text_scoped WHERE scope = ?1";
            let rows: Vec<u64> = connection.list(sql, [id])?;
            found.rows.extend(rows);
        }
        found.rows.sort_unstable();
        for row in &found.rows {
            let at = usize::try_from(row / BITS).unwrap_or(usize::MAX);
            if found.bits.len() <= at {
                found.bits.resize(at.saturating_add(1), 0);
            }
            if let Some(bits) = found.bits.get_mut(at) {
                *bits |= 1 << (row % BITS);
            }
        }
        Ok(Some(found))
    }

    /// The rows, ascending.
    pub(crate) fn rows(&self) -> &[u64] {
        &self.rows
    }

    pub(crate) fn contains(&self, row: u64) -> bool {
        let at = usize::try_from(row / BITS).unwrap_or(usize::MAX);
        let bits = self.bits.get(at).copied().unwrap_or_default();
        bits & (1 << (row % BITS)) != 0
    }
}

/// Tests whether a row is in the scope of a query.
pub(crate) fn is_within(scope: Option<&ScopeRows>, row: u64) -> bool {
    scope.is_none_or(|scope| scope.contains(row))
}

/// Tests whether there is a World of this id, with content, in `scope`. No content is read: of a World in another scope as much
/// is looked at as of one that is not there, but for the scope's own row.
///
/// # Errors
/// When the index can't be read.
pub(crate) fn is_in(
    connection: &Connection,
    id: &WorldId,
    scope: &Scope,
) -> Result<bool, StoreError> {
    if scope.is_empty() {
        return Ok(true);
    }
    let containing = containing(connection, scope)?;
    let sql = "SELECT scope FROM text_scoped JOIN world USING (idx) WHERE world.id = ?1";
    let own: Option<i64> = connection.find(sql, [id.to_string()])?;
    Ok(own.is_some_and(|own| containing.contains(&own)))
}

/// Ids of the scopes that have every pair of `scope`.
fn containing(connection: &Connection, scope: &Scope) -> Result<BTreeSet<i64>, StoreError> {
    let mut ids: Option<BTreeSet<i64>> = None;
    for (key, value) in scope.pairs() {
        let sql = "SELECT scope FROM text_scope_pairs WHERE pair = ?1";
        let with: BTreeSet<i64> = connection.list(sql, [format!("{key}={value}")])?;
        ids = Some(match ids {
            Some(ids) => ids.intersection(&with).copied().collect(),
            None => with,
        });
    }
    Ok(ids.unwrap_or_default())
}

/// Condition that `column`, a log index, is in `scope`, with `AND` before it; empty for the empty scope.
///
/// # Errors
/// When the index can't be read.
pub(crate) fn within_sql(
    connection: &Connection,
    scope: &Scope,
    column: &str,
) -> Result<String, StoreError> {
    if scope.is_empty() {
        return Ok(String::new());
    }
    let ids = containing(connection, scope)?.into_iter();
    let ids: Vec<String> = ids.map(|id| id.to_string()).collect();
    Ok(format!(
        "AND {column} IN (SELECT idx FROM text_scoped WHERE scope IN ({}))",
        ids.join(", ")
    ))
}

/// Adds the World at `idx` to those of its scope.
pub(super) fn add(connection: &Connection, idx: u64, scope: &Scope) -> Result<(), StoreError> {
    if scope.is_empty() {
        return Ok(());
    }
    let name = name(scope);
    let known = connection.find("SELECT id FROM text_scopes WHERE name = ?1", [&name])?;
    let id: i64 = match known {
        Some(id) => id,
        None => {
            let sql = "INSERT INTO text_scopes (name) VALUES (?1) RETURNING id";
            let id = connection.get(sql, [&name])?;
            for (key, value) in scope.pairs() {
                let pair = format!("{key}={value}");
                connection.run("INSERT INTO text_scope_pairs VALUES (?1, ?2)", (pair, id))?;
            }
            id
        }
    };
    connection.run("INSERT INTO text_scoped VALUES (?1, ?2)", (idx, id))?;
    counts::add(connection, "text_scoped", 1)
}

/// Canonical JSON of a scope: its keys and values have no character that has two forms.
pub(super) fn name(scope: &Scope) -> String {
    serde_json::to_string(scope).unwrap_or_default()
}
