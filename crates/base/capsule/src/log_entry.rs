//! Entry that the agent signs and the log hashes as a leaf: that of a World, or of a record (C2).

use alloc::format;
use alloc::string::String;

use counterfoil_types::{Blake3Hash, Sha256Hash, WorldId};
use counterfoil_verifier::entry::Entry;
use counterfoil_verifier::merkle;

use crate::error::CapsuleError;
use crate::header::{Header, Kind, Unlinked};
use crate::record::RecordKind;

/// First line of the entry of a record. A verifier of Worlds refuses it.
pub const RECORD_ENTRY: &str = "counterfoil/record/v1";

/// An entry of the log: that of a World, as the verifier reads it, or of a record about keys, chains or memories:
///
/// ```text
/// counterfoil/record/v1
/// kind key_rotation
/// capsule blake3:<64 hex>
/// content blake3:<64 hex> 187
/// fields sha256:<64 hex> 8
/// ```
///
/// Every line ends with a newline. Its first line keeps the entry of a record from passing for a World's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEntry {
    subject: Subject,
    /// Hash of the capsule's header.
    pub capsule: Blake3Hash,
    /// Salted address of the canonical content.
    pub content: Blake3Hash,
    /// Length of the canonical content, in bytes.
    pub content_size: u64,
    /// Root of the field tree over the content.
    pub field_root: Sha256Hash,
    /// Number of leaves of the field tree.
    pub field_count: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Subject {
    World(WorldId),
    Record(RecordKind),
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
        let subject = match (header.kind(), &header.world) {
            (Kind::World | Kind::Claim, Some(world)) => Subject::World(world.clone()),
            (Kind::Record(kind), _) => Subject::Record(kind),
            _ => {
                let must = "a kind that this program knows; update counterfoil";
                return Err(CapsuleError::at("header", "/ext/kind", must));
            }
        };
        Ok(Self {
            subject,
            capsule: header.hash,
            content: header.payload.hash(),
            content_size: header.payload.size(),
            field_root,
            field_count,
        })
    }

    /// Reads an entry; `Ok` guarantees that [`to_text`](Self::to_text) gives the same bytes back.
    ///
    /// # Errors
    /// [`CapsuleError::Document`] for anything that is not exactly an entry of a known kind.
    pub fn parse(text: &str) -> Result<Self, CapsuleError> {
        if let Some(lines) = text.strip_prefix(RECORD_ENTRY) {
            // One spelling: signs, leading zeros and further lines are other bytes.
            let entry = Self::of_record(lines).filter(|entry| entry.to_text() == text);
            return entry.ok_or_else(|| {
                CapsuleError::at("entry", "", "the five lines of a record's entry")
            });
        }
        let entry = Entry::parse(text)
            .map_err(|_| CapsuleError::at("entry", "", "the five lines of a World's entry"))?;
        Ok(Self {
            subject: Subject::World(entry.world),
            capsule: entry.capsule,
            content: entry.content,
            content_size: entry.content_size,
            field_root: entry.field_root,
            field_count: entry.field_count,
        })
    }

    /// Reads the lines of a record behind the first one, in other spellings too.
    fn of_record(lines: &str) -> Option<Self> {
        let mut lines = lines.lines().skip(1);
        let mut next = |label: &str| lines.next()?.strip_prefix(label)?.strip_prefix(' ');
        let (kind, capsule) = (next("kind")?, next("capsule")?);
        let (content, content_size) = next("content")?.split_once(' ')?;
        let (field_root, field_count) = next("fields")?.split_once(' ')?;
        Some(Self {
            subject: Subject::Record(kind.parse().ok()?),
            capsule: capsule.parse().ok()?,
            content: content.parse().ok()?,
            content_size: content_size.parse().ok()?,
            field_root: field_root.parse().ok()?,
            field_count: field_count.parse().ok()?,
        })
    }

    /// The bytes that are signed and hashed.
    pub fn to_text(&self) -> String {
        if let Some(entry) = self.as_world() {
            return entry.to_text();
        }
        let kind = self.record().map_or("", RecordKind::name);
        format!(
            "{RECORD_ENTRY}\nkind {kind}\ncapsule {}\ncontent {} {}\nfields {} {}\n",
            self.capsule, self.content, self.content_size, self.field_root, self.field_count,
        )
    }

    /// The leaf of the log: `SHA-256(0x00 || entry)` (RFC 9162 §2.1.1).
    pub fn leaf_hash(&self) -> Sha256Hash {
        merkle::leaf_hash(self.to_text().as_bytes())
    }

    /// World of the content; `None` for a record.
    pub const fn world(&self) -> Option<&WorldId> {
        match &self.subject {
            Subject::World(world) => Some(world),
            Subject::Record(_) => None,
        }
    }

    /// Subject of a record; `None` for a World.
    pub const fn record(&self) -> Option<RecordKind> {
        match self.subject {
            Subject::World(_) => None,
            Subject::Record(kind) => Some(kind),
        }
    }

    /// The entry of a World, as a verifier reads it; `None` for a record.
    pub fn as_world(&self) -> Option<Entry> {
        Some(Entry {
            world: self.world()?.clone(),
            capsule: self.capsule,
            content: self.content,
            content_size: self.content_size,
            field_root: self.field_root,
            field_count: self.field_count,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> LogEntry {
        LogEntry {
            subject: Subject::Record(RecordKind::Redaction),
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
        assert_eq!(LogEntry::parse(&text).unwrap(), record());
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
