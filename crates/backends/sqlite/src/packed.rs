//! Texts as the table of bodies keeps them: as they are, or as a zstd frame (RFC 8878) where a chain
//! grows and that is smaller. What a column holds is told by its type: text or blob.
//!
//! Headers and contents of claim units are much alike: their frames have a dictionary of their own. Such a blob is one
//! byte 1 and the frame without the four bytes that every frame begins with.

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
/// Dictionary for deltas. Its bytes are part of the format of the database: another
/// list would be another kind of frame.
const USUAL: &[u8] = br#"[],"op":"add","path":"/data/","value":true},"op":"remove","path":"/data/list/0"},"value":null},{"old":{"kind":"note","text":""},"value":false}]blake3:[{"old":"did:key:z6Mk[{"old":1772323200000,"op":"replace","path":"/createdAt","value":1772323200000},{"old":"","op":"replace","path":"/data/text","value":""},{"old":"0123456789abcdef","op":"replace","path":"/snapshotHash","value":"0123456789abcdef"},{"old":"019ca6b1-dc00-7","op":"replace","path":"/worldId","value":"019ca6b1-dc00-7"}]"#;

/// Dictionary for claim units, and as much part of the format.
const USUAL_OF_CLAIMS: &[u8] = br#"{"act":"corroborate","anchors":[{"source":"","world":"world-"}],"because":{"cardinality":"many","depth":1,"equals":"world-","ignored":["world-"],"rivalCount":1,"rivals":["world-"]},"by":"world-","disposition":"affirmed","bounded","denied","reinstated","released","superseded","contested","corroborated","quarantined","queued_for_adjudication","committed_inferred","derivedFrom":["world-"],"key":"","rivals":["world-"],"sources":["user_asserted"],"first_hand"],"peer:did:key:z6Mk","supersedes":["world-"],"target":"world-","undoes":["world-"],"at":"","class":"model_derived"},"row":4,"class":"peer","agent":"did:key:z6Mk","level":2},"row":7,"registered":"one","said":"one"},"said":"many"},"predicate":"lives_in","valid":{"confidence":0.8,"until":"2026-01-01"},"from":"2020-01-01"},"value":true}{"agent":"did:key:z6Mk","chain":"01a0","delta":null,"ext":{"kind":"claim"},"id":"01a0","mutation":null,"payload":{"hash":"blake3:0123456789abcdef","size":600},"previous":null,"seq":0,"timestamp":"2026-01-01T00:00:00.000000Z","type":"memory_capsule","version":"1","world":"world-0123456789abcdef"}{"createdAt":1772323200000,"createdBy":null,"data":{"act":"claim","cardinality":{"said":"unknown"},"disposition":"committed","format":"counterfoil/claim/v1","kind":"claim","number":0,"predicate":"","previous":"world-0123456789abcdef","provenance":{"class":"user_asserted"},"row":5,"subject":"","valid":{"confidence":0.9,"from":"2020-01-01T00:00:00Z","until":"2021-01-01T00:00:00Z"},"value":""},"schemaHash":"72e6ea9396775d81f16291fba726373ed49233661c81a5aa6323c30d4e446b25","snapshotHash":"0123456789abcdef","worldId":"world-"}"#;
/// Magic number of a frame.
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The first byte of a blob whose frame has the dictionary of claims.
const OF_CLAIMS: u8 = 1;
/// Claims are written one by one, and often: 1 % less is gained in half the time.
const LEVEL_OF_CLAIMS: i32 = 3;

static PACKING: LazyLock<EncoderDictionary<'static>> =
    LazyLock::new(|| EncoderDictionary::copy(USUAL, LEVEL));
static UNPACKING: LazyLock<DecoderDictionary<'static>> =
    LazyLock::new(|| DecoderDictionary::copy(USUAL));

static PACKING_CLAIMS: LazyLock<EncoderDictionary<'static>> =
    LazyLock::new(|| EncoderDictionary::copy(USUAL_OF_CLAIMS, LEVEL_OF_CLAIMS));
static UNPACKING_CLAIMS: LazyLock<DecoderDictionary<'static>> =
    LazyLock::new(|| DecoderDictionary::copy(USUAL_OF_CLAIMS));

thread_local! {
    /// To make one takes longer than to pack a delta.
    static PACKER: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    static CLAIM_PACKER: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    static CLAIM_UNPACKER: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// A text on its way into a column.
#[derive(Debug)]
pub(crate) enum Packed<'t> {
    Text(&'t str),
    Frame(Cow<'t, [u8]>),
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

    /// The content of a claim unit.
    pub(crate) fn claim(text: &'t str, frame: Option<&'t [u8]>) -> Self {
        match frame {
            Some(frame) => Self::Frame(Cow::Borrowed(frame)),
            None => Self::Text(text),
        }
    }

    /// Packed, if that is smaller.
    pub(crate) fn small(text: &'t str) -> Self {
        match PACKER.with_borrow_mut(|packer| compressed(packer, &PACKING, text)) {
            Ok(frame) if frame.len() < text.len() => Self::Frame(Cow::Owned(frame)),
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

/// Compresses with the compressor of this thread, which is made first if there is none.
fn compressed(
    packer: &mut Option<Compressor<'static>>,
    dictionary: &'static EncoderDictionary<'static>,
    text: &str,
) -> std::io::Result<Vec<u8>> {
    let packer = match packer {
        Some(packer) => packer,
        None => packer.insert(Compressor::with_prepared_dictionary(dictionary)?),
    };
    packer.compress(text.as_bytes())
}

/// Header or content of a claim unit, packed; `None` where nothing is gained.
pub(crate) fn packed_claim(text: &str) -> Option<Vec<u8>> {
    let frame =
        CLAIM_PACKER.with_borrow_mut(|packer| compressed(packer, &PACKING_CLAIMS, text).ok())?;
    let mut blob = vec![OF_CLAIMS];
    blob.extend_from_slice(frame.strip_prefix(&MAGIC)?);
    (blob.len() < text.len()).then_some(blob)
}

/// The text of a blob.
pub(crate) fn unpacked(blob: &[u8]) -> std::io::Result<String> {
    let bytes = match blob.split_first() {
        Some((&OF_CLAIMS, rest)) => {
            let frame = [&MAGIC[..], rest].concat();
            // The content size of the frame is allocated; a frame with a wrong size cannot be unpacked.
            let length = zstd::zstd_safe::get_frame_content_size(&frame);
            let length = length.ok().flatten().unwrap_or_default();
            let length = usize::try_from(length).unwrap_or(usize::MAX).min(MAX_BYTES);
            CLAIM_UNPACKER.with_borrow_mut(|unpacker| {
                let unpacker = match unpacker {
                    Some(unpacker) => unpacker,
                    None => {
                        unpacker.insert(Decompressor::with_prepared_dictionary(&UNPACKING_CLAIMS)?)
                    }
                };
                unpacker.decompress(&frame, length)
            })?
        }
        _ => Decompressor::with_prepared_dictionary(&UNPACKING)
            .and_then(|mut unpacker| unpacker.decompress(blob, MAX_BYTES))?,
    };
    String::from_utf8(bytes).map_err(std::io::Error::other)
}

/// The text in a column, unpacked; `None` where there is none.
pub(crate) fn text(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<String>> {
    let value = row.get_ref(column)?;
    let read = || -> Result<Option<String>, FromSqlError> {
        match value {
            ValueRef::Null => Ok(None),
            ValueRef::Text(text) => String::from_utf8(text.to_vec())
                .map(Some)
                .map_err(FromSqlError::other),
            ValueRef::Blob(blob) => unpacked(blob).map(Some).map_err(FromSqlError::other),
            ValueRef::Integer(_) | ValueRef::Real(_) => Err(FromSqlError::InvalidType),
        }
    };
    read().map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column, value.data_type(), Box::new(error))
    })
}

/// The contents of all frames anywhere in `bytes`, for tests that look for erased content.
#[cfg(test)]
pub(crate) fn frames_in(bytes: &[u8]) -> Vec<Vec<u8>> {
    use std::io::Read;

    // First bytes after the magic number: one segment, with a size of one, two or four bytes.
    const DESCRIPTORS: [u8; 3] = [0x20, 0x60, 0xa0];
    let unpacked = |frame: &[u8], dictionary| {
        let mut said = Vec::new();
        let frame = zstd::stream::read::Decoder::with_dictionary(frame, dictionary).unwrap();
        // What is cut off in the middle is taken as far as it goes.
        let _ = frame.single_frame().read_to_end(&mut said);
        said
    };
    let unpacked_at = |at: usize| match &bytes[at..] {
        rest if rest.starts_with(&MAGIC) => Some(unpacked(rest, USUAL)),
        [OF_CLAIMS, rest @ ..] if rest.first().is_some_and(|it| DESCRIPTORS.contains(it)) => {
            let frame = [&MAGIC[..], &rest[..rest.len().min(4096)]].concat();
            Some(unpacked(&frame, USUAL_OF_CLAIMS))
        }
        _ => None,
    };
    (0..bytes.len()).filter_map(unpacked_at).collect()
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
        let frame = Packed::Frame(b"no frame".to_vec().into());
        assert!(back(&frame).is_err());
        let bomb = zstd::bulk::compress(&vec![b' '; MAX_BYTES + 1], 3).unwrap();
        assert!(
            back(&Packed::Frame(bomb.into())).is_err(),
            "beyond the limit"
        );
    }
}
