//! The report of a review, for a person and for a program (§7.1 step 10; `docs/format/report.md`).

mod wire;

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use counterfoil_trace::MemoryTrace;
use counterfoil_trace::types::{
    Confidence, Reason, SelectedMemory, UnixMillis, VerificationMethod, WorldId,
};

use crate::received::Received;
use crate::{Decision, Outcome};

/// What an authority found out about a proposal's memories, and what it decided.
///
/// Texts in it (query, reasons, ids) are the proposal's own: escape them before a terminal sees
/// them, and show them to no model as instructions.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    proposal_id: String,
    intent_type: String,
    high_risk: bool,
    reviewed_at: UnixMillis,
    trace: Option<MemoryTrace>,
    memories: Vec<MemoryReport>,
    decision: Decision,
}

/// What became of one memory.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryReport {
    world_id: WorldId,
    recall: Option<usize>,
    method: Option<VerificationMethod>,
    claim: Claim,
    outcome: Outcome,
}

/// What the trace says about one memory; never a reason to accept it.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    reason: Reason,
    confidence: Confidence,
    verified: bool,
}

impl Report {
    pub(crate) fn new(
        received: &Received<'_>,
        trace: Option<MemoryTrace>,
        memories: Vec<MemoryReport>,
        decision: Decision,
    ) -> Self {
        Self {
            proposal_id: received.proposal.proposal_id().to_string(),
            intent_type: received.proposal.intent().body().intent_type().to_string(),
            high_risk: received.high_risk,
            reviewed_at: received.now,
            trace,
            memories,
            decision,
        }
    }

    /// The decision with its grounds.
    #[must_use]
    pub const fn decision(&self) -> &Decision {
        &self.decision
    }

    /// One report for each memory of the trace, in its order; then those of single recalls that
    /// are not in the merged trace as they stand there.
    #[must_use]
    pub fn memories(&self) -> &[MemoryReport] {
        &self.memories
    }

    /// The proposal's id.
    #[must_use]
    pub fn proposal_id(&self) -> &str {
        &self.proposal_id
    }

    /// The type of the proposal's intent.
    #[must_use]
    pub fn intent_type(&self) -> &str {
        &self.intent_type
    }

    /// Whether the policy counts the intent as high-risk.
    #[must_use]
    pub const fn is_high_risk(&self) -> bool {
        self.high_risk
    }

    /// The time of the review, as given.
    #[must_use]
    pub const fn reviewed_at(&self) -> UnixMillis {
        self.reviewed_at
    }

    /// The trace as presented, its author's claims; `None` without a well-formed trace.
    #[must_use]
    pub const fn trace(&self) -> Option<&MemoryTrace> {
        self.trace.as_ref()
    }
}

impl MemoryReport {
    pub(crate) fn new(memory: &SelectedMemory, recall: Option<usize>, outcome: Outcome) -> Self {
        Self {
            world_id: memory.memory_ref().world_id().clone(),
            recall,
            method: memory.evidence().map(|evidence| evidence.method().clone()),
            claim: Claim {
                reason: memory.reason().clone(),
                confidence: memory.confidence(),
                verified: memory.verified(),
            },
            outcome,
        }
    }

    /// The World that the memory refers to.
    #[must_use]
    pub const fn world_id(&self) -> &WorldId {
        &self.world_id
    }

    /// Position in `context.memoryTraces` of the recall that it stands in, from 0; `None` for the
    /// trace itself.
    #[must_use]
    pub const fn recall(&self) -> Option<usize> {
        self.recall
    }

    /// The method of its evidence, if it has any.
    #[must_use]
    pub const fn method(&self) -> Option<&VerificationMethod> {
        self.method.as_ref()
    }

    /// What the trace says about it.
    #[must_use]
    pub const fn claim(&self) -> &Claim {
        &self.claim
    }

    /// What became of it.
    #[must_use]
    pub const fn outcome(&self) -> &Outcome {
        &self.outcome
    }
}

impl Claim {
    /// Why it was selected: a text to show, not a fact (FP-01).
    #[must_use]
    pub const fn reason(&self) -> &Reason {
        &self.reason
    }

    /// How relevant the selector holds it to be.
    #[must_use]
    pub const fn confidence(&self) -> Confidence {
        self.confidence
    }

    /// Whether the selector says that verification passed.
    #[must_use]
    pub const fn verified(&self) -> bool {
        self.verified
    }
}
