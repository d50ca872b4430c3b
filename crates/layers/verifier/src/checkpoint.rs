//! Checkpoints (C2SP tlog-checkpoint): the root of a log at a size. No time in it (M-8).

use alloc::format;
use alloc::string::String;

use counterfoil_types::Sha256Hash;

use crate::limits::MAX_TREE_SIZE;
use crate::merkle::LOG;
use crate::note::SignedNote;
use crate::refusal::Refusal;
use crate::text::{base64_array, decimal, to_base64};

/// The text of a checkpoint, without its signatures:
///
/// ```text
/// example.com/memory
/// 20852163
/// CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=
/// ```
///
/// Every line ends with a newline. One extension line is accepted, `counterfoil-map/v1 ` and the root of the log's map at
/// this size in base64 (`docs/format/standing.md`); no other one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    origin: String,
    size: u64,
    root: Sha256Hash,
    map_root: Option<Sha256Hash>,
}

/// First word of the extension line.
const MAP: &str = "counterfoil-map/v1 ";

impl Checkpoint {
    /// Puts a checkpoint together.
    ///
    /// # Errors
    /// [`Refusal::Checkpoint`] for an origin that is empty or holds control characters,
    /// [`Refusal::TreeTooLarge`] for a size beyond 2^62.
    pub fn new(origin: impl Into<String>, size: u64, root: Sha256Hash) -> Result<Self, Refusal> {
        let origin = origin.into();
        if !valid_origin(&origin) {
            return Err(malformed("origin"));
        }
        if size > MAX_TREE_SIZE {
            return Err(Refusal::TreeTooLarge { tree: LOG, size });
        }
        Ok(Self {
            origin,
            size,
            root,
            map_root: None,
        })
    }

    /// The same checkpoint with the root of the log's map at its size.
    #[must_use]
    pub fn with_map_root(self, map_root: Sha256Hash) -> Self {
        Self {
            map_root: Some(map_root),
            ..self
        }
    }

    /// Reads the text of a checkpoint; `Ok` guarantees that [`Checkpoint::to_text`] gives the
    /// same bytes back. Says nothing about who signed it.
    ///
    /// # Errors
    /// [`Refusal::Checkpoint`], [`Refusal::ExtensionLine`] or [`Refusal::TreeTooLarge`].
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let (origin, rest) = text.split_once('\n').ok_or(malformed("origin"))?;
        let (size, rest) = rest.split_once('\n').ok_or(malformed("size"))?;
        let (root, rest) = rest.split_once('\n').ok_or(malformed("root"))?;
        let map_root = match rest {
            "" => None,
            _ => {
                let root = rest.strip_prefix(MAP).and_then(|it| it.strip_suffix('\n'));
                Some(root.and_then(base64_array).ok_or(Refusal::ExtensionLine)?)
            }
        };
        let size = decimal(size).ok_or(malformed("size"))?;
        let root = base64_array(root).ok_or(malformed("root"))?;
        let checkpoint = Self::new(origin, size, Sha256Hash::from_bytes(root))?;
        Ok(Self {
            map_root: map_root.map(Sha256Hash::from_bytes),
            ..checkpoint
        })
    }

    /// Reads the checkpoint in a signed note (C2SP signed-note). Says nothing about who signed it.
    ///
    /// # Errors
    /// [`Refusal::Note`], [`Refusal::TooMuch`] or [`Refusal::SignatureTwice`] for another form of note, and those of
    /// [`Checkpoint::parse`].
    pub fn from_note(note: &str) -> Result<Self, Refusal> {
        Self::parse(SignedNote::parse(note)?.text)
    }

    /// The bytes that the log signs.
    pub fn to_text(&self) -> String {
        let root = to_base64(self.root.as_bytes());
        let map = self.map_root.map(|it| to_base64(it.as_bytes()));
        let map = map.map(|root| format!("{MAP}{root}\n"));
        let map = map.unwrap_or_default();
        format!("{}\n{}\n{root}\n{map}", self.origin, self.size)
    }

    /// Origin of the log.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Number of leaves.
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// The root at that size.
    pub const fn root(&self) -> Sha256Hash {
        self.root
    }

    /// Root of the map of the log at that size; `None` in a checkpoint that proves no standing.
    pub const fn map_root(&self) -> Option<Sha256Hash> {
        self.map_root
    }

    /// Returns true if no log that signed both has one history: two roots, or two maps, at one size. A checkpoint without a
    /// map contradicts none with one.
    pub fn contradicts(&self, other: &Self) -> bool {
        let two_maps = self
            .map_root
            .zip(other.map_root)
            .is_some_and(|(one, two)| one != two);
        (&self.origin, self.size) == (&other.origin, other.size)
            && (self.root != other.root || two_maps)
    }
}

/// Returns true if the first line of a checkpoint can hold a text.
pub(crate) fn valid_origin(origin: &str) -> bool {
    !origin.is_empty() && !origin.chars().any(char::is_control)
}

const fn malformed(part: &'static str) -> Refusal {
    Refusal::Checkpoint { part }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::merkle::{EMPTY_ROOT, LOG};

    /// The example of C2SP tlog-checkpoint.
    const EXAMPLE: &str =
        "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n";

    #[test]
    fn the_published_example_is_read() {
        let checkpoint = Checkpoint::parse(EXAMPLE).unwrap();
        assert_eq!(checkpoint.origin(), "example.com/behind-the-sofa");
        assert_eq!(checkpoint.size(), 20_852_163);
        assert_eq!(checkpoint.to_text(), EXAMPLE);
    }

    /// The extension line, of a root with so many digits.
    fn line(digits: usize) -> String {
        [MAP, &"A".repeat(digits), "=\n"].concat()
    }

    #[test]
    fn the_map_s_root_is_read_and_written_back() {
        let text = [EXAMPLE, &line(43)].concat();
        let checkpoint = Checkpoint::parse(&text).unwrap();
        let root = Sha256Hash::from_bytes([0; 32]);
        assert_eq!(checkpoint.map_root(), Some(root));
        assert_eq!(checkpoint.to_text(), text);
        let without = Checkpoint::parse(EXAMPLE).unwrap();
        assert_eq!(without.map_root(), None);
        assert_eq!(without.with_map_root(root), checkpoint);
    }

    #[test]
    fn two_roots_or_two_maps_of_one_size_contradict() {
        let [one, two] = [1, 2].map(|byte| Sha256Hash::from_bytes([byte; 32]));
        let at = |origin: &str, size, root| Checkpoint::new(origin, size, root).unwrap();
        let plain = at("o", 3, one);
        let mapped = plain.clone().with_map_root(one);
        let other = plain.clone().with_map_root(two);
        for (checkpoint, contradicts) in [
            (plain.clone(), false),
            (mapped.clone(), false),
            (other.clone(), true),
            (at("o", 3, two), true),
            (at("o", 3, two).with_map_root(one), true),
            (at("o", 4, two).with_map_root(two), false),
            (at("p", 3, two).with_map_root(two), false),
        ] {
            assert_eq!(
                checkpoint.contradicts(&mapped),
                contradicts,
                "{checkpoint:?}"
            );
            assert_eq!(
                mapped.contradicts(&checkpoint),
                contradicts,
                "{checkpoint:?}"
            );
        }
        assert!(!plain.contradicts(&other));
    }

    #[test]
    fn other_spellings_are_refused() {
        for (text, refusal) in [
            (EXAMPLE.replace("20852163", "020852163"), malformed("size")),
            (EXAMPLE.replace("20852163", "-1"), malformed("size")),
            (EXAMPLE.replace("q2I=", "q2I"), malformed("root")),
            (EXAMPLE.replace("q2I=", "q2J="), malformed("root")),
            (EXAMPLE.replace("/Xajj", "_Xajj"), malformed("root")),
            (
                EXAMPLE.replace("example.com/behind-the-sofa", ""),
                malformed("origin"),
            ),
            (EXAMPLE.replace("example", "exa\tmple"), malformed("origin")),
            (EXAMPLE.trim_end().into(), malformed("root")),
            ([EXAMPLE, "extension\n"].concat(), Refusal::ExtensionLine),
            ([EXAMPLE, MAP, "\n"].concat(), Refusal::ExtensionLine),
            ([EXAMPLE, &line(44)].concat(), Refusal::ExtensionLine),
            (
                [EXAMPLE, line(43).trim_end()].concat(),
                Refusal::ExtensionLine,
            ),
            ([EXAMPLE, &line(43), "\n"].concat(), Refusal::ExtensionLine),
            (
                [EXAMPLE, &line(43), &line(43)].concat(),
                Refusal::ExtensionLine,
            ),
            (
                [EXAMPLE, &line(43), "more\n"].concat(),
                Refusal::ExtensionLine,
            ),
            (
                [EXAMPLE, "more\n", &line(43)].concat(),
                Refusal::ExtensionLine,
            ),
            (
                [EXAMPLE, &line(43).replace("v1", "v2")].concat(),
                Refusal::ExtensionLine,
            ),
            (
                [EXAMPLE, &line(43).replace("1 ", "1  ")].concat(),
                Refusal::ExtensionLine,
            ),
            (
                [EXAMPLE, &line(42).replace("=\n", "B=\n")].concat(),
                Refusal::ExtensionLine,
            ),
        ] {
            assert_eq!(Checkpoint::parse(&text), Err(refusal), "{text:?}");
        }
        let size = MAX_TREE_SIZE + 1;
        assert_eq!(
            Checkpoint::new("o", size, EMPTY_ROOT),
            Err(Refusal::TreeTooLarge { tree: LOG, size })
        );
        assert_eq!(
            Checkpoint::new("o\n", 0, EMPTY_ROOT),
            Err(malformed("origin"))
        );
    }

    proptest! {
        #[test]
        fn every_checkpoint_round_trips(
            origin in "[^\\p{Cc}]{1,40}", size in 0..=MAX_TREE_SIZE, root: [u8; 32],
            map: Option<[u8; 32]>,
        ) {
            let root = Sha256Hash::from_bytes(root);
            let mut checkpoint = Checkpoint::new(origin, size, root).unwrap();
            if let Some(map) = map {
                checkpoint = checkpoint.with_map_root(Sha256Hash::from_bytes(map));
            }
            prop_assert_eq!(Checkpoint::parse(&checkpoint.to_text()), Ok(checkpoint));
        }
    }
}
