//! ReviewReport of a review, for a person and for a program (§7.1 step 10; `docs/format/report.md`).

mod wire;

use alloc::string::String;
use alloc::vec::Vec;

use counterfoil_trace::MemoryTrace;
use counterfoil_trace::types::json::Value;
use counterfoil_trace::types::{Confidence, Reason, UnixMillis, VerificationMethod, WorldId};
use counterfoil_verifier::attestations::Author;
use counterfoil_verifier::envelope::Envelope;

use crate::examination::Shown;
use crate::standing::Standing;
use crate::{ClaimStanding, Departure, MemoryOrigin, MemoryOutcome, ReviewDecision};

/// Findings of an authority about the memories of a proposal, with its decision.
///
/// Texts in it (query, reasons, ids) are the proposal's: escape them before they reach a terminal, and give them to no
/// model as instructions.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ReviewReport {
    /// Id of the proposal.
    pub proposal_id: String,
    /// Type of the proposal's intent.
    pub intent_type: String,
    /// Summary of the proposal, in its actor's words; `None` without `trace`.
    pub summary: Option<String>,
    /// The policy counts the intent as high-risk.
    pub high_risk: bool,
    /// Time of the review, as the caller gave it.
    pub reviewed_at: UnixMillis,
    /// The checked envelope; `None` where the policy asks for none, and without one that holds.
    pub envelope: Option<Envelope>,
    /// The trace as presented, its author's claims; `None` without a well-formed trace.
    pub trace: Option<MemoryTrace>,
    /// JSON pointers of the fields that the proposer says it keeps back.
    pub withheld: Vec<String>,
    /// One report for each memory of the trace, in its order; then those of memories in single recalls that differ
    /// from the merged trace.
    pub memories: Vec<MemoryReport>,
    pub(crate) decision: ReviewDecision,
}

/// MemoryOutcome for one memory.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct MemoryReport {
    /// World that the memory refers to.
    pub world_id: WorldId,
    /// Position of its recall in `context.memoryTraces`, from 0; `None` for the trace itself.
    pub recall: Option<usize>,
    /// Method of its evidence, if it has any.
    pub method: Option<VerificationMethod>,
    /// Relevance according to the selector. As all statements of the trace, never a reason to accept the memory.
    pub confidence: Confidence,
    /// The selector says that verification passed.
    pub verified: bool,
    /// Reason for the selection according to the selector: a text to show, not a fact (FP-01).
    pub reason: Reason,
    /// Result of the checks.
    pub outcome: MemoryOutcome,
    /// Findings of its proof, if that verifies; also where the outcome is none that the policy accepts.
    pub(crate) shown: Option<Shown>,
}

impl MemoryReport {
    /// JSON pointer and value of each field that a verified proof discloses, and the number of fields of the content; `None`
    /// where no proof names the content.
    ///
    /// These are the words of the memory's source, who and when included: recorded, and not for that reason true (M-1).
    pub fn words(&self) -> Option<(&[(String, Value)], u64)> {
        let proven = &self.shown.as_ref()?.proven;
        Some((proven.disclosed(), proven.entry()?.field_count))
    }

    /// Verified author; `None` where nothing shows it. That it signed says nothing of who it is, or of what it knows.
    pub fn author(&self) -> Option<&Author> {
        self.shown.as_ref()?.author.as_ref()
    }

    /// Origin by the author, the proposal's signer and the words; `None` where they do not show it.
    pub fn origin(&self) -> Option<&MemoryOrigin> {
        self.shown.as_ref()?.origin.as_ref()
    }

    /// Departures of the memory from being current at the checkpoint of its proof, the worst first, each with the log index of the
    /// entry that caused it; `None` where nothing shows its standing. None of them: it is current.
    pub fn departures(&self) -> Option<Vec<(Departure, u64)>> {
        Some(self.standing()?.departures().collect())
    }

    /// The next version of a superseded memory, where its log names it.
    pub fn successor(&self) -> Option<&WorldId> {
        self.standing()?.successor()
    }

    /// State of a memory that is a claim, in the belief that the authority folded again; `None` for any other memory, and where
    /// nothing shows the belief.
    pub fn claim(&self) -> Option<ClaimStanding> {
        self.shown.as_ref()?.claim
    }

    fn standing(&self) -> Option<&Standing> {
        self.shown.as_ref()?.standing.as_ref()
    }
}

impl ReviewReport {
    /// The decision with its reasons.
    pub const fn decision(&self) -> &ReviewDecision {
        &self.decision
    }
}
