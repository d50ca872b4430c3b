//! Members of the decision that an authority signs (docs/format/decision.md).

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use counterfoil_trace::types::document::object;
use counterfoil_trace::types::{DidKey, Sha256Hash};
use serde::ser::{Serialize, Serializer};

use crate::{ClaimStanding, DecisionReason, MemoryOutcome, MemoryReport, ReviewReport};

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
    let mut worst: Vec<&MemoryReport> = Vec::new();
    let mut places = BTreeMap::new();
    for report in reports {
        let place = *places.entry(&report.world_id).or_insert(worst.len());
        match worst.get_mut(place) {
            Some(found) if rank(&found.outcome) < rank(&report.outcome) => *found = report,
            Some(_) => {}
            None => worst.push(report),
        }
    }
    let memory = |report: &MemoryReport| {
        object()
            .with("worldId", report.world_id.clone())
            .with("outcome", report.outcome.name())
            .with_some("code", report.outcome.code())
            .with_some("standing", standing(report))
    };
    worst.into_iter().map(memory).collect()
}

/// The worst departure, the state of a claim that is not believed, or `current`; `None` where the standing is not shown.
fn standing(report: &MemoryReport) -> Option<&'static str> {
    let departures = report.departures()?;
    let departure = departures.first().map(|(it, _)| it.name());
    let claim = report.claim().filter(|it| *it != ClaimStanding::Believed);
    Some(
        departure
            .or(claim.map(ClaimStanding::name))
            .unwrap_or("current"),
    )
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
