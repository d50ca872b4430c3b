//! State 2 of a review: every rule and every proof has been checked; only a decision is missing.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use counterfoil_trace::MemoryTrace;
use counterfoil_trace::types::{SelectedMemory, WorldId};
use counterfoil_verifier::VerifierSet;

use crate::examination::Examination;
use crate::received::{Presented, Received};
use crate::report::MemoryReport;
use crate::{Decision, Ground, Outcome, Policy, Refused, Report, UnprovenRule, rules};

/// A trace with what its verification found. Made from [`Received`] alone.
pub(crate) struct VerifiedTrace<'a> {
    received: Received<'a>,
    trace: Option<MemoryTrace>,
    memories: Vec<MemoryReport>,
    grounds: Vec<Ground>,
}

impl<'a> VerifiedTrace<'a> {
    /// Checks every rule and every proof.
    pub(crate) fn of(received: Received<'a>, verifiers: &VerifierSet) -> Self {
        match received.presented() {
            Err(ground) => Self::without_memories(received, ground),
            Ok(None) if received.policy.require_trace() => {
                Self::without_memories(received, Ground::TraceMissing)
            }
            Ok(None) => Self::without_memories(received, Ground::NoMemory),
            Ok(Some(presented)) => Self::with_memories(received, presented, verifiers),
        }
    }

    fn without_memories(received: Received<'a>, ground: Ground) -> Self {
        Self {
            received,
            trace: None,
            memories: Vec::new(),
            grounds: alloc::vec![ground],
        }
    }

    fn with_memories(
        received: Received<'a>,
        presented: Presented,
        verifiers: &VerifierSet,
    ) -> Self {
        let mut grounds = rules::of_trace(&received, &presented);
        let mut examination = Examination::new(&received, &presented, verifiers);
        let parts = if grounds.iter().any(is_of_merge) {
            &[]
        } else {
            presented.parts.as_slice()
        };
        let memories = every_memory(&presented.trace, parts, &received.policy, &mut examination);
        grounds.extend(
            examination
                .equivocation()
                .map(Box::new)
                .map(Ground::Equivocation),
        );
        grounds.extend(summary(&memories, received.policy.unproven()));
        Self {
            received,
            trace: Some(presented.trace),
            memories,
            grounds,
        }
    }

    /// Decides, and says on what grounds.
    pub(crate) fn report(self) -> Report {
        let decision = Decision::on(self.grounds);
        Report::new(&self.received, self.trace, self.memories, decision)
    }
}

/// Whether the recalls are no recalls of this trace; then there is no reason to look at them.
const fn is_of_merge(ground: &Ground) -> bool {
    matches!(ground, Ground::PartsApart(_) | Ground::NotTheMerge)
}

/// The outcome of every memory of the trace, and of what lost the merge in a single recall: a false
/// proof beside a true one is a false proof.
fn every_memory(
    trace: &MemoryTrace,
    parts: &[MemoryTrace],
    policy: &Policy,
    examination: &mut Examination<'_>,
) -> Vec<MemoryReport> {
    let mut reports = of_one_trace(trace, None, &BTreeMap::new(), policy, examination);
    let kept: BTreeMap<&WorldId, &SelectedMemory> = trace
        .selected()
        .iter()
        .map(|memory| (world_of(memory), memory))
        .collect();
    for (index, part) in parts.iter().enumerate() {
        reports.extend(of_one_trace(part, Some(index), &kept, policy, examination));
    }
    reports
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
        let outcome = if !seen.insert(world_of(memory)) && policy.refuse_duplicates() {
            Outcome::Refused(Refused::Duplicate)
        } else if kept.get(world_of(memory)) == Some(&memory) {
            // Its proof is judged already; its times were judged by those of the last recall.
            match examination.breaks_a_rule(memory, trace) {
                Some(refused) => Outcome::Refused(refused),
                None => continue,
            }
        } else {
            examination.judge(memory, trace)
        };
        reports.push(MemoryReport::new(memory, recall, outcome));
    }
    reports
}

fn world_of(memory: &SelectedMemory) -> &WorldId {
    memory.memory_ref().world_id()
}

/// What the outcomes come to under the policy's rule for the unproven. A World that stands in
/// several recalls is one memory, and counts once for each way in which it came out.
fn summary(memories: &[MemoryReport], rule: UnprovenRule) -> Vec<Ground> {
    let [mut proven, mut unproven, mut refused] = [const { BTreeSet::new() }; 3];
    for memory in memories {
        let worlds = match memory.outcome() {
            Outcome::Proven(_) => &mut proven,
            Outcome::Unproven(_) => &mut unproven,
            Outcome::Refused(_) => &mut refused,
        };
        worlds.insert(memory.world_id());
    }
    let mut grounds = Vec::new();
    if !refused.is_empty() {
        grounds.push(Ground::MemoriesRefused {
            count: refused.len(),
        });
    }
    if !unproven.is_empty() {
        grounds.push(of_unproven(unproven.len(), rule));
    }
    if grounds.is_empty() {
        grounds.push(match proven.len() {
            0 => Ground::NoMemory,
            count => Ground::AllProven { count },
        });
    }
    grounds
}

const fn of_unproven(count: usize, rule: UnprovenRule) -> Ground {
    match rule {
        UnprovenRule::Allow => Ground::UnprovenAllowed { count },
        UnprovenRule::Indeterminate => Ground::UnprovenOpen { count },
        UnprovenRule::Refuse => Ground::UnprovenRefused { count },
    }
}
