//! The default selector: full text without a model (M-6, M-9, CR-14, CR-17, SR-02).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use async_trait::async_trait;
use counterfoil_claims::Settings;
use counterfoil_prover::MemoryVerifier;
use counterfoil_store::text_index::TextIndex;
use counterfoil_store::{ClaimStore, Clock, MemoryStore, StoreError};
use counterfoil_types::{BoxError, SelectedMemory, SelectionRequest, SelectionResult};

use crate::beliefs::{Beliefs, HitKind};
use crate::shortlist::Shortlist;
use crate::{AnnotatedSelection, Annotation, MemorySelector, SelectError, text_query};

/// Number of memories that a request without a limit selects.
pub const DEFAULT_MAX_RESULTS: usize = 10;

/// Largest number of candidates that are examined for one request, whatever its limit. When
/// constraints refuse nearly all of them, fewer memories than there are may be found.
pub const MAX_EXAMINED: usize = 1_000;

/// Selects by the words of the query, ranked by a [`TextIndex`].
///
/// The index is trusted for relevance only. Each candidate is fetched from the store, proven and
/// verified; constraints apply in the order time range, confidence, verified, evidence, and the
/// limit last. The order is the rank of the index; on equal rank verified memories come first, and where the limit cuts,
/// a verified memory takes the place of an unverified one of equal confidence and about equal score (SR-02).
///
/// Of a memory that was changed, the version that was current at `atWorldId` is selected; an older
/// one only if that says nothing of the query any more, and then the reason says so. A memory in
/// dispute (a forked chain, a key in other hands) is selected, and the reason says so, too.
pub struct TextSelector {
    pub(crate) store: Arc<dyn MemoryStore>,
    index: Arc<dyn TextIndex>,
    pub(crate) prover: Arc<dyn MemoryVerifier>,
    pub(crate) clock: Arc<dyn Clock>,
    whole_store: bool,
    each_version: bool,
    beliefs: Option<Beliefs>,
    vectors: BTreeMap<String, Vec<f32>>,
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
            beliefs: None,
            vectors: BTreeMap::new(),
        }
    }

    /// Lists each version of a memory that answers, and not each memory once.
    #[must_use]
    pub const fn of_each_version(mut self) -> Self {
        self.each_version = true;
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

    /// Searches all of the store, whatever `atWorldId` is. Otherwise the Worlds recorded up to `atWorldId` are searched,
    /// itself included, or all if it is a World of the application that the store does not hold.
    #[must_use]
    pub const fn of_whole_store(mut self) -> Self {
        self.whole_store = true;
        self
    }

    /// Pages through the candidates, best first, until enough meet the constraints. Each page is
    /// as long as all before it, so that few queries reach far.
    async fn gather(
        &self,
        request: &SelectionRequest,
    ) -> Result<Vec<(SelectedMemory, Annotation)>, SelectError> {
        let mut query = text_query(request.query().as_str())?;
        let limit = request.constraints().and_then(|it| it.max_results());
        let limit = limit.unwrap_or(DEFAULT_MAX_RESULTS);
        let at = request.at_world_id();
        let at = (!self.whole_store && self.store.exists(at).await?).then_some(at);
        query.vector = self.vectors.get(request.query().as_str()).cloned();
        query.time_range = request.constraints().and_then(|it| it.time_range());
        query.bound = at.cloned();
        query.each_version = self.each_version;
        query.actor = Some(request.selector().actor_id().to_owned());
        let mut shortlist = Shortlist::new(limit);
        let mut seen = BTreeSet::new();
        let mut beliefs = match &self.beliefs {
            Some(beliefs) => Some(beliefs.at(at, self.each_version).await?),
            None => None,
        };
        let mut offset = 0;
        'pages: while shortlist.is_open() && offset < MAX_EXAMINED {
            let size = offset.max(limit).min(MAX_EXAMINED - offset);
            let page = self.index.search(&query.clone().page(offset, size)).await?;
            // A page may repeat a hit if Worlds are added between two pages.
            let new = page.iter().take(size).filter(|hit| seen.insert(hit.index));
            for hit in new {
                if !shortlist.wants(hit.score) {
                    break 'pages;
                }
                let kind = match &mut beliefs {
                    Some(beliefs) => match beliefs.judge(hit).await {
                        // A belief that rests on a claim which is withheld is not told.
                        Err(SelectError::Store(StoreError::Withheld { .. })) => continue,
                        kind => kind?,
                    },
                    None => HitKind::Memory,
                };
                let belief = match kind {
                    HitKind::Memory => None,
                    HitKind::Claim(standing) => Some(standing),
                    HitKind::Skipped => continue,
                };
                if let Some(memory) = self.examine(hit, belief, &query, request).await? {
                    shortlist.add(hit.score, memory);
                }
            }
            if page.len() < size {
                break;
            }
            offset += size;
        }
        Ok(shortlist.into_selected())
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
        let gathered = self.gather(request).await?;
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
