//! What the index says, as bytes: equal for any two ways of making it from the same Worlds.

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Result};

/// Each table in a fixed order. Of FTS5's own tables those that depend on how the writes were
/// batched are left out; `text_terms` is what they mean: every word in every column of every row,
/// with its offset. The sizes that the ranking divides by are row by row and, in block 1, summed.
const ROWS: [&str; 5] = [
    "SELECT id, name FROM text_dialogues ORDER BY id",
    "SELECT idx, created_at, first, dialogue, position, body, dated FROM text_turns ORDER BY idx",
    "SELECT term, doc, col, offset FROM text_terms",
    "SELECT id, sz FROM text_index_docsize ORDER BY id",
    "SELECT block FROM text_index_data WHERE id = 1",
];

/// Feeds every value of the derived tables to `feed`, tagged, and with its length before it unless
/// the tag says it.
pub(crate) fn digest(connection: &Connection, feed: &mut dyn FnMut(&[u8])) -> Result<()> {
    for sql in ROWS {
        let mut statement = connection.prepare(sql)?;
        let columns = statement.column_count();
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            for column in 0..columns {
                feed_value(row.get_ref(column)?, feed);
            }
        }
        feed(b"end");
    }
    Ok(())
}

fn feed_value(value: ValueRef<'_>, feed: &mut dyn FnMut(&[u8])) {
    match value {
        ValueRef::Null => feed(b"n"),
        ValueRef::Integer(number) => fixed(b"i", number.to_be_bytes(), feed),
        ValueRef::Real(number) => fixed(b"r", number.to_be_bytes(), feed),
        ValueRef::Text(bytes) => tagged(b"t", bytes, feed),
        ValueRef::Blob(bytes) => tagged(b"b", bytes, feed),
    }
}

fn fixed(tag: &[u8], bytes: [u8; 8], feed: &mut dyn FnMut(&[u8])) {
    feed(tag);
    feed(&bytes);
}

fn tagged(tag: &[u8], bytes: &[u8], feed: &mut dyn FnMut(&[u8])) {
    feed(tag);
    feed(&u64::try_from(bytes.len()).unwrap_or(u64::MAX).to_be_bytes());
    feed(bytes);
}
