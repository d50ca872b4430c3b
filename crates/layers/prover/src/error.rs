//! Errors of the provers of this project.

use counterfoil_capsule::CapsuleError;
use counterfoil_types::{Sha256Hash, ShapeError, WorldId};

/// A World that cannot be proven.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProveError {
    /// The caller gave a World that the reference does not name.
    #[error("the reference names {expected} and the World is {found}; fetch the World again")]
    OtherWorld {
        /// World of the reference.
        expected: WorldId,
        /// The given World.
        found: WorldId,
    },
    /// The World carries no receipt: it comes from no store, or from one that keeps none.
    #[error("the World carries no receipt; fetch it from the store that sealed it")]
    NoReceipt,
    /// The receipt is not one.
    #[error("the receipt cannot be read: {0}")]
    Receipt(#[source] CapsuleError),
    /// The content has no canonical form, or is too large to have been sealed.
    #[error("the content cannot be hashed: {0}")]
    Content(#[source] CapsuleError),
    /// The receipt is that of another World.
    #[error("the receipt is that of {found}; fetch the World again, and audit the store")]
    EntryOfOther {
        /// World of the receipt.
        found: WorldId,
    },
    /// The content is not the one that was sealed.
    #[error("the content is not the one that was sealed; audit the store")]
    ContentChanged,
    /// The field tree is not the one that was sealed.
    #[error("the fields give the root {computed} and the entry says {expected}; audit the store")]
    FieldsChanged {
        /// Root of the content that was given.
        computed: Sha256Hash,
        /// Root in the entry.
        expected: Sha256Hash,
    },
    /// The header is not the one that was sealed.
    #[error("the header is not the one that was sealed; audit the store")]
    HeaderChanged,
    /// The receipt has no place in a log.
    #[error("the receipt has no log proof; fetch the World again once the log has a checkpoint")]
    NotInLog,
    /// The method `none` proves nothing.
    #[error("the method none proves nothing; choose existence, hash, signature or merkle")]
    NothingToProve,
    /// The proof would not be one by the specification's rules.
    #[error("the proof is refused: {0}")]
    Proof(#[from] ShapeError),
}
