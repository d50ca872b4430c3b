//! Audits `text_index_idx`, through which FTS5 finds the page of a word: each page in which a word
//! begins has its row, each row its page, and each word is found through them.
//!
//! What is read of FTS5's layout: a page's number, where on it the first word stands, and that a
//! row holds a beginning of that word.

use std::collections::BTreeMap;

use counterfoil_store::{StoreError, StoreLocation};
use rusqlite::{Connection, Result};

use super::report::Findings;
use crate::error::at;

/// After this many words or rows that differ no more are named.
const MAX_NAMED: usize = 20;
/// A page's id: the segment from bit 37 on, bit 36 for lists of places, the number below.
const SEGMENT_SHIFT: u32 = 37;
const LIST_FLAG: i64 = 1 << 36;
const SEGMENTS: i64 = 1 << 16;

/// Segment and number of a page.
type Page = (i64, i64);

/// Compares the rows of `table`_idx with the pages.
pub(super) fn examine_rows(
    table: &str,
    live: &Connection,
    findings: &mut Findings,
) -> Result<(), StoreError> {
    let inner = format!("{table}_idx");
    let compared = differing_rows(table, live).map_err(at(StoreLocation::table(&*inner)));
    for detail in findings.damage(compared)?.unwrap_or_default() {
        findings.add(&inner, None, detail);
    }
    Ok(())
}

fn differing_rows(table: &str, live: &Connection) -> Result<Vec<String>> {
    let (mut first_words, firsts) = first_words(table, live)?;
    let mut differing = Vec::new();
    let mut statement = live.prepare(&format!(
        "SELECT segid, term, pgno FROM \"{table}_idx\" ORDER BY segid, term"
    ))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (segment, number): (i64, i64) = (row.get(0)?, row.get(2)?);
        let page = (segment, number >> 1);
        let term = row.get_ref(1)?.as_bytes()?;
        let first = firsts.get(&segment).copied();
        if first.is_some_and(|first| (1..first).contains(&page.1)) {
            continue; // FTS5 has moved this page to another segment, and leaves its row.
        }
        let list = exists(table, live, page)?;
        let holds = first_words.remove(&page).is_some_and(|word| {
            let begins = word.starts_with(term);
            // The first page may have lost its first words to another segment.
            begins || (first == Some(page.1) && page.1 > 1 && term <= word.as_slice())
        });
        if !holds || list != (number & 1 == 1) {
            differing.push(format!(
                "the row of page {} of segment {segment} is not what the page makes it",
                page.1
            ));
        }
    }
    let missing = first_words.keys().map(|(segment, number)| {
        format!("the row of page {number} of segment {segment} is missing")
    });
    differing.extend(missing);
    differing.truncate(MAX_NAMED);
    Ok(differing)
}

/// The first word of each page in which one begins.
type FirstWords = BTreeMap<Page, Vec<u8>>;
/// Each segment's first page.
type FirstPages = BTreeMap<i64, i64>;

fn first_words(table: &str, live: &Connection) -> Result<(FirstWords, FirstPages)> {
    let (mut words, mut firsts) = (BTreeMap::new(), BTreeMap::new());
    let mut statement = live.prepare(&format!(
        "SELECT id, block FROM \"{table}_data\" WHERE id >= ?1 AND id < ?2 ORDER BY id"
    ))?;
    let mut rows = statement.query([1 << SEGMENT_SHIFT, SEGMENTS << SEGMENT_SHIFT])?;
    while let Some(row) = rows.next()? {
        let id: i64 = row.get(0)?;
        if id & LIST_FLAG != 0 {
            continue;
        }
        let segment = id >> SEGMENT_SHIFT;
        let page = (segment, id & (LIST_FLAG - 1));
        firsts.entry(segment).or_insert(page.1);
        if let Some(word) = first_word(row.get_ref(1)?.as_blob()?) {
            words.insert(page, word.to_vec());
        }
    }
    Ok((words, firsts))
}

/// Tests whether a page has a list of places.
fn exists(table: &str, live: &Connection, (segment, number): Page) -> Result<bool> {
    let id = (segment << SEGMENT_SHIFT) | LIST_FLAG | number;
    live.prepare_cached(&format!("SELECT 1 FROM \"{table}_data\" WHERE id = ?1"))?
        .exists([id])
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

/// Looks every word that `scratch` has up in `live`, as a search does.
pub(super) fn examine_words(
    vocabulary: &str,
    live: &Connection,
    scratch: &Connection,
    findings: &mut Findings,
) -> Result<(), StoreError> {
    let compared = lost_words(vocabulary, live, scratch);
    let lost = findings.damage(compared.map_err(at(StoreLocation::table(vocabulary))))?;
    for word in lost.unwrap_or_default() {
        let detail = format!("{word:?}: a search does not find the entries that hold it");
        findings.add(vocabulary, None, detail);
    }
    Ok(())
}

/// Places of a word: their number, and two sums over them.
fn found(vocabulary: &str, selection: &str) -> String {
    format!(
        "SELECT term, count(*), sum(doc), sum((doc + 1) % 65521 * (offset + 1)) FROM \"{vocabulary}\" {selection}"
    )
}

type Sums = (Option<String>, u64, Option<i64>, Option<i64>);

fn sums(row: &rusqlite::Row<'_>) -> Result<Sums> {
    Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
}

fn lost_words(vocabulary: &str, live: &Connection, scratch: &Connection) -> Result<Vec<String>> {
    // Grouped by word in the order of the index: nothing is sorted.
    let mut expected = scratch.prepare(&found(vocabulary, "GROUP BY term ORDER BY term"))?;
    let mut lookup = live.prepare(&found(vocabulary, "WHERE term = ?1"))?;
    let mut expected = expected.query([])?;
    let mut lost = Vec::new();
    while let Some(row) = expected.next()? {
        let expected = sums(row)?;
        // An error stands for the one word: the others are looked up all the same.
        if lookup.query_row([&expected.0], sums).ok().as_ref() != Some(&expected) {
            lost.extend(expected.0);
        }
        if lost.len() >= MAX_NAMED {
            break;
        }
    }
    Ok(lost)
}

#[cfg(test)]
mod tests {
    use super::*;

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
