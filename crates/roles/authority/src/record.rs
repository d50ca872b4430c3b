//! Members of the decision that an authority signs (docs/format/decision.md).

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use counterfoil_trace::types::document::object;
use counterfoil_trace::types::{DidKey, Sha256Hash, WorldId};
use serde::ser::{Serialize, Serializer};

use crate::{DecisionReason, MemoryOutcome, MemoryReport, ReviewReport};

/// A decision before it is signed.
pub(crate) struct Unsigned<'a> {
    pub(crate) report: &'a ReviewReport,
    /// Digests of the proposal and of its trace.
    pub(crate) digests: (Sha256Hash, Option<Sha256Hash>),
    pub(crate) policy: Sha256Hash,
    pub(crate) key: DidKey,
    /// Name of the authority.
    pub(crate) name: &'a str,
}

impl Serialize for Unsigned<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let decision = self.report.decision();
        let codes: Vec<_> = decision
            .reasons()
            .iter()
            .map(DecisionReason::code)
            .collect();
        let (proposal, trace) = self.digests;
        let record = object()
            .with("proposalId", &self.report.proposal_id)
            .with("proposalDigest", proposal)
            .with_some("traceDigest", trace)
            .with("policyDigest", self.policy)
            .with("authority", self.key)
            .with("authorityName", self.name)
            .with("decidedAt", self.report.reviewed_at)
            .with("verdict", decision.verdict())
            .with("reasons", codes)
            .with("memories", memories(&self.report.memories));
        record.serialize(serializer)
    }
}

/// Each World once, in the order of the trace, with the worst of its outcomes.
fn memories(reports: &[MemoryReport]) -> Vec<impl Serialize> {
    let mut worst: Vec<(&WorldId, &MemoryOutcome)> = Vec::new();
    let mut places = BTreeMap::new();
    for MemoryReport {
        world_id, outcome, ..
    } in reports
    {
        let place = *places.entry(world_id).or_insert(worst.len());
        match worst.get_mut(place) {
            Some((_, found)) if rank(found) < rank(outcome) => *found = outcome,
            Some(_) => {}
            None => worst.push((world_id, outcome)),
        }
    }
    let memory = |(world, outcome): (&WorldId, &MemoryOutcome)| {
        object()
            .with("worldId", world.clone())
            .with("outcome", outcome.name())
            .with_some("code", outcome.code())
    };
    worst.into_iter().map(memory).collect()
}

/// Place among the outcomes, the worse the greater.
const fn rank(outcome: &MemoryOutcome) -> u8 {
    match outcome {
        MemoryOutcome::Proven(_) => 0,
        MemoryOutcome::Accepted(_) => 1,
        MemoryOutcome::Unproven(_) => 2,
        MemoryOutcome::Refused(_) => 3,
    }
}
