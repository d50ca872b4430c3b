//! Who sends a document, in which form it came, and what its proof showed (R2, R3).

use counterfoil_types::DidKey;

use super::Text;

/// An agent as it names itself. The name is for people; the key is the identity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Party {
    /// A display name. Anyone may use any.
    pub agent_id: Text<128>,
    /// The key that it signs with.
    pub public_key: Option<DidKey>,
}

/// In which form a document came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Version `"1"`.
    One,
    /// A draft, version `"0.1"`.
    Draft,
}

/// What the proof of a document showed when it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signature {
    /// It holds, by this key, for the purpose and the binding that the document itself names.
    Holds(DidKey),
    /// It does not hold, or names another key than the document.
    Broken,
    /// There is none.
    Absent,
    /// A draft's, which covers what it likes and is not looked at.
    NotLookedAt,
}
