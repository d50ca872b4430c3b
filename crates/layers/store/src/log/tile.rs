//! One tile of the log by its path (C2SP tlog-tiles), as a server offers it.

use core::fmt;

use counterfoil_types::Sha256Hash;

use super::tiles::{TILE_HEIGHT, TILE_WIDTH, push_entry, tile_number};
use super::{EntryReader, NodeReader};
use crate::StoreError;

/// The highest level of tiles.
const MAX_LEVEL: u32 = 63 / TILE_HEIGHT;
/// The most elements of the number of a tile: beyond them lies no log.
const MAX_ELEMENTS: usize = 6;

/// Coordinates of a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tile {
    level: TileLevel,
    number: u64,
    width: u64,
}

/// Content of a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TileLevel {
    /// The entries themselves.
    Entries,
    /// Hashes of complete subtrees of `256^level` leaves.
    Hashes(u32),
}

impl Tile {
    /// Reads the part of a path behind `tile/`: `<L>/<N>[.p/<W>]` or `entries/<N>[.p/<W>]`, in its one spelling.
    #[must_use]
    pub fn parse(path: &str) -> Option<Self> {
        let (level, rest) = path.split_once('/')?;
        let level = match level {
            "entries" => TileLevel::Entries,
            digits => TileLevel::Hashes(digits.parse().ok().filter(|level| *level <= MAX_LEVEL)?),
        };
        let (number, width) = match rest.split_once(".p/") {
            Some((number, width)) => (
                number,
                width
                    .parse()
                    .ok()
                    .filter(|width| (1..TILE_WIDTH).contains(width))?,
            ),
            None => (rest, TILE_WIDTH),
        };
        let tile = Self {
            level,
            number: parse_number(number)?,
            width,
        };
        // Written again it has to be the same: no signs, no further zeros.
        (tile.to_string() == path).then_some(tile)
    }

    /// Its bytes in a log of `size` entries; `None` where the log does not reach to its end.
    ///
    /// # Errors
    /// When an entry or a node cannot be read.
    pub fn read(
        &self,
        size: u64,
        nodes: &dyn NodeReader,
        entries: &dyn EntryReader,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let there = match self.level {
            TileLevel::Entries => size,
            TileLevel::Hashes(level) => size >> (level * TILE_HEIGHT),
        };
        let start = self.number.checked_mul(TILE_WIDTH);
        let Some((start, end)) =
            start.and_then(|start| Some((start, start.checked_add(self.width)?)))
        else {
            return Ok(None);
        };
        if end > there {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        for index in start..end {
            match self.level {
                TileLevel::Entries => push_entry(&mut bytes, &entries.entry(index)?)?,
                TileLevel::Hashes(level) => {
                    let hash: Sha256Hash = nodes.node(level * TILE_HEIGHT, index)?;
                    bytes.extend_from_slice(hash.as_bytes());
                }
            }
        }
        Ok(Some(bytes))
    }
}

/// Writes the part of a path behind `tile/`.
impl fmt::Display for Tile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.level {
            TileLevel::Entries => f.write_str("entries")?,
            TileLevel::Hashes(level) => write!(f, "{level}")?,
        }
        write!(f, "/{}", tile_number(self.number))?;
        if self.width < TILE_WIDTH {
            write!(f, ".p/{}", self.width)?;
        }
        Ok(())
    }
}

/// `x001/x234/067` is 1234067.
fn parse_number(text: &str) -> Option<u64> {
    let elements: Vec<&str> = text.splitn(MAX_ELEMENTS + 1, '/').collect();
    if elements.len() > MAX_ELEMENTS {
        return None;
    }
    elements.iter().try_fold(0_u64, |number, element| {
        let digits = element.strip_prefix('x').unwrap_or(element);
        let fits = digits.len() == 3 && digits.bytes().all(|byte| byte.is_ascii_digit());
        let digits: u64 = digits.parse().ok().filter(|_| fits)?;
        number.checked_mul(1000)?.checked_add(digits)
    })
}

#[cfg(test)]
mod tests {
    use super::super::fake::{Fake, exported};
    use super::*;

    /// Whatever is exported is what is served under the same path.
    #[test]
    fn a_tile_is_what_the_export_writes_under_its_path() {
        for size in [1, 255, 256, 257, 70_000] {
            let files = exported(size);
            for (path, bytes) in files.iter().filter(|(path, _)| *path != "checkpoint") {
                let tile = Tile::parse(path.strip_prefix("tile/").unwrap()).unwrap();
                assert_eq!(
                    tile.read(size, &Fake, &Fake).unwrap().as_ref(),
                    Some(bytes),
                    "{path} at {size}"
                );
                assert_eq!(format!("tile/{tile}"), *path);
            }
        }
    }

    #[test]
    fn a_part_of_a_tile_stays_what_it_was_when_the_log_grows() {
        let part = Tile::parse("0/001.p/44").unwrap();
        let then = part.read(300, &Fake, &Fake).unwrap();
        assert!(then.is_some());
        assert_eq!(part.read(70_000, &Fake, &Fake).unwrap(), then);
        assert_eq!(part.read(299, &Fake, &Fake).unwrap(), None);
    }

    #[test]
    fn a_path_has_one_spelling() {
        for path in [
            "",
            "0",
            "0/",
            "/000",
            "0/0",
            "0/00",
            "0/0000",
            "0/x000",
            "0/x000/000",
            "0/000.p/0",
            "0/000.p/256",
            "0/000.p/01",
            "00/000",
            "+0/000",
            "8/000",
            "entries/",
            "entries/000.p/+1",
            "0/000/",
            "0/../000",
            "0/001/000",
            "0/x001/x002",
            "x/000",
            "0/000.p/",
            "0/xxx/000",
            "0/x001/x001/x001/x001/x001/x001/000",
        ] {
            assert_eq!(Tile::parse(path), None, "{path}");
        }
        for path in [
            "0/000",
            "7/999",
            "entries/x001/000",
            "1/x001/x234/067.p/255",
        ] {
            assert_eq!(Tile::parse(path).unwrap().to_string(), path);
        }
    }

    #[test]
    fn what_lies_beyond_every_log_is_not_there() {
        let far = Tile::parse("0/x999/x999/x999/x999/x999/999").unwrap();
        assert_eq!(
            far.read(u64::MAX, &Fake, &Fake)
                .unwrap()
                .map(|bytes| bytes.len()),
            None
        );
    }
}
