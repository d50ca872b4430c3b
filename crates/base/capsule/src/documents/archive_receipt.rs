//! `archive_receipt`: the log itself says that capsules were moved, and to which segment (capsules 4.6, D56).

use alloc::string::String;

use counterfoil_types::json::Value;
use counterfoil_types::{Blake3Hash, Sha256Hash};

use super::archive_manifest::{ArchiveManifest, name};
use crate::error::CapsuleError;
use crate::keys::reading::{Reading, document, written};
use crate::record::RecordKind;

const KIND: RecordKind = RecordKind::ArchiveReceipt;
const MEMBERS: [&str; 6] = [
    "count",
    "entries",
    "file_hash",
    "manifest",
    "merkle_root",
    "name",
];

/// Between which entries of the log the moved capsules stand; both ends count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entries {
    /// The first.
    pub from: u64,
    /// The last.
    pub to: u64,
}

/// ```json
/// {"type":"archive_receipt","version":"1","name":"segment-1","manifest":"blake3:…","count":2,
///  "entries":{"from":0,"to":7},"merkle_root":"sha256:…","file_hash":"blake3:…"}
/// ```
/// The runs stand in the manifest, which this names by its hash: thousands of them are more than
/// one record holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveReceipt {
    name: String,
    manifest: Blake3Hash,
    count: u64,
    entries: Option<Entries>,
    merkle_root: Sha256Hash,
    file_hash: Blake3Hash,
}

impl ArchiveReceipt {
    /// The receipt of a segment.
    #[must_use]
    pub fn new(manifest: &ArchiveManifest, entries: Option<Entries>) -> Self {
        Self {
            name: manifest.name().into(),
            manifest: manifest.hash(),
            count: manifest.count(),
            entries,
            merkle_root: manifest.merkle_root(),
            file_hash: manifest.file_hash(),
        }
    }

    /// Reads one: closed members, each what it must be.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn parse(value: &Value) -> Result<Self, CapsuleError> {
        let reading = Reading::of(KIND, value, &MEMBERS)?;
        Ok(Self {
            name: name(reading.text("name")?)?,
            manifest: reading.hash("manifest")?,
            count: reading.number("count")?,
            entries: reading.value("entries").map(entries).transpose()?,
            merkle_root: reading.sha256("merkle_root")?,
            file_hash: reading.hash("file_hash")?,
        })
    }

    /// The document.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let members = [
            ("name", self.name.as_str().into()),
            ("manifest", written(self.manifest)),
            ("count", self.count.into()),
            ("merkle_root", written(self.merkle_root)),
            ("file_hash", written(self.file_hash)),
        ];
        let entries = self.entries.map(|Entries { from, to }| {
            let members = [("from".into(), from.into()), ("to".into(), to.into())];
            ("entries", Value::Object(members.into_iter().collect()))
        });
        document(KIND.name(), members.into_iter().chain(entries))
    }

    /// Whether this is the receipt of that manifest, whole.
    #[must_use]
    pub fn is_of(&self, manifest: &ArchiveManifest) -> bool {
        *self == Self::new(manifest, self.entries)
    }

    /// The name of the segment's file.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The hash of the manifest.
    #[must_use]
    pub const fn manifest(&self) -> Blake3Hash {
        self.manifest
    }

    /// How many capsules were moved.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Between which entries they stand.
    #[must_use]
    pub const fn entries(&self) -> Option<Entries> {
        self.entries
    }

    /// The root over the lines of the segment.
    #[must_use]
    pub const fn merkle_root(&self) -> Sha256Hash {
        self.merkle_root
    }

    /// BLAKE3 of the segment's file.
    #[must_use]
    pub const fn file_hash(&self) -> Blake3Hash {
        self.file_hash
    }
}

fn entries(value: &Value) -> Result<Entries, CapsuleError> {
    let part = Reading::part(KIND.name(), value, &["from", "to"])?;
    let entries = Entries {
        from: part.number("from")?,
        to: part.number("to")?,
    };
    if entries.from > entries.to {
        return Err(part.wrong("to", "no less than from"));
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use serde_json::json;

    use super::*;

    fn receipt(entries: Option<Entries>) -> ArchiveReceipt {
        ArchiveReceipt {
            name: "segment-1".to_string(),
            manifest: Blake3Hash::from_bytes([1; 32]),
            count: 2,
            entries,
            merkle_root: Sha256Hash::from_bytes([3; 32]),
            file_hash: Blake3Hash::from_bytes([4; 32]),
        }
    }

    #[test]
    fn a_receipt_comes_back_as_it_was_written() {
        for entries in [None, Some(Entries { from: 3, to: 9 })] {
            let receipt = receipt(entries);
            assert_eq!(ArchiveReceipt::parse(&receipt.to_value()), Ok(receipt));
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for (member, value) in [
            ("name", json!("a/b")),
            ("manifest", json!("")),
            ("entries", json!({ "from": 2, "to": 1 })),
            ("entries", json!({ "from": 2 })),
            ("entries", json!(null)),
            ("more", json!(1)),
        ] {
            let mut bad = receipt(None).to_value();
            bad[member] = value;
            assert!(ArchiveReceipt::parse(&bad).is_err(), "{member}");
        }
    }
}
