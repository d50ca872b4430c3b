//! Audits what full text keeps inside of itself, by emptying a copy: an index whose bookkeeping is
//! sound can be emptied row by row, and nothing is left over.
//!
//! The words and their places are compared elsewhere. This finds rows of the index that belong to
//! nothing and rows that a later change would miss. It rests on little knowledge of FTS5's layout:
//! the names of its tables, the two records that an empty index has, and the hash pages in which
//! it notes the rows that were replaced.

use std::collections::BTreeSet;

use counterfoil_store::{StoreError, StoreLocation};
use rusqlite::{Connection, params_from_iter, types::Value};

use super::report::Findings;
use crate::error::at;

/// The tables inside of a full-text table, by the end of their names.
const INNER: [&str; 4] = ["data", "idx", "docsize", "config"];

/// Empties a copy of the full-text table `table` of `live`.
pub(super) fn examine(
    table: &str,
    live: &Connection,
    scratch: &Connection,
    findings: &mut Findings,
) -> Result<(), StoreError> {
    let hold = replaced_rows_hold(table, live).map_err(at(StoreLocation::table(table)));
    if findings.damage(hold)? == Some(false) {
        findings.add(
            table,
            None,
            "a page of replaced rows holds what was never a row",
        );
    }
    let left = copy(table, live, scratch).and_then(|()| empty(table, scratch));
    if let Some(rows @ 1..) = findings.damage(left.map_err(at(StoreLocation::table(table))))? {
        findings.add(
            table,
            None,
            format!("its own bookkeeping leaves {rows} rows over"),
        );
    }
    Ok(())
}

/// Replaces the inner rows in the scratch database by those of the live one.
fn copy(table: &str, live: &Connection, scratch: &Connection) -> rusqlite::Result<()> {
    for inner in INNER {
        let name = format!("\"{table}_{inner}\"");
        scratch.execute(&format!("DELETE FROM {name}"), [])?;
        let mut rows = live.prepare(&format!("SELECT * FROM {name}"))?;
        let columns = rows.column_count();
        let places = vec!["?"; columns].join(", ");
        let mut insert = scratch.prepare(&format!("INSERT INTO {name} VALUES ({places})"))?;
        let mut rows = rows.query([])?;
        while let Some(row) = rows.next()? {
            let values: Vec<Value> = (0..columns)
                .map(|column| row.get(column))
                .collect::<rusqlite::Result<_>>()?;
            insert.execute(params_from_iter(values))?;
        }
    }
    // The virtual table is opened again, and reads what is there now.
    scratch.pragma_update(None, "writable_schema", "RESET")
}

/// Deletes every row through the index itself, and counts what it leaves behind.
fn empty(table: &str, scratch: &Connection) -> rusqlite::Result<i64> {
    let ids: Vec<i64> = scratch
        .prepare(&format!("SELECT id FROM \"{table}_docsize\""))?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    // In one go: each transaction by itself would write the index anew.
    let transaction = scratch.unchecked_transaction()?;
    let mut delete = scratch.prepare(&format!("DELETE FROM \"{table}\" WHERE rowid = ?1"))?;
    for id in ids {
        delete.execute([id])?;
    }
    transaction.commit()?;
    scratch.execute(
        &format!("INSERT INTO \"{table}\" (\"{table}\") VALUES ('optimize')"),
        [],
    )?;
    scratch.query_row(
        &format!(
            "SELECT (SELECT count(*) FROM \"{table}_idx\") + (SELECT count(*) FROM \"{table}_docsize\")
                  + (SELECT count(*) FROM \"{table}_data\" WHERE id NOT IN (1, 10))"
        ),
        [],
        |row| row.get(0),
    )
}

/// Pages of replaced rows stand behind all others: their segment number has bit 16 set.
const FIRST_PAGE_OF_REPLACED: i64 = 1 << (16 + 37);

/// Tests whether each page counts its entries rightly, and names only rows that are there: rows are
/// replaced here and never deleted.
fn replaced_rows_hold(table: &str, live: &Connection) -> rusqlite::Result<bool> {
    let rows: BTreeSet<u64> = live
        .prepare(&format!("SELECT id FROM \"{table}_docsize\""))?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let mut pages = live.prepare(&format!(
        "SELECT block FROM \"{table}_data\" WHERE id >= ?1"
    ))?;
    let mut pages = pages.query([FIRST_PAGE_OF_REPLACED])?;
    while let Some(page) = pages.next()? {
        let block = page.get_ref(0)?.as_blob()?;
        if !entries(block).is_some_and(|entries| entries.is_subset(&rows)) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The entries of a page: width of an entry (4 or 8), a flag for row 0, two zeros, the number of
/// other entries in four bytes, then slots, where zero is free. All big-endian.
fn entries(block: &[u8]) -> Option<BTreeSet<u64>> {
    let (head, slots) = block.split_first_chunk::<8>()?;
    let [width @ (4 | 8), 0 | 1, 0, 0, count @ ..] = *head else {
        return None;
    };
    let width = usize::from(width);
    let number = |slot: &[u8]| {
        slot.iter()
            .fold(0, |number, byte| number << 8 | u64::from(*byte))
    };
    let found: BTreeSet<u64> = slots
        .chunks(width)
        .map(number)
        .filter(|entry| *entry != 0)
        .collect();
    (slots.len() % width == 0 && u32::try_from(found.len()) == Ok(u32::from_be_bytes(count)))
        .then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_of_replaced_rows_is_read_strictly() {
        let page = |count: u8, slots: &[u8]| [&[4, 0, 0, 0, 0, 0, 0, count], slots].concat();
        let two = [0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 9];
        assert_eq!(entries(&page(2, &two)), Some(BTreeSet::from([9, 258])));
        assert_eq!(entries(&page(1, &two)), None, "one entry too many");
        assert_eq!(entries(&page(2, &two[..15])), None, "half a slot");
        assert_eq!(entries(&[5, 0, 0, 0, 0, 0, 0, 0]), None, "another width");
        assert_eq!(entries(&[4, 0, 1, 0, 0, 0, 0, 0]), None, "padding in use");
        assert_eq!(entries(&[4]), None);
    }
}
