//! Trust in other agents, as a belief takes it into account when it is read (I4, I6; docs/format/claims.md 7).

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use core::cell::RefCell;

use counterfoil_types::DidKey;

use super::Question;
use crate::effective::{Effective, Weight};
use crate::provenance::TRUSTED_LEVEL;
use crate::{
    Act, Cardinality, ClaimBody, ClaimRef, CurrencyLimits, Identifier, Line, PeerTrust,
    ProvenanceClass, Settings, Unit,
};

/// Place of a unit in its line, or among the lines of the names of its subject.
pub(super) type UnitOrder<'u> = (u64, u64, &'u ClaimRef);

/// Trust as of a question about a line. Without a [`PeerTrust`], the level at receipt counts.
pub(super) struct TrustContext<'s> {
    settings: &'s Settings,
    /// Line of the main name of the subject.
    pub(super) line: Line,
    /// Names of the subject, the main one first: the lines of all of them are folded.
    pub(super) names: Vec<Identifier>,
    as_of_us: u64,
    /// Agents that were looked up, with the domains: a line may hold many claims of one agent.
    known: RefCell<BTreeMap<DidKey, Vec<(Identifier, bool)>>>,
}

impl<'s> TrustContext<'s> {
    pub(super) fn new(settings: &'s Settings, line: &Line, question: Question) -> Self {
        let names = settings.aliases.names(&line.subject, question.as_of_us);
        let main = names.first().unwrap_or(&line.subject);
        Self {
            settings,
            line: Line {
                subject: main.clone(),
                ..line.clone()
            },
            names,
            as_of_us: question.as_of_us,
            known: RefCell::default(),
        }
    }

    /// The context as of another time, with the same names.
    pub(super) fn known_at(&self, as_of_us: u64) -> Self {
        Self {
            line: self.line.clone(),
            names: self.names.clone(),
            as_of_us,
            known: RefCell::default(),
            ..*self
        }
    }

    /// Returns true if the unit was recorded by then, of the line of one of the names.
    pub(super) fn knows(&self, unit: &Unit) -> bool {
        let line = unit.line();
        unit.stamp().micros() <= self.as_of_us
            && line.predicate == self.line.predicate
            && line.agent == self.line.agent
            && self.names.contains(&line.subject)
    }

    /// Name of the subject in a claim, if the subject has several.
    pub(super) fn said_of(&self, claim: &Unit) -> Option<Identifier> {
        (self.names.len() > 1).then(|| claim.line().subject.clone())
    }

    /// Order of a unit among those of all the names: within one line by number, among several by time.
    pub(super) fn order<'u>(&self, unit: &'u Unit) -> UnitOrder<'u> {
        let of_one = self.names.len() == 1;
        let time_us = if of_one { 0 } else { unit.stamp().micros() };
        (time_us, unit.number(), unit.reference())
    }

    /// Limits of currency of the line.
    pub(super) fn limits(&self) -> CurrencyLimits {
        self.settings.limits_of(&self.line.predicate)
    }

    /// Cardinality of the line, given that by its units.
    pub(super) fn cardinality(&self, by_units: Cardinality) -> Cardinality {
        let (vocabulary, predicate) = (&self.settings.vocabulary, &self.line.predicate);
        vocabulary.cardinality(predicate, by_units, self.as_of_us)
    }

    /// Gives a claim its weight, and leaves the confirmations of agents below the minimum out. A forgotten claim is kept apart.
    pub(super) fn weigh<'a>(&self, mut claim: Effective<'a>) -> Effective<'a> {
        let about = self.about(claim.body);
        claim.order = self.order(claim.claim);
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

    fn is_forgotten(&self, claim: &Unit) -> bool {
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

    /// Returns whether each agent through which a unit came counts: the weakest of them decides.
    fn counts(&self, unit: &Unit, about: &Identifier) -> bool {
        let ProvenanceClass::Peer { agent, level, .. } = unit.provenance().class() else {
            return true;
        };
        let Some(trust) = self.settings.trust.as_deref() else {
            return level >= TRUSTED_LEVEL;
        };
        let mut path = core::iter::once(&agent).chain(unit.via());
        path.all(|agent| self.is_trusted(trust, *agent, about))
    }

    fn is_trusted(&self, trust: &dyn PeerTrust, agent: DidKey, about: &Identifier) -> bool {
        let mut known = self.known.borrow_mut();
        let known = known.entry(agent).or_default();
        if let Some((_, counts)) = known.iter().find(|(domain, _)| domain == about) {
            return *counts;
        }
        let as_of_us = self.as_of_us;
        let counts = trust.level(&agent, about, as_of_us) >= trust.minimum(about, as_of_us);
        known.push((about.clone(), counts));
        counts
    }

    /// Domain for which trust in the source of a claim is looked up.
    fn about<'c>(&'c self, body: &'c ClaimBody) -> &'c Identifier {
        body.domain.as_ref().unwrap_or(&self.line.predicate)
    }

    /// Number of independent sources that stand behind one of these claims, less those of one claim: in whichever order they came, and whether
    /// they stated the value or corroborated it. Agents are counted for the domain of the first claim, from level 2 on.
    pub(super) fn corroborations<'c, 'a: 'c>(
        &self,
        claims: impl Iterator<Item = &'c Effective<'a>>,
    ) -> usize {
        let (mut stating, mut agents, mut others) =
            (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        let (mut domain, mut own) = (None, 1);
        for claim in claims {
            let about = self.about(claim.body);
            domain.get_or_insert(about);
            if let ProvenanceClass::Peer { agent, .. } = claim.claim.provenance().class() {
                let counts = self.counts(claim.claim, about);
                stating.insert((agent, counts));
            } else {
                let sources = claim.claim.sources();
                own = own.max(sources.len());
                others.extend(sources);
            }
            for source in claim.corroborated_by() {
                if let Some(agent) = source.peer() {
                    agents.insert(agent);
                } else {
                    others.insert(source.clone());
                }
            }
        }
        // An agent that was heard by other ways, too, is one source, whichever of them counts.
        let stating = stating.into_iter();
        let stating = stating.filter(|(agent, counts)| *counts || agents.contains(agent));
        let stating: BTreeSet<DidKey> = stating.map(|(agent, _)| agent).collect();
        agents.extend(&stating);
        let independent = |agents: &BTreeSet<DidKey>| match (self.settings.trust.as_deref(), domain)
        {
            (Some(trust), Some(domain)) => trust.independent(agents, domain, self.as_of_us),
            _ => agents.len(),
        };
        (others.len() + independent(&agents)).saturating_sub(own)
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
pub(super) const fn is_peers(claim: &Unit) -> bool {
    matches!(claim.provenance().class(), ProvenanceClass::Peer { .. })
}
