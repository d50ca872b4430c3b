//! Errors of a capsule and its parts, with what to do about each.

use alloc::string::String;

use counterfoil_types::document::{Fault, FormError, Line};
use counterfoil_types::json::JsonError;
use counterfoil_types::{Blake3Hash, ReadError};

/// Bytes are not the part of a capsule that they are given for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CapsuleError {
    /// Not a timestamp of a capsule.
    #[error(
        "{text:?} is not an instant as capsules write it; use YYYY-MM-DDTHH:MM:SS.ffffffZ, years 1970 to 9999"
    )]
    Timestamp {
        /// Beginning of the text.
        text: String,
    },
    /// Not a UUIDv7 in its one spelling.
    #[error("{text:?} is not a UUIDv7; use 36 lower-case characters with hyphens (RFC 9562)")]
    Id {
        /// Beginning of the text.
        text: String,
    },
    /// Not JSON as it is accepted here.
    #[error("the {what} is refused: {source}")]
    Json {
        /// Name of the document.
        what: &'static str,
        /// Why.
        source: JsonError,
    },
    /// No World, or none that can be sealed.
    #[error("not a World: {0}")]
    World(#[from] ReadError),
    /// More values, or longer names, than one field tree holds.
    #[error("the content has more than {limit} {what}; split the World")]
    ContentTooWide {
        /// The most.
        limit: usize,
        /// Of what.
        what: &'static str,
    },
    /// A member is absent, not what it must be, or unknown to the closed format.
    #[error("{what}: {fault}")]
    Document {
        /// Name of the document.
        what: &'static str,
        /// Member and requirement.
        fault: Fault,
    },
    /// A header larger than 4 KiB.
    #[error("the header is {found} bytes, {limit} are the most; shorten the WorldId or `ext`")]
    HeaderTooLarge {
        /// Bytes.
        found: usize,
        /// The most bytes.
        limit: usize,
    },
    /// A body larger than its kind may be.
    #[error("header: {member}.size is {found} bytes, {limit} are the most")]
    BodyTooLarge {
        /// `payload` or `delta`.
        member: &'static str,
        /// Bytes.
        found: u64,
        /// The most bytes.
        limit: u64,
    },
    /// A header or the document of a record, of another version of its format.
    #[error(
        "the {what} is of version {found:?} and only \"1\" is known; update counterfoil to read it"
    )]
    Version {
        /// Name of the document.
        what: &'static str,
        /// The version it names.
        found: String,
    },
    /// A digest of an algorithm that this version does not know.
    #[error("header: {member} is a digest of another algorithm; update counterfoil to read it")]
    Algorithm {
        /// The member's name.
        member: &'static str,
    },
    /// The agent is not the `did:key` of an Ed25519 key.
    #[error("header: agent is refused: {0}")]
    AgentKey(#[from] FormError),
    /// `seq`, `chain` and `previous` do not fit one another.
    #[error("header: {0}")]
    Sequence(&'static str),
    /// `delta` and `mutation` do not fit one another or the place in the chain.
    #[error("header: {0}")]
    Mutation(&'static str),
    /// Two capsules stand at different places, each of its own right.
    #[error("the capsules are of different agents, chains or numbers; that is no fork")]
    NoFork,
    /// Two capsules are one, signed twice at most (C41).
    #[error("both capsules are the same one, {capsule}; to sign one twice is no fork")]
    Same {
        /// Its hash.
        capsule: Blake3Hash,
    },
    /// A contradiction about a contradiction: two nodes would report each other forever.
    #[error("a contradiction about a contradiction is not recorded; look at the first one")]
    AboutContradiction,
    /// A contradiction blames its agent, and its evidence does not.
    #[error(
        "the evidence does not show what its agent is blamed for; ask the detector for evidence that does"
    )]
    NotAttributable,
    /// The clock shows a time that no writer should sign.
    #[error(
        "the clock says {now}, in microseconds since 1970, which is before this program was written; set the clock, \
         then write again"
    )]
    Clock {
        /// Microseconds since the epoch, by the clock.
        now: u64,
    },
}

impl CapsuleError {
    pub(crate) const fn document(what: &'static str, fault: Fault) -> Self {
        Self::Document { what, fault }
    }

    /// A member of `what` that must be something else; `pointer` is its JSON Pointer.
    pub(crate) fn at(what: &'static str, pointer: &str, must: &str) -> Self {
        Self::document(what, Fault::new(pointer, must))
    }
}

/// A text for people at `pointer` of the document `what`.
pub(crate) fn line<const MAX: usize>(
    what: &'static str,
    pointer: &str,
    text: impl Into<String>,
) -> Result<Line<MAX>, CapsuleError> {
    Line::new(text).map_err(|_| CapsuleError::at(what, pointer, &Line::<MAX>::must()))
}
