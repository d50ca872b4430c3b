//! Standing of claims among the hits of a search (I3, I7; claims.md, Belief).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use counterfoil_claims::belief::{
    Belief, BeliefSide, BeliefStatus, ClaimState, HistoryEntry, Support,
};
use counterfoil_claims::{Act, ClaimRef, FactValue, Line, Settings, Unit};
use counterfoil_store::text_index::TextHit;
use counterfoil_store::{AsOf, ClaimStore};
use counterfoil_types::WorldId;

use crate::BeliefStanding;
use crate::SelectError;

/// The most sides of a contest that an annotation names.
const MAX_SIDES: usize = 64;

/// Source of beliefs.
pub(crate) struct Beliefs {
    pub(crate) claims: Arc<dyn ClaimStore>,
    pub(crate) settings: Arc<Settings>,
}

/// Beliefs of one selection, each line looked up once.
pub(crate) struct BeliefLookup<'b> {
    beliefs: &'b Beliefs,
    asked: AsOf,
    each_version: bool,
    /// Values of lines that are selected already.
    selected: BTreeSet<(Line, FactValue)>,
    believed: BTreeMap<Line, Arc<Belief>>,
    histories: BTreeMap<Line, Vec<HistoryEntry>>,
}

/// Kind of a hit.
pub(crate) enum HitKind {
    /// A memory that is no claim.
    Memory,
    /// A claim with its standing.
    Claim(BeliefStanding),
    /// Not selected: an assertion, a claim that was denied or is kept apart, or a value that is selected already.
    Skipped,
}

impl Beliefs {
    /// Begins a selection. Units recorded after `at` do not count, unless `at` is the end of the store.
    pub(crate) async fn at(
        &self,
        at: Option<&WorldId>,
        each_version: bool,
    ) -> Result<BeliefLookup<'_>, SelectError> {
        let mut as_of_us = None;
        if let Some(at) = at
            && self.claims.latest_world().await?.as_ref() != Some(at)
            && let Some(index) = self.claims.index_of(at).await?
        {
            let recorded = self.claims.recorded_at(index).await?;
            as_of_us = recorded.map(|recorded| recorded.micros());
        }
        Ok(BeliefLookup {
            beliefs: self,
            asked: AsOf {
                valid_at: None,
                as_of_us,
            },
            each_version,
            selected: BTreeSet::new(),
            believed: BTreeMap::new(),
            histories: BTreeMap::new(),
        })
    }
}

impl BeliefLookup<'_> {
    /// Kind of the hit, and its standing if it is a claim.
    pub(crate) async fn judge(&mut self, hit: &TextHit) -> Result<HitKind, SelectError> {
        let Some(unit) = self.beliefs.claims.unit_of(&hit.world_id).await? else {
            return Ok(HitKind::Memory);
        };
        let Act::Claim(body) = unit.act() else {
            return Ok(HitKind::Skipped);
        };
        let belief = self.belief(unit.line()).await?;
        let key = (belief.line.clone(), body.value.clone());
        let standing = match current(&belief, &unit) {
            // Other claims of a selected value say the same.
            Some(_) if !self.selected.insert(key) && !self.each_version => None,
            Some(standing) => Some(standing),
            None => self.past(&belief, &unit).await?,
        };
        Ok(standing.map_or(HitKind::Skipped, HitKind::Claim))
    }

    async fn belief(&mut self, line: &Line) -> Result<Arc<Belief>, SelectError> {
        if let Some(belief) = self.believed.get(line) {
            return Ok(Arc::clone(belief));
        }
        let settings = Arc::clone(&self.beliefs.settings);
        let claims = &self.beliefs.claims;
        let belief = claims.believe(line.clone(), self.asked, settings).await?;
        let belief = Arc::new(belief);
        self.believed.insert(line.clone(), Arc::clone(&belief));
        Ok(belief)
    }

    /// Standing of a claim that is on no side now.
    async fn past(
        &mut self,
        belief: &Belief,
        unit: &Unit,
    ) -> Result<Option<BeliefStanding>, SelectError> {
        let line = &belief.line;
        if !self.histories.contains_key(line) {
            let (claims, settings) = (&self.beliefs.claims, Arc::clone(&self.beliefs.settings));
            let asked = AsOf::from(belief.question);
            let history = claims.claim_history(line.clone(), asked, settings).await?;
            self.histories.insert(line.clone(), history);
        }
        let mut entries = self.histories.get(line).into_iter().flatten();
        let entry = entries.find(|entry| entry.claim.reference() == unit.reference());
        Ok(entry.and_then(|entry| past(belief, entry, self.each_version)))
    }
}

/// Standing of a claim that supports a side or an alternative of `belief`.
fn current(belief: &Belief, unit: &Unit) -> Option<BeliefStanding> {
    let supports = |side: &&BeliefSide| {
        let mut claims = side.claims.iter();
        claims.any(|claim| claim.reference == *unit.reference())
    };
    if let Some(side) = belief.sides.iter().find(supports) {
        return Some(match belief.status {
            BeliefStatus::Contested => contested(belief, Some(side)),
            status => BeliefStanding::Believed {
                status,
                support: belief.support.unwrap_or(Support::External),
                markers: belief
                    .markers
                    .iter()
                    .chain(&side.markers)
                    .copied()
                    .collect(),
            },
        });
    }
    let aside = belief.alternatives.iter().find(supports)?;
    let believed = first_claims(belief, None);
    let external = |side: &BeliefSide| side.claims.iter().any(|it| it.provenance.is_external());
    Some(match external(aside) {
        true => BeliefStanding::HandedOver { to: believed },
        false => BeliefStanding::Outweighed { by: believed },
    })
}

/// Standing of a claim by its history. `None` if it was denied or is kept apart, or if another has its place and only
/// current versions are listed. A side of a contest that is too wide to be listed is contested all the same.
fn past(belief: &Belief, entry: &HistoryEntry, each_version: bool) -> Option<BeliefStanding> {
    let by = entry.because_of.clone();
    match entry.state {
        ClaimState::Current => Some(BeliefStanding::Believed {
            status: BeliefStatus::Resolved,
            support: Support::External,
            markers: BTreeSet::new(),
        }),
        ClaimState::Contested => Some(contested(belief, None)),
        ClaimState::Ended => Some(BeliefStanding::Ended { by }),
        ClaimState::Scheduled => Some(BeliefStanding::Scheduled),
        ClaimState::Superseded if each_version => Some(BeliefStanding::Superseded { by }),
        _ => None,
    }
}

fn contested(belief: &Belief, this: Option<&BeliefSide>) -> BeliefStanding {
    BeliefStanding::Contested {
        sides: belief.side_count,
        others: first_claims(belief, this),
    }
}

/// One claim of each side but `this`, at most [`MAX_SIDES`].
fn first_claims(belief: &Belief, this: Option<&BeliefSide>) -> Vec<ClaimRef> {
    let others = belief.sides.iter().filter(|side| Some(*side) != this);
    let claims = others.filter_map(|side| side.claims.first());
    claims
        .take(MAX_SIDES)
        .map(|claim| claim.reference.clone())
        .collect()
}
