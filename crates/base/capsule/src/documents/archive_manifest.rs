//! The manifest of an archive segment: what is in it, checkable line by line (capsules 4.6, C9).

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use counterfoil_types::json::{self, Limits, Value};
use counterfoil_types::{Blake3Hash, Sha256Hash};
use counterfoil_verifier::merkle;

use crate::digest::manifest_hash;
use crate::error::CapsuleError;
use crate::header::Header;
use crate::id::ChainId;
use crate::keys::reading::{Reading, document, written};

const WHAT: &str = "archive_manifest";
const MEMBERS: [&str; 5] = ["count", "file_hash", "merkle_root", "name", "runs"];
const RUN: [&str; 5] = ["chain", "first_previous", "from", "last_hash", "to"];

/// The most capsules of one segment.
pub const MAX_SEGMENT: usize = 4096;

/// Capsules of one chain with successive numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// Their chain.
    pub chain: ChainId,
    /// The number of the first.
    pub from: u64,
    /// The number of the last.
    pub to: u64,
    /// What the first links to; `None` for a seed.
    pub first_previous: Option<Blake3Hash>,
    /// The hash of the last: what the capsule after it links to.
    pub last_hash: Blake3Hash,
}

/// ```json
/// {"type":"archive_manifest","version":"1","name":"segment-1","count":2,
///  "runs":[{"chain":"<uuid>","from":0,"to":1,"first_previous":null,"last_hash":"blake3:…"}],
///  "merkle_root":"sha256:…","file_hash":"blake3:…"}
/// ```
/// `merkle_root` is that of RFC 6962 over the lines of the segment, each without its line feed;
/// `file_hash` is BLAKE3 of the file as it lies on disk, as `b3sum` prints it. A manifest is worth
/// nothing without a receipt that names it ([`ArchiveReceipt`](super::ArchiveReceipt)).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveManifest {
    name: String,
    runs: Vec<Run>,
    count: u64,
    merkle_root: Sha256Hash,
    file_hash: Blake3Hash,
}

impl ArchiveManifest {
    /// Reads one from the bytes of its file: canonical JSON, at most 16 MiB.
    ///
    /// # Errors
    /// [`CapsuleError::Json`], and as [`parse`](Self::parse).
    pub fn from_json(bytes: &[u8]) -> Result<Self, CapsuleError> {
        let value = json::admit(bytes, Limits::DOCUMENT);
        Self::parse(&value.map_err(|source| CapsuleError::Json { what: WHAT, source })?)
    }

    /// Reads one: closed members, each what it must be; runs that do not overlap in length and
    /// count.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn parse(value: &Value) -> Result<Self, CapsuleError> {
        let reading = Reading::named(WHAT, value, &MEMBERS)?;
        let runs = reading.value("runs").and_then(Value::as_array);
        let runs = runs.filter(|runs| (1..=MAX_SEGMENT).contains(&runs.len()));
        let runs = runs.ok_or(wrong("runs", "an array of 1 to 4096 runs"))?;
        let runs: Vec<Run> = runs.iter().map(run).collect::<Result<_, _>>()?;
        let count = reading.number("count")?;
        let all = runs
            .iter()
            .try_fold(0_u64, |all, run| all.checked_add(run.to - run.from + 1));
        if all != Some(count) || usize::try_from(count).is_ok_and(|count| count > MAX_SEGMENT) {
            let must = "the number of capsules in all runs, at most 4096";
            return Err(wrong("count", must));
        }
        Ok(Self {
            name: name(reading.text("name")?)?,
            runs,
            count,
            merkle_root: reading.sha256("merkle_root")?,
            file_hash: reading.hash("file_hash")?,
        })
    }

    /// The document.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let runs: Vec<Value> = self.runs.iter().map(run_value).collect();
        document(
            WHAT,
            [
                ("name", self.name.as_str().into()),
                ("runs", runs.into()),
                ("count", self.count.into()),
                ("merkle_root", written(self.merkle_root)),
                ("file_hash", written(self.file_hash)),
            ],
        )
    }

    /// The canonical JSON: the bytes of its file, and what [`hash`](Self::hash) is over.
    #[must_use]
    pub fn canonical(&self) -> String {
        // Texts, digests and numbers within 2^53 always have a canonical form.
        json::canonical(&self.to_value()).unwrap_or_default()
    }

    /// `H("archive-manifest", canonical manifest)`: how a receipt names it.
    #[must_use]
    pub fn hash(&self) -> Blake3Hash {
        manifest_hash(self.canonical().as_bytes())
    }

    /// The name of the segment's file.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What is in it, in the order of its lines.
    #[must_use]
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// How many capsules, 1 to [`MAX_SEGMENT`].
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// The root over its lines.
    #[must_use]
    pub const fn merkle_root(&self) -> Sha256Hash {
        self.merkle_root
    }

    /// BLAKE3 of the file on disk.
    #[must_use]
    pub const fn file_hash(&self) -> Blake3Hash {
        self.file_hash
    }
}

/// Takes the lines of a segment one by one. To check a segment, its lines are taken again and the
/// manifest that comes out is compared with the one that is trusted.
#[derive(Debug, Clone, Default)]
pub struct ManifestBuilder {
    runs: Vec<Run>,
    leaves: Vec<Sha256Hash>,
}

impl ManifestBuilder {
    /// Begins an empty segment.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next line: an exported capsule, without its line feed, and its header.
    pub fn add(&mut self, header: &Header, line: &str) {
        self.leaves.push(merkle::leaf_hash(line.as_bytes()));
        let (chain, seq, hash) = (header.chain(), header.seq(), header.hash());
        if let Some(last) = self.runs.last_mut()
            && last.chain == chain
            && last.to.checked_add(1) == Some(seq)
            && header.previous() == Some(last.last_hash)
        {
            (last.to, last.last_hash) = (seq, hash);
            return;
        }
        self.runs.push(Run {
            chain,
            from: seq,
            to: seq,
            first_previous: header.previous(),
            last_hash: hash,
        });
    }

    /// How many lines were taken.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.leaves.len()
    }

    /// Whether none was.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.leaves.is_empty()
    }

    /// The manifest of the segment. `file_hash` is BLAKE3 of its file.
    ///
    /// # Errors
    /// [`CapsuleError::Member`] without a line, with more than [`MAX_SEGMENT`], and for a name that is
    /// not 1 to 128 letters, digits, dots, hyphens and underscores, or begins with a dot.
    pub fn finish(
        self,
        segment: &str,
        file_hash: Blake3Hash,
    ) -> Result<ArchiveManifest, CapsuleError> {
        if !(1..=MAX_SEGMENT).contains(&self.leaves.len()) {
            return Err(wrong("count", "1 to 4096 capsules; make more segments"));
        }
        Ok(ArchiveManifest {
            name: name(segment)?,
            count: u64::try_from(self.leaves.len()).unwrap_or(u64::MAX),
            runs: self.runs,
            merkle_root: root_of(&self.leaves),
            file_hash,
        })
    }
}

/// RFC 6962 §2.1: the left part holds the largest power of two below the number of leaves.
fn root_of(leaves: &[Sha256Hash]) -> Sha256Hash {
    match leaves {
        [] => merkle::EMPTY_ROOT,
        [leaf] => *leaf,
        _ => {
            let split = leaves.len().div_ceil(2).next_power_of_two();
            let (left, right) = leaves.split_at(split);
            merkle::node_hash(&root_of(left), &root_of(right))
        }
    }
}

fn run(value: &Value) -> Result<Run, CapsuleError> {
    let run = Reading::part(WHAT, value, &RUN)?;
    let first = run.value("first_previous").is_some_and(Value::is_null);
    let read = Run {
        chain: run.chain()?,
        from: run.number("from")?,
        to: run.number("to")?,
        first_previous: (!first).then(|| run.hash("first_previous")).transpose()?,
        last_hash: run.hash("last_hash")?,
    };
    if read.from > read.to {
        return Err(wrong("to", "no less than from"));
    }
    if (read.from == 0) != read.first_previous.is_none() {
        return Err(wrong("first_previous", "null for a seed, and only then"));
    }
    Ok(read)
}

fn run_value(run: &Run) -> Value {
    let members = [
        ("chain", written(run.chain)),
        ("from", run.from.into()),
        ("to", run.to.into()),
        (
            "first_previous",
            run.first_previous.map_or(Value::Null, written),
        ),
        ("last_hash", written(run.last_hash)),
    ];
    let members = members.map(|(name, value)| (name.to_string(), value));
    Value::Object(members.into_iter().collect())
}

/// The name of a file in the folder of archives, and of nothing else.
pub(super) fn name(text: &str) -> Result<String, CapsuleError> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    let fits = (1..=128).contains(&text.len()) && !text.starts_with('.');
    if !fits || !text.bytes().all(plain) {
        return Err(wrong(
            "name",
            "1 to 128 letters, digits, dots, hyphens and underscores, no dot in front",
        ));
    }
    Ok(text.to_string())
}

const fn wrong(member: &'static str, must: &'static str) -> CapsuleError {
    CapsuleError::Member {
        what: WHAT,
        member,
        must,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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
            name: "segment-1.jsonl.zst".to_string(),
            runs: alloc::vec![run(0, None), run(2, Some(hash([1; 32])))],
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
        for (pointer, value) in [
            ("/count", json!(5)),
            ("/runs", json!([])),
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
        ] {
            let mut bad = manifest().to_value();
            *bad.pointer_mut(pointer).unwrap() = value;
            assert!(ArchiveManifest::parse(&bad).is_err(), "{pointer}");
        }
        let mut more = manifest().to_value();
        more["runs"][0]["more"] = json!(1);
        assert!(ArchiveManifest::parse(&more).is_err());
    }
}
