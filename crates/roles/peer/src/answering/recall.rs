//! Recall for somebody else: only what a rule lets out is a candidate, and it is found by nothing but itself (R14).

use std::sync::Arc;

use async_trait::async_trait;
use counterfoil_capsule::World;
use counterfoil_claims::belief::{BeliefStatus, Support};
use counterfoil_exchange::answering::{Share, ShareClaims, claim_of_world};
use counterfoil_exchange::documents::Text;
use counterfoil_prover::{MemoryVerifier, ProofVerifier, ProveError, ProveResult};
use counterfoil_selector::{
    BeliefStanding, MemorySelector, Scope, SelectError, TextSelector, content_words,
};
use counterfoil_store::text_index::{
    Listing, MAX_PAGE, SearchError, TermPlace, TextHit, TextIndex, TextQuery, TextQueryError,
};
use counterfoil_store::{Clock, MemoryStore, StoreError};
use counterfoil_types::{
    ActorKind, ActorRef, MemoryRef, Query, SelectedMemory, SelectionConstraints, SelectionRequest,
    ShapeError, TimeRange, VerificationProof, WorldId,
};

use super::shelf::{Memory, Shelf};
use crate::{Host, Timer};

/// At most so many candidates are looked at, page by page: the first holds what is wanted, and these are where pages end.
const PAGES: [usize; 2] = [64, MOST_EXAMINED];
/// At most so many candidates are looked at.
const MOST_EXAMINED: usize = 256;

/// In whose name it is looked whether a claim holds: no key, so that nothing is noted as handed out.
const NOBODY: &str = "nobody";

/// What is looked for, and for whom.
#[derive(Debug)]
pub(super) struct Wanted<'a> {
    /// The words.
    pub(super) words: &'a [String],
    /// When it happened.
    pub(super) range: Option<TimeRange>,
    /// What lets it out.
    pub(super) share: &'a Share,
    /// How many are skipped.
    pub(super) offset: usize,
    /// At most so many.
    pub(super) most: usize,
    /// What was recorded from this index of the log on does not count.
    pub(super) below: Option<u64>,
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Best first.
    pub(super) memories: Vec<FoundMemory>,
    /// Something follows.
    pub(super) more: bool,
    /// How many there are, where all were looked at.
    pub(super) total: Option<u64>,
}

/// One memory that was found.
#[derive(Debug)]
pub(super) struct FoundMemory {
    pub(super) memory: Arc<Memory>,
    /// From 0 to 1.
    pub(super) relevance: f64,
    /// What is believed of it, if it is a claim.
    pub(super) context: Option<Text<1024>>,
    /// How many candidates come before what follows it.
    pub(super) next: usize,
}

/// Recalls in the name of one agent.
pub(super) struct Recall {
    host: Host,
    index: Arc<dyn TextIndex>,
    shelf: Arc<Shelf>,
    shown: ShareClaims,
}

impl Recall {
    pub(super) fn new(
        host: Host,
        index: Arc<dyn TextIndex>,
        shelf: Arc<Shelf>,
        shown: ShareClaims,
    ) -> Self {
        Self {
            host,
            index,
            shelf,
            shown,
        }
    }

    /// Looks for words that are nowhere: the work of a recall that finds nothing.
    pub(super) async fn nothing(&self, words: &[String]) -> Result<(), SelectError> {
        let query = query_of(&self.host, words, None)?.page(0, 1);
        self.index.search(&query).await?;
        Ok(())
    }

    /// Looks for memories.
    pub(super) async fn find(&self, wanted: &Wanted<'_>) -> Result<Found, SelectError> {
        let (hits, all) = self.candidates(wanted).await?;
        let total = all.then_some(u64::try_from(hits.len()).unwrap_or(u64::MAX));
        let rest = hits.get(wanted.offset..).unwrap_or_default();
        let Some(first) = rest.first() else {
            return Ok(Found {
                memories: Vec::new(),
                more: false,
                total,
            });
        };
        let agent = self.host.signer.agent().to_string();
        let request = request(wanted, first.world_id(), &agent, wanted.most)?;
        let selected = self.selector(rest).select_annotated(&request).await?;
        let belief = |memory: &SelectedMemory| {
            let annotation = selected.annotations.get(memory.memory_ref().world_id());
            annotation.and_then(|annotation| annotation.belief.as_ref())
        };
        let memories = selected.result.selected().iter();
        let memories: Vec<FoundMemory> = memories
            .filter_map(|memory| self.found(memory, belief(memory), rest, wanted.offset))
            .collect();
        let next = memories.iter().map(|found| found.next).max();
        let more = next.is_some_and(|next| next < hits.len()) || (next.is_some() && !all);
        Ok(Found {
            memories,
            more,
            total,
        })
    }

    /// Whether a memory is found by its own words, as it is: what is forgotten or was replaced is not.
    pub(super) async fn finds(&self, memory: &Memory) -> Result<bool, SelectError> {
        is_found(&self.host, self.index.as_ref(), &memory.world).await
    }

    /// What may be handed out and holds, best first, and whether that is all there is.
    async fn candidates(&self, wanted: &Wanted<'_>) -> Result<(Vec<TextHit>, bool), SelectError> {
        let query = query_of(&self.host, wanted.words, wanted.range)?;
        // One more shows that something follows.
        let enough = wanted.offset.saturating_add(wanted.most).saturating_add(1);
        let enough = enough.min(MAX_PAGE);
        let (mut out, mut hits, mut from) = (Vec::new(), Vec::new(), 0);
        let ends = std::iter::once(enough).chain(PAGES.into_iter().filter(|end| *end > enough));
        for end in ends {
            let size = end.saturating_sub(from);
            let page = self.index.search(&query.clone().page(from, size)).await?;
            for hit in &page {
                if let Some(hit) = self.let_out(hit, wanted).await? {
                    out.push(hit);
                }
            }
            hits = self.holding(&out, wanted).await?;
            if page.len() < size {
                return Ok((hits, true));
            }
            if hits.len() >= enough {
                break;
            }
            from = end;
        }
        Ok((hits, false))
    }

    /// The hit without what it owes to its neighbours, if the memory may be handed out.
    async fn let_out(
        &self,
        hit: &TextHit,
        wanted: &Wanted<'_>,
    ) -> Result<Option<TextHit>, SelectError> {
        let later = wanted.below.is_some_and(|below| hit.index() >= below);
        let own = |place: &Option<TermPlace>| {
            place.filter(|place| matches!(place, TermPlace::Turn | TermPlace::Date))
        };
        let places: Vec<Option<TermPlace>> = hit.places().iter().map(own).collect();
        let found = places.iter().any(Option::is_some);
        if later || !found || hit.replaced().is_some() || hit.contest().is_some() {
            return Ok(None);
        }
        let (id, index) = (hit.world_id(), hit.index());
        // A claim may be shown by its predicate too.
        let may = |labels: &[String]| lets_out(wanted.share, labels);
        let memory = self.shelf.memory_if(&self.host, id, index, may).await?;
        let may = memory.is_some_and(|memory| may_have(&memory, wanted.share, &self.shown));
        Ok(may.then(|| TextHit::new(id.clone(), index, hit.score(), places)))
    }

    /// The hits without the claims that do not hold: nothing tells that there are such. What is only looked at is noted
    /// for nobody (I6).
    async fn holding(
        &self,
        hits: &[TextHit],
        wanted: &Wanted<'_>,
    ) -> Result<Vec<TextHit>, SelectError> {
        let claims: Vec<TextHit> = hits
            .iter()
            .filter(|hit| self.is_claim(hit))
            .cloned()
            .collect();
        let Some(first) = claims.first() else {
            return Ok(hits.to_vec());
        };
        let request = request(wanted, first.world_id(), NOBODY, claims.len())?;
        let selected = self.selector(&claims).select_annotated(&request).await?;
        let held = |world: &WorldId| {
            let belief = selected
                .annotations
                .get(world)
                .and_then(|it| it.belief.as_ref());
            belief.and_then(shared_standing).is_some()
        };
        let holds = |hit: &&TextHit| !self.is_claim(hit) || held(hit.world_id());
        Ok(hits.iter().filter(holds).cloned().collect())
    }

    fn is_claim(&self, hit: &TextHit) -> bool {
        self.shelf
            .find(hit.world_id())
            .is_some_and(|memory| memory.unit.is_some())
    }

    /// A selector over these candidates alone. Claims among them are compared with what is believed, and noted as handed out
    /// (I6, I7).
    fn selector(&self, hits: &[TextHit]) -> TextSelector {
        let claims = hits.iter().any(|hit| self.is_claim(hit));
        let candidates = Arc::new(Candidates {
            hits: hits.to_vec(),
            shelf: Arc::clone(&self.shelf),
        });
        let clock = Arc::new(WallClock(Arc::clone(&self.host.timer)));
        let selector = TextSelector::new(candidates.clone(), candidates.clone(), candidates, clock)
            .with_scope(Scope::WholeStore);
        match claims {
            true => selector.with_beliefs(self.host.store.clone(), Arc::clone(&self.host.claims)),
            false => selector,
        }
    }

    fn found(
        &self,
        selected: &SelectedMemory,
        belief: Option<&BeliefStanding>,
        hits: &[TextHit],
        offset: usize,
    ) -> Option<FoundMemory> {
        let id = selected.memory_ref().world_id();
        let memory = self.shelf.find(id)?;
        let place = hits.iter().position(|hit| hit.world_id() == id)?;
        let context = match memory.unit {
            Some(_) => Some(Text::new(shared_standing(belief?)?).ok()?),
            None => None,
        };
        let next = offset.saturating_add(place).saturating_add(1);
        Some(FoundMemory {
            memory,
            relevance: selected.confidence().value(),
            context,
            next,
        })
    }
}

/// Whether a memory is found by its own words, as it is: what is forgotten or was replaced is not.
pub(super) async fn is_found(
    host: &Host,
    index: &dyn TextIndex,
    world: &World,
) -> Result<bool, SelectError> {
    let Some(claim) = claim_of_world(world.content_value()) else {
        return Ok(false);
    };
    let Ok(words) = content_words(claim.content.as_str()) else {
        return Ok(false);
    };
    let query = query_of(host, &words, None)?.page(0, MOST_EXAMINED);
    let page = index.search(&query).await?;
    let same = |hit: &TextHit| {
        hit.world_id() == world.world_id() && hit.replaced().is_none() && hit.contest().is_none()
    };
    Ok(page.iter().any(same))
}

fn request(
    wanted: &Wanted<'_>,
    at: &WorldId,
    agent: &str,
    most: usize,
) -> Result<SelectionRequest, ShapeError> {
    let query = Query::new(wanted.words.join(" "))?;
    let agent = ActorRef::new(agent, ActorKind::Agent)?;
    let constraints = SelectionConstraints::default()
        .with_max_results(most)?
        .with_required_verification();
    let constraints = match wanted.range {
        Some(range) => constraints.with_time_range(range),
        None => constraints,
    };
    Ok(SelectionRequest::new(query, at.clone(), agent).with_constraints(constraints))
}

fn query_of(
    host: &Host,
    words: &[String],
    range: Option<TimeRange>,
) -> Result<TextQuery, TextQueryError> {
    let query = TextQuery::new(words)?
        .listed(Listing::EachMemory)
        .asked_by(host.signer.agent().to_string());
    Ok(match range {
        Some(range) => query.within(range),
        None => query,
    })
}

/// Whether a rule lets a memory out: by its label, or a claim by its predicate.
pub(super) fn may_have(memory: &Memory, share: &Share, shown: &ShareClaims) -> bool {
    let predicate = memory
        .unit
        .as_ref()
        .map(|unit| unit.line().predicate.as_str());
    lets_out(share, &memory.labels)
        || predicate.is_some_and(|predicate| shown.predicates.iter().any(|one| one == predicate))
}

fn lets_out(share: &Share, labels: &[String]) -> bool {
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    share.lets_out(&labels)
}

/// Text on a claim for other agents; `None` for a claim that does not hold, which is not handed out. The text names no
/// other claim, which may not be shared.
fn shared_standing(belief: &BeliefStanding) -> Option<&'static str> {
    match belief {
        BeliefStanding::Contested { .. } => {
            Some("contested: other values are claimed, and none is settled")
        }
        BeliefStanding::Believed {
            support: Support::Inferred,
            ..
        } => Some("inferred by a model"),
        BeliefStanding::Believed {
            status: BeliefStatus::TimingUncertain,
            ..
        } => Some("believed; since when is uncertain"),
        BeliefStanding::Believed { .. } => Some("believed"),
        _ => None,
    }
}

/// An index and a store that hold a few candidates.
struct Candidates {
    hits: Vec<TextHit>,
    shelf: Arc<Shelf>,
}

#[async_trait]
impl TextIndex for Candidates {
    async fn search(&self, query: &TextQuery) -> Result<Vec<TextHit>, SearchError> {
        let page = self.hits.iter().skip(query.offset()).take(query.limit());
        Ok(page.cloned().collect())
    }
}

#[async_trait]
impl MemoryStore for Candidates {
    async fn get(&self, world_id: &WorldId) -> Result<Option<World>, StoreError> {
        Ok(self.shelf.find(world_id).map(|memory| memory.world.clone()))
    }

    async fn exists(&self, world_id: &WorldId) -> Result<bool, StoreError> {
        Ok(self.shelf.find(world_id).is_some())
    }
}

/// Each was proven when it came onto the shelf: content, field tree and header were recomputed then, and nothing in a World
/// changes. The proof is the one of its receipt.
impl MemoryVerifier for Candidates {
    fn prove(&self, memory: &MemoryRef, _world: &World) -> ProveResult {
        match self.shelf.find(memory.world_id()) {
            Some(memory) => ProveResult::Valid(memory.opened.proof.clone()),
            None => ProveResult::Invalid(ProveError::NoReceipt),
        }
    }
}

impl ProofVerifier for Candidates {
    fn verify_proof(&self, proof: &VerificationProof) -> bool {
        let mut memories = self
            .hits
            .iter()
            .filter_map(|hit| self.shelf.find(hit.world_id()));
        memories.any(|memory| memory.opened.proof == *proof)
    }
}

/// The wall clock of a timer.
struct WallClock(Arc<dyn Timer>);

impl Clock for WallClock {
    fn now_micros(&self) -> u64 {
        self.0.now().wall_us
    }
}
