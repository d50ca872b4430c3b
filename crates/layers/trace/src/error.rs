//! Why a proposal's memory context was not accepted (CR-01 to CR-09); the texts within are those of §12.

use alloc::string::{String, ToString};

use counterfoil_types::{ActorRef, ShapeError};

/// Fault of a proposal's memory context, or of traces that are to be joined. The author of the proposal is to blame in
/// every variant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TraceError {
    /// `context.memory` is not a trace; the violations are in the order and the words of §12.5.
    #[error("{0}")]
    Shape(#[from] ShapeError),
    /// A member of the context is not an array.
    #[error("context.{key} must be array")]
    NotAnArray {
        /// The member's name.
        key: &'static str,
    },
    /// A member of the context has too many elements.
    #[error("context.{key} must have at most {limit} elements, not {found}")]
    TooManyElements {
        /// The member's name.
        key: &'static str,
        /// Number of its elements.
        found: usize,
        /// Largest number of elements.
        limit: usize,
    },
    /// One element of `context.memoryTraces` is not a trace.
    #[error("memoryTraces[{index}]: {error}")]
    Part {
        /// Position of the element, from 0.
        index: usize,
        /// Its fault.
        error: ShapeError,
    },
    /// One element of `context.checkpoints` is not a text of acceptable size.
    #[error("checkpoints[{index}] must be a signed note of at most {limit} bytes")]
    Checkpoint {
        /// Position of the element, from 0.
        index: usize,
        /// Bytes that a note may have.
        limit: usize,
    },
    /// One element of `context.withheld` is not a JSON pointer of acceptable size.
    #[error(
        "withheld[{index}] must be a JSON pointer such as /data/text, of at most {limit} bytes"
    )]
    Withheld {
        /// Position of the element, from 0.
        index: usize,
        /// Bytes that a pointer may have.
        limit: usize,
    },
    /// The proposal already has a trace; a second attach would hide the first (ATTACH-5).
    #[error("the proposal already has context.{key}: attach all recalls of a proposal at once")]
    AlreadyAttached {
        /// The member that is there.
        key: &'static str,
    },
    /// There is no trace to join.
    #[error("there is no trace to merge: recall first")]
    NoTrace,
    /// More traces than a proposal may carry.
    #[error(
        "{found} recalls are too many for one proposal, which carries at most {limit}: recall less often"
    )]
    TooManyTraces {
        /// Number of traces.
        found: usize,
        /// Largest number of traces.
        limit: usize,
    },
    /// One proposal has one selector.
    #[error(
        "trace {index} was made by {found} and the first by {expected}: \
         one proposal has one selector"
    )]
    SelectorsDiffer {
        /// Position of the trace that differs, from 0.
        index: usize,
        /// The first trace's selector.
        expected: String,
        /// This trace's selector.
        found: String,
    },
    /// One proposal has one base World.
    #[error("trace {index} was taken at another World than the first: one proposal has one World")]
    WorldsDiffer {
        /// Position of the trace that differs, from 0.
        index: usize,
    },
    /// The queries together are longer than one query may be.
    #[error("the queries come to {found} bytes and one query has at most {limit}: ask shorter")]
    QueryTooLong {
        /// Bytes of the joined query.
        found: usize,
        /// Bytes that a query may have.
        limit: usize,
    },
    /// The traces together select more than one trace may hold.
    #[error("the traces select {found} memories and one holds at most {limit}: recall fewer")]
    TooManySelected {
        /// Distinct memories of all traces.
        found: usize,
        /// Largest number of them.
        limit: usize,
    },
}

impl TraceError {
    pub(crate) fn selectors(index: usize, expected: &ActorRef, found: &ActorRef) -> Self {
        Self::SelectorsDiffer {
            index,
            expected: expected.actor_id().to_string(),
            found: found.actor_id().to_string(),
        }
    }
}
