//! Audits derived state: it is made again in a scratch database and compared.

use counterfoil_life::AuditReport;
use counterfoil_store::{StoreError, StoreLocation};
use rusqlite::types::Value;
use rusqlite::{Connection, Row};

use super::fulltext;
use crate::error::{at, from_sqlite};
use crate::schema;
use crate::statement::Statements;

/// After this many rows that differ, a table is not looked at any further.
const MAX_ROWS: u64 = 20;

/// Function that derives an index in a database.
pub(super) type Derive<'d> = &'d dyn Fn(&Connection) -> Result<(), StoreError>;

pub(super) fn examine(
    connection: &Connection,
    mut scratch: Connection,
    derive: Derive<'_>,
    report: &mut AuditReport,
) -> Result<(), StoreError> {
    let transaction = scratch.transaction().map_err(from_sqlite)?;
    if report.damage(derive(&transaction))?.is_none() {
        return Ok(());
    }
    // Full text is written when the transaction ends.
    transaction.commit().map_err(from_sqlite)?;
    let mut tables = Vec::new();
    for table in schema::derived_tables(&scratch)? {
        let sql = "SELECT lower(sql) FROM sqlite_schema WHERE name = ?1";
        let definition: String = scratch.get(sql, [&table])?;
        let kind = match (
            definition.contains("using fts5vocab"),
            definition.contains("using fts5"),
        ) {
            (true, _) => Kind::Vocabulary,
            (_, true) => Kind::FullText,
            _ => Kind::Rows,
        };
        tables.push((table, kind));
    }
    for (table, kind) in &tables {
        for sql in kind.queries(table) {
            let before = report.total;
            let compared = compare(table, &sql, (connection, &scratch), report);
            report.damage(compared.map_err(at(StoreLocation::table(&**table))))?;
            if report.total - before > MAX_ROWS {
                report.add(table, None, "further rows differ");
            }
        }
    }
    for (table, kind) in &tables {
        match kind {
            Kind::Vocabulary => fulltext::examine_words(table, connection, &scratch, report)?,
            Kind::FullText => fulltext::examine_rows(table, connection, report)?,
            Kind::Rows => {}
        }
    }
    // The last: it writes into the scratch database.
    for (table, _) in tables.iter().filter(|(_, kind)| *kind == Kind::FullText) {
        fulltext::examine(table, connection, &scratch, report)?;
    }
    Ok(())
}

/// Kind of a derived table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Rows,
    FullText,
    /// Every word of a full-text table with its place.
    Vocabulary,
}

impl Kind {
    /// Queries that read a derived table in an order that depends on the rows alone.
    ///
    /// A full-text table keeps no rows of its own. What can change an answer of it is in its
    /// vocabulary table, in the lengths and totals from which scores are computed, and in its
    /// configuration.
    fn queries(self, table: &str) -> Vec<String> {
        match self {
            Self::Rows => vec![format!("SELECT * FROM \"{table}\" NOT INDEXED")],
            Self::Vocabulary => vec![format!("SELECT * FROM \"{table}\"")],
            Self::FullText => vec![
                format!("SELECT id, sz FROM \"{table}_docsize\" ORDER BY id"),
                format!("SELECT id, block FROM \"{table}_data\" WHERE id = 1"),
                format!("SELECT k, v FROM \"{table}_config\" ORDER BY k"),
            ],
        }
    }
}

/// Compares the rows of a query on both databases, in step. There are millions of them, so only rows that differ are copied.
fn compare(
    table: &str,
    sql: &str,
    (live, scratch): (&Connection, &Connection),
    report: &mut AuditReport,
) -> rusqlite::Result<()> {
    let (mut live, mut scratch) = (live.prepare(sql)?, scratch.prepare(sql)?);
    let columns = scratch.column_count();
    let (mut live, mut scratch) = (live.query([])?, scratch.query([])?);
    let mut differing = 0;
    while differing <= MAX_ROWS {
        let detail = match (live.next()?, scratch.next()?) {
            (None, None) => break,
            (Some(found), Some(expected)) if same(found, expected, columns)? => continue,
            (None, Some(expected)) => (expected.get(0)?, "a row is missing"),
            (Some(found), None) => (found.get(0)?, "a row is too many"),
            (Some(_), Some(expected)) => {
                (expected.get(0)?, "a row is not what the capsules make it")
            }
        };
        differing += 1;
        match detail {
            (Value::Integer(index), detail) => report.add(table, u64::try_from(index).ok(), detail),
            (Value::Text(name), detail) => report.add(table, None, format!("{name:?}: {detail}")),
            (_, detail) => report.add(table, None, detail),
        }
    }
    Ok(())
}

fn same(found: &Row<'_>, expected: &Row<'_>, columns: usize) -> rusqlite::Result<bool> {
    for column in 0..columns {
        if found.get_ref(column)? != expected.get_ref(column)? {
            return Ok(false);
        }
    }
    Ok(true)
}
