//! Claims among what is found: what is believed of them is said, and said first (I3, I7; claims.md, Belief).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use counterfoil_claims::belief::{Belief, ClaimState, HistoryEntry, Marker, Side, Status, Support};
use counterfoil_claims::{Act, FactValue, Line, Settings, Unit};
use counterfoil_store::text_index::{Listing, TextHit};
use counterfoil_store::{Asked, ClaimStore, Served};
use counterfoil_types::{DidKey, SelectionRequest, WorldId};

use crate::SelectError;

/// The most sides of a contest that a reason names.
const MAX_SIDES: usize = 64;

/// Where beliefs are asked for.
pub(crate) struct Beliefs {
    pub(crate) claims: Arc<dyn ClaimStore>,
    pub(crate) settings: Arc<Settings>,
}

/// What there is to know of one selection, while it is made.
pub(crate) struct Asking<'b> {
    beliefs: &'b Beliefs,
    asked: Asked,
    listing: Listing,
    /// Each value of a line once: its claims say the same.
    told: BTreeSet<(Line, FactValue)>,
    /// What is believed of a line, asked for once.
    believed: BTreeMap<Line, Arc<Belief>>,
    /// What became of the claims of a line, asked for once.
    histories: BTreeMap<Line, Vec<HistoryEntry>>,
    served: Vec<(WorldId, Served)>,
}

/// What a hit is.
pub(crate) enum Found {
    /// A memory that is no claim.
    Memory,
    /// A claim, and what has to be said of it before anything else.
    Claim(Vec<String>),
    /// Nothing to select: an assertion, a claim that was denied or is kept apart, or a value that is there already.
    Nothing,
}

impl Beliefs {
    /// Begins a selection. What was recorded after `at` does not count, unless `at` is the end of the store.
    pub(crate) async fn ask(
        &self,
        at: Option<&WorldId>,
        listing: Listing,
    ) -> Result<Asking<'_>, SelectError> {
        let as_of_us = match at {
            Some(at) => self.recorded_us(at).await?,
            None => None,
        };
        Ok(Asking {
            beliefs: self,
            asked: Asked {
                valid_at: None,
                as_of_us,
            },
            listing,
            told: BTreeSet::new(),
            believed: BTreeMap::new(),
            histories: BTreeMap::new(),
            served: Vec::new(),
        })
    }

    /// When a World that is not the last one was recorded.
    async fn recorded_us(&self, world: &WorldId) -> Result<Option<u64>, SelectError> {
        if self.claims.latest_world().await?.as_ref() == Some(world) {
            return Ok(None);
        }
        let Some(index) = self.claims.index_of(world).await? else {
            return Ok(None);
        };
        let capsule = self.claims.capsule(index).await?;
        Ok(capsule.map(|stored| stored.header.timestamp().micros()))
    }
}

impl Asking<'_> {
    /// What the hit is, and what is believed of it.
    pub(crate) async fn judge(&mut self, hit: &TextHit) -> Result<Found, SelectError> {
        let Some(unit) = self.beliefs.claims.unit_of(hit.world_id()).await? else {
            return Ok(Found::Memory);
        };
        let Act::Claim(body) = unit.act() else {
            return Ok(Found::Nothing);
        };
        let (line, value) = (unit.line().clone(), body.value.clone());
        let belief = self.belief(&line).await?;
        let told = match told(&belief, &unit) {
            Some(_) if self.is_told(&line, &value) => None,
            Some(told) => Some(told),
            None => self.past(&belief, &unit).await?,
        };
        let Some(told) = told else {
            return Ok(Found::Nothing);
        };
        let served = Served {
            subject: line.subject,
            predicate: line.predicate,
            value,
            claim: unit.reference().clone(),
        };
        self.served.push((hit.world_id().clone(), served));
        Ok(Found::Claim(told))
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

    /// Whether a claim of that value was found before; from now on it was.
    fn is_told(&mut self, line: &Line, value: &FactValue) -> bool {
        let new = self.told.insert((line.clone(), value.clone()));
        !new && self.listing == Listing::EachMemory
    }

    /// What became of a claim that is on no side now.
    async fn past(
        &mut self,
        belief: &Belief,
        unit: &Unit,
    ) -> Result<Option<Vec<String>>, SelectError> {
        let line = &belief.line;
        if !self.histories.contains_key(line) {
            let (claims, settings) = (&self.beliefs.claims, Arc::clone(&self.beliefs.settings));
            let asked = Asked::from(belief.question);
            let history = claims.claim_history(line.clone(), asked, settings).await?;
            self.histories.insert(line.clone(), history);
        }
        let entries = self.histories.get(line).into_iter().flatten();
        let entry = entries
            .into_iter()
            .find(|entry| entry.claim.reference() == unit.reference());
        Ok(entry.and_then(|entry| became(belief, entry, self.listing)))
    }

    /// Notes what was handed out, so that it is known when it comes back (I6).
    pub(crate) async fn handed_out(
        self,
        selected: &BTreeSet<&WorldId>,
        request: &SelectionRequest,
    ) {
        let Ok(agent) = request.selector().actor_id().parse::<DidKey>() else {
            return;
        };
        let served = self
            .served
            .into_iter()
            .filter(|(world, _)| selected.contains(world));
        let served: Vec<Served> = served.map(|(_, served)| served).collect();
        if !served.is_empty() {
            self.beliefs.claims.serve(agent, served).await;
        }
    }
}

fn holds(side: &Side, unit: &Unit) -> bool {
    side.claims
        .iter()
        .any(|claim| claim.reference == *unit.reference())
}

/// What is said of a claim that holds, or that is set aside now.
fn told(belief: &Belief, unit: &Unit) -> Option<Vec<String>> {
    if let Some(side) = belief.sides.iter().find(|side| holds(side, unit)) {
        return Some(match belief.status {
            Status::Contested => vec![contested(belief, Some(side))],
            _ => believed(belief, side),
        });
    }
    let aside = belief.alternatives.iter().find(|side| holds(side, unit))?;
    let by = belief.sides.iter().flat_map(first);
    let by: Vec<String> = by.take(MAX_SIDES).collect();
    let who = match aside
        .claims
        .iter()
        .any(|claim| claim.provenance.is_external())
    {
        true => "NOT BELIEVED: it was handed over to another claim",
        false => "NOT BELIEVED: a model's claim, and others say otherwise",
    };
    Some(vec![format!("{who}: {}", by.join(", "))])
}

/// All sides, by a claim of each: nothing that a memory says gets into a reason.
fn contested(belief: &Belief, this: Option<&Side>) -> String {
    let others = belief
        .sides
        .iter()
        .filter(|side| Some(*side) != this)
        .flat_map(first);
    let others: Vec<String> = others.take(MAX_SIDES).collect();
    let more = belief.side_count.saturating_sub(1 + others.len());
    let more = match more {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "CONTESTED: {} values are claimed and none is settled: this one, {}{more}",
        belief.side_count,
        others.join(", ")
    )
}

fn first(side: &Side) -> Option<String> {
    side.claims
        .first()
        .map(|claim| crate::reason::id(&claim.reference))
}

fn believed(belief: &Belief, side: &Side) -> Vec<String> {
    let mut told = vec![
        match (belief.status, belief.support) {
            (Status::TimingUncertain, Some(Support::Inferred)) => {
                "inferred by a model; since when is uncertain"
            }
            (Status::TimingUncertain, _) => "believed; since when is uncertain",
            (_, Some(Support::Inferred)) => "inferred by a model",
            _ => "believed",
        }
        .to_owned(),
    ];
    let markers: BTreeSet<Marker> = belief
        .markers
        .iter()
        .chain(&side.markers)
        .copied()
        .collect();
    told.extend(markers.into_iter().filter_map(remark).map(str::to_owned));
    told
}

const fn remark(marker: Marker) -> Option<&'static str> {
    match marker {
        Marker::AgingUnconfirmed | Marker::AgedSetMember => Some("not confirmed for long"),
        Marker::PendingReview => Some("what it was derived from no longer stands"),
        Marker::ModelDissent => Some("a model says otherwise"),
        Marker::PeerSourced => Some("only other agents say so"),
        _ => None,
    }
}

/// What has ended is told as such; what was denied, is kept apart or has another in its place is not selected, the
/// last unless each version is listed. A side of a contest that is too wide to be listed is contested all the same.
fn became(belief: &Belief, entry: &HistoryEntry, listing: Listing) -> Option<Vec<String>> {
    let by = entry
        .because_of
        .as_ref()
        .map(|unit| format!(" by {}", crate::reason::id(unit)));
    let by = by.unwrap_or_default();
    match entry.state {
        ClaimState::Current => Some(vec!["believed".to_owned()]),
        ClaimState::Contested => Some(vec![contested(belief, None)]),
        ClaimState::Ended => Some(vec![format!("no longer believed: ended{by}")]),
        ClaimState::Scheduled => Some(vec!["not yet: it begins later".to_owned()]),
        ClaimState::Superseded if listing == Listing::EachVersion => {
            Some(vec![format!("no longer believed: superseded{by}")])
        }
        _ => None,
    }
}
