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
/// Every line ends with a newline. We write no extension lines and accept none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    origin: String,
    size: u64,
    root: Sha256Hash,
}

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
        Ok(Self { origin, size, root })
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
        if !rest.is_empty() {
            return Err(Refusal::ExtensionLine);
        }
        let size = decimal(size).ok_or(malformed("size"))?;
        let root = base64_array(root).ok_or(malformed("root"))?;
        Self::new(origin, size, Sha256Hash::from_bytes(root))
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
        format!("{}\n{}\n{root}\n", self.origin, self.size)
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
        ) {
            let root = Sha256Hash::from_bytes(root);
            let checkpoint = Checkpoint::new(origin, size, root).unwrap();
            prop_assert_eq!(Checkpoint::parse(&checkpoint.to_text()), Ok(checkpoint));
        }
    }
}
