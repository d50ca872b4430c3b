//! State 2 of a review: every rule and every proof has been checked; only a decision is missing.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use counterfoil_trace::MemoryTrace;
use counterfoil_trace::types::{SelectedMemory, WorldId};
use counterfoil_verifier::Examiner;
use counterfoil_verifier::envelope::Envelope;

use crate::examination::Examination;
use crate::received::{Presented, Received};
use crate::report::MemoryReport;
use crate::{
    BeliefFold, DecisionReason, MemoryCause, MemoryOutcome, NonceMemory, Policy, ReviewDecision,
    ReviewReport, UnprovenRule, Verdict, rules,
};

/// A trace with what its verification found. Made from [`Received`] alone.
pub(crate) struct VerifiedTrace<'a> {
    received: Received<'a>,
    envelope: Option<Envelope>,
    trace: Option<MemoryTrace>,
    withheld: Vec<String>,
    memories: Vec<MemoryReport>,
    reasons: Vec<DecisionReason>,
}

impl<'a> VerifiedTrace<'a> {
    /// Checks every rule and every proof.
    pub(crate) fn of(
        received: Received<'a>,
        verifier: &dyn Examiner,
        beliefs: Option<&dyn BeliefFold>,
    ) -> Self {
        let (envelope, reasons) = rules::of_submission(&received, verifier.anchors());
        let presented = received.presented();
        let mut verified = Self {
            received,
            envelope,
            trace: None,
            withheld: Vec::new(),
            memories: Vec::new(),
            reasons,
        };
        match presented {
            Ok(Some(presented)) => verified.examine(presented, verifier, beliefs),
            Ok(None) if verified.received.policy.require_trace => {
                verified.reasons.push(DecisionReason::TraceMissing);
            }
            Ok(None) => verified.summarize(),
            Err(reason) => verified.reasons.push(reason),
        }
        verified
    }

    /// Judges the memories that the proposal presents.
    fn examine(
        &mut self,
        presented: Presented,
        verifier: &dyn Examiner,
        beliefs: Option<&dyn BeliefFold>,
    ) {
        let received = &self.received;
        let reasons = rules::of_trace(received, &presented);
        let signer = self.envelope.as_ref().map(|envelope| envelope.signer);
        let mut examination = Examination::new(received, &presented, signer, (verifier, beliefs));
        // The outcome of every memory of the trace, and of what lost the merge in a single recall: a false proof beside a
        // true one is a false proof.
        let (trace, policy) = (&presented.trace, &received.policy);
        let mut memories = of_one_trace(trace, None, &BTreeMap::new(), policy, &mut examination);
        let selected = trace.selected().iter();
        let kept = selected.map(|memory| (world_of(memory), memory)).collect();
        for (index, part) in presented.parts.iter().enumerate() {
            let recall = Some(index);
            memories.extend(of_one_trace(part, recall, &kept, policy, &mut examination));
        }
        let equivocation = examination.equivocation().map(Box::new);
        self.reasons.extend(reasons);
        self.reasons
            .extend(equivocation.map(DecisionReason::Equivocation));
        self.memories = memories;
        self.trace = Some(presented.trace);
        self.withheld = presented.withheld;
        self.summarize();
    }

    fn summarize(&mut self) {
        self.reasons
            .extend(summary(&self.memories, &self.received.policy));
    }

    /// Decides, with the reasons. Before a proposal is approved, its nonce is kept in `nonces`, if there is a memory of them.
    pub(crate) fn report(mut self, nonces: Option<&dyn NonceMemory>) -> ReviewReport {
        let approves = |reason: &DecisionReason| reason.points_to() == Verdict::Approved;
        if let (Some(nonces), Some(Envelope { signer, nonce, .. })) = (nonces, &self.envelope)
            && self.reasons.iter().all(approves)
        {
            let submitted_at = self.received.proposal.submitted_at();
            match nonces.remember(signer, nonce, submitted_at) {
                Ok(true) => {}
                Ok(false) => self.reasons.push(DecisionReason::Repeated),
                Err(error) => self
                    .reasons
                    .push(DecisionReason::NonceMemory(error.to_string())),
            }
        }
        let Received {
            proposal,
            high_risk,
            now,
            ..
        } = self.received;
        ReviewReport {
            proposal_id: proposal.proposal_id().to_string(),
            intent_type: proposal.intent().body().intent_type().to_string(),
            summary: proposal.trace().map(|trace| trace.summary().to_string()),
            high_risk,
            reviewed_at: now,
            envelope: self.envelope,
            trace: self.trace,
            withheld: self.withheld,
            memories: self.memories,
            decision: ReviewDecision::on(self.reasons),
        }
    }
}

/// The outcomes of one trace, without those of memories that were judged as `kept`.
fn of_one_trace(
    trace: &MemoryTrace,
    recall: Option<usize>,
    kept: &BTreeMap<&WorldId, &SelectedMemory>,
    policy: &Policy,
    examination: &mut Examination<'_>,
) -> Vec<MemoryReport> {
    let mut seen = BTreeSet::new();
    let mut reports = Vec::new();
    for memory in trace.selected() {
        let (outcome, shown) = if !seen.insert(world_of(memory)) && policy.refuse_duplicates {
            (MemoryOutcome::Refused(MemoryCause::Duplicate), None)
        } else if kept.get(world_of(memory)) == Some(&memory) {
            // Its proof is judged already; its times were judged by those of the last recall.
            match examination.breaks_a_rule(memory, trace) {
                Some(refused) => (MemoryOutcome::Refused(refused), None),
                None => continue,
            }
        } else {
            examination.judge(memory, trace)
        };
        reports.push(MemoryReport {
            world_id: world_of(memory).clone(),
            recall,
            method: memory.evidence().map(|evidence| evidence.method().clone()),
            confidence: memory.confidence(),
            verified: memory.verified(),
            reason: memory.reason().clone(),
            outcome,
            shown,
        });
    }
    reports
}

fn world_of(memory: &SelectedMemory) -> &WorldId {
    memory.memory_ref().world_id()
}

/// Reason of a proposal without memories, under the policy's rule for it.
const fn no_memory(rule: UnprovenRule) -> DecisionReason {
    match rule {
        UnprovenRule::Allow => DecisionReason::NoMemory,
        UnprovenRule::Indeterminate => DecisionReason::NoMemoryOpen,
        UnprovenRule::Refuse => DecisionReason::NoMemoryRefused,
    }
}

/// Reasons from the outcomes, under the policy's rules for the unproven and for none. A World in
/// several recalls is one memory, and counts once for each way in which it came out.
fn summary(memories: &[MemoryReport], policy: &Policy) -> Vec<DecisionReason> {
    let [mut proven, mut accepted, mut unproven, mut refused] = [const { BTreeSet::new() }; 4];
    for memory in memories {
        let worlds = match &memory.outcome {
            MemoryOutcome::Proven(_) => &mut proven,
            MemoryOutcome::Accepted(_) => &mut accepted,
            MemoryOutcome::Unproven(_) => &mut unproven,
            MemoryOutcome::Refused(_) => &mut refused,
        };
        worlds.insert(&memory.world_id);
    }
    let mut reasons = Vec::new();
    if let count @ 1.. = refused.len() {
        reasons.push(DecisionReason::MemoriesRefused { count });
    }
    if let count @ 1.. = unproven.len() {
        reasons.push(match policy.unproven {
            UnprovenRule::Allow => DecisionReason::UnprovenAllowed { count },
            UnprovenRule::Indeterminate => DecisionReason::UnprovenOpen { count },
            UnprovenRule::Refuse => DecisionReason::UnprovenRefused { count },
        });
    }
    if let count @ 1.. = accepted.len() {
        reasons.push(DecisionReason::Accepted { count });
    }
    let is_ignored = |memory: &&MemoryReport| {
        policy.unproven == UnprovenRule::Allow
            && matches!(memory.outcome, MemoryOutcome::Unproven(_))
    };
    let counted = memories.iter().filter(|memory| !is_ignored(memory));
    let counted: BTreeSet<_> = counted.map(|memory| &memory.world_id).collect();
    let (count, minimum) = (counted.len(), policy.minimum_memories);
    if count < minimum {
        reasons.push(DecisionReason::TooFewMemories { count, minimum });
    }
    if reasons.is_empty() {
        reasons.push(match proven.len() {
            0 => no_memory(policy.no_memory),
            count => DecisionReason::AllProven { count },
        });
    }
    reasons
}
