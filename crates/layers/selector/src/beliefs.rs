//! Standing of claims among the hits of a search (I3, I7; claims.md, Belief).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use counterfoil_claims::belief::{
    Belief, BeliefSide, BeliefStatus, ClaimState, HistoryEntry, Support,
};
use counterfoil_claims::{Act, Aliases, ClaimRef, FactValue, Line, Settings, Unit};
use counterfoil_store::text_index::TextHit;
use counterfoil_store::{AsOf, ClaimStore, StoreError};
use counterfoil_types::WorldId;

use crate::{BeliefStanding, DrawnClaim, SelectError};

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
    /// Memories that claims of the answering lines cite, each with the state of the best of these.
    drawn: BTreeMap<WorldId, (Drawn, ClaimRef)>,
    believed: BTreeMap<Line, Arc<Belief>>,
    histories: BTreeMap<Line, Vec<HistoryEntry>>,
}

/// Standing of a hit that is selected; nothing is known of a memory that no claim has to do with.
#[derive(Debug, Clone, Default)]
pub(crate) struct HitStanding {
    pub(crate) belief: Option<BeliefStanding>,
    pub(crate) drawn: Option<DrawnClaim>,
}

/// State of a claim that was drawn from a memory, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Drawn {
    Believed,
    Contested,
    NotBelieved,
}

impl Beliefs {
    /// Tests whether a World is the end of the store.
    pub(crate) async fn is_end(&self, at: &WorldId) -> Result<bool, SelectError> {
        Ok(self.claims.latest_world().await?.as_ref() == Some(at))
    }

    /// Begins a selection. Units recorded after `at` do not count.
    pub(crate) async fn at(
        &self,
        at: Option<&WorldId>,
        each_version: bool,
    ) -> Result<BeliefLookup<'_>, SelectError> {
        let mut as_of_us = None;
        if let Some(at) = at
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
            drawn: BTreeMap::new(),
            believed: BTreeMap::new(),
            histories: BTreeMap::new(),
        })
    }
}

/// `None` in place of the error for a claim that is withheld, or that rests on one.
pub(crate) fn not_withheld<T>(result: Result<T, SelectError>) -> Result<Option<T>, SelectError> {
    match result {
        Err(SelectError::Store(StoreError::Withheld { .. })) => Ok(None),
        other => other.map(Some),
    }
}

impl BeliefLookup<'_> {
    /// Standing of the hit, a claim's if it has a unit. `None` for what is not selected: an assertion, a claim that was denied
    /// or is kept apart, a value that is selected already.
    pub(crate) async fn judge(
        &mut self,
        hit: &TextHit,
        unit: Option<&Unit>,
    ) -> Result<Option<HitStanding>, SelectError> {
        let Some(unit) = unit else {
            return Ok(Some(HitStanding {
                belief: None,
                drawn: self.drawn_from(&hit.world_id),
            }));
        };
        let Some(belief) = self.standing(unit).await? else {
            return Ok(None);
        };
        Ok(self.select(unit, &belief).await?.then_some(HitStanding {
            belief: Some(belief),
            drawn: None,
        }))
    }

    /// The unit of each hit; `None` if it is no unit of a claim. Those that are withheld are left out.
    pub(crate) async fn with_units(
        &self,
        hits: Vec<TextHit>,
    ) -> Result<Vec<(TextHit, Option<Unit>)>, SelectError> {
        let ids: Vec<WorldId> = hits.iter().map(|hit| hit.world_id.clone()).collect();
        let units = self.beliefs.claims.units_of(&ids).await?;
        let mut found = Vec::with_capacity(hits.len());
        for (hit, unit) in hits.into_iter().zip(units) {
            if let Some(unit) = not_withheld(unit.map_err(SelectError::from))? {
                found.push((hit, unit));
            }
        }
        Ok(found)
    }

    /// Standing of a claim; `None` for an assertion, and for a claim that was denied or is kept apart.
    pub(crate) async fn standing(
        &mut self,
        unit: &Unit,
    ) -> Result<Option<BeliefStanding>, SelectError> {
        let Act::Claim(_) = unit.act() else {
            return Ok(None);
        };
        let belief = self.belief(unit.line()).await?;
        match current(&belief, unit) {
            Some(standing) => Ok(Some(standing)),
            None => self.past(&belief, unit).await,
        }
    }

    /// Selects a claim. Returns false if it says what another selected one says, which holds as well.
    pub(crate) async fn select(
        &mut self,
        unit: &Unit,
        standing: &BeliefStanding,
    ) -> Result<bool, SelectError> {
        let Act::Claim(body) = unit.act() else {
            return Ok(false);
        };
        if is_past(standing) {
            return Ok(true);
        }
        let line = self.main_line(unit).await?;
        let is_new = self.selected.insert((line, body.value.clone()));
        Ok(is_new || self.each_version)
    }

    /// Keeps the standing of a claim for the memories that it cites.
    pub(crate) fn note_sources(&mut self, unit: &Unit, standing: Option<&BeliefStanding>) {
        if !matches!(unit.act(), Act::Claim(_)) {
            return;
        }
        let drawn = match standing {
            Some(BeliefStanding::Believed { .. } | BeliefStanding::Scheduled) => Drawn::Believed,
            Some(BeliefStanding::Contested { .. }) => Drawn::Contested,
            _ => Drawn::NotBelieved,
        };
        for source in unit.cited() {
            let best = self.drawn.entry(source.clone());
            let best = best.or_insert_with(|| (drawn, unit.reference().clone()));
            if drawn < best.0 {
                *best = (drawn, unit.reference().clone());
            }
        }
    }

    fn drawn_from(&self, memory: &WorldId) -> Option<DrawnClaim> {
        let (drawn, claim) = self.drawn.get(memory)?;
        (*drawn != Drawn::Believed).then(|| DrawnClaim {
            claim: claim.clone(),
            contested: *drawn == Drawn::Contested,
        })
    }

    /// Other names of subjects.
    pub(crate) fn aliases(&self) -> &Aliases {
        &self.beliefs.settings.aliases
    }

    /// Last transaction time that counts, microseconds since 1970.
    pub(crate) fn as_of_us(&self) -> u64 {
        self.asked.as_of_us.unwrap_or(u64::MAX)
    }

    /// The line of a claim, under the main name of its subject.
    pub(crate) async fn main_line(&mut self, unit: &Unit) -> Result<Line, SelectError> {
        Ok(self.belief(unit.line()).await?.line.clone())
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

/// Tests whether a claim once held, or will, and says nothing of now.
pub(crate) const fn is_past(standing: &BeliefStanding) -> bool {
    matches!(
        standing,
        BeliefStanding::Ended { .. }
            | BeliefStanding::Superseded { .. }
            | BeliefStanding::Scheduled
    )
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
        ClaimState::Ended => Some(BeliefStanding::Ended {
            until_us: entry.window.end,
            by,
        }),
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
