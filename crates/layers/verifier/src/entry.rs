//! The entry that an agent signs and the log hashes as a leaf; no time and no actor in it (M-8).

use alloc::string::{String, ToString};
use core::fmt;
use core::str::FromStr;

use counterfoil_types::{Blake3Hash, Sha256Hash, WorldId, text_form};

use crate::limits::quoted;
use crate::merkle;
use crate::refusal::Refusal;
use crate::text::{base64_bytes, decimal, to_base64};

/// First line of an entry of a World.
pub const KIND: &str = "counterfoil/capsule/v1";

/// An entry of the log that records a World (`docs/format/proof.md` §1):
///
/// ```text
/// counterfoil/capsule/v1
/// world d29ybGQtMTIz
/// capsule blake3:<64 hex>
/// content blake3:<64 hex> 187
/// fields sha256:<64 hex> 8
/// ```
///
/// Every line ends with a newline. The WorldId is in base64, so no identifier can write a line of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// World of the content; opaque (M-11).
    pub world: WorldId,
    /// Hash of the capsule's header, which holds agent, chain, sequence number and time.
    pub capsule: Blake3Hash,
    /// Salted address of the canonical content.
    pub content: Blake3Hash,
    /// Length of the canonical content, in bytes.
    pub content_size: u64,
    /// Root of the field tree over the content.
    pub field_root: Sha256Hash,
    /// Number of leaves of the field tree.
    pub field_count: u64,
}

impl Entry {
    /// Reads an entry; `Ok` guarantees that [`Entry::to_text`] gives the same bytes back.
    ///
    /// # Errors
    /// [`Refusal::EntryKind`] for another kind of entry, [`Refusal::EntryLine`] for the first
    /// line that is not exactly as laid out.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let (kind, rest) = text.split_once('\n').unwrap_or((text, ""));
        if kind != KIND {
            return Err(Refusal::EntryKind {
                found: quoted(kind),
            });
        }
        let mut lines = Lines { rest };
        let world = lines.next("world", |text| {
            let id = String::from_utf8(base64_bytes(text)?).ok()?;
            WorldId::new(id).ok()
        })?;
        let capsule = lines.next("capsule", digest)?;
        let (content, content_size) = lines.next("content", counted)?;
        let (field_root, field_count) = lines.next("fields", counted)?;
        lines.end()?;
        Ok(Self {
            world,
            capsule,
            content,
            content_size,
            field_root,
            field_count,
        })
    }

    /// The bytes that are signed and hashed.
    pub fn to_text(&self) -> String {
        self.to_string()
    }

    /// The leaf of the log: `SHA-256(0x00 || entry)` (RFC 9162 §2.1.1).
    pub fn leaf_hash(&self) -> Sha256Hash {
        merkle::leaf_hash(self.to_text().as_bytes())
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let world = to_base64(self.world.opaque_bytes());
        let (content, size) = (self.content, self.content_size);
        writeln!(f, "{KIND}\nworld {world}\ncapsule {}", self.capsule)?;
        writeln!(f, "content {content} {size}")?;
        writeln!(f, "fields {} {}", self.field_root, self.field_count)
    }
}

text_form! {
    Entry: "the entry of a World", = |text| Self::parse(text).ok();
}

/// Unread lines of an entry.
struct Lines<'a> {
    rest: &'a str,
}

impl<'a> Lines<'a> {
    fn next<T>(
        &mut self,
        label: &'static str,
        read: impl FnOnce(&'a str) -> Option<T>,
    ) -> Result<T, Refusal> {
        let parsed = self.rest.split_once('\n').and_then(|(line, rest)| {
            let value = line.strip_prefix(label)?.strip_prefix(' ')?;
            Some((read(value)?, rest))
        });
        let (value, rest) = parsed.ok_or(Refusal::EntryLine { line: label })?;
        self.rest = rest;
        Ok(value)
    }

    const fn end(&self) -> Result<(), Refusal> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(Refusal::EntryLine { line: "end" })
        }
    }
}

fn digest<T: FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}

fn counted<T: FromStr>(text: &str) -> Option<(T, u64)> {
    let (hash, count) = text.split_once(' ')?;
    Some((digest(hash)?, decimal(count)?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entry(world: &str) -> Entry {
        Entry {
            world: WorldId::new(world).unwrap(),
            capsule: Blake3Hash::from_bytes([0xab; 32]),
            content: Blake3Hash::from_bytes([0xcd; 32]),
            content_size: 187,
            field_root: Sha256Hash::from_bytes([0xef; 32]),
            field_count: 8,
        }
    }

    /// The bytes of `docs/format/proof.md` §1.
    #[test]
    fn the_documented_bytes_are_written() {
        let expected = [
            "counterfoil/capsule/v1\nworld d29ybGQtMTIz\ncapsule blake3:",
            &"ab".repeat(32),
            "\ncontent blake3:",
            &"cd".repeat(32),
            " 187\nfields sha256:",
            &"ef".repeat(32),
            " 8\n",
        ]
        .concat();
        assert_eq!(entry("world-123").to_text(), expected);
        assert_eq!(Entry::parse(&expected), Ok(entry("world-123")));
    }

    /// M-11: an identifier can't reach out of its line.
    #[test]
    fn an_identifier_with_newlines_stays_in_its_line() {
        let text = entry("w\ncapsule blake3:00\n").to_text();
        assert_eq!(text.lines().count(), 5);
        assert_eq!(Entry::parse(&text).unwrap().to_text(), text);
    }

    proptest! {
        #[test]
        fn every_entry_round_trips(
            world in ".{1,80}", hashes: [[u8; 32]; 3], content_size: u64, field_count: u64,
        ) {
            let [capsule, content, field_root] = hashes;
            let entry = Entry {
                world: WorldId::new(world).unwrap(),
                capsule: Blake3Hash::from_bytes(capsule),
                content: Blake3Hash::from_bytes(content),
                content_size,
                field_root: Sha256Hash::from_bytes(field_root),
                field_count,
            };
            prop_assert_eq!(Entry::parse(&entry.to_text()), Ok(entry));
        }

        #[test]
        fn what_is_read_is_written_back_alike(at in 0_usize..300, byte in 0_u8..128) {
            let mut bytes = entry("world-123").to_text().into_bytes();
            if let Some(old) = bytes.get_mut(at) {
                *old = byte;
            }
            let text = String::from_utf8(bytes).unwrap();
            if let Ok(read) = Entry::parse(&text) {
                prop_assert_eq!(read.to_text(), text);
            }
        }
    }
}
