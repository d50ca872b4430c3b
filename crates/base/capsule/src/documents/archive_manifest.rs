//! The manifest of an archive segment: its contents, checkable line by line (capsules 4.6, C9).

use alloc::string::String;
use alloc::vec::Vec;

use counterfoil_types::document::{Fault, List};
use counterfoil_types::json::{self, Limits};
use counterfoil_types::{Blake3Hash, Sha256Hash};
use counterfoil_verifier::merkle;
use serde::{Deserialize, Serialize};

use crate::digest::{ARCHIVE_MANIFEST, derived};
use crate::document::{self, Document};
use crate::error::CapsuleError;
use crate::header::Header;
use crate::id::ChainId;

/// Limit on the capsules of one segment.
pub const MAX_SEGMENT: usize = 4096;

/// Capsules of one chain with successive numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Run {
    /// Chain of the capsules.
    chain: ChainId,
    /// Number of the first.
    from: u64,
    /// Number of the last.
    to: u64,
    /// Hash that the first links to; `None` for a seed.
    #[serde(with = "counterfoil_types::document::nullable")]
    first_previous: Option<Blake3Hash>,
    /// Hash of the last, which the capsule after it links to.
    last_hash: Blake3Hash,
}

/// Contents of an archive segment.
///
/// ```json
/// {"type":"archive_manifest","version":"1","name":"segment-1","count":2,
///  "runs":[{"chain":"<uuid>","from":0,"to":1,"first_previous":null,"last_hash":"blake3:…"}],
///  "merkle_root":"sha256:…","file_hash":"blake3:…"}
/// ```
/// A manifest is worth nothing without a receipt that names it ([`ArchiveReceipt`](super::ArchiveReceipt)).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ArchiveManifest {
    /// Name of the segment's file: 1 to 128 letters, digits, dots, hyphens and underscores, no dot in front.
    pub name: String,
    /// Runs of capsules, in the order of the lines.
    runs: List<Run, 1, MAX_SEGMENT>,
    /// Number of capsules, 1 to [`MAX_SEGMENT`].
    pub count: u64,
    /// Merkle root (RFC 6962) over the lines of the segment, each without its line feed.
    pub merkle_root: Sha256Hash,
    /// BLAKE3 of the file on disk, as `b3sum` prints it.
    pub file_hash: Blake3Hash,
}

impl Document for ArchiveManifest {
    const TYPE: &'static str = "archive_manifest";

    fn check(&self) -> Result<(), Fault> {
        check_name(&self.name)?;
        let mut all = Some(0_u64);
        for (index, run) in self.runs.iter().enumerate() {
            let wrong = |member: &str, must: &str| {
                Fault::new(alloc::format!("/runs/{index}/{member}"), must)
            };
            if run.from > run.to {
                return Err(wrong("to", "no less than from"));
            }
            if (run.from == 0) != run.first_previous.is_none() {
                return Err(wrong("first_previous", "null for a seed, and only then"));
            }
            all = all.and_then(|all| all.checked_add(run.to - run.from + 1));
        }
        if all != Some(self.count) || usize::try_from(self.count).is_ok_and(|it| it > MAX_SEGMENT) {
            let must = "the number of capsules in all runs, at most 4096";
            return Err(Fault::new("/count", must));
        }
        Ok(())
    }
}

impl ArchiveManifest {
    /// Makes the manifest of the segment whose lines are these: of each the header of its capsule, and the Merkle leaf hash of
    /// the line without its line feed. `file_hash` is BLAKE3 of the file. A segment is checked by making its manifest again
    /// and comparing it with the one that is trusted.
    ///
    /// # Errors
    /// [`CapsuleError::Document`] without a line, with more than [`MAX_SEGMENT`], and for a name that is
    /// not 1 to 128 letters, digits, dots, hyphens and underscores, or begins with a dot.
    pub fn of<'a>(
        segment: &str,
        file_hash: Blake3Hash,
        lines: impl IntoIterator<Item = (&'a Header, Sha256Hash)>,
    ) -> Result<Self, CapsuleError> {
        let (mut runs, mut leaves) = (Vec::<Run>::new(), Vec::new());
        for (header, leaf) in lines {
            leaves.push(leaf);
            let (chain, seq, hash) = (header.chain(), header.seq(), header.hash());
            if let Some(last) = runs.last_mut()
                && last.chain == chain
                && last.to.checked_add(1) == Some(seq)
                && header.previous() == Some(last.last_hash)
            {
                (last.to, last.last_hash) = (seq, hash);
                continue;
            }
            runs.push(Run {
                chain,
                from: seq,
                to: seq,
                first_previous: header.previous(),
                last_hash: hash,
            });
        }
        let must = "1 to 4096 capsules; make more segments";
        document::checked(Self {
            name: segment.into(),
            count: u64::try_from(leaves.len()).unwrap_or(u64::MAX),
            runs: List::new(runs).ok_or_else(|| CapsuleError::at(Self::TYPE, "/count", must))?,
            merkle_root: merkle::root(&leaves),
            file_hash,
        })
    }

    /// Reads a manifest from the bytes of its file: canonical JSON, at most 16 MiB.
    ///
    /// # Errors
    /// [`CapsuleError::Json`], and the first member that is wrong.
    pub fn from_json(bytes: &[u8]) -> Result<Self, CapsuleError> {
        let value = json::admit(bytes, Limits::DOCUMENT);
        Self::parse(&value.map_err(|source| CapsuleError::Json {
            what: Self::TYPE,
            source,
        })?)
    }

    /// The canonical JSON: the bytes of its file, which [`hash`](Self::hash) is over.
    pub fn canonical(&self) -> String {
        // Texts, digests and numbers within 2^53 always have a canonical form.
        json::canonical(&self.to_value()).unwrap_or_default()
    }

    /// `H("archive-manifest", canonical manifest)`: how a receipt names it.
    pub fn hash(&self) -> Blake3Hash {
        derived(ARCHIVE_MANIFEST, self.canonical().as_bytes())
    }
}

/// Checks the name of a file in the folder of archives.
pub(super) fn check_name(name: &str) -> Result<(), Fault> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    let fits = (1..=128).contains(&name.len()) && !name.starts_with('.');
    match fits && name.bytes().all(plain) {
        true => Ok(()),
        false => Err(Fault::new(
            "/name",
            "1 to 128 letters, digits, dots, hyphens and underscores, no dot in front",
        )),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::document::tests::is_closed;

    fn manifest() -> ArchiveManifest {
        let chain: ChainId = "019c44d9-087b-7aaa-8bbb-0123456789ab".parse().unwrap();
        let hash = Blake3Hash::from_bytes;
        let run = |from, first_previous| Run {
            chain,
            from,
            to: 3,
            first_previous,
            last_hash: hash([2; 32]),
        };
        ArchiveManifest {
            name: "segment-1.jsonl.zst".into(),
            runs: List::new(alloc::vec![run(0, None), run(2, Some(hash([1; 32])))]).unwrap(),
            count: 6,
            merkle_root: Sha256Hash::from_bytes([3; 32]),
            file_hash: hash([4; 32]),
        }
    }

    #[test]
    fn a_manifest_comes_back_as_it_was_written() {
        let text = manifest().canonical();
        assert_eq!(ArchiveManifest::from_json(text.as_bytes()), Ok(manifest()));
        assert!(ArchiveManifest::from_json(alloc::format!("{text} ").as_bytes()).is_err());
    }

    /// D55: what is said of the runs fits itself, and a name leads out of no folder.
    #[test]
    fn anything_else_is_refused() {
        let mut more = manifest().to_value()["runs"].clone();
        more[0]["more"] = json!(1);
        let wrong = [
            ("/count", json!(5)),
            ("/runs", json!([])),
            ("/runs", more),
            ("/runs/0/to", json!(9_007_199_254_740_991_u64)),
            ("/runs/1/from", json!(4)),
            ("/runs/1/from", json!(0)),
            ("/runs/0/first_previous", json!(manifest().file_hash)),
            ("/runs/1/first_previous", json!(null)),
            ("/name", json!("../segment")),
            ("/name", json!(".")),
            ("/name", json!("a/b")),
            ("/merkle_root", json!(manifest().file_hash)),
            ("/file_hash", json!("")),
        ];
        is_closed(&[manifest()], &wrong);
    }
}
