//! The same rows, inserted by hand: what SQLite alone costs, with the settings of the store.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use rusqlite::types::Value;
use rusqlite::{Connection, OpenFlags, params_from_iter};

use crate::fill;

/// The settings of the store that cost something.
const SETTINGS: &str =
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
    PRAGMA recursive_triggers = ON; PRAGMA secure_delete = ON; PRAGMA cell_size_check = ON;";

/// How long it takes to insert all rows of the store into empty tables, in `batches` transactions.
pub(crate) fn insertion(store: &Path, target: &Path, batches: u64) -> Result<Duration> {
    let source = Connection::open_with_flags(store, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let mut target = Connection::open(target)?;
    target.execute_batch(SETTINGS)?;
    for sql in strings(
        &source,
        "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'text_index_%'
         AND name NOT LIKE 'sqlite_%'",
    )? {
        target.execute_batch(&sql)?;
    }
    // What a migration wrote into the new tables would stand twice.
    let tables = tables(&source)?;
    let mut work = Vec::new();
    for table in &tables {
        let columns = columns(&source, table)?;
        work.push((insert(table, &columns), rows(&source, table, &columns)?));
    }
    let mut spent = Duration::ZERO;
    for batch in 0..batches {
        let began = Instant::now();
        let transaction = target.transaction()?;
        for (sql, rows) in &work {
            let mut statement = transaction.prepare_cached(sql)?;
            for row in part(rows, batch, batches)? {
                statement.execute(params_from_iter(row))?;
            }
        }
        transaction.commit()?;
        spent += began.elapsed();
    }
    Ok(spent)
}

/// Which rows the transaction `batch` inserts.
fn part(rows: &[Vec<Value>], batch: u64, batches: u64) -> Result<&[Vec<Value>]> {
    let length = u64::try_from(rows.len())?;
    let (from, to) = (
        usize::try_from(length * batch / batches)?,
        usize::try_from(length * (batch + 1) / batches)?,
    );
    rows.get(from..to).context("a part of the rows")
}

/// Tables with rows. The full-text index is contentless: its rows are made from what it was made from.
fn tables(source: &Connection) -> Result<Vec<String>> {
    let names = strings(
        source,
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'text_index%'
         AND name NOT LIKE 'text_terms%' AND name NOT LIKE 'sqlite_%' AND name NOT IN ('origin', 'head')
         ORDER BY name = 'capsule' DESC, name = 'body' DESC, rowid",
    )?;
    Ok(names)
}

fn columns(source: &Connection, table: &str) -> Result<Vec<String>> {
    strings(
        source,
        &format!("SELECT name FROM pragma_table_info('{table}')"),
    )
}

fn insert(table: &str, columns: &[String]) -> String {
    let marks = vec!["?"; columns.len()].join(", ");
    format!(
        "INSERT INTO {table} ({}) VALUES ({marks})",
        columns.join(", ")
    )
}

fn rows(source: &Connection, table: &str, columns: &[String]) -> Result<Vec<Vec<Value>>> {
    let mut statement = source.prepare(&format!("SELECT {} FROM {table}", columns.join(", ")))?;
    let rows = statement.query_map([], |row| (0..columns.len()).map(|at| row.get(at)).collect())?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn strings(source: &Connection, sql: &str) -> Result<Vec<String>> {
    let mut statement = source.prepare(sql)?;
    let all = statement.query_map([], |row| row.get(0))?;
    Ok(all.collect::<rusqlite::Result<_>>()?)
}

/// How long so many signatures take on one thread.
pub(crate) fn signing(count: u64) -> Duration {
    let (signer, entry) = (fill::signer(0), [b'e'; 330]);
    let began = Instant::now();
    for _ in 0..count {
        std::hint::black_box(signer.sign(std::hint::black_box(&entry)));
    }
    began.elapsed()
}

/// Bytes a claim of each table and index.
pub(crate) fn parts(folder: &Path, count: u64) -> Result<serde_json::Value> {
    let source = Connection::open(folder.join("memory.db"))?;
    let mut statement =
        source.prepare("SELECT name, sum(pgsize) FROM dbstat GROUP BY name ORDER BY 2 DESC")?;
    let parts = statement.query_map([], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, u32>(1)?))
    })?;
    let mut all = serde_json::Map::new();
    for part in parts {
        let (name, bytes) = part?;
        let each = f64::from(bytes) / f64::from(u32::try_from(count)?);
        if each >= 1.0 {
            all.insert(name, serde_json::json!(each.round()));
        }
    }
    Ok(all.into())
}
