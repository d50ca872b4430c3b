//! Exported capsules as lines, none of them held when it is longer than a capsule can be.

use std::io::{self, BufRead};
use std::path::Path;

use counterfoil_types::json::Limits;

use super::lines::{Line, Lines};

/// A line of an export.
#[derive(Debug)]
pub(crate) struct CapsuleLine {
    /// From 1.
    pub(crate) number: u64,
    /// Its bytes, or how many there were when they are too many.
    pub(crate) bytes: Result<Vec<u8>, u64>,
}

/// The lines of an export; empty ones are left out.
pub(crate) fn capsule_lines(reader: impl BufRead) -> impl Iterator<Item = io::Result<CapsuleLine>> {
    let mut lines = Lines::limited(reader, Limits::EXPORTED.bytes);
    std::iter::from_fn(move || {
        loop {
            let (number, line) = match lines.next_line() {
                Ok(Some(found)) => found,
                Ok(None) => return None,
                Err(error) => return Some(Err(error)),
            };
            let bytes = match line {
                Line::Whole(bytes) if bytes.is_empty() => continue,
                Line::Whole(bytes) => Ok(bytes),
                Line::TooLong { bytes, .. } => Err(bytes),
            };
            return Some(Ok(CapsuleLine { number, bytes }));
        }
    })
}

/// Returns true if a file begins like an export of capsules. An unreadable file gives false: the
/// import that opens it reports the error.
pub(crate) fn is_capsules(path: &Path) -> bool {
    use std::io::Read;

    let plain = std::fs::metadata(path).is_ok_and(|found| found.is_file());
    let mut head = Vec::new();
    plain
        && std::fs::File::open(path)
            .and_then(|file| file.take(super::HEAD_BYTES).read_to_end(&mut head))
            .is_ok()
        && matches!(
            super::detect(path, &head),
            Ok(crate::import::ImportFormat::Capsules)
        )
}
