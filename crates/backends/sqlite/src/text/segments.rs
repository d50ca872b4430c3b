//! The FTS5 index as it lies in its tables: segments, and the doclists of terms (*Term/doclist format* in SQLite's
//! `fts5_index.c`).
//!
//! A query of FTS5 goes from row to row and reads the size of each by itself. Doclists are read as a whole, a page of the file
//! at a time.

use std::cmp::Ordering;
use std::ops::RangeInclusive;

use counterfoil_store::StoreError;
use rusqlite::{Connection, params};

use crate::apart;
use crate::statement::Statements;

/// Begins the structure record of an index that knows the origin of its rows.
const WITH_ORIGINS: &[u8] = &[0xff, 0, 0, 1];
/// Number of columns: turn, near1, near2 and date.
pub(super) const COLUMNS: u8 = 4;
/// Begins each term of the whole index; others begin those of prefix indexes.
const MAIN: u8 = b'0';
/// Bytes of a page before its content.
const HEADER: usize = 4;
/// Bits of a page's number below that of its segment.
const PAGE_BITS: u32 = 37;

/// The error for tables that do not belong together.
pub(super) const DAMAGED: StoreError = StoreError::IndexDamaged {
    table: "text_index_data",
};

/// The index as of one commit.
pub(super) struct Structure {
    pub(super) segments: Vec<Segment>,
    /// Number of rows.
    pub(super) rows: u64,
    /// Sum of all sizes of rows, in terms.
    pub(super) tokens: u64,
    /// Records that change with each write.
    pub(super) mark: Vec<u8>,
    /// Version of the tables: another one once they were made anew, as `rebuild` does. Origins begin again then.
    pub(super) tables: i64,
}

/// Postings that were written together, or merged since.
pub(super) struct Segment {
    id: u64,
    pages: RangeInclusive<u64>,
    /// Origins of its rows. A row that was replaced has a later one.
    origins: RangeInclusive<u64>,
}

/// Size of a row, and origin of its postings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) tokens: u32,
    /// 0 where there is no row.
    pub(super) origin: u32,
}

impl Structure {
    pub(super) fn read(connection: &Connection) -> Result<Self, StoreError> {
        let record = |id: u64| {
            let sql = "SELECT block FROM text_index_data WHERE id = ?1";
            Ok::<_, StoreError>(connection.find::<Vec<u8>>(sql, [id])?.unwrap_or_default())
        };
        let (averages, mut mark) = (record(1)?, record(10)?);
        let segments = segments(&mark).ok_or(DAMAGED)?;
        let mut sums = averages.as_slice();
        let rows = varint(&mut sums).unwrap_or_default();
        let mut tokens = 0_u64;
        while !sums.is_empty() {
            tokens = tokens.saturating_add(varint(&mut sums).ok_or(DAMAGED)?);
        }
        mark.extend(averages);
        let tables = match apart::is_attached(connection) {
            true => connection.get("PRAGMA words.schema_version", [])?,
            false => connection.get("PRAGMA main.schema_version", [])?,
        };
        Ok(Self {
            segments,
            rows,
            tokens,
            mark,
            tables,
        })
    }
}

fn segments(record: &[u8]) -> Option<Vec<Segment>> {
    let mut rest = record.get(4..)?.strip_prefix(WITH_ORIGINS)?;
    let (levels, count, _writes) = (varint(&mut rest)?, varint(&mut rest)?, varint(&mut rest)?);
    let mut segments = Vec::new();
    for _ in 0..levels {
        let (_merging, of_level) = (varint(&mut rest)?, varint(&mut rest)?);
        for _ in 0..of_level {
            let mut next = || varint(&mut rest);
            segments.push(Segment {
                id: next()?,
                pages: next()?..=next()?,
                origins: next()?..=next()?,
            });
            let (_pages_replaced, _replaced, _entries) = (next()?, next()?, next()?);
        }
    }
    let sound = |segment: &Segment| segment.id >> 16 == 0 && segment.pages.end() >> 31 == 0;
    (usize::try_from(count) == Ok(segments.len()) && segments.iter().all(sound)).then_some(segments)
}

impl Segment {
    /// Tests whether the postings of a row that lie in this segment are those that count.
    pub(super) fn holds(&self, size: Size) -> bool {
        size.origin != 0 && self.origins.contains(&size.origin.into())
    }

    /// Returns the doclists of `term`, or of all terms that begin with it.
    pub(super) fn doclists(
        &self,
        connection: &Connection,
        (term, is_prefix): (&str, bool),
    ) -> Result<Vec<Doclist>, StoreError> {
        let key = [&[MAIN], term.as_bytes()].concat();
        let sql = "SELECT pgno FROM text_index_idx WHERE segid = ?1 AND term <= ?2
             ORDER BY term DESC LIMIT 1";
        let page: Option<u64> = connection.find(sql, params![self.id, key])?;
        // The lowest bit is another flag. Pages before the first are merged already.
        let page = page.map_or(1, |page| page >> 1).max(*self.pages.start());
        let mut reader = Reader {
            key,
            is_prefix,
            term: Vec::new(),
            open: None,
            found: Vec::new(),
        };
        let from_to = [page, *self.pages.end()].map(|page| (self.id << PAGE_BITS) + page);
        connection.visit(
            "SELECT block FROM text_index_data WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
            from_to,
            |row| Ok(reader.page(row.get_ref(0)?.as_blob()?)),
            |goes_on| goes_on.ok_or(DAMAGED),
        )?;
        reader.found.extend(reader.open);
        Ok(reader.found)
    }
}

/// The rows of one term in one segment.
#[derive(Default)]
pub(super) struct Doclist {
    pub(super) bytes: Vec<u8>,
    /// Offsets of rows that are not given by their distance from the one before.
    whole: Vec<usize>,
}

/// Takes page by page.
struct Reader {
    key: Vec<u8>,
    is_prefix: bool,
    /// The last term.
    term: Vec<u8>,
    /// The doclist of the last term, if that is one that is looked for.
    open: Option<Doclist>,
    found: Vec<Doclist>,
}

impl Reader {
    /// Takes a page, and returns true if more may follow; `None` if the page is damaged.
    fn page(&mut self, page: &[u8]) -> Option<bool> {
        let [first_row, end] = [0, 2].map(|at| {
            let bytes = page.get(at..)?.first_chunk()?;
            Some(usize::from(u16::from_be_bytes(*bytes)))
        });
        let (first_row, end) = (first_row?, end?);
        let (content, mut terms) = page.split_at_checked(end)?;
        let mut next = match terms {
            [] => end,
            _ => length(&mut terms)?,
        };
        if let Some(open) = &mut self.open {
            if (HEADER..next).contains(&first_row) {
                open.whole.push(open.bytes.len() + first_row - HEADER);
            }
            open.bytes.extend(content.get(HEADER..next)?);
        }
        let mut is_first = true;
        while next < end {
            self.found.extend(self.open.take());
            let mut rest = content.get(next..)?;
            let kept = match is_first {
                true => 0,
                false => length(&mut rest)?,
            };
            let new = length(&mut rest)?;
            let (new, rest) = rest.split_at_checked(new)?;
            self.term.truncate(kept);
            self.term.extend(new);
            let start = end - rest.len();
            let after = match terms {
                [] => end,
                _ => next.checked_add(length(&mut terms)?)?,
            };
            match self.place() {
                Ordering::Less => {}
                Ordering::Equal => {
                    self.open = Some(Doclist {
                        bytes: content.get(start..after)?.to_vec(),
                        whole: vec![0],
                    });
                }
                Ordering::Greater => return Some(false),
            }
            if after <= next {
                return None;
            }
            (next, is_first) = (after, false);
        }
        Some(self.open.is_some() || self.is_prefix)
    }

    /// The last term's place beside those that are looked for.
    fn place(&self) -> Ordering {
        match self.is_prefix && self.term.starts_with(&self.key) {
            true => Ordering::Equal,
            false => self.term.cmp(&self.key),
        }
    }
}

impl Doclist {
    /// Each row with the bytes of its positions; `None` in place of what is damaged.
    pub(super) fn rows(&self) -> impl Iterator<Item = Option<(u64, &[u8])>> {
        let (mut rest, mut row) = (self.bytes.as_slice(), 0);
        let mut whole = self.whole.iter().peekable();
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let at = self.bytes.len() - rest.len();
            let mut next = || {
                let number = varint(&mut rest)?;
                row = match whole.next_if(|whole| **whole == at) {
                    Some(_) => number,
                    None => u64::checked_add(row, number)?,
                };
                // The lowest bit would mark a deletion, which this index has elsewhere.
                let size = length(&mut rest)? >> 1;
                let (positions, following) = rest.split_at_checked(size)?;
                rest = following;
                Some((row, positions))
            };
            let next = next();
            if next.is_none() {
                rest = &[];
            }
            Some(next)
        })
    }
}

/// The positions of a row: column and offset in it; `None` in place of what is damaged.
pub(super) fn positions(mut bytes: &[u8]) -> impl Iterator<Item = Option<(u8, u64)>> {
    let (mut column, mut offset) = (0, 0_u64);
    std::iter::from_fn(move || {
        if bytes.is_empty() {
            return None;
        }
        let mut next = || {
            let mut number = varint(&mut bytes)?;
            while number == 1 {
                let (next, rest) = bytes.split_first()?;
                (column, offset, bytes) = (*next, 0, rest);
                if column >= COLUMNS {
                    return None;
                }
                number = varint(&mut bytes)?;
            }
            offset = offset.checked_add(number.checked_sub(2)?)?;
            Some((column, offset))
        };
        let next = next();
        if next.is_none() {
            bytes = &[];
        }
        Some(next)
    })
}

/// Reads a number of SQLite's variable length.
#[inline]
pub(super) fn varint(bytes: &mut &[u8]) -> Option<u64> {
    // Most numbers have one byte.
    if let [byte @ 0..0x80, rest @ ..] = *bytes {
        *bytes = rest;
        return Some((*byte).into());
    }
    let mut value = 0;
    for _ in 0..8 {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value = value << 7 | u64::from(byte & 0x7f);
        if *byte < 0x80 {
            return Some(value);
        }
    }
    let (byte, rest) = bytes.split_first()?;
    *bytes = rest;
    Some(value << 8 | u64::from(*byte))
}

fn length(bytes: &mut &[u8]) -> Option<usize> {
    usize::try_from(varint(bytes)?).ok()
}
