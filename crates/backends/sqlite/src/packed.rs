//! Texts as the table of bodies keeps them: as they are, or as a zstd frame (RFC 8878) where a chain
//! grows and that is smaller. What a column holds is told by its type: text or blob.

use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::LazyLock;

use rusqlite::types::{FromSqlError, ToSqlOutput, ValueRef};
use rusqlite::{Row, ToSql};
use zstd::bulk::{Compressor, Decompressor};
use zstd::dict::{DecoderDictionary, EncoderDictionary};

/// Content of a capsule has at most so many bytes, and a delta fewer.
const MAX_BYTES: usize = 1 << 20;
/// A level beyond which little is gained.
const LEVEL: i32 = 9;
/// What most deltas are made of. Bytes of this are part of the format of the database: another
/// list would be another kind of frame.
const USUAL: &[u8] = br#"[],"op":"add","path":"/data/","value":true},"op":"remove","path":"/data/list/0"},"value":null},{"old":{"kind":"note","text":""},"value":false}]blake3:[{"old":"did:key:z6Mk[{"old":1772323200000,"op":"replace","path":"/createdAt","value":1772323200000},{"old":"","op":"replace","path":"/data/text","value":""},{"old":"0123456789abcdef","op":"replace","path":"/snapshotHash","value":"0123456789abcdef"},{"old":"019ca6b1-dc00-7","op":"replace","path":"/worldId","value":"019ca6b1-dc00-7"}]"#;

static PACKING: LazyLock<EncoderDictionary<'static>> =
    LazyLock::new(|| EncoderDictionary::copy(USUAL, LEVEL));
static UNPACKING: LazyLock<DecoderDictionary<'static>> =
    LazyLock::new(|| DecoderDictionary::copy(USUAL));

thread_local! {
    /// To make one takes longer than to pack a delta.
    static PACKER: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
}

/// A text on its way into a column.
#[derive(Debug)]
pub(crate) enum Packed<'t> {
    Text(&'t str),
    Frame(Vec<u8>),
}

impl<'t> Packed<'t> {
    /// As it is.
    pub(crate) const fn plain(text: &'t str) -> Self {
        Self::Text(text)
    }

    /// The content of the capsule `seq` of a chain. The first is most often the only one, and then
    /// packing gains little.
    pub(crate) fn of_content(seq: u64, text: &'t str) -> Self {
        match seq {
            0 => Self::plain(text),
            _ => Self::small(text),
        }
    }

    /// Packed, if that is smaller.
    pub(crate) fn small(text: &'t str) -> Self {
        match packed(text) {
            Ok(frame) if frame.len() < text.len() => Self::Frame(frame),
            _ => Self::Text(text),
        }
    }
}

impl ToSql for Packed<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Frame(frame) => ValueRef::Blob(frame),
        }))
    }
}

fn packed(text: &str) -> std::io::Result<Vec<u8>> {
    PACKER.with_borrow_mut(|packer| {
        let packer = match packer {
            Some(packer) => packer,
            None => packer.insert(Compressor::with_prepared_dictionary(&PACKING)?),
        };
        packer.compress(text.as_bytes())
    })
}

/// The text in a column, unpacked; `None` where there is none.
pub(crate) fn text(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<String>> {
    let value = row.get_ref(column)?;
    let read = || -> Result<Option<String>, FromSqlError> {
        let bytes = match value {
            ValueRef::Null => return Ok(None),
            ValueRef::Text(text) => Cow::Borrowed(text),
            ValueRef::Blob(frame) => Cow::Owned(
                Decompressor::with_prepared_dictionary(&UNPACKING)
                    .and_then(|mut unpacker| unpacker.decompress(frame, MAX_BYTES))
                    .map_err(FromSqlError::other)?,
            ),
            ValueRef::Integer(_) | ValueRef::Real(_) => return Err(FromSqlError::InvalidType),
        };
        String::from_utf8(bytes.into_owned())
            .map(Some)
            .map_err(FromSqlError::other)
    };
    read().map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column, value.data_type(), Box::new(error))
    })
}

/// What the frames say that stand anywhere in `bytes`: for tests that look for what is gone.
#[cfg(test)]
pub(crate) fn frames_in(bytes: &[u8]) -> Vec<Vec<u8>> {
    use std::io::Read;

    const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
    let starts = bytes.windows(4).enumerate();
    let starts = starts.filter(|(_, window)| *window == MAGIC);
    let unpacked = starts.map(|(start, _)| {
        let mut said = Vec::new();
        let frame = zstd::stream::read::Decoder::with_dictionary(&bytes[start..], USUAL).unwrap();
        // What is cut off in the middle is taken as far as it goes.
        let _ = frame.single_frame().read_to_end(&mut said);
        said
    });
    unpacked.collect()
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    fn back(packed: &Packed<'_>) -> rusqlite::Result<Option<String>> {
        let connection = Connection::open_in_memory().unwrap();
        connection.query_row("SELECT ?1", [packed], |row| text(row, 0))
    }

    #[test]
    fn a_text_comes_back_however_it_was_kept() {
        let long = "the key is under the blue pot ".repeat(2_000);
        for given in ["", "x", "[]", long.as_str()] {
            for packed in [Packed::plain(given), Packed::small(given)] {
                assert_eq!(back(&packed).unwrap().as_deref(), Some(given));
            }
        }
        assert!(matches!(Packed::small(&long), Packed::Frame(frame) if frame.len() < 1_000));
        assert!(matches!(Packed::small("x"), Packed::Text("x")));
    }

    #[test]
    fn the_usual_words_of_a_delta_cost_next_to_nothing() {
        let delta =
            r#"[{"old":1772323205123,"op":"replace","path":"/createdAt","value":1772323209456}]"#;
        let Packed::Frame(frame) = Packed::small(delta) else {
            panic!("it is not packed");
        };
        assert!(frame.len() < delta.len() / 2, "{} bytes", frame.len());
    }

    #[test]
    fn what_is_no_frame_is_damage() {
        let frame = Packed::Frame(b"no frame".to_vec());
        assert!(back(&frame).is_err());
        let bomb = zstd::bulk::compress(&vec![b' '; MAX_BYTES + 1], 3).unwrap();
        assert!(back(&Packed::Frame(bomb)).is_err(), "beyond the limit");
    }
}
