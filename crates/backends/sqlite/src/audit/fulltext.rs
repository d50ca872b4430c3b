//! Audits what full text keeps inside of itself, by emptying a copy: an index whose bookkeeping is
//! sound can be emptied row by row, and nothing is left over.
//!
//! The words and their places are compared elsewhere. This finds rows of the index that belong to
//! nothing and rows that a later change would miss. It rests on little knowledge of FTS5's layout:
//! the names of its tables, the two records that an empty index has, and the hash pages in which
//! it notes the rows that were replaced.

use std::collections::BTreeSet;

use counterfoil_life::AuditReport;
use counterfoil_store::{StoreError, StoreLocation};
use rusqlite::{Connection, params_from_iter, types::Value};

use crate::error::at;
use crate::statement::{FromRow, Statements};

/// After this many words or rows that differ no more are named.
const MAX_NAMED: usize = 20;
/// A page's id: the segment from this bit on, the number below.
const SEGMENT_SHIFT: u32 = 37;

/// The tables inside of a full-text table, by the end of their names.
const INNER: [&str; 4] = ["data", "idx", "docsize", "config"];

/// Empties a copy of the full-text table `table` of `live`.
pub(super) fn examine(
    table: &str,
    live: &Connection,
    scratch: &Connection,
    report: &mut AuditReport,
) -> Result<(), StoreError> {
    let hold = replaced_rows_hold(table, live).map_err(at(StoreLocation::table(table)));
    if report.damage(hold)? == Some(false) {
        report.add(
            table,
            None,
            "a page of replaced rows holds what was never a row",
        );
    }
    let left = copy(table, live, scratch).and_then(|()| empty(table, scratch));
    if let Some(rows @ 1..) = report.damage(left.map_err(at(StoreLocation::table(table))))? {
        report.add(
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

/// Compares the rows of `table`_idx, through which FTS5 finds the page of a word, with their pages: a row holds a
/// beginning of the first word of its page. The pages themselves are checked by SQLite, and that each word is
/// found through them by [`examine_words`].
pub(super) fn examine_rows(
    table: &str,
    live: &Connection,
    report: &mut AuditReport,
) -> Result<(), StoreError> {
    let sql = format!(
        "SELECT segid, pgno >> 1, term, block, data.id > (
             SELECT min(id) FROM \"{table}_data\" AS first WHERE first.id >= segid << {SEGMENT_SHIFT})
         FROM \"{table}_idx\" JOIN \"{table}_data\" AS data
             ON data.id = (segid << {SEGMENT_SHIFT}) + (pgno >> 1) ORDER BY segid, term"
    );
    let mut differing = Vec::new();
    let read = live.each(&sql, [], |row| {
        let (segment, page, later): (i64, i64, bool) = (row.get(0)?, row.get(1)?, row.get(4)?);
        let (term, block) = (row.get_ref(2)?.as_bytes()?, row.get_ref(3)?.as_blob()?);
        let holds = first_word(block).is_some_and(|word| {
            // The first page may have lost its first words to another segment.
            word.starts_with(term) || (!later && page > 1 && term <= word)
        });
        if !holds && differing.len() < MAX_NAMED {
            differing.push(format!(
                "the row of page {page} of segment {segment} is not what the page makes it"
            ));
        }
        Ok(())
    });
    let inner = format!("{table}_idx");
    report.damage(read.map_err(at(StoreLocation::table(&*inner))))?;
    for detail in differing {
        report.add(&inner, None, detail);
    }
    Ok(())
}

/// A page is two bytes, the offset of the footer in two more, words and places,
/// and the footer, which begins with the offset of the first word. No footer, no word.
fn first_word(block: &[u8]) -> Option<&[u8]> {
    let [_, _, high, low, ..] = *block else {
        return None;
    };
    let footer = block.get(usize::from(u16::from_be_bytes([high, low]))..)?;
    let (offset, _) = number(footer)?;
    let (length, word) = number(block.get(offset..)?)?;
    word.get(..length)
}

/// A number in seven bits a byte, high ones first, and what follows it.
fn number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut value = 0;
    for (at, byte) in bytes.iter().enumerate().take(4) {
        value = value << 7 | usize::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some((value, bytes.get(at + 1..)?));
        }
    }
    None
}

/// A word, and its places: their number, and two sums over them.
type Sums = (Option<String>, u64, Option<i64>, Option<i64>);

/// Looks every word that `scratch` has up in `live`, as a search does.
pub(super) fn examine_words(
    vocabulary: &str,
    live: &Connection,
    scratch: &Connection,
    report: &mut AuditReport,
) -> Result<(), StoreError> {
    let sums = "SELECT term, count(*), sum(doc), sum((doc + 1) % 65521 * (offset + 1))";
    let lookup = format!("{sums} FROM \"{vocabulary}\" WHERE term = ?1");
    // Grouped by word in the order of the index: nothing is sorted.
    let all = format!("{sums} FROM \"{vocabulary}\" GROUP BY term ORDER BY term");
    let mut lost = Vec::new();
    let compared = scratch.each(&all, [], |row| {
        let expected = Sums::from_row(row)?;
        // An error stands for the one word: the others are looked up all the same.
        if lost.len() < MAX_NAMED
            && live.get(&lookup, [&expected.0]).ok().as_ref() != Some(&expected)
        {
            lost.extend(expected.0);
        }
        Ok(())
    });
    report.damage(compared)?;
    for word in lost {
        let detail = format!("{word:?}: a search does not find the entries that hold it");
        report.add(vocabulary, None, detail);
    }
    Ok(())
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

    #[test]
    fn the_first_word_of_a_page_is_read_where_its_footer_says() {
        let page = [0, 0, 0, 8, 3, b'o', b'n', b'e', 4];
        assert_eq!(first_word(&page), Some(&b"one"[..]));
        assert_eq!(first_word(&page[..8]), None, "no footer");
        assert_eq!(first_word(&[0, 0, 0, 8, 9, b'o', b'n', b'e', 4]), None);
        assert_eq!(first_word(&[0, 0, 0]), None);
        assert_eq!(number(&[0x81, 0x00, 7]), Some((128, &[7][..])));
        assert_eq!(number(&[0x80]), None);
    }
}
