//! The decision, made in one place and from a verified trace only (§7.1 step 10).

use alloc::vec::Vec;

use counterfoil_verifier::decision::Verdict;

use crate::DecisionReason;

/// Decision of an authority about the memories of a proposal, with its reasons.
///
/// `Approved` says that the memories are as the policy asks; it says nothing about the intent.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewDecision {
    verdict: Verdict,
    reasons: Vec<DecisionReason>,
}

impl ReviewDecision {
    /// Takes the worst verdict of the reasons; without any reason, rejected. Reasons for the proposal are left out
    /// where another is against it.
    pub(crate) fn on(mut reasons: Vec<DecisionReason>) -> Self {
        let worst = reasons.iter().map(DecisionReason::points_to).max();
        let verdict = worst.unwrap_or(Verdict::Rejected);
        if verdict != Verdict::Approved {
            reasons.retain(|reason| reason.points_to() != Verdict::Approved);
        }
        Self { verdict, reasons }
    }

    /// The decision in one word.
    pub const fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Its reasons, at least one.
    pub fn reasons(&self) -> &[DecisionReason] {
        &self.reasons
    }
}
