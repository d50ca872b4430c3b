//! A segment file: exported capsules, one a line, compressed; and its manifest (docs/format/archive.md).

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;

use counterfoil_capsule::documents::{ArchiveManifest, MAX_SEGMENT};
use counterfoil_capsule::{CapsuleDocument, Header};
use counterfoil_store::StoreError;
use counterfoil_types::json::Limits;
use counterfoil_types::{Blake3Hash, Sha256Hash};
use counterfoil_verifier::merkle;

use crate::files::io_error;

/// File name suffix of a segment.
pub(super) const SUFFIX: &str = ".jsonl.zst";
/// File name suffix of its manifest.
pub(super) const MANIFEST_SUFFIX: &str = ".manifest.json";
/// Maximum bytes of all lines, which are held in memory.
const MAX_TEXT: u64 = 512 << 20;
/// Error detail for a name that would lead out of the folder.
const NO_NAME: &str =
    "it is no name of a segment: that is `segment-` and 16 hex digits, as `restore --list` shows";
/// Binary logarithm of the maximum bytes that the decompressor keeps of earlier text.
const WINDOW_LOG: u32 = 27;

/// The name of the manifest beside a segment.
///
/// `None` for a text that is no name of a segment and could lead into other folders.
pub(super) fn manifest_name(segment: &str) -> Option<String> {
    let stem = segment.strip_suffix(SUFFIX)?;
    let digits = stem.strip_prefix("segment-")?;
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    (digits.len() == 16 && digits.bytes().all(is_digit)).then(|| format!("{stem}{MANIFEST_SUFFIX}"))
}

/// Returns the name of a segment that a person names: by its own name, with or without its ending, or by that of its
/// manifest.
///
/// # Errors
/// [`StoreError::SegmentRefused`] for a text that cannot be the name of a segment.
pub(super) fn segment_name(named: &str) -> Result<String, StoreError> {
    let stem = named
        .strip_suffix(SUFFIX)
        .or_else(|| named.strip_suffix(MANIFEST_SUFFIX));
    let name = format!("{}{SUFFIX}", stem.unwrap_or(named));
    match manifest_name(&name) {
        Some(_) => Ok(name),
        None => Err(refused(named, NO_NAME)),
    }
}

/// Compresses lines.
pub(super) struct Writer {
    encoder: zstd::stream::write::Encoder<'static, Vec<u8>>,
    lines: Vec<(Header, Sha256Hash)>,
}

impl Writer {
    pub(super) fn new() -> Result<Self, StoreError> {
        let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 0).map_err(compressing)?;
        encoder.include_checksum(true).map_err(compressing)?;
        Ok(Self {
            encoder,
            lines: Vec::new(),
        })
    }

    /// Adds a capsule.
    pub(super) fn add(&mut self, document: &CapsuleDocument) -> Result<(), StoreError> {
        let line = document.to_text();
        self.encoder
            .write_all(line.as_bytes())
            .map_err(compressing)?;
        self.encoder.write_all(b"\n").map_err(compressing)?;
        let leaf = merkle::leaf_hash(line.as_bytes());
        self.lines.push((document.header().clone(), leaf));
        Ok(())
    }

    /// Bytes of the file, and its manifest. The name is derived from the content.
    pub(super) fn finish(self) -> Result<(Vec<u8>, ArchiveManifest), StoreError> {
        let bytes = self.encoder.finish().map_err(compressing)?;
        let hash = blake3::hash(&bytes);
        let name = format!(
            "segment-{}{SUFFIX}",
            hash.to_hex().get(..16).unwrap_or_default()
        );
        let (hash, lines) = (Blake3Hash::from_bytes(*hash.as_bytes()), &self.lines);
        let manifest = ArchiveManifest::of(&name, hash, lines.iter().map(|(it, leaf)| (it, *leaf)))
            .map_err(|_| StoreError::Bug("a segment without a manifest"))?;
        Ok((bytes, manifest))
    }
}

fn compressing(error: std::io::Error) -> StoreError {
    StoreError::Unavailable {
        doing: "compressing a segment",
        detail: error.to_string(),
    }
}

/// Reads the manifest of the segment `name` in `folder`, unverified.
///
/// # Errors
/// [`StoreError::SegmentRefused`] for one that cannot be parsed, or is that of another segment; when it cannot be read.
pub fn read_manifest(folder: &Path, name: &str) -> Result<ArchiveManifest, StoreError> {
    let refuse = |detail: &dyn std::fmt::Display| refused(name, detail);
    let manifest = manifest_name(name).ok_or_else(|| refuse(&NO_NAME))?;
    let path = folder.join(manifest);
    let mut bytes = Vec::new();
    let limit = u64::try_from(Limits::DOCUMENT.bytes).unwrap_or(u64::MAX);
    open(&path, name, limit)?
        .take(limit + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| io_error("reading a manifest", &path, &error))?;
    let manifest = ArchiveManifest::from_json(&bytes).map_err(|error| refuse(&error))?;
    if manifest.name.as_str() != name {
        return Err(refuse(&"its manifest is that of another segment"));
    }
    Ok(manifest)
}

/// The capsules of a segment, once its bytes, its lines and their order are those of `manifest`,
/// which is trusted (D55). The capsules themselves are not verified.
///
/// # Errors
/// [`StoreError::SegmentRefused`] for anything that differs; when it cannot be read.
pub fn read_segment(
    folder: &Path,
    manifest: &ArchiveManifest,
) -> Result<Vec<CapsuleDocument>, StoreError> {
    let name = manifest.name.as_str();
    let refuse = |detail: &dyn std::fmt::Display| refused(name, detail);
    if manifest_name(name).is_none() {
        return Err(refuse(&NO_NAME));
    }
    let path = folder.join(name);
    let hash = file_hash(&path, name)?;
    if hash != manifest.file_hash {
        return Err(refuse(&"its bytes are not those that its manifest names"));
    }
    let file = BufReader::new(open(&path, name, MAX_TEXT)?);
    let mut decoder =
        zstd::stream::read::Decoder::with_buffer(file).map_err(|error| refuse(&error))?;
    decoder
        .window_log_max(WINDOW_LOG)
        .map_err(|error| refuse(&error))?;
    let mut lines = BufReader::new(decoder.take(MAX_TEXT));
    let (mut documents, mut leaves) = (Vec::new(), Vec::new());
    let mut line = Vec::new();
    while documents.len() <= MAX_SEGMENT {
        line.clear();
        let read = lines.read_until(b'\n', &mut line);
        if read.map_err(|error| refuse(&error))? == 0 {
            break;
        }
        if line.pop() != Some(b'\n') {
            return Err(refuse(&"its last line is cut off"));
        }
        let document = CapsuleDocument::parse(&line).map_err(|error| refuse(&error))?;
        leaves.push(merkle::leaf_hash(&line));
        documents.push(document);
    }
    let lines = documents.iter().map(CapsuleDocument::header).zip(leaves);
    let found = ArchiveManifest::of(name, hash, lines).map_err(|error| refuse(&error))?;
    if found != *manifest {
        return Err(refuse(&"its lines are not those that its manifest names"));
    }
    Ok(documents)
}

fn file_hash(path: &Path, name: &str) -> Result<Blake3Hash, StoreError> {
    let mut hasher = blake3::Hasher::new();
    // It may have grown since it was looked at.
    let mut file = BufReader::new(open(path, name, MAX_TEXT)?.take(MAX_TEXT));
    loop {
        let chunk = file
            .fill_buf()
            .map_err(|error| io_error("reading a segment", path, &error))?;
        if chunk.is_empty() {
            return Ok(Blake3Hash::from_bytes(*hasher.finalize().as_bytes()));
        }
        hasher.update(chunk);
        let read = chunk.len();
        file.consume(read);
    }
}

/// Opens a plain file of at most `limit` bytes. Anything else is not opened: a pipe would never end,
/// and a link leads out of the folder.
fn open(path: &Path, name: &str, limit: u64) -> Result<File, StoreError> {
    let refuse = |detail: &str| refused(name, format_args!("{} {detail}", path.display()));
    let failed = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            refuse("is not there: name the folder that it was moved to")
        }
        _ => io_error("opening a segment", path, &error),
    };
    let found = std::fs::symlink_metadata(path).map_err(failed)?;
    if !found.is_file() {
        return Err(refuse("is no plain file: name the folder that holds it"));
    }
    if found.len() > limit {
        return Err(refuse(&format!("has more than {limit} bytes")));
    }
    File::open(path).map_err(failed)
}

/// The error for a segment that is not trusted.
pub(super) fn refused(name: &str, detail: impl std::fmt::Display) -> StoreError {
    StoreError::SegmentRefused {
        segment: name.to_owned(),
        detail: detail.to_string(),
    }
}
