//! Numbers of rows of the index: a row that is gone, or too many, is noticed when the store is opened. They are no proof, as
//! anybody can change both.

use counterfoil_store::StoreError;
use rusqlite::Connection;

use crate::statement::Statements;

/// Numbers of rows of full text, and of those that records of the log cause, kept in the transactions that write them.
pub(crate) const SQL: &str = "CREATE TABLE index_rows (
    name TEXT PRIMARY KEY,
    rows INTEGER NOT NULL CHECK (rows > 0)
) STRICT, WITHOUT ROWID;";

/// Tables of these rows.
const COUNTED: [&str; 12] = [
    "text_scoped",
    "text_turns",
    "key",
    "compromise",
    "redacted",
    "forgotten",
    "resolution",
    "abandoned",
    "receipt",
    "correction",
    "trust",
    "trust_document",
];

/// Tables of which the numbers of rows follow from other rows, and statements that are true where they do.
const RELATED: [(&str, &str); 4] = [
    (
        "agent",
        "SELECT (SELECT coalesce(sum(capsules), 0) FROM agent) = (SELECT size FROM head)",
    ),
    (
        "world",
        "SELECT (SELECT coalesce(sum(worlds), 0) FROM agent) = (SELECT count(*) FROM world)",
    ),
    (
        "chain",
        "SELECT (SELECT count(*) FROM chain) + (SELECT count(*) FROM abandoned) = (SELECT size FROM head)",
    ),
    (
        "text_index",
        "SELECT (SELECT count(*) FROM text_index_docsize) = (SELECT count(*) FROM text_turns)",
    ),
];

/// Counts the rows of a store that did not.
pub(crate) fn begin_sql() -> String {
    let count = |table| {
        format!(
            "INSERT INTO index_rows SELECT '{table}', count(*) FROM {table} HAVING count(*) > 0;"
        )
    };
    // Scopes came later, with an index that is derived again.
    let counted = COUNTED.iter().filter(|table| **table != "text_scoped");
    counted.map(count).collect::<Vec<_>>().join("\n")
}

/// Counts rows that were added to `table`.
pub(crate) fn add(connection: &Connection, table: &str, added: usize) -> Result<(), StoreError> {
    if added == 0 || !COUNTED.contains(&table) {
        return Ok(());
    }
    let sql = "INSERT INTO index_rows VALUES (?1, ?2)
         ON CONFLICT (name) DO UPDATE SET rows = rows + excluded.rows";
    connection.run(sql, (table, added))
}

/// Counts rows that were taken from `table`.
pub(crate) fn take(connection: &Connection, table: &str, taken: usize) -> Result<(), StoreError> {
    if taken == 0 || !COUNTED.contains(&table) {
        return Ok(());
    }
    let last = "DELETE FROM index_rows WHERE name = ?1 AND rows <= ?2";
    connection.run(last, (table, taken))?;
    let sql = "UPDATE index_rows SET rows = rows - ?2 WHERE name = ?1";
    connection.run(sql, (table, taken))
}

/// Returns the first table of the index that has not the number of rows that it has to have; `None` if all have.
///
/// # Errors
/// When they cannot be counted.
pub(crate) fn first_difference(
    connection: &Connection,
) -> Result<Option<&'static str>, StoreError> {
    for table in COUNTED {
        let sql = format!(
            "SELECT (SELECT count(*) FROM {table})
                 = coalesce((SELECT rows FROM index_rows WHERE name = '{table}'), 0)"
        );
        if !connection.get(&sql, [])? {
            return Ok(Some(table));
        }
    }
    for (table, sql) in RELATED {
        if !connection.get(sql, [])? {
            return Ok(Some(table));
        }
    }
    Ok(None)
}
