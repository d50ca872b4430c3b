//! The default selector: full text, by meaning and by a second look as well where there are models (M-6, M-9, CR-14, CR-17, SR-02).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use async_trait::async_trait;
use counterfoil_claims::{Settings, Unit};
use counterfoil_prover::MemoryVerifier;
use counterfoil_store::text_index::{TextHit, TextIndex, TextQuery};
use counterfoil_store::{ClaimStore, Clock, MemoryStore, Reranker};
use counterfoil_types::{
    BoxError, Scope, SelectedMemory, SelectionRequest, SelectionResult, UnixMillis, World, WorldId,
};

use crate::beliefs::{BeliefLookup, Beliefs, HitStanding, not_withheld};
use crate::names::name_readings;
use crate::rerank::Reranking;
use crate::shortlist::Shortlist;
use crate::{
    AnnotatedSelection, Annotation, MemorySelector, SelectError, budget, lead, share, text_query,
    with_times,
};

/// Number of memories that a request without a limit selects.
pub const DEFAULT_MAX_RESULTS: usize = 10;

/// Largest number of candidates that are examined for one request, whatever its limit. When
/// constraints refuse nearly all of them, fewer memories than there are may be found.
pub const MAX_EXAMINED: usize = 1_000;

/// Share of its weight that a claim keeps which does not answer. A claim has few words, so the index ranks it above the
/// memory that it was drawn from, which says more.
const CLAIM_SHARE: f64 = 0.4;

/// Number of hits that others are compared with: the best, and the next for the best itself.
const BEST: usize = 2;

/// Selects by the words of the query, ranked by a [`TextIndex`].
///
/// The index is trusted for relevance only. Each candidate is fetched from the store, proven and
/// verified; constraints apply in the order time range, confidence, verified, evidence, and the
/// limit last. The order is the rank of the index; on equal rank verified memories come first, and where the limit cuts,
/// a verified memory takes the place of an unverified one that holds as much of the query and has about its score (SR-02).
///
/// Of a memory that was changed, the version that was current at `atWorldId` is selected; an older
/// one only if that says nothing of the query any more, and then the reason says so. A memory in
/// dispute (a forked chain, a key in other hands) is selected, and the reason says so, too.
pub struct TextSelector {
    pub(crate) store: Arc<dyn MemoryStore>,
    pub(crate) index: Arc<dyn TextIndex>,
    pub(crate) prover: Arc<dyn MemoryVerifier>,
    pub(crate) clock: Arc<dyn Clock>,
    whole_store: bool,
    each_version: bool,
    answers_first: bool,
    by_time: bool,
    token_budget: Option<usize>,
    beliefs: Option<Beliefs>,
    vectors: BTreeMap<String, Vec<f32>>,
    reranking: Option<Reranking>,
    asked_at: Option<UnixMillis>,
    pub(crate) scope: Scope,
}

impl TextSelector {
    /// A selector over one store and its index. `prover` proves each hit and checks the
    /// proof; `clock` dates the evidence.
    pub fn new(
        store: Arc<dyn MemoryStore>,
        index: Arc<dyn TextIndex>,
        prover: Arc<dyn MemoryVerifier>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            store,
            index,
            prover,
            clock,
            whole_store: false,
            each_version: false,
            answers_first: false,
            by_time: false,
            token_budget: None,
            beliefs: None,
            vectors: BTreeMap::new(),
            reranking: None,
            asked_at: None,
            scope: Scope::default(),
        }
    }

    /// Lists each version of a memory that answers, and not each memory once.
    #[must_use]
    pub const fn of_each_version(mut self) -> Self {
        self.each_version = true;
        self
    }

    /// Selects the best memories whose texts take so many tokens together, by estimate, near duplicates once. A memory that
    /// does not fit is passed over, and smaller ones may follow. The annotations include the memories left out.
    #[must_use]
    pub const fn within_tokens(mut self, tokens: usize) -> Self {
        self.token_budget = Some(tokens);
        self
    }

    /// Selects among the memories in `scope`, as if there were no others.
    #[must_use]
    pub fn in_scope(mut self, scope: Scope) -> Self {
        self.scope = scope;
        self
    }

    /// Lists the memories that are selected by their time, the oldest first, and not by their rank.
    #[must_use]
    pub const fn in_order_of_time(mut self) -> Self {
        self.by_time = true;
        self
    }

    /// Annotates claims with their standing at `atWorldId`: a contested one is never selected as settled, its
    /// reason names all sides; one that was denied or is kept apart is not selected (I7).
    #[must_use]
    pub fn with_beliefs(mut self, claims: Arc<dyn ClaimStore>, settings: Arc<Settings>) -> Self {
        self.beliefs = Some(Beliefs { claims, settings });
        self
    }

    /// Searches by meaning as well: vectors of queries, by their texts, of the model of the index's vectors.
    #[must_use]
    pub fn with_vectors(mut self, vectors: BTreeMap<String, Vec<f32>>) -> Self {
        self.vectors = vectors;
        self
    }

    /// Puts the `best` memories in the order of `reranker`, after claims that answer; what ranks below them stays below. It is
    /// called on a thread of the tokio runtime where blocking is allowed: a selection must run in such a runtime then.
    #[must_use]
    pub fn with_reranker(mut self, reranker: Arc<dyn Reranker>, best: usize) -> Self {
        self.reranking = Some(Reranking { reranker, best });
        self
    }

    /// Reads times in queries, such as `last week` or `on 3 May`, relative to this time ([`with_times`]).
    #[must_use]
    pub const fn asked_at(mut self, time: UnixMillis) -> Self {
        self.asked_at = Some(time);
        self
    }

    /// Lists claims of the asking agent that answer the query before all other memories, at most half of the limit; the
    /// weight of other claims counts .4. Has no effect without [`with_beliefs`](Self::with_beliefs).
    #[must_use]
    pub const fn with_answers_first(mut self) -> Self {
        self.answers_first = true;
        self
    }

    /// Searches all of the store, whatever `atWorldId` is. Otherwise the Worlds recorded up to `atWorldId` are searched,
    /// itself included, or all if it is a World of the application that the store does not hold.
    #[must_use]
    pub const fn of_whole_store(mut self) -> Self {
        self.whole_store = true;
        self
    }

    fn query(
        &self,
        request: &SelectionRequest,
        bound: Option<&WorldId>,
    ) -> Result<TextQuery, SelectError> {
        let mut query = text_query(request.query().as_str())?;
        if let Some(asked_at) = self.asked_at {
            query = with_times(query, request.query().as_str(), asked_at);
        }
        query.vector = self.vectors.get(request.query().as_str()).cloned();
        query.time_range = request.constraints().and_then(|it| it.time_range());
        query.bound = bound.cloned();
        query.scope = self.scope.clone();
        query.each_version = self.each_version;
        query.actor = Some(request.selector().actor_id().to_owned());
        Ok(query)
    }

    /// The bound of the search, and beliefs as of it.
    async fn standing_at<'w>(
        &self,
        at: &'w WorldId,
    ) -> Result<(Option<&'w WorldId>, Option<BeliefLookup<'_>>), SelectError> {
        let is_end = match &self.beliefs {
            Some(beliefs) => beliefs.is_end(at).await?,
            None => false,
        };
        let is_bound = !self.whole_store && (is_end || self.store.exists(at).await?);
        let at = is_bound.then_some(at);
        let beliefs = match &self.beliefs {
            Some(beliefs) => Some(
                beliefs
                    .at(at.filter(|_| !is_end), self.each_version)
                    .await?,
            ),
            None => None,
        };
        Ok((at, beliefs))
    }

    /// Pages through the candidates, best first, until enough meet the constraints. Each page is
    /// as long as all before it, so that few queries reach far.
    async fn gather(
        &self,
        request: &SelectionRequest,
    ) -> Result<Vec<(SelectedMemory, Annotation)>, SelectError> {
        let limit = request.constraints().and_then(|it| it.max_results());
        let limit = limit.unwrap_or(DEFAULT_MAX_RESULTS);
        let (at, mut beliefs) = self.standing_at(request.at_world_id()).await?;
        let mut query = self.query(request, at)?;
        let (mut seen, mut selected) = (BTreeSet::new(), Vec::new());
        if let Some(lookup) = beliefs.as_mut().filter(|_| self.answers_first) {
            let answers = self.answers(&query, limit, lookup, request);
            for (index, memory, annotation) in answers.await? {
                seen.insert(index);
                selected.push((memory, annotation));
            }
            let names = name_readings(&query, lookup.aliases(), lookup.as_of_us());
            query = query.read_as(names);
        }
        let wanted = limit.saturating_sub(selected.len());
        let reranking = self.reranking.as_ref();
        let candidates = reranking.map_or(wanted, |it| it.candidates(wanted));
        let mut shortlist = Shortlist::new(candidates);
        let (mut offset, mut score, mut best) = (0, f64::INFINITY, Vec::new());
        'pages: while shortlist.wants(score) && offset < MAX_EXAMINED {
            let size = offset.max(limit).max(candidates).max(BEST);
            let size = size.min(MAX_EXAMINED - offset);
            let mut page = self.index.search(&query.clone().page(offset, size)).await?;
            page.truncate(size);
            let is_last = page.len() < size;
            let page = self.counted(page, beliefs.as_ref()).await?;
            if offset == 0 {
                best = best_of(&page, &seen);
            }
            // A page may repeat a hit if Worlds are added between two pages.
            let page: Vec<Counted> = page
                .into_iter()
                .filter(|it| seen.insert(it.hit.index))
                .collect();
            let mut fetched = self.fetched(&page, shortlist.room()).await.into_iter();
            for it in &page {
                let (hit, counted, fetched) = (&it.hit, it.counted, fetched.next());
                score = hit.score;
                if !shortlist.wants(score) {
                    break 'pages;
                }
                let Some(standing) = standing_of(&mut beliefs, it).await? else {
                    continue;
                };
                let lead = self.lead(&best, (hit.index, counted));
                let fetched = match fetched {
                    Some(fetched) => fetched,
                    None => self.store.get(&hit.world_id).await,
                };
                let examined = self.examine((hit, fetched, lead), standing, &query, request);
                if let Some(memory) = examined? {
                    let share = share(&hit.places, hit.meaning);
                    shortlist.add((counted, share), memory);
                }
            }
            if is_last {
                break;
            }
            offset += size;
        }
        let mut found = shortlist.into_selected();
        if let Some(reranking) = reranking {
            let places = (selected.len(), wanted);
            let question = request.query().as_str();
            found = reranking.order(question, found, places).await?;
        }
        selected.extend(found);
        Ok(selected)
    }

    /// Hits as they count: claims that do not answer count less. A claim that is withheld is left out.
    async fn counted(
        &self,
        hits: Vec<TextHit>,
        beliefs: Option<&BeliefLookup<'_>>,
    ) -> Result<Vec<Counted>, SelectError> {
        let hits = match beliefs {
            Some(beliefs) => beliefs.with_units(hits).await?,
            None => hits.into_iter().map(|hit| (hit, None)).collect(),
        };
        let counted = hits.into_iter().map(|(hit, unit)| Counted {
            counted: match unit {
                Some(_) if self.answers_first => of_claim(hit.score, self.each_version),
                _ => hit.score,
            },
            hit,
            unit,
        });
        Ok(counted.collect())
    }

    /// The lead of a hit over the best others.
    fn lead(&self, best: &[(u64, f64)], (index, counted): (u64, f64)) -> f64 {
        let others = best.iter().filter(|(other, _)| *other != index);
        match self.each_version {
            // Versions of one memory are no rivals.
            true => 0.0,
            false => lead(counted, others.map(|(_, score)| *score)),
        }
    }

    /// The Worlds of the first `count` hits, which are read together.
    async fn fetched(&self, hits: &[Counted], count: usize) -> Vec<Fetched> {
        let first = hits.iter().take(count);
        let ids: Vec<WorldId> = first.map(|it| it.hit.world_id.clone()).collect();
        match ids.is_empty() {
            true => Vec::new(),
            false => self.store.get_each(&ids).await,
        }
    }
}

/// Result of [`MemoryStore::get`].
pub(crate) type Fetched = Result<Option<World>, BoxError>;

/// A hit with its unit, if it is one of a claim.
struct Counted {
    hit: TextHit,
    unit: Option<Unit>,
    /// Score that it counts with.
    counted: f64,
}

/// Standing of a hit; `None` if it is not selected.
async fn standing_of(
    beliefs: &mut Option<BeliefLookup<'_>>,
    it: &Counted,
) -> Result<Option<HitStanding>, SelectError> {
    match beliefs {
        Some(beliefs) => {
            let standing = beliefs.judge(&it.hit, it.unit.as_ref()).await;
            Ok(not_withheld(standing)?.flatten())
        }
        None => Ok(Some(HitStanding::default())),
    }
}

/// Log index and score of the best hits. Claims that answer, in `seen`, are above them, whatever their score is.
fn best_of(hits: &[Counted], seen: &BTreeSet<u64>) -> Vec<(u64, f64)> {
    let pairs = hits.iter().map(|it| (it.hit.index, it.counted));
    let mut best: Vec<(u64, f64)> = pairs.filter(|(index, _)| !seen.contains(index)).collect();
    best.sort_by(|left, right| right.1.total_cmp(&left.1));
    best.truncate(BEST);
    best
}

/// The score of a claim that does not answer, with its share of the weight. A score above 1 is the exponential of a weight,
/// unless each version is a hit: then it is the weight, as any other score is.
fn of_claim(score: f64, each_version: bool) -> f64 {
    match score > 1.0 && !each_version {
        true => score.powf(CLAIM_SHARE),
        false => score - score.abs() * (1.0 - CLAIM_SHARE),
    }
}

#[async_trait]
impl MemorySelector for TextSelector {
    async fn select(&self, request: &SelectionRequest) -> Result<SelectionResult, BoxError> {
        Ok(self.select_annotated(request).await?.0)
    }

    async fn select_annotated(
        &self,
        request: &SelectionRequest,
    ) -> Result<AnnotatedSelection, BoxError> {
        let mut annotations = BTreeMap::new();
        let mut selected = Vec::new();
        // A selection is never dated before its evidence, even if the clock steps back.
        let mut gathered = self.gather(request).await?;
        if let Some(budget) = self.token_budget {
            let (taken, left_out) = budget::fill(gathered, budget);
            let left_out = left_out.into_iter();
            annotations.extend(
                left_out.map(|(memory, annotation)| {
                    (memory.memory_ref().world_id().clone(), annotation)
                }),
            );
            gathered = taken;
        }
        if self.by_time {
            let time = |world: &World| world.created_at();
            gathered.sort_by_key(|(_, annotation)| annotation.world.as_ref().map(time));
        }
        let mut selected_at = self.now()?;
        for (memory, annotation) in gathered {
            let verified_at = memory.evidence().map(|evidence| evidence.verified_at());
            selected_at = selected_at.max(verified_at.unwrap_or(selected_at));
            annotations.insert(memory.memory_ref().world_id().clone(), annotation);
            selected.push(memory);
        }
        Ok((SelectionResult::new(selected, selected_at)?, annotations))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pages are read until no score could get in, so none may rise.
    #[test]
    fn a_claim_never_gains() {
        for each_version in [false, true] {
            let counted =
                [5.0, 1.2, 1.0, 0.3, 0.0, -1.0].map(|it| (it, of_claim(it, each_version)));
            assert!(counted.iter().all(|(score, counted)| counted <= score));
            assert!(counted.windows(2).all(|two| two[0].1 > two[1].1));
        }
        assert_eq!(of_claim(5.0, true), 2.0);
        assert!((of_claim(1.0_f64.exp(), false).ln() - CLAIM_SHARE).abs() < 1e-9);
    }
}
