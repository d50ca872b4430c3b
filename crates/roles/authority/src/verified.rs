//! State 2 of a review: every rule and every proof has been checked; only a decision is missing.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::ToString;
use alloc::vec::Vec;

use counterfoil_trace::MemoryTrace;
use counterfoil_trace::types::{SelectedMemory, WorldId};
use counterfoil_verifier::Examiner;

use crate::examination::Examination;
use crate::received::{Presented, Received};
use crate::report::MemoryReport;
use crate::{
    DecisionReason, MemoryCause, MemoryOutcome, Policy, ReviewDecision, ReviewReport, UnprovenRule,
    rules,
};

/// A trace with what its verification found. Made from [`Received`] alone.
pub(crate) struct VerifiedTrace<'a> {
    received: Received<'a>,
    trace: Option<MemoryTrace>,
    memories: Vec<MemoryReport>,
    reasons: Vec<DecisionReason>,
}

impl<'a> VerifiedTrace<'a> {
    /// Checks every rule and every proof.
    pub(crate) fn of(received: Received<'a>, verifier: &dyn Examiner) -> Self {
        match received.presented() {
            Err(reason) => Self::without_memories(received, reason),
            Ok(None) if received.policy.require_trace => {
                Self::without_memories(received, DecisionReason::TraceMissing)
            }
            Ok(None) => {
                let reason = no_memory(received.policy.no_memory);
                Self::without_memories(received, reason)
            }
            Ok(Some(presented)) => Self::with_memories(received, presented, verifier),
        }
    }

    fn without_memories(received: Received<'a>, reason: DecisionReason) -> Self {
        Self {
            received,
            trace: None,
            memories: Vec::new(),
            reasons: alloc::vec![reason],
        }
    }

    fn with_memories(
        received: Received<'a>,
        presented: Presented,
        verifier: &dyn Examiner,
    ) -> Self {
        let mut reasons = rules::of_trace(&received, &presented);
        let mut examination = Examination::new(&received, &presented, verifier);
        // Recalls that do not merge to this trace are no recalls of it, and are not examined.
        let parts = match reasons.first() {
            Some(DecisionReason::PartsApart(_) | DecisionReason::NotTheMerge) => &[],
            _ => presented.parts.as_slice(),
        };
        // The outcome of every memory of the trace, and of what lost the merge in a single recall: a false proof beside a
        // true one is a false proof.
        let (trace, policy) = (&presented.trace, &received.policy);
        let mut memories = of_one_trace(trace, None, &BTreeMap::new(), policy, &mut examination);
        let selected = trace.selected().iter();
        let kept = selected.map(|memory| (world_of(memory), memory)).collect();
        for (index, part) in parts.iter().enumerate() {
            let recall = Some(index);
            memories.extend(of_one_trace(part, recall, &kept, policy, &mut examination));
        }
        let equivocation = examination.equivocation().map(Box::new);
        reasons.extend(equivocation.map(DecisionReason::Equivocation));
        reasons.extend(summary(&memories, &received.policy));
        Self {
            received,
            trace: Some(presented.trace),
            memories,
            reasons,
        }
    }

    /// Decides, and says on what reasons.
    pub(crate) fn report(self) -> ReviewReport {
        let Received {
            proposal,
            high_risk,
            now,
            ..
        } = self.received;
        ReviewReport {
            proposal_id: proposal.proposal_id().to_string(),
            intent_type: proposal.intent().body().intent_type().to_string(),
            high_risk,
            reviewed_at: now,
            trace: self.trace,
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
        let outcome = if !seen.insert(world_of(memory)) && policy.refuse_duplicates {
            MemoryOutcome::Refused(MemoryCause::Duplicate)
        } else if kept.get(world_of(memory)) == Some(&memory) {
            // Its proof is judged already; its times were judged by those of the last recall.
            match examination.breaks_a_rule(memory, trace) {
                Some(refused) => MemoryOutcome::Refused(refused),
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
            MemoryOutcome::Accepted => &mut accepted,
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
    if reasons.is_empty() {
        reasons.push(match proven.len() {
            0 => no_memory(policy.no_memory),
            count => DecisionReason::AllProven { count },
        });
    }
    reasons
}
