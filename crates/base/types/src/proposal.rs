//! `Proposal` and `ProposalTrace` (World Protocol §6.2): where a memory trace is attached (§10).

use alloc::string::String;
use alloc::vec::Vec;

use serde::Serialize;

use crate::actor::ActorRef;
use crate::intent::IntentInstance;
use crate::json::{Limits, Map, Value};
use crate::shape::ShapeError;
use crate::time::UnixMillis;
use crate::wire::{checked_json, non_empty_text, object, text};
use crate::world_id::WorldId;

crate::words! {
    /// Status of a proposal. `evaluating` (World Protocol v2) and `superseded` (v5) are known too.
    #[derive(Hash)]
    #[non_exhaustive]
    pub enum ProposalStatus {
        /// Handed in.
        Submitted = "submitted",
        /// An authority is at it.
        Pending = "pending",
        /// The same under its name in World Protocol v2.
        Evaluating = "evaluating",
        /// May be executed.
        Approved = "approved",
        /// May not be executed; no World comes of it.
        Rejected = "rejected",
        /// Being executed.
        Executing = "executing",
        /// Executed.
        Completed = "completed",
        /// Executed, and failed.
        Failed = "failed",
        /// Overtaken by another (World Protocol v5).
        Superseded = "superseded",
    }
}

impl ProposalStatus {
    fn read(name: &'static str, value: Value) -> Result<Self, ShapeError> {
        const WORDS: &str = "be one of submitted, pending, evaluating, approved, rejected, executing, \
                             completed, failed, superseded";
        let status = value.as_str().and_then(|status| status.parse().ok());
        status.ok_or_else(|| ShapeError::one(name, WORDS))
    }
}

/// The audit trail of a proposal. Its context is an open map: members that we do not know stay.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProposalTrace {
    summary: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<Map>,
    #[serde(flatten)]
    rest: Map,
}

impl ProposalTrace {
    /// A trace with a summary alone.
    pub fn new(summary: impl Into<String>) -> Self {
        Self {
            summary: summary.into(),
            reasoning: None,
            context: None,
            rest: Map::new(),
        }
    }

    /// Adds the reasoning.
    #[must_use]
    pub fn with_reasoning(mut self, reasoning: impl Into<String>) -> Self {
        self.reasoning = Some(reasoning.into());
        self
    }

    /// Replaces the context.
    #[must_use]
    pub fn with_context(mut self, context: Map) -> Self {
        self.context = Some(context);
        self
    }

    /// Subject of the proposal.
    pub fn summary(&self) -> &str {
        &self.summary
    }

    /// Reason of the proposal.
    pub fn reasoning(&self) -> Option<&str> {
        self.reasoning.as_deref()
    }

    /// The context: `memory`, `memoryTraces`, and members of others.
    pub const fn context(&self) -> Option<&Map> {
        self.context.as_ref()
    }
}

crate::from_members!(ProposalTrace {
    summary: required("summary", text),
    reasoning: optional("reasoning", text),
    context: optional("context", object),
    rest: rest(),
});

checked_json!(ProposalTrace, Limits::DOCUMENT);

/// An intent submitted for an authority's approval. Members that we do not know are kept.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Proposal {
    proposal_id: String,
    actor: ActorRef,
    intent: IntentInstance,
    base_world: WorldId,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<ProposalTrace>,
    submitted_at: UnixMillis,
    status: ProposalStatus,
    #[serde(flatten)]
    rest: Map,
}

impl Proposal {
    /// Submits an intent under a unique identifier such as `prop-<uuid>`: the actor that proposes, the World that it starts
    /// from, and the time by the actor's clock. It has no trace yet.
    ///
    /// # Errors
    /// The identifier is empty.
    pub fn submit(
        proposal_id: String,
        actor: ActorRef,
        intent: IntentInstance,
        base_world: WorldId,
        submitted_at: UnixMillis,
    ) -> Result<Self, ShapeError> {
        Ok(Self {
            proposal_id: non_empty_text("proposalId", Value::String(proposal_id))?,
            actor,
            intent,
            base_world,
            trace: None,
            submitted_at,
            status: ProposalStatus::Submitted,
            rest: Map::new(),
        })
    }

    /// The same proposal with another trace.
    #[must_use]
    pub fn with_trace(mut self, trace: ProposalTrace) -> Self {
        self.trace = Some(trace);
        self
    }

    /// Unique, never empty.
    pub fn proposal_id(&self) -> &str {
        &self.proposal_id
    }

    /// Actor that proposes.
    pub const fn actor(&self) -> &ActorRef {
        &self.actor
    }

    /// Requested action.
    pub const fn intent(&self) -> &IntentInstance {
        &self.intent
    }

    /// The World that it starts from.
    pub const fn base_world(&self) -> &WorldId {
        &self.base_world
    }

    /// The audit trail.
    pub const fn trace(&self) -> Option<&ProposalTrace> {
        self.trace.as_ref()
    }

    /// Time of submission, by the actor's clock.
    pub const fn submitted_at(&self) -> UnixMillis {
        self.submitted_at
    }

    /// Status of the proposal.
    pub const fn status(&self) -> ProposalStatus {
        self.status
    }

    /// Members that we do not know, as they came.
    pub const fn rest(&self) -> &Map {
        &self.rest
    }

    /// The proposal as one line of JSON.
    ///
    /// # Errors
    /// [`ReadError::Shape`](crate::ReadError::Shape) never occurs for a value that was read or
    /// built here; it takes the place of serde_json's own signature.
    pub fn to_json(&self) -> Result<Vec<u8>, crate::ReadError> {
        serde_json::to_vec(self).map_err(|_| ShapeError::one("proposal", "be object").into())
    }
}

crate::from_members!(Proposal {
    proposal_id: required("proposalId", non_empty_text),
    actor: required("actor", ActorRef::read),
    intent: nested("intent"),
    base_world: required("baseWorld", WorldId::read),
    trace: optional_nested("trace"),
    submitted_at: required("submittedAt", UnixMillis::read),
    status: required("status", ProposalStatus::read),
    rest: rest(),
});

checked_json!(Proposal, Limits::DOCUMENT);

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;

    const WIRE: &str = r#"{"proposalId":"prop-1","actor":{"actorId":"a","kind":"agent"},"intent":{"body":{"type":"t","input":{"x":1},"note":"kept"},"intentId":"intent-1","intentKey":"k","meta":{"origin":{"actor":{"actorId":"a","kind":"agent"}}},"v":2},"baseWorld":"w","trace":{"summary":"s","context":{"other":[1]}},"submittedAt":1700000000000,"status":"submitted","approvedScope":null,"epoch":3}"#;

    #[test]
    fn unknown_members_and_null_scope_survive() {
        let proposal = Proposal::from_json(WIRE.as_bytes()).unwrap();
        let written: Value = serde_json::from_slice(&proposal.to_json().unwrap()).unwrap();
        let read: Value = serde_json::from_str(WIRE).unwrap();
        assert_eq!(written, read);
    }

    #[test]
    fn everything_wrong_is_said_at_once() {
        let error = Proposal::from_json(br#"{"trace":null,"intent":{"body":{}}}"#).unwrap_err();
        assert_eq!(
            error.to_string(),
            "proposalId must be non-empty string; actor must be valid ActorRef; \
             intent: body: type must be non-empty string; intentId must be non-empty string; \
             intentKey must be non-empty string; meta must be object; \
             baseWorld must be non-empty string; trace: summary must be string; \
             submittedAt must be positive integer; status must be one of submitted, pending, \
             evaluating, approved, rejected, executing, completed, failed, superseded"
        );
    }

    #[test]
    fn the_origin_actor_is_read_from_meta() {
        let proposal = Proposal::from_json(WIRE.as_bytes()).unwrap();
        assert_eq!(
            proposal.intent().origin_actor().as_ref(),
            Some(proposal.actor())
        );
    }
}
