//! The log as static files (C2SP tlog-tiles), which any web server can offer.

use std::fs;
use std::io::Write;
use std::path::Path;

use counterfoil_types::Sha256Hash;

use crate::StoreError;
use crate::log::NodeReader;

pub(super) const TILE_HEIGHT: u32 = 8;
pub(super) const TILE_WIDTH: u64 = 1 << TILE_HEIGHT;

/// Reads the entries themselves.
pub trait EntryReader {
    /// The text of the entry at `index`.
    ///
    /// # Errors
    /// When the entry cannot be read, or lies outside of the log.
    fn entry(&self, index: u64) -> Result<String, StoreError>;
}

/// Writes a file of an export: its path and its bytes.
pub type Put<'a> = &'a mut dyn FnMut(&str, &[u8]) -> Result<(), StoreError>;

/// Writes all resources of the log at `size`: `tile/<L>/<N>[.p/<W>]`, `tile/entries/<N>[.p/<W>]`
/// and, when all else is there, `checkpoint`. `note` is the signed checkpoint at `size`.
///
/// # Errors
/// When an entry or a node cannot be read, or `put` fails.
pub fn export(
    nodes: &dyn NodeReader,
    entries: &dyn EntryReader,
    (size, note): (u64, &str),
    put: Put<'_>,
) -> Result<(), StoreError> {
    for_each_tile(size, &mut |start, width, suffix| {
        let mut bundle = Vec::new();
        for index in start..start + width {
            push_entry(&mut bundle, &entries.entry(index)?)?;
        }
        put(&format!("tile/entries/{suffix}"), &bundle)
    })?;
    let mut level = 0;
    let mut hashes = size;
    while hashes > 0 {
        for_each_tile(hashes, &mut |start, width, suffix| {
            let tile = (start..start + width)
                .map(|index| nodes.node(level * TILE_HEIGHT, index))
                .collect::<Result<Vec<Sha256Hash>, _>>()?;
            let bytes: Vec<u8> = tile.iter().flat_map(|hash| *hash.as_bytes()).collect();
            put(&format!("tile/{level}/{suffix}"), &bytes)
        })?;
        level += 1;
        hashes >>= TILE_HEIGHT;
    }
    put("checkpoint", note.as_bytes())
}

/// Calls `tile(first, width, name)` for each tile of a level that has `hashes` hashes.
fn for_each_tile(
    hashes: u64,
    tile: &mut dyn FnMut(u64, u64, &str) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let full = hashes / TILE_WIDTH;
    for number in 0..full {
        tile(number * TILE_WIDTH, TILE_WIDTH, &tile_number(number))?;
    }
    match hashes % TILE_WIDTH {
        0 => Ok(()),
        width => tile(
            full * TILE_WIDTH,
            width,
            &format!("{}.p/{width}", tile_number(full)),
        ),
    }
}

/// `1234067` is `x001/x234/067`.
pub(super) fn tile_number(number: u64) -> String {
    let mut text = format!("{:03}", number % 1000);
    let mut rest = number / 1000;
    while rest > 0 {
        text = format!("x{:03}/{text}", rest % 1000);
        rest /= 1000;
    }
    text
}

/// An entry bundle is a sequence of entries, each after its length as a big-endian `u16`.
pub(super) fn push_entry(bundle: &mut Vec<u8>, entry: &str) -> Result<(), StoreError> {
    let length = u16::try_from(entry.len())
        .map_err(|_| StoreError::Bug("an entry longer than an entry bundle can hold"))?;
    bundle.extend_from_slice(&length.to_be_bytes());
    bundle.extend_from_slice(entry.as_bytes());
    Ok(())
}

/// Writes a file of an export below `root`, whole or not at all: for [`export`].
///
/// # Errors
/// [`StoreError::Unavailable`] when it cannot be written.
pub fn write_below(root: &Path, path: &str, bytes: &[u8]) -> Result<(), StoreError> {
    let write = || {
        let target = root.join(path);
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent)?;
        }
        let mut part = target.clone().into_os_string();
        part.push(".part");
        let mut file = fs::File::create(&part)?;
        file.write_all(bytes)?;
        file.sync_data()?;
        fs::rename(part, target)
    };
    write().map_err(|error: std::io::Error| StoreError::Unavailable {
        doing: "writing the exported log",
        detail: format!("{path}: {error}"),
    })
}

#[cfg(test)]
mod tests {
    use super::super::fake::{Fake, exported};
    use super::*;

    #[test]
    fn tile_numbers_are_padded_path_elements() {
        assert_eq!(tile_number(0), "000");
        assert_eq!(tile_number(999), "999");
        assert_eq!(tile_number(1000), "x001/000");
        assert_eq!(tile_number(1_234_067), "x001/x234/067");
    }

    /// The example of the specification: 70,000 entries.
    #[test]
    fn seventy_thousand_entries_have_the_tiles_of_the_specification() {
        let files = exported(70_000);
        let count = |prefix: &str| files.keys().filter(|path| path.starts_with(prefix)).count();
        assert_eq!(count("tile/0/"), 274);
        assert_eq!(files["tile/0/273.p/112"].len(), 112 * 32);
        assert_eq!(count("tile/1/"), 2);
        assert_eq!(files["tile/1/000"].len(), 8192);
        assert_eq!(files["tile/1/001.p/17"].len(), 17 * 32);
        assert_eq!(files["tile/2/000.p/1"].len(), 32);
        assert_eq!(count("tile/entries/"), 274);
        assert_eq!(files["checkpoint"], b"note");
    }

    #[test]
    fn two_hundred_and_fifty_six_entries_are_one_full_tile_and_one_hash_above() {
        let files = exported(256);
        assert_eq!(files["tile/0/000"].len(), 8192);
        assert_eq!(
            files["tile/1/000.p/1"][0], 8,
            "the root of the full tile below"
        );
        assert!(
            !files.contains_key("tile/0/001.p/0"),
            "empty tiles are not written"
        );
    }

    #[test]
    fn an_empty_log_is_its_checkpoint() {
        assert_eq!(exported(0).len(), 1);
    }

    #[test]
    fn entry_bundles_are_length_prefixed() {
        let files = exported(2);
        assert_eq!(
            files["tile/entries/000.p/2"],
            b"\x00\x08entry 0\n\x00\x08entry 1\n"
        );
    }

    #[test]
    fn a_directory_holds_the_files_of_the_export() {
        let folder = std::env::temp_dir().join(format!("counterfoil-tiles-{}", std::process::id()));
        export(&Fake, &Fake, (300, "note"), &mut |path, bytes| {
            write_below(folder.as_ref(), path, bytes)
        })
        .unwrap();
        assert_eq!(
            fs::read(folder.join("tile/0/001.p/44")).unwrap().len(),
            44 * 32
        );
        assert_eq!(fs::read(folder.join("checkpoint")).unwrap(), b"note");
        fs::remove_dir_all(folder).unwrap();
    }
}
