//! What the agent signs and the log hashes as a leaf: the entry of a World, or of a record (C2).

use alloc::string::String;
use core::fmt::Write;

use counterfoil_types::{Blake3Hash, Sha256Hash, WorldId};
use counterfoil_verifier::entry::Entry;
use counterfoil_verifier::merkle;

use crate::error::CapsuleError;
use crate::header::{Header, Kind, Unlinked};
use crate::record::RecordKind;

/// First line of the entry of a record. A verifier of Worlds refuses it.
pub const RECORD_ENTRY: &str = "counterfoil/record/v1";

/// An entry of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogEntry {
    /// Entry for the content of a World.
    World(Entry),
    /// Entry for a record about keys, chains or memories.
    Record(RecordEntry),
}

/// The entry of a record:
///
/// ```text
/// counterfoil/record/v1
/// kind key_rotation
/// capsule blake3:<64 hex>
/// content blake3:<64 hex> 187
/// fields sha256:<64 hex> 8
/// ```
///
/// Every line ends with a newline. Its first line keeps it from passing for a World's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordEntry {
    pub(crate) kind: RecordKind,
    pub(crate) capsule: Blake3Hash,
    pub(crate) content: Blake3Hash,
    pub(crate) content_size: u64,
    pub(crate) field_root: Sha256Hash,
    pub(crate) field_count: u64,
}

impl RecordEntry {
    /// Subject of the record.
    #[must_use]
    pub const fn kind(&self) -> RecordKind {
        self.kind
    }

    fn parse(text: &str) -> Option<Self> {
        let mut lines = text
            .strip_prefix(RECORD_ENTRY)?
            .strip_prefix('\n')?
            .strip_suffix('\n')?
            .split('\n');
        let mut next = |label: &str| lines.next()?.strip_prefix(label)?.strip_prefix(' ');
        let entry = Self {
            kind: next("kind")?.parse().ok()?,
            capsule: next("capsule")?.parse().ok()?,
            content: Blake3Hash::from_bytes([0; 32]),
            content_size: 0,
            field_root: Sha256Hash::from_bytes([0; 32]),
            field_count: 0,
        };
        let (content, content_size) = next("content")?.split_once(' ')?;
        let (field_root, field_count) = next("fields")?.split_once(' ')?;
        let entry = Self {
            content: content.parse().ok()?,
            content_size: content_size.parse().ok()?,
            field_root: field_root.parse().ok()?,
            field_count: field_count.parse().ok()?,
            ..entry
        };
        // One spelling: signs, leading zeros and further lines are other bytes.
        (entry.to_text() == text).then_some(entry)
    }

    fn to_text(&self) -> String {
        let mut text = String::with_capacity(320);
        // To write into a String does not fail.
        let _ = write!(
            text,
            "{RECORD_ENTRY}\nkind {}\ncapsule {}\ncontent {} {}\nfields {} {}\n",
            self.kind.name(),
            self.capsule,
            self.content,
            self.content_size,
            self.field_root,
            self.field_count,
        );
        text
    }
}

impl LogEntry {
    /// The entry of a capsule: what its header says, and the field tree of its content.
    ///
    /// # Errors
    /// [`CapsuleError::Document`] when the header is of a kind that is not known here.
    pub fn of(
        header: &Header,
        field_root: Sha256Hash,
        field_count: u64,
    ) -> Result<Self, CapsuleError> {
        Self::of_members(header.members(), field_root, field_count)
    }

    pub(crate) fn of_members(
        header: &Unlinked,
        field_root: Sha256Hash,
        field_count: u64,
    ) -> Result<Self, CapsuleError> {
        let (capsule, content) = (header.hash, header.payload.hash());
        let content_size = header.payload.size();
        match (header.kind(), &header.world) {
            (Kind::World | Kind::Claim, Some(world)) => Ok(Self::World(Entry {
                world: world.clone(),
                capsule,
                content,
                content_size,
                field_root,
                field_count,
            })),
            (Kind::Record(kind), _) => Ok(Self::Record(RecordEntry {
                kind,
                capsule,
                content,
                content_size,
                field_root,
                field_count,
            })),
            _ => Err(CapsuleError::at(
                "header",
                "/ext/kind",
                "a kind that this program knows; update counterfoil",
            )),
        }
    }

    /// Reads an entry; `Ok` guarantees that [`to_text`](Self::to_text) gives the same bytes back.
    ///
    /// # Errors
    /// [`CapsuleError::Document`] for anything that is not exactly an entry of a known kind.
    pub fn parse(text: &str) -> Result<Self, CapsuleError> {
        if text.starts_with(RECORD_ENTRY) {
            return RecordEntry::parse(text).map(Self::Record).ok_or_else(|| {
                CapsuleError::at("entry", "", "the five lines of a record's entry")
            });
        }
        Entry::parse(text)
            .map(Self::World)
            .map_err(|_| CapsuleError::at("entry", "", "the five lines of a World's entry"))
    }

    /// The bytes that are signed and hashed.
    #[must_use]
    pub fn to_text(&self) -> String {
        match self {
            Self::World(entry) => entry.to_text(),
            Self::Record(entry) => entry.to_text(),
        }
    }

    /// The leaf of the log: `SHA-256(0x00 || entry)` (RFC 9162 §2.1.1).
    #[must_use]
    pub fn leaf_hash(&self) -> Sha256Hash {
        merkle::leaf_hash(self.to_text().as_bytes())
    }

    /// World of the content; `None` for a record.
    #[must_use]
    pub const fn world(&self) -> Option<&WorldId> {
        match self {
            Self::World(entry) => Some(&entry.world),
            Self::Record(_) => None,
        }
    }

    /// The entry of a World; `None` for a record.
    #[must_use]
    pub const fn as_world(&self) -> Option<&Entry> {
        match self {
            Self::World(entry) => Some(entry),
            Self::Record(_) => None,
        }
    }

    /// The entry of a record; `None` for a World.
    #[must_use]
    pub const fn as_record(&self) -> Option<&RecordEntry> {
        match self {
            Self::World(_) => None,
            Self::Record(entry) => Some(entry),
        }
    }

    /// Hash of the capsule's header.
    #[must_use]
    pub const fn capsule(&self) -> Blake3Hash {
        match self {
            Self::World(entry) => entry.capsule,
            Self::Record(entry) => entry.capsule,
        }
    }

    /// Salted address of the canonical content.
    #[must_use]
    pub const fn content(&self) -> Blake3Hash {
        match self {
            Self::World(entry) => entry.content,
            Self::Record(entry) => entry.content,
        }
    }

    /// Length of the canonical content, in bytes.
    #[must_use]
    pub const fn content_size(&self) -> u64 {
        match self {
            Self::World(entry) => entry.content_size,
            Self::Record(entry) => entry.content_size,
        }
    }

    /// Root of the field tree over the content.
    #[must_use]
    pub const fn field_root(&self) -> Sha256Hash {
        match self {
            Self::World(entry) => entry.field_root,
            Self::Record(entry) => entry.field_root,
        }
    }

    /// Number of leaves of the field tree.
    #[must_use]
    pub const fn field_count(&self) -> u64 {
        match self {
            Self::World(entry) => entry.field_count,
            Self::Record(entry) => entry.field_count,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> RecordEntry {
        RecordEntry {
            kind: RecordKind::Redaction,
            capsule: Blake3Hash::from_bytes([1; 32]),
            content: Blake3Hash::from_bytes([2; 32]),
            content_size: 17,
            field_root: Sha256Hash::from_bytes([3; 32]),
            field_count: 2,
        }
    }

    #[test]
    fn the_entry_of_a_record_comes_back_and_no_other_spelling_does() {
        let text = record().to_text();
        assert_eq!(LogEntry::parse(&text).unwrap(), LogEntry::Record(record()));
        for bad in [
            text.trim_end(),
            &text.replace(" 17", " 017"),
            &text.replace(" 17", " +17"),
            &text.replace("record/v1", "record/v2"),
            &text.replace("redaction", "reduction"),
            &text.replace('\n', "\r\n"),
            &alloc::format!("{text}\n"),
            &alloc::format!("{text}more\n"),
        ] {
            assert!(LogEntry::parse(bad).is_err(), "{bad:?}");
        }
    }

    /// A record never passes for a World: the verifier of Worlds refuses its first line (C31).
    #[test]
    fn a_record_is_no_world() {
        let text = record().to_text();
        assert!(Entry::parse(&text).is_err());
        assert_eq!(LogEntry::parse(&text).unwrap().world(), None);
    }
}
