//! Errors between recalling and proposing.

use counterfoil_capsule::integrity::ProofError;
use counterfoil_capsule::{CapsuleError, Timestamp};
use counterfoil_trace::TraceError;
use counterfoil_types::json::JsonError;
use counterfoil_types::{BoxError, ShapeError, UnixMillis, WorldId};

/// A recall or a proposal that did not come about.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ActError {
    /// The selection failed; that is not the same as finding nothing.
    #[error(transparent)]
    Select(BoxError),
    /// The store failed.
    #[error(transparent)]
    Store(BoxError),
    /// The store does not have a selected World; the reference dangles.
    #[error("the selector selected {world}, which the store does not have: rebuild its index")]
    Dangling {
        /// The World that is missing.
        world: WorldId,
    },
    /// The store answered with another World than it was asked for.
    #[error(
        "the store was asked for the World {asked} and answered with {answered}: \
         audit the store, and rebuild what it derives"
    )]
    OtherWorld {
        /// The World that was asked for.
        asked: WorldId,
        /// The World that came.
        answered: WorldId,
    },
    /// A memory that was selected as verified, whose content is not the one in its receipt.
    #[error("the World {world} was selected as verified, but {found}: audit the store")]
    Unproven {
        /// The World.
        world: WorldId,
        /// Fault of its content or its receipt.
        found: BoxError,
    },
    /// A memory that was selected as verified, whose content is proven, but not by the entry that
    /// its evidence is about.
    #[error(
        "the World {world} was selected as verified with another entry than it has now: \
         audit the store, then recall again"
    )]
    OtherEntry {
        /// The World.
        world: WorldId,
    },
    /// An outcome without the approval of its proposal.
    #[error("the decision does not approve {proposal}: what was not approved has no outcome")]
    NotApproved {
        /// Id of the proposal.
        proposal: String,
    },
    /// The content of a memory to remember is not that of a World.
    #[error(transparent)]
    Content(#[from] CapsuleError),
    /// The trace is none that an authority would accept, or the recalls can't be joined or attached.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// A value given by the caller is not what it must be.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A member of an intent that may not be empty.
    #[error("the intent's {member} is empty: give it a text")]
    EmptyMember {
        /// Its name on the wire.
        member: &'static str,
    },
    /// The intent's input can't be hashed.
    #[error("the intent has no canonical form: {0}")]
    Intent(JsonError),
    /// The intent names another actor as its origin (World Protocol P-3).
    #[error("the intent is of {found} and {expected} proposes: make the intent in the same name")]
    IntentOfAnother {
        /// The proposing actor.
        expected: String,
        /// The actor in `meta.origin`.
        found: String,
    },
    /// The name of the authority cannot stand in a signature.
    #[error(
        "{found:?} is no name of an authority: give 1 to 256 bytes of printable ASCII without spaces"
    )]
    Audience {
        /// The name given.
        found: String,
    },
    /// The nonce cannot stand in a signature.
    #[error("the nonce is not 22 to 128 letters of base64url: draw 128 bits")]
    Nonce,
    /// The proposal cannot be signed.
    #[error("the proposal cannot be signed: {0}")]
    Sign(ProofError),
    /// The time of submission lies before the last selection (M-3).
    #[error(
        "submission at {} lies before the selection at {}: \
         take the time of submission after the last recall", shown(*submitted_at), shown(*selected_at)
    )]
    SubmittedBeforeSelection {
        /// The time given.
        submitted_at: UnixMillis,
        /// The latest selection.
        selected_at: UnixMillis,
    },
}

// Errors whose message is part of ours are no `source` besides, or a chain would print them twice.

impl From<JsonError> for ActError {
    fn from(error: JsonError) -> Self {
        Self::Intent(error)
    }
}

impl From<ProofError> for ActError {
    fn from(error: ProofError) -> Self {
        Self::Sign(error)
    }
}

/// A time in RFC 3339, or as it is where that can't write it.
fn shown(time: UnixMillis) -> String {
    match Timestamp::from_micros(time.value().saturating_mul(1000)) {
        Ok(time) => time.to_string(),
        Err(_) => format!("{} ms since 1970", time.value()),
    }
}

#[cfg(test)]
mod tests {
    use core::error::Error;

    use counterfoil_types::json::{Limits, parse};

    use super::*;

    fn not_there() -> BoxError {
        std::io::Error::from(std::io::ErrorKind::NotFound).into()
    }

    /// Whoever prints an error and its sources printed some of them twice.
    #[test]
    fn no_message_stands_twice_in_a_chain_of_sources() {
        let no_json = parse(b"[", Limits::PROOF).unwrap_err();
        for error in [
            ActError::from(no_json),
            ActError::from(WorldId::new("").unwrap_err()),
            ActError::Store(not_there()),
            ActError::Select(not_there()),
        ] {
            let message = error.to_string();
            let mut source = error.source();
            while let Some(inner) = source {
                assert!(!message.contains(&inner.to_string()), "{message}");
                source = inner.source();
            }
        }
    }

    #[test]
    fn a_time_of_submission_is_written_as_rfc_3339() {
        let at = |millis| UnixMillis::new(millis).unwrap();
        let error = ActError::SubmittedBeforeSelection {
            submitted_at: at(1_767_225_600_000),
            selected_at: at(1_767_225_600_500),
        };
        let message = error.to_string();
        assert!(message.contains("2026-01-01T00:00:00.000000Z"), "{message}");
        assert!(message.contains("2026-01-01T00:00:00.500000Z"), "{message}");
    }
}
