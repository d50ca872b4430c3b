//! `MemoryTrace` and its only door, from JSON (specification §5.1.5, §12.5; CR-02 to CR-09, MR-05).

use alloc::vec::Vec;

use counterfoil_types::json::{self, Limits};
use counterfoil_types::{
    ActorRef, Query, ReadError, SelectedMemory, SelectionResult, UnixMillis, WorldId,
};
use serde::Serialize;

/// The record of one memory selection, as attached to `proposal.trace.context.memory`.
///
/// Every value satisfies the constraints of §5.1.5 and selects at most
/// [`MAX_SELECTED`](crate::MAX_SELECTED) memories. That says nothing about truth: `verified` is the
/// selector's claim, `reason` and `query` are untrusted text, and no proof has been checked.
///
/// ```
/// use counterfoil_trace::MemoryTrace;
///
/// let trace = MemoryTrace::from_json(
///     br#"{"selector":{"actorId":"planner","kind":"agent"},"query":"where does Ann live",
///          "selectedAt":1700000000000,"atWorldId":"world-1","selected":[]}"#,
/// )?;
/// assert_eq!(trace.query().as_str(), "where does Ann live");
///
/// let refused = MemoryTrace::from_json(b"{}").unwrap_err();
/// assert!(refused.to_string().starts_with("selector must be valid ActorRef; query must be"));
/// # Ok::<(), counterfoil_trace::types::ReadError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MemoryTrace {
    selector: ActorRef,
    query: Query,
    selected_at: UnixMillis,
    at_world_id: WorldId,
    selected: Vec<SelectedMemory>,
}

impl MemoryTrace {
    /// Reads a trace from the bytes of one JSON document of at most 16 MiB.
    ///
    /// Unknown members are tolerated and not kept.
    ///
    /// # Errors
    /// [`ReadError::Json`] for bytes that are not strict JSON (duplicate members, depth, trailing
    /// bytes), [`ReadError::Shape`] with every violation in the order and the words of §12.5.
    pub fn from_json(bytes: &[u8]) -> Result<Self, ReadError> {
        Ok(Self::try_from(json::parse_message(
            bytes,
            Limits::DOCUMENT,
        )?)?)
    }

    /// Actor of the selection; a claim of the trace's author.
    pub const fn selector(&self) -> &ActorRef {
        &self.selector
    }

    /// The query; untrusted text.
    pub const fn query(&self) -> &Query {
        &self.query
    }

    /// Time of the selection, in milliseconds since 1970; a claim of the selector.
    pub const fn selected_at(&self) -> UnixMillis {
        self.selected_at
    }

    /// The World in whose context the selection was performed.
    pub const fn at_world_id(&self) -> &WorldId {
        &self.at_world_id
    }

    /// The selected memories; may be empty (MR-05).
    pub fn selected(&self) -> &[SelectedMemory] {
        &self.selected
    }
}

// The checked door; `from_json` goes through it too.
counterfoil_types::from_members!(MemoryTrace {
    selector: required("selector", ActorRef::read),
    query: required("query", Query::read),
    selected_at: required("selectedAt", UnixMillis::read),
    at_world_id: required("atWorldId", WorldId::read),
    selected: required("selected", |_, value| SelectionResult::selected_from(value)),
});
