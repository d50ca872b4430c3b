//! Table of characters that SentencePiece compiles into a double-array trie: the longest key at a place is replaced.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::FILE;
use crate::EncoderError;

pub(super) struct Charsmap {
    units: Vec<u32>,
    /// Replacements, each ended by a zero byte.
    replacements: String,
}

impl Charsmap {
    /// Parses the length of the trie in bytes, its units of four bytes each, and the replacements.
    pub(super) fn new(encoded: &str) -> Result<Self, EncoderError> {
        let malformed = || EncoderError::malformed(FILE, "its precompiled_charsmap is damaged");
        let bytes = STANDARD.decode(encoded).map_err(|_| malformed())?;
        let (length, rest) = bytes.split_first_chunk::<4>().ok_or_else(malformed)?;
        let length = usize::try_from(u32::from_le_bytes(*length)).map_err(|_| malformed())?;
        let (units, replacements) = rest.split_at_checked(length).ok_or_else(malformed)?;
        Ok(Self {
            units: units
                .as_chunks()
                .0
                .iter()
                .map(|unit| u32::from_le_bytes(*unit))
                .collect(),
            replacements: String::from_utf8(replacements.to_vec()).map_err(|_| malformed())?,
        })
    }

    pub(super) fn apply(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let found = self.longest(rest.as_bytes());
            let end = found.map_or(first.len_utf8(), |(end, _)| end);
            let Some((part, left)) = rest.split_at_checked(end) else {
                // A key that ends within a character replaces nothing.
                out.push(first);
                rest = rest.get(first.len_utf8()..).unwrap_or_default();
                continue;
            };
            out.push_str(found.map_or(part, |(_, replacement)| replacement));
            rest = left;
        }
        out
    }

    /// Length of the longest key that `bytes` begin with, and its replacement.
    fn longest(&self, bytes: &[u8]) -> Option<(usize, &str)> {
        let mut found = None;
        let mut place = offset(*self.units.first()?);
        for (at, byte) in bytes.iter().enumerate() {
            place ^= u32::from(*byte);
            // A node names the byte that leads to it; a leaf names none.
            let Some(unit) = self
                .unit(place)
                .filter(|unit| unit & (1 << 31 | 0xff) == u32::from(*byte))
            else {
                break;
            };
            place ^= offset(unit);
            if unit >> 8 & 1 == 1 {
                let start = self.unit(place).map(|leaf| leaf & 0x7fff_ffff);
                let start = start.and_then(|start| usize::try_from(start).ok());
                let text = start.and_then(|start| self.replacements.get(start..));
                found = text
                    .and_then(|text| text.split('\0').next())
                    .map(|text| (at + 1, text))
                    .or(found);
            }
        }
        found
    }

    fn unit(&self, place: u32) -> Option<u32> {
        self.units.get(usize::try_from(place).ok()?).copied()
    }
}

/// Distance from a node to its children.
const fn offset(unit: u32) -> u32 {
    (unit >> 10) << ((unit & 1 << 9) >> 6)
}
