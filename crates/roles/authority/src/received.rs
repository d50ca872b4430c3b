//! State 1 of a review: a proposal as received, its memory context parsed and nothing verified.

use alloc::string::String;
use alloc::vec::Vec;

use counterfoil_trace::types::{Proposal, UnixMillis};
use counterfoil_trace::{MemoryTrace, cosigned_checkpoints, from_proposal, traces_of, withheld};
use counterfoil_verifier::attestations::Attestations;

use crate::{DecisionReason, Policy};

/// A proposal under review. The next state is [`VerifiedTrace`](crate::verified::VerifiedTrace).
pub(crate) struct Received<'a> {
    pub(crate) proposal: &'a Proposal,
    /// The rules for this proposal's intent.
    pub(crate) policy: Policy,
    /// True if the high-risk rules apply to the intent.
    pub(crate) high_risk: bool,
    pub(crate) now: UnixMillis,
}

/// Memories that a proposal presents; well-formed, and no more.
pub(crate) struct Presented {
    pub(crate) trace: MemoryTrace,
    /// The trace of each recall, empty if there was one.
    pub(crate) parts: Vec<MemoryTrace>,
    /// Witness-cosigned checkpoints beside the trace.
    pub(crate) checkpoints: Vec<String>,
    /// Authors of the memories, not verified yet.
    pub(crate) attestations: Attestations,
    /// Paths that the proposer keeps back, by its own word.
    pub(crate) withheld: Vec<String>,
}

impl<'a> Received<'a> {
    pub(crate) fn new(proposal: &'a Proposal, policy: &Policy, now: UnixMillis) -> Self {
        let intent_type = proposal.intent().body().intent_type();
        Self {
            proposal,
            policy: policy.for_intent(intent_type),
            high_risk: policy.is_high_risk(intent_type),
            now,
        }
    }

    /// Parses the memory context; `None` if the proposal claims no memory.
    pub(crate) fn presented(&self) -> Result<Option<Presented>, DecisionReason> {
        let parts = traces_of(self.proposal).map_err(DecisionReason::PartsInvalid)?;
        let checkpoints =
            cosigned_checkpoints(self.proposal).map_err(DecisionReason::CheckpointsInvalid)?;
        let withheld = withheld(self.proposal).map_err(DecisionReason::WithheldInvalid)?;
        let attestations =
            Attestations::of(self.proposal).map_err(DecisionReason::AttestationsInvalid)?;
        match from_proposal(self.proposal).map_err(DecisionReason::TraceInvalid)? {
            Some(trace) => Ok(Some(Presented {
                trace,
                parts,
                checkpoints,
                attestations,
                withheld,
            })),
            None if parts.is_empty() => Ok(None),
            None => Err(DecisionReason::PartsWithoutTrace),
        }
    }
}
