//! Reading files, each with a limit on its size.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use counterfoil_authority::types::Proposal;
use counterfoil_authority::types::json::Limits;
use counterfoil_authority::verifier::Anchors;
use counterfoil_authority::{Policy, Preset};

use crate::InputError;

/// Bytes of an anchors file.
const ANCHORS_LIMIT: usize = 1 << 20;
/// Bytes of a policy file.
const POLICY_LIMIT: usize = 64 << 10;
/// The name of standard input.
const STANDARD_INPUT: &str = "-";

/// The whole content of the file at `path`, which may have `limit` bytes and never costs more memory
/// than that. `what` names the file in an error: `"proposal"`.
///
/// # Errors
/// [`InputError::Read`] if it can't be read, [`InputError::TooLarge`] if it is larger.
pub fn read_file(what: &'static str, path: &Path, limit: usize) -> Result<Vec<u8>, InputError> {
    let bytes = open(path).and_then(|file| read_some(file, limit));
    whole(what, path, limit, bytes)
}

/// The whole of standard input, under the same limit as [`read_file`]; errors call it `-`.
///
/// # Errors
/// As [`read_file`].
pub fn read_standard_input(what: &'static str, limit: usize) -> Result<Vec<u8>, InputError> {
    let bytes = read_some(io::stdin().lock(), limit);
    whole(what, Path::new(STANDARD_INPUT), limit, bytes)
}

/// Reads a proposal of at most 16 MiB; `-` is standard input.
///
/// # Errors
/// [`InputError`] if it can't be read or is not a proposal. A trace that is missing or wrong is
/// for the authority to judge.
pub fn load_proposal(path: &Path) -> Result<Proposal, InputError> {
    let bytes = load("proposal", path, Limits::DOCUMENT.bytes)?;
    Proposal::from_json(&bytes).map_err(InputError::content("proposal", path))
}

/// A file, or standard input for `-`.
pub(crate) fn load(what: &'static str, path: &Path, limit: usize) -> Result<Vec<u8>, InputError> {
    if path == Path::new(STANDARD_INPUT) {
        read_standard_input(what, limit)
    } else {
        read_file(what, path, limit)
    }
}

/// Reads an anchors file of at most 1 MiB.
///
/// # Errors
/// [`InputError`] if it can't be read or names nothing that could be trusted.
pub fn load_anchors(path: &Path) -> Result<Anchors, InputError> {
    let bytes = read_file("anchors", path, ANCHORS_LIMIT)?;
    Anchors::from_json(&bytes).map_err(InputError::content("anchors", path))
}

/// Reads a policy file (TOML, at most 64 KiB); without one, the preset `standard`.
///
/// # Errors
/// [`InputError`] if it can't be read, or has a key or value that a policy does not know.
pub fn load_policy(path: Option<&Path>) -> Result<Policy, InputError> {
    let Some(path) = path else {
        return Ok(Policy::preset(Preset::Standard));
    };
    let bytes = read_file("policy", path, POLICY_LIMIT)?;
    let refused = |line, detail| InputError::Policy {
        path: path.to_path_buf(),
        line,
        detail,
    };
    let text = core::str::from_utf8(&bytes).map_err(|error| {
        refused(
            line_of(&bytes, error.valid_up_to()),
            "not UTF-8; save it as UTF-8".to_string(),
        )
    })?;
    toml::from_str(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        refused(line_of(&bytes, at), error.message().replace('\n', "; "))
    })
}

fn line_of(bytes: &[u8], at: usize) -> usize {
    1 + bytes.iter().take(at).filter(|byte| **byte == b'\n').count()
}

fn whole(
    what: &'static str,
    path: &Path,
    limit: usize,
    bytes: io::Result<Vec<u8>>,
) -> Result<Vec<u8>, InputError> {
    let path = || path.to_path_buf();
    match bytes {
        Err(cause) => Err(InputError::Read {
            what,
            path: path(),
            cause,
        }),
        Ok(bytes) if bytes.len() > limit => Err(InputError::TooLarge {
            what,
            path: path(),
            limit,
        }),
        Ok(bytes) => Ok(bytes),
    }
}

/// Opens a plain file, or a descriptor that the process was started with. A pipe could keep its reader waiting for ever.
fn open(path: &Path) -> io::Result<File> {
    let inherited = ["/dev/stdin", "/dev/fd", "/proc/self/fd"];
    let found = fs::metadata(path)?;
    if found.is_file() || inherited.iter().any(|known| path.starts_with(known)) {
        return File::open(path);
    }
    let kind = match found.is_dir() {
        true => "folder",
        false => "pipe, socket or device",
    };
    let text = format!("it is a {kind}, and a plain file is needed");
    Err(io::Error::new(io::ErrorKind::InvalidData, text))
}

/// At most one byte more than `limit`, so that the caller can tell.
fn read_some(source: impl Read, limit: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    source.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}
