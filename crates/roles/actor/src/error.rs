//! Errors between recalling and proposing.

use counterfoil_capsule::{CapsuleError, Timestamp};
use counterfoil_claims::ClaimError;
use counterfoil_prover::ProveError;
use counterfoil_selector::SelectError;
use counterfoil_store::StoreError;
use counterfoil_trace::TraceError;
use counterfoil_types::json::JsonError;
use counterfoil_types::{ShapeError, UnixMillis, WorldId};

/// A recall or a proposal that did not come about.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ActError {
    /// The selection failed; that is not the same as finding nothing.
    #[error(transparent)]
    Select(#[from] SelectError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
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
        found: ProveError,
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
    /// A claim, an assertion or a question was refused: the gate wrote nothing.
    #[error(transparent)]
    Refused(#[from] ClaimError),
    /// A question as of a time at which nothing had been recorded yet.
    #[error("nothing was recorded before 1970; ask as of a later time")]
    BeforeRecords,
    /// An outcome without the approval of its proposal.
    #[error(
        "the report does not approve {proposal}: pass the report of the review that approved it"
    )]
    NotApproved {
        /// Id of the proposal.
        proposal: String,
    },
    /// The content of a memory to remember is not that of a World.
    #[error(transparent)]
    Content(#[from] CapsuleError),
    /// No authority would accept the built trace.
    #[error("the trace would not be accepted: {0}")]
    Trace(TraceError),
    /// The proposal already has a trace; a second attach would hide the first (ATTACH-5).
    #[error("the proposal already has context.{key}: attach all recalls of a proposal at once")]
    AlreadyAttached {
        /// The member that is there.
        key: &'static str,
    },
    /// The recalls can't be joined.
    #[error(transparent)]
    Merge(TraceError),
    /// That nothing is known cannot be shown.
    #[error(
        "nothing was recorded of this line by then, and that something is not there has no proof; ask as of a later time, or \
         of another line"
    )]
    NoUnits,
    /// More units than one document may hold.
    #[error("the line has {found} units; a proof holds at most {limit}. Ask as of an earlier time")]
    TooManyUnits {
        /// Number of units.
        found: usize,
        /// Largest number of units in a proof.
        limit: usize,
    },
    /// A unit whose content is gone.
    #[error(
        "unit {number} of the line is erased or archived, and without it the belief cannot be folded again; restore it if it \
         was archived, or ask as of a time before it"
    )]
    UnitGone {
        /// Its number on the line.
        number: u64,
    },
    /// Units that do not follow one another: two stores of the agent went on with the line apart from each other.
    #[error(
        "unit {number} of the line does not follow the one before it: it was written in two places, and which of them goes on \
         cannot be proven; ask as of a time before it"
    )]
    Apart {
        /// Its number on the line.
        number: u64,
    },
    /// A unit that counts as recorded earlier than its capsule says.
    #[error(
        "unit {number} of the line was recorded while the clock was ahead, and its capsule says a time that was corrected \
         since: ask as of a time before it"
    )]
    ClockCorrected {
        /// Its number on the line.
        number: u64,
    },
    /// A document that no authority would read.
    #[error(
        "the proof has more than {limit} bytes: its units are too large. Ask as of an earlier time"
    )]
    ProofTooLarge {
        /// Largest size of a proof, in bytes.
        limit: usize,
    },
    /// A unit whose content is not the one of its entry.
    #[error("unit {number} of the line does not prove: {found}; audit the store")]
    UnitUnproven {
        /// Its number on the line.
        number: u64,
        /// The fault.
        found: ProveError,
    },
    /// The belief of the store differs from that of its units.
    #[error(
        "the units of the line do not give the belief that the store states; audit the store, or ask again"
    )]
    Disagrees,
    /// The log's own checkpoint cannot be read.
    #[error("the checkpoint of the log cannot be read; audit the store")]
    Checkpoint,
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

impl From<TraceError> for ActError {
    fn from(error: TraceError) -> Self {
        Self::Trace(error)
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

    /// Whoever prints an error and its sources printed some of them twice.
    #[test]
    fn no_message_stands_twice_in_a_chain_of_sources() {
        let no_json = parse(b"[", Limits::PROOF).unwrap_err();
        for error in [
            ActError::from(no_json),
            ActError::from(WorldId::new("").unwrap_err()),
            ActError::from(StoreError::DiskFull),
            ActError::from(SelectError::NoWords),
            ActError::from(SelectError::from(StoreError::DiskFull)),
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
