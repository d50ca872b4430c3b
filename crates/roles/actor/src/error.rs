//! What can go wrong between recalling and proposing, by who has to act.

use counterfoil_selector::SelectError;
use counterfoil_store::StoreError;
use counterfoil_trace::{MergeError, TraceError};
use counterfoil_types::json::JsonError;
use counterfoil_types::{ShapeError, UnixMillis, WorldId};

/// A recall or a proposal that did not come about.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ActError {
    /// The selection failed; that is not the same as finding nothing.
    #[error("the memories could not be selected: {0}")]
    Select(#[from] SelectError),
    /// The store failed.
    #[error("a selected memory could not be read: {0}")]
    Store(#[from] StoreError),
    /// The selector selected what the store does not have (CR-06).
    #[error("the selector selected {world}, which the store does not have: rebuild its index")]
    Dangling {
        /// The World that is missing.
        world: WorldId,
    },
    /// The trace could not be attached.
    #[error(transparent)]
    Attach(#[from] AttachError),
    /// A value given by the caller is not what it must be.
    #[error("{0}")]
    Shape(#[from] ShapeError),
    /// The intent's input can't be hashed.
    #[error("the intent has no canonical form: {0}")]
    Intent(#[from] JsonError),
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
        "submission at {} ms lies before the selection at {} ms: \
         take the time of submission after the last recall", submitted_at.value(), selected_at.value()
    )]
    SubmittedBeforeSelection {
        /// The time given.
        submitted_at: UnixMillis,
        /// The latest selection.
        selected_at: UnixMillis,
    },
}

/// A trace that can't be attached to a proposal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AttachError {
    /// The proposal already has one; a second attach would hide the first (ATTACH-5).
    #[error("the proposal already has context.{key}: attach all recalls of a proposal at once")]
    AlreadyAttached {
        /// The member that is there.
        key: &'static str,
    },
    /// The recalls can't be joined.
    #[error(transparent)]
    Merge(#[from] MergeError),
    /// What was built is not a trace that an authority would accept.
    #[error("the trace would not be accepted: {0}")]
    Trace(#[from] TraceError),
}
