//! A new entry of the log for a backend to keep, with its texts as they are and as the backend packs them.

use counterfoil_types::Sha256Hash;

use crate::capsule_log::StoredCapsule;

/// All that there is to keep of one new entry.
#[derive(Debug)]
pub struct NewCapsule<'a> {
    /// The capsule at its index.
    pub stored: &'a StoredCapsule,
    /// True if its content follows from the content before it: a backend that keeps deltas may leave out the text.
    pub follows: bool,
    /// Header and content in the form of the transaction's [`Packer`]; `None` for a capsule that was sealed elsewhere.
    pub packed: Option<&'a PackedTexts>,
    /// Source and time of receipt, in microseconds since 1970; `None` for a capsule that was sealed here, at its timestamp.
    pub received: Option<(&'a str, u64)>,
    /// The hashes of the subtrees that the entry completes, the leaf hash first.
    pub hashes: &'a [Sha256Hash],
}

/// Header and content of a capsule as a [`Packer`] has packed them; `None` for a text that is kept in another way.
pub type PackedTexts = (Option<Vec<u8>>, Option<Vec<u8>>);

/// Packs texts of a capsule as a backend keeps them.
pub type Packer = fn(&StoredCapsule) -> PackedTexts;
