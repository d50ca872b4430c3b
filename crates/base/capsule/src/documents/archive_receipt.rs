//! `archive_receipt`: the log itself says that capsules were moved, and to which segment (capsules 4.6, D56).

use alloc::string::String;

use counterfoil_types::document::Fault;
use counterfoil_types::{Blake3Hash, Sha256Hash};
use serde::{Deserialize, Serialize};

use super::archive_manifest::{ArchiveManifest, check_name};
use crate::document::Document;
use crate::record::RecordKind;

/// Range of the log that the moved capsules lie in; both ends count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entries {
    from: u64,
    to: u64,
}

/// Statement that the capsules of a segment were moved.
///
/// ```json
/// {"type":"archive_receipt","version":"1","name":"segment-1","manifest":"blake3:…","count":2,
///  "entries":{"from":0,"to":7},"merkle_root":"sha256:…","file_hash":"blake3:…"}
/// ```
/// The runs stand in the manifest, which this names by its hash: thousands of them are more than
/// one record holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ArchiveReceipt {
    /// Name of the segment's file.
    pub name: String,
    /// Hash of the manifest.
    pub manifest: Blake3Hash,
    /// Number of moved capsules.
    pub count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    entries: Option<Entries>,
    /// Merkle root over the lines of the segment.
    pub merkle_root: Sha256Hash,
    /// BLAKE3 of the segment's file.
    pub file_hash: Blake3Hash,
}

impl Document for ArchiveReceipt {
    const TYPE: &'static str = RecordKind::ArchiveReceipt.name();

    fn check(&self) -> Result<(), Fault> {
        check_name(&self.name)?;
        match self.entries {
            Some(Entries { from, to }) if from > to => {
                Err(Fault::new("/entries/to", "no less than from"))
            }
            _ => Ok(()),
        }
    }
}

impl ArchiveReceipt {
    /// Makes the receipt of a segment; `from` and `to` are the first and the last entry of the moved capsules.
    pub fn new(manifest: &ArchiveManifest, (from, to): (u64, u64)) -> Self {
        let entries = Some(Entries { from, to });
        Self {
            name: manifest.name.clone(),
            manifest: manifest.hash(),
            count: manifest.count,
            entries,
            merkle_root: manifest.merkle_root,
            file_hash: manifest.file_hash,
        }
    }

    /// Returns whether this is the receipt of that manifest, whole.
    pub fn is_of(&self, manifest: &ArchiveManifest) -> bool {
        let entries = self.entries;
        *self
            == Self {
                entries,
                ..Self::new(manifest, (0, 0))
            }
    }

    /// First and last entry of the moved capsules; `None` where the receipt leaves them open.
    pub fn entries(&self) -> Option<(u64, u64)> {
        self.entries.map(|entries| (entries.from, entries.to))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::document::tests::is_closed;

    #[test]
    fn a_receipt_comes_back_as_it_was_written_and_nothing_else_does() {
        let good = [None, Some(Entries { from: 3, to: 9 })].map(|entries| ArchiveReceipt {
            name: "segment-1".into(),
            manifest: Blake3Hash::from_bytes([1; 32]),
            count: 2,
            entries,
            merkle_root: Sha256Hash::from_bytes([3; 32]),
            file_hash: Blake3Hash::from_bytes([4; 32]),
        });
        let wrong = [
            ("/name", json!("a/b")),
            ("/manifest", json!("")),
            ("/entries", json!({ "from": 2, "to": 1 })),
            ("/entries", json!({ "from": 2 })),
            ("/entries", json!(null)),
            ("/more", json!(1)),
        ];
        is_closed(&good, &wrong);
    }
}
