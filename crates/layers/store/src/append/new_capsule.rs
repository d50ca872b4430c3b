//! A new entry of the log for a backend to keep, with its texts as they are and as the backend packs them.

use counterfoil_capsule::{Header, LogEntry, SaltedBody, SealedCapsule};
use counterfoil_types::{DidKey, Sha256Hash};

/// All that there is to keep of one new entry.
#[derive(Debug)]
pub struct NewCapsule<'a> {
    /// Its index in the log.
    pub index: u64,
    /// Its header.
    pub header: &'a Header,
    /// Its leaf.
    pub entry: &'a LogEntry,
    /// The key that signed.
    pub key: DidKey,
    /// The signature of that key over the entry.
    pub signature: &'a [u8; 64],
    /// The content.
    pub content: EntryContent<'a>,
    /// The same in the form of the transaction's [`Packer`]; `None` for a capsule that was sealed elsewhere.
    pub packed: Option<&'a PackedTexts>,
    /// Delta against the capsule before it; `None` for the first of a chain.
    pub delta: Option<&'a SaltedBody>,
    /// Origin of the seal.
    pub origin: CapsuleOrigin<'a>,
    /// The hashes of the subtrees that the entry completes, the leaf hash first.
    pub hashes: &'a [Sha256Hash],
}

/// The content of a new entry.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum EntryContent<'a> {
    /// To be kept as it is.
    Whole(ContentRef<'a>),
    /// A backend that keeps deltas may leave out the text: it follows from the content before it.
    Follows(ContentRef<'a>),
    /// It was erased before it came here.
    Absent,
}

/// A text with its salt.
#[derive(Clone, Copy)]
pub struct ContentRef<'a> {
    /// Canonical JSON.
    pub text: &'a str,
    /// The salt of its hash.
    pub salt: &'a [u8; 32],
}

/// Content and salt stay out of log lines.
impl core::fmt::Debug for ContentRef<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("ContentRef")
            .field("bytes", &self.text.len())
            .finish_non_exhaustive()
    }
}

impl<'a> EntryContent<'a> {
    /// Text and salt, unless it was erased.
    #[must_use]
    pub const fn present(self) -> Option<ContentRef<'a>> {
        match self {
            Self::Whole(content) | Self::Follows(content) => Some(content),
            Self::Absent => None,
        }
    }
}

/// Origin of a capsule's seal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CapsuleOrigin<'a> {
    /// Here, at its timestamp.
    Local,
    /// Elsewhere.
    Received {
        /// Whom it came from.
        source: &'a str,
        /// Time of receipt, in microseconds since 1970.
        at_us: u64,
    },
}

/// Packs texts of a capsule as a backend keeps them.
pub type Packer = fn(&SealedCapsule) -> PackedTexts;

/// Texts of a capsule as a [`Packer`] has packed them; `None` for a text that is kept in another way.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PackedTexts {
    /// The header.
    pub header: Option<Vec<u8>>,
    /// The content.
    pub content: Option<Vec<u8>>,
}
