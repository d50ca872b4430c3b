//! Recall for other agents: only memories that a rule shares are candidates, each found by its own words alone (R14).

use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use counterfoil_capsule::World;
use counterfoil_claims::belief::{BeliefStatus, Support};
use counterfoil_exchange::answering::Share;
use counterfoil_exchange::documents::{Retraction, Text};
use counterfoil_prover::{MemoryVerifier, ProofVerifier, ProveError, ProveResult};
use counterfoil_selector::{BeliefStanding, MemorySelector, SelectError, TextSelector, share};
use counterfoil_store::text_index::{MAX_PAGE, TermPlace, TextHit, TextIndex, TextQuery};
use counterfoil_store::{Clock, MemoryStore, StoreError};
use counterfoil_types::{
    ActorKind, ActorRef, BoxError, MemoryRef, Query, SelectedMemory, SelectionConstraints,
    SelectionRequest, ShapeError, VerificationProof, WorldId,
};

use super::Answering;
use super::cache::{MemoryCache, ShareMarks};
use super::excerpt;
use super::memory::Memory;
use super::query::MOST_EXAMINED;
use crate::Timer;

/// Ends of the pages of candidates after the first, which has the requested number.
const PAGES: [usize; 2] = [64, MOST_EXAMINED];

/// Search for one request.
#[derive(Debug)]
pub(super) struct Search<'a> {
    /// Words of the question and what they are read as, and the time of the memories.
    pub(super) query: &'a TextQuery,
    /// Rules that share them.
    pub(super) shares: &'a [&'a Share],
    /// Number of candidates to skip.
    pub(super) offset: usize,
    /// Most memories in the answer.
    pub(super) most: usize,
    /// Size of the log at the first page: later memories do not count.
    pub(super) below: Option<u64>,
}

/// Memories of an answer.
#[derive(Debug, Default)]
pub(super) struct Recalled {
    /// Words of the question.
    pub(super) words: Vec<String>,
    /// Memories, the best first.
    pub(super) memories: Vec<RecalledMemory>,
    /// True if further memories match.
    pub(super) more: bool,
    /// Number of matches, if all were examined.
    pub(super) total: Option<u64>,
    /// Memories that the asker keeps and this agent has taken back.
    pub(super) retractions: Vec<Retraction>,
}

/// Memory of an answer.
#[derive(Debug)]
pub(super) struct RecalledMemory {
    pub(super) memory: Arc<Memory>,
    /// Share of the words of the question that it holds itself, from 0 to 1. The confidence depends on memories that may not be
    /// shared.
    pub(super) relevance: f64,
    /// Standing of the belief, if it is a claim, and what of it matches the question.
    pub(super) context: Option<Text<1024>>,
    /// Summary for the question, written when an answer first has it.
    pub(super) summary: OnceLock<Option<String>>,
    /// Index of the next candidate.
    pub(super) next: usize,
}

impl Answering {
    /// Searches for memories.
    pub(super) async fn find(&self, search: &Search<'_>) -> Result<Recalled, SelectError> {
        let (hits, all) = self.candidates(search).await?;
        let total = all.then_some(u64::try_from(hits.len()).unwrap_or(u64::MAX));
        let rest = hits.get(search.offset..).unwrap_or_default();
        let Some(first) = rest.first() else {
            return Ok(Recalled {
                total,
                ..Recalled::default()
            });
        };
        let request = self.request(search, &first.world_id, search.most)?;
        let (selected, annotations) = self
            .selector(rest)
            .await?
            .select_annotated(&request)
            .await?;
        let belief = |memory: &SelectedMemory| {
            let annotation = annotations.get(memory.memory_ref().world_id());
            annotation.and_then(|annotation| annotation.belief.as_ref())
        };
        let memories = selected.selected().iter();
        let memories: Vec<RecalledMemory> = memories
            .filter_map(|memory| self.found(memory, belief(memory), rest, search))
            .collect();
        let next = memories.iter().map(|found| found.next).max();
        let more = next.is_some_and(|next| next < hits.len()) || (next.is_some() && !all);
        Ok(Recalled {
            words: search.query.terms().to_vec(),
            memories,
            more,
            total,
            retractions: Vec::new(),
        })
    }

    /// Returns the candidates that may be shared and hold, the best first, and true if these are all.
    async fn candidates(&self, search: &Search<'_>) -> Result<(Vec<TextHit>, bool), SelectError> {
        // One more shows that further ones follow.
        let enough = search.offset.saturating_add(search.most).saturating_add(1);
        let enough = enough.min(MAX_PAGE);
        let (mut out, mut hits, mut from) = (Vec::new(), Vec::new(), 0);
        let ends = std::iter::once(enough).chain(PAGES.into_iter().filter(|end| *end > enough));
        for end in ends {
            let size = end.saturating_sub(from);
            let page = self
                .index
                .search(&search.query.clone().page(from, size))
                .await?;
            for hit in &page {
                // A hit counts by its own words alone.
                let own = |place: &Option<TermPlace>| {
                    place.filter(|place| matches!(place, TermPlace::Turn | TermPlace::Date))
                };
                let places: Vec<Option<TermPlace>> = hit.places.iter().map(own).collect();
                let found = places.iter().any(Option::is_some);
                let later = search.below.is_some_and(|below| hit.index >= below);
                if later || !found || hit.replaced.is_some() || hit.contest.is_some() {
                    continue;
                }
                let (id, index) = (&hit.world_id, hit.index);
                // A claim may be shared by its predicate too.
                let may = |marks: &ShareMarks| {
                    let mut shares = search.shares.iter();
                    shares.any(|share| share.lets_out(&marks.labels, &marks.scope, None))
                };
                let memory = self.cache.memory_if(&self.host, id, index, may).await?;
                if memory.is_some_and(|memory| self.may_have(&memory, search.shares)) {
                    out.push(TextHit::new(id.clone(), index, hit.score, places));
                }
            }
            hits = self.holding(&out, search).await?;
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

    /// Removes the claims that do not hold, without a trace in the answer.
    async fn holding(
        &self,
        hits: &[TextHit],
        search: &Search<'_>,
    ) -> Result<Vec<TextHit>, SelectError> {
        let claims: Vec<TextHit> = hits
            .iter()
            .filter(|hit| self.is_claim(hit))
            .cloned()
            .collect();
        let Some(first) = claims.first() else {
            return Ok(hits.to_vec());
        };
        let request = self.request(search, &first.world_id, claims.len())?;
        let selector = self.selector(&claims).await?;
        let (_, annotations) = selector.select_annotated(&request).await?;
        let held = |world: &WorldId| {
            let belief = annotations.get(world).and_then(|it| it.belief.as_ref());
            belief.and_then(shared_standing).is_some()
        };
        let holds = |hit: &&TextHit| !self.is_claim(hit) || held(&hit.world_id);
        Ok(hits.iter().filter(holds).cloned().collect())
    }

    fn is_claim(&self, hit: &TextHit) -> bool {
        self.cache
            .find(&hit.world_id)
            .is_some_and(|memory| memory.unit.is_some())
    }

    /// Returns a selector over these candidates alone, which compares claims with beliefs (I7).
    async fn selector(&self, hits: &[TextHit]) -> Result<TextSelector, StoreError> {
        let claims = hits.iter().any(|hit| self.is_claim(hit));
        let candidates = Arc::new(Candidates {
            hits: hits.to_vec(),
            cache: Arc::clone(&self.cache),
            timer: Arc::clone(&self.host.timer),
        });
        let index = candidates.clone();
        let (store, verifier) = (index.clone(), index.clone());
        let selector = TextSelector::new(index, store, verifier, candidates).of_whole_store();
        Ok(match claims {
            true => {
                let settings = self.host.claims.current().await?;
                selector.with_beliefs(self.host.store.clone(), settings)
            }
            false => selector,
        })
    }

    fn request(
        &self,
        search: &Search<'_>,
        at: &WorldId,
        most: usize,
    ) -> Result<SelectionRequest, ShapeError> {
        let query = Query::new(search.query.terms().join(" "))?;
        let agent = ActorRef::new(self.host.signer.agent().to_string(), ActorKind::Agent)?;
        let constraints = SelectionConstraints::default()
            .with_max_results(most)?
            .with_required_verification();
        let constraints = match search.query.time_range {
            Some(range) => constraints.with_time_range(range),
            None => constraints,
        };
        Ok(SelectionRequest::new(query, at.clone(), agent).with_constraints(constraints))
    }

    fn found(
        &self,
        selected: &SelectedMemory,
        belief: Option<&BeliefStanding>,
        hits: &[TextHit],
        search: &Search<'_>,
    ) -> Option<RecalledMemory> {
        let id = selected.memory_ref().world_id();
        let memory = self.cache.find(id)?;
        let place = hits.iter().position(|hit| hit.world_id == *id)?;
        let places = &hits.get(place)?.places;
        let words = search.query.terms().iter().zip(places);
        let words = words.filter_map(|(word, place)| place.map(|_| word));
        let context = match &memory.unit {
            Some(unit) => {
                let standing = shared_standing(belief?)?;
                let matches = excerpt::structured(unit.line(), words.clone());
                Some(matches.map_or_else(|| standing.to_owned(), |it| format!("{standing}; {it}")))
            }
            None => excerpt::matched(words).map(|words| format!("has {words}")),
        };
        // Words of the question are data of the asker; a reason that is too long is left out.
        let context = context.and_then(|context| Text::new(context).ok());
        let next = search.offset.saturating_add(place).saturating_add(1);
        Some(RecalledMemory {
            memory,
            relevance: share(places, 0.0),
            context,
            summary: OnceLock::new(),
            next,
        })
    }

    /// Returns true if one of the rules shares a memory, or any rule a claim whose predicate is shared without a label.
    pub(super) fn may_have(&self, memory: &Memory, shares: &[&Share]) -> bool {
        let shown = &self.settings.shared_predicates;
        let without_label = || {
            let predicate = memory.predicate();
            predicate.is_some_and(|it| shown.iter().any(|one| one == it))
        };
        memory.lets_out(shares).is_some() || (!shares.is_empty() && without_label())
    }
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

/// Index, store, verifier and clock of a few candidates.
struct Candidates {
    hits: Vec<TextHit>,
    cache: Arc<MemoryCache>,
    timer: Arc<dyn Timer>,
}

#[async_trait]
impl TextIndex for Candidates {
    async fn search(&self, query: &TextQuery) -> Result<Vec<TextHit>, StoreError> {
        let page = self.hits.iter().skip(query.offset()).take(query.limit());
        Ok(page.cloned().collect())
    }
}

#[async_trait]
impl MemoryStore for Candidates {
    async fn get(&self, world_id: &WorldId) -> Result<Option<World>, BoxError> {
        Ok(self.cache.find(world_id).map(|memory| memory.world.clone()))
    }

    async fn exists(&self, world_id: &WorldId) -> Result<bool, BoxError> {
        Ok(self.cache.find(world_id).is_some())
    }
}

/// Each candidate was proven when it was cached: content, field tree and header were recomputed then, and Worlds never
/// change. Its proof is that of the receipt.
impl MemoryVerifier for Candidates {
    fn prove(&self, memory: &MemoryRef, _world: &World) -> ProveResult {
        match self.cache.find(memory.world_id()) {
            Some(memory) => ProveResult::Valid(memory.opened.proof.clone()),
            None => ProveResult::Invalid(ProveError::NoReceipt.into()),
        }
    }
}

impl ProofVerifier for Candidates {
    fn verify_proof(&self, proof: &VerificationProof) -> bool {
        let mut memories = self
            .hits
            .iter()
            .filter_map(|hit| self.cache.find(&hit.world_id));
        memories.any(|memory| memory.opened.proof == *proof)
    }
}

impl Clock for Candidates {
    fn now_micros(&self) -> u64 {
        self.timer.now().wall_us
    }
}
