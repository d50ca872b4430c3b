//! Trust in other agents, as a belief takes it into account when it is read (I4, I6; docs/format/claims.md 7).

use alloc::collections::BTreeSet;

use super::Question;
use crate::effective::{Effective, Weight};
use crate::provenance::TRUSTED_LEVEL;
use crate::{Act, ClaimRef, Identifier, Line, ProvenanceClass, Settings, Unit};

/// Trust as of a question about a line. Without a [`PeerTrust`], the level at receipt counts.
#[derive(Clone, Copy)]
pub(super) struct TrustContext<'s> {
    settings: &'s Settings,
    line: &'s Line,
    as_of_us: u64,
}

impl<'s> TrustContext<'s> {
    pub(super) fn new(settings: &'s Settings, line: &'s Line, question: Question) -> Self {
        Self {
            settings,
            line,
            as_of_us: question.as_of_us,
        }
    }

    /// Gives a claim its weight, and leaves the confirmations of agents below the minimum out. A forgotten claim is kept apart.
    pub(super) fn weigh<'a>(self, mut claim: Effective<'a>) -> Effective<'a> {
        let about = claim.body.domain.as_ref().unwrap_or(&self.line.predicate);
        let counts = |unit: &Unit| self.counts(unit, about);
        claim.confirmations.retain(|unit| counts(unit));
        claim.in_quarantine |= self.is_forgotten(claim.claim);
        let provenance = claim.claim.provenance();
        claim.weight = match (counts(claim.claim), provenance.is_external()) {
            (true, true) => Weight::External,
            (true, false) => Weight::Inferred,
            // An agent that counts stands behind it.
            (false, true) if claim.is_corroborated() => Weight::External,
            (false, _) => Weight::Untrusted,
        };
        claim
    }

    fn is_forgotten(self, claim: &Unit) -> bool {
        let forgotten = |world: &ClaimRef| {
            let since_us = self.settings.forgotten.get(world);
            since_us.is_some_and(|since_us| *since_us <= self.as_of_us)
        };
        let anchors = &claim.anchors;
        let is_baseless = !claim.provenance().is_external()
            && !anchors.is_empty()
            && anchors.iter().all(|anchor| forgotten(&anchor.world));
        is_baseless || forgotten(claim.reference())
    }

    fn counts(self, unit: &Unit, about: &Identifier) -> bool {
        let ProvenanceClass::Peer { agent, level, .. } = unit.provenance().class() else {
            return true;
        };
        match self.settings.trust.as_deref() {
            None => level >= TRUSTED_LEVEL,
            Some(trust) => {
                let as_of_us = self.as_of_us;
                trust.level(&agent, about, as_of_us) >= trust.minimum(about, as_of_us)
            }
        }
    }

    /// Number of independent sources besides the claim's own that stand behind one of these claims.
    pub(super) fn corroborations<'c, 'a: 'c>(
        self,
        claims: impl Iterator<Item = &'c Effective<'a>>,
    ) -> usize {
        let (mut others, mut agents, mut own) = (BTreeSet::new(), BTreeSet::new(), 0);
        let mut about = &self.line.predicate;
        for claim in claims {
            about = claim.body.domain.as_ref().unwrap_or(about);
            if let ProvenanceClass::Peer { agent, .. } = claim.claim.provenance().class()
                && self.counts(claim.claim, about)
            {
                agents.insert(agent);
                own = 1;
            }
            for source in claim.corroborated_by() {
                match source.peer() {
                    Some(agent) => {
                        agents.insert(agent);
                    }
                    None => {
                        others.insert(source);
                    }
                }
            }
        }
        let independent = match self.settings.trust.as_deref() {
            _ if agents.len() < 2 => agents.len(),
            None => agents.len(),
            Some(trust) => trust.independent(&agents, about, self.as_of_us),
        };
        others.len() + independent.saturating_sub(own)
    }
}

impl Effective<'_> {
    /// Returns whether another external source has corroborated the claim.
    fn is_corroborated(&self) -> bool {
        let mut confirmations = self.confirmations.iter();
        confirmations.any(|unit| {
            matches!(unit.act(), Act::Corroborate { .. }) && unit.provenance().is_external()
        })
    }
}

/// Returns whether another agent has stated the claim.
pub(super) const fn is_peers(claim: &Effective<'_>) -> bool {
    matches!(
        claim.claim.provenance().class(),
        ProvenanceClass::Peer { .. }
    )
}
