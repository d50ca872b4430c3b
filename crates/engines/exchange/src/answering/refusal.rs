//! Refusals of a responder: the problems of docs/format/transports.md §1.

use alloc::string::String;

use counterfoil_types::variant_words;

use crate::documents::DocumentError;

/// A request is not answered. The answer `no_match` is no refusal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// It is not a document of the type.
    #[error("this is no such document: {0}")]
    Malformed(DocumentError),
    /// Another version.
    #[error("{0}")]
    Version(DocumentError),
    /// The proof does not hold.
    #[error("the proof does not hold; sign the request with the key that it names")]
    BadProof,
    /// It is for another agent.
    #[error("this request is for another agent; ask me with my key as audience")]
    WrongAudience,
    /// It is too early, too late, or lives too long.
    #[error("{0}")]
    NotInTime(&'static str),
    /// It was answered before, and the answer is no longer held.
    #[error("this request was answered before; ask again under a new request_id")]
    Replayed,
    /// Another request was answered under this id.
    #[error("another request was asked under this request_id; draw a new one")]
    IdConflict,
    /// The cursor is of another question, changed or expired.
    #[error("this cursor is not of this question, or has expired; ask without it")]
    BadCursor,
    /// Asked too often.
    #[error("asked too often; wait {retry_after_s} s")]
    TooMany {
        /// Time to wait, in seconds.
        retry_after_s: u32,
    },
    /// No room to record that this was asked; no other record makes room.
    #[error("too many requests are remembered; wait {retry_after_s} s")]
    SeenFull {
        /// Time to wait, in seconds.
        retry_after_s: u32,
    },
    /// Too many answers are in progress.
    #[error("too much is being answered at once; wait {retry_after_s} s")]
    Busy {
        /// Time to wait, in seconds.
        retry_after_s: u32,
    },
    /// The store failed, or there is a bug.
    #[error("this agent could not answer; try again later")]
    Internal {
        /// The error, for the responder's own log. It is never sent.
        detail: String,
    },
}

variant_words! {
    /// Words of all variants.
    CODES;
    /// The word of the problem.
    word of Refusal {
        Malformed = "malformed",
        Version = "unsupported-version",
        BadProof = "bad-proof",
        WrongAudience = "wrong-audience",
        NotInTime = "not-in-time",
        Replayed = "request-replayed",
        IdConflict = "request-id-conflict",
        BadCursor = "bad-cursor",
        TooMany = "too-many",
        SeenFull = "seen-full",
        Busy = "busy",
        Internal = "internal",
    }
}

impl From<DocumentError> for Refusal {
    fn from(error: DocumentError) -> Self {
        match error {
            DocumentError::Version { .. } => Self::Version(error),
            other => Self::Malformed(other),
        }
    }
}
