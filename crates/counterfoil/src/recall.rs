//! Recall: memories with proof, and the actor that selects them.

use std::collections::BTreeMap;
use std::sync::Arc;

use counterfoil_life::entries::latest_world;
use counterfoil_life::{Backend as _, Life as _};

use counterfoil_actor::{self as actor, ActError, Actor, RecalledMemory};
use counterfoil_prover::{
    ExistenceProver, HashProver, MemoryVerifier, MerkleProver, NoneProver, Prover, SignatureProver,
};
use counterfoil_selector::content::tokens_of;
pub(crate) use counterfoil_selector::content::{member, text_of};
use counterfoil_selector::{BeliefStanding, LIKELY};
use counterfoil_selector::{SelectError, TextSelector, text_query};
use counterfoil_sqlite::{SqliteStore, System};
use counterfoil_trace::MemoryTrace;
use counterfoil_types::json::{Map, Value};
use counterfoil_types::{
    ActorKind, ActorRef, Confidence, DidKey, Query, Scope, SelectedMemory, SelectionConstraints,
    TimeRange, UnixMillis, World, WorldId,
};
use counterfoil_verifier::{
    Anchors, ExistenceVerifier, HashVerifier, MerkleVerifier, NoneVerifier, SignatureVerifier,
    Strength as Method,
};

use crate::document::{
    Detail, LogHead, MemoryStatus, RecallDocument, RecallItem, TYPE, WithheldMemory,
};
use crate::error::{Error, ErrorKind};
use crate::floor;
use crate::memory::Memory;
use crate::named::NamedMemories;
use crate::receipt::ReceiptHandle;
use crate::text::brief;
use crate::token_budget::TokenBudget;
use crate::{versions, when};

/// Id of the World of an empty store.
const GENESIS: &str = "genesis";

/// Largest token budget.
const MAX_TOKENS: usize = 1_000_000;

/// Conditions on recalled memories, and the method that proves them.
#[derive(Debug, Clone)]
pub struct RecallOptions {
    /// Most memories, 1 to 1,000.
    pub max: usize,
    /// Least confidence.
    pub min_confidence: Option<Confidence>,
    /// Only memories whose proof was checked.
    pub require_verified: bool,
    /// Only memories with evidence.
    pub require_evidence: bool,
    /// Only memories from after this time.
    pub after: Option<UnixMillis>,
    /// Only memories from before this time.
    pub before: Option<UnixMillis>,
    /// Each version that matches, and not each memory once.
    pub all_versions: bool,
    /// Only memories in this scope; all by default.
    pub scope: Scope,
    /// Most tokens of the memories together, by a careful estimate (docs/recall.md), 1 to 1,000,000: the best that fit, near
    /// duplicates once. `None`: no bound.
    pub token_budget: Option<usize>,
    /// The oldest first, and not the best first.
    pub oldest_first: bool,
    /// Time that `last week` and `on 3 May` in the query are relative to; `None`: now.
    pub asked_at: Option<UnixMillis>,
    /// Only these memories, whatever the query says; empty: those that answer it.
    pub only: Vec<WorldId>,
    /// Method of the proofs.
    pub method: Method,
    /// Log size that receipts continue, 0 for none; the floor in the anchors given out by default.
    pub floor: Option<u64>,
    /// Fields that a proposal shows of contents above 64 KiB, as JSON pointers such as `/data/text`, beside those that answer
    /// the recall. Of a smaller content it shows all.
    pub disclose: Vec<String>,
    /// Fields that a proposal keeps back, with all below them, as JSON pointers. The proposal names them.
    pub withhold: Vec<String>,
}

impl Default for RecallOptions {
    fn default() -> Self {
        Self {
            max: 10,
            min_confidence: None,
            require_verified: false,
            require_evidence: false,
            after: None,
            before: None,
            all_versions: false,
            scope: Scope::default(),
            token_budget: None,
            oldest_first: false,
            asked_at: None,
            only: Vec::new(),
            method: Method::Merkle,
            floor: None,
            disclose: Vec::new(),
            withhold: Vec::new(),
        }
    }
}

impl RecallOptions {
    pub(crate) fn constraints(&self) -> Result<SelectionConstraints, Error> {
        if self
            .token_budget
            .is_some_and(|tokens| !(1..=MAX_TOKENS).contains(&tokens))
        {
            return Err(Error::input(
                "a token budget is from 1 to 1,000,000",
                "choose another --token-budget",
            ));
        }
        let mut constraints = SelectionConstraints::default()
            .with_max_results(self.max)
            .map_err(|error| Error::input(error, "choose --max from 1 to 1000"))?;
        if let Some(confidence) = self.min_confidence {
            constraints = constraints.with_min_confidence(confidence);
        }
        if self.require_verified {
            constraints = constraints.with_required_verification();
        }
        if self.require_evidence {
            constraints = constraints.with_required_evidence();
        }
        if self.after.is_some() || self.before.is_some() {
            let range = TimeRange::new(self.after, self.before)
                .map_err(|_| Error::input("--after is not earlier than --before", "swap them"))?;
            constraints = constraints.with_time_range(range);
        }
        Ok(constraints)
    }
}

/// Result of a recall: the memories, best first, and the trace that a proposal carries.
#[derive(Debug, Clone)]
pub struct Recalled {
    trace: MemoryTrace,
    hits: Vec<Hit>,
    budget: Option<TokenBudget>,
    scope: Scope,
    head: Option<LogHead>,
    withheld: Vec<WithheldMemory>,
    without_vector: Option<u64>,
    /// True for a recall in a scope: nobody knows the scope of a memory that is withheld, so none is named.
    is_bound: bool,
}

/// One recalled memory.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Hit {
    /// Id of the version.
    pub id: WorldId,
    /// Its text; of a claim, subject, predicate and value; of other content, its JSON.
    pub text: String,
    /// Speaker that the memory names.
    pub who: Option<String>,
    /// Estimated tokens of text, speaker and date.
    pub tokens: usize,
    /// Time that the memory is of.
    pub when: UnixMillis,
    /// Likelihood that it is among the memories that answer, 0 to 1. It says nothing about truth.
    pub confidence: Confidence,
    /// True if the proof was checked here.
    pub verified: bool,
    /// Method of the proof.
    pub method: Option<String>,
    /// Standing of the belief, if the memory is a claim: `believed`, `inferred`, `contested`, `handed_over`, `outweighed`,
    /// `scheduled`, `ended` or `superseded`.
    pub belief: Option<&'static str>,
    /// Remarks that a reader must not miss: contested, replaced, inferred by a model, another agent's word.
    pub caveats: Vec<String>,
    /// Standing of the memory.
    pub status: MemoryStatus,
    /// Scope that the memory names.
    pub scope: Scope,
    /// Members of the content beyond text, speaker and scope; `None` if there are none.
    pub data: Option<Value>,
    /// Reason of the selection, for people.
    pub why: String,
    /// Handle of the receipt; `None` for a memory without one.
    pub receipt: Option<ReceiptHandle>,
}

impl Recalled {
    fn new(found: &actor::Recalled<'_>, token_budget: Option<usize>) -> Self {
        let hits: Vec<Hit> = found.memories().map(Hit::of).collect();
        let budget = token_budget.map(|most| {
            let tokens = hits.iter().map(|hit| hit.tokens).sum();
            TokenBudget::new(most, tokens, found.left_out())
        });
        Self {
            trace: found.trace().clone(),
            hits,
            budget,
            scope: Scope::default(),
            head: None,
            withheld: Vec::new(),
            without_vector: None,
            is_bound: false,
        }
    }

    /// The memories as the document that each door gives (docs/format/recall.md). A memory that does not match what was sealed is
    /// never among its items, even if the memory was opened to show such.
    pub fn document(&self, detail: Detail) -> RecallDocument {
        let items = self.shown().map(|(hit, _)| match detail {
            Detail::Index => hit.item().into_line(),
            Detail::Text => hit.item().within_law(),
            Detail::Full => hit.item(),
        });
        RecallDocument {
            kind: TYPE.0,
            version: TYPE.1,
            query: self.trace.query().as_str().to_owned(),
            scope: self.scope.clone(),
            head: self.head.clone(),
            items: items.collect(),
            withheld: match self.is_bound {
                true => Vec::new(),
                false => self.withheld.clone(),
            },
            budget: self.budget.clone(),
            proofs: (detail == Detail::Full).then(|| self.proofs()),
        }
    }

    /// Evidence of the memories that are not withheld, by the handles of their receipts.
    pub fn proofs(&self) -> BTreeMap<ReceiptHandle, Value> {
        let proof = |(hit, memory): (&Hit, &SelectedMemory)| {
            let evidence = serde_json::to_value(memory.evidence()?).ok()?;
            Some((hit.receipt?, evidence))
        };
        self.shown().filter_map(proof).collect()
    }

    /// The memories that are not withheld, each with its selection.
    fn shown(&self) -> impl Iterator<Item = (&Hit, &SelectedMemory)> {
        let memories = self.hits.iter().zip(self.trace.selected());
        memories.filter(|(hit, _)| {
            let id = hit.id.to_string();
            self.withheld.iter().all(|withheld| withheld.id != id)
        })
    }

    /// The memories, in the order that was asked for.
    pub fn hits(&self) -> &[Hit] {
        &self.hits
    }

    /// True if one of the memories is likely to answer; otherwise they are only the nearest that there are.
    pub fn is_likely(&self) -> bool {
        let mut confidences = self.hits.iter().map(|hit| hit.confidence.value());
        confidences.any(|confidence| confidence >= LIKELY)
    }

    /// Number of memories that could be found by words alone, as they have no vector yet: [`Memory::embed`] makes it. `None` if
    /// nothing was searched by meaning.
    pub const fn without_vector(&self) -> Option<u64> {
        self.without_vector
    }

    /// Use of the token budget, if there is one.
    pub const fn budget(&self) -> Option<&TokenBudget> {
        self.budget.as_ref()
    }
}

impl Hit {
    fn of(memory: &RecalledMemory) -> Self {
        let (world, selected) = (memory.world(), memory.selected());
        let evidence = selected.evidence();
        Self {
            id: world.world_id().clone(),
            text: text_of(world),
            who: member(world, "speaker").map(str::to_owned),
            tokens: tokens_of(world),
            when: world.created_at(),
            confidence: selected.confidence(),
            verified: selected.verified(),
            method: evidence.map(|evidence| evidence.method().as_str().to_owned()),
            belief: memory
                .annotation()
                .belief
                .as_ref()
                .map(BeliefStanding::word),
            caveats: memory.annotation().caveats(brief),
            status: MemoryStatus::of(memory.annotation(), selected.verified()),
            scope: Scope::of(world.data()),
            data: rest_of(world),
            why: selected.reason().to_string(),
            receipt: ReceiptHandle::beside(world),
        }
    }

    /// The memory as an item with all members.
    fn item(&self) -> RecallItem {
        RecallItem {
            id: self.id.clone(),
            text: self.text.clone(),
            data: self.data.clone(),
            who: self.who.clone(),
            when: Some(self.when),
            scope: self.scope.clone(),
            status: self.status,
            belief: self.belief,
            score: Some((self.confidence.value() * 100.0).round() / 100.0),
            why: Some(self.why.clone()),
            receipt: self.receipt,
        }
    }
}

/// Members of the content beyond text, speaker and scope; `None` if there are none.
fn rest_of(world: &World) -> Option<Value> {
    let data = world.data()?.as_object()?;
    // Of other content the text is all of it.
    let has_text = ["text", "caption"]
        .iter()
        .any(|name| member(world, name).is_some());
    let is_claim = member(world, "kind") == Some("claim");
    if !has_text && !is_claim {
        return None;
    }
    let scope = Scope::of(world.data());
    let members = data.iter().filter(|(name, value)| match name.as_str() {
        "text" | "caption" | "speaker" => !value.is_string(),
        "scope" => scope.is_empty(),
        _ => true,
    });
    let rest: Map = members
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    (!rest.is_empty()).then_some(Value::Object(rest))
}

/// An actor of this store, and the World at which it selects: the latest in the log.
pub(crate) struct Session {
    pub(crate) actor: Actor,
    pub(crate) base_world: WorldId,
    pub(crate) head: Option<LogHead>,
    /// As [`Recalled::without_vector`].
    without_vector: Option<u64>,
}

impl Memory {
    /// Finds memories, each with a proof that its content is in the log.
    ///
    /// A recalled memory is not truth: [`Hit::caveats`] say if it is contested, replaced or inferred.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for an empty query and for options out of range.
    pub async fn recall(&self, query: &str, options: &RecallOptions) -> Result<Recalled, Error> {
        self.recall_at(query, options, None).await
    }

    /// Recalls from the store as it was at a World, by default the latest.
    pub(crate) async fn recall_at(
        &self,
        query: &str,
        options: &RecallOptions,
        world: Option<WorldId>,
    ) -> Result<Recalled, Error> {
        let query = self::query(query)?;
        let options = &self.within(options)?;
        let constraints = options.constraints()?;
        let actor = actor_of(self.home().agent_public()?)?;
        let asked = std::slice::from_ref(&query);
        let whole = self.whole();
        let reads = self.home().read_check().reads();
        let session = whole.session(actor, options, (asked, None)).await?;
        let world = world.unwrap_or_else(|| session.base_world.clone());
        let deliberation = session.actor.deliberate(world);
        let found = deliberation.recall(query, Some(constraints)).await;
        let mut recalled = Recalled::new(&found.map_err(failure)?, options.token_budget);
        recalled.without_vector = session.without_vector;
        for hit in &mut recalled.hits {
            let mark = whole.mark(&hit.id);
            hit.caveats.splice(0..0, mark);
        }
        recalled.scope = options.scope.clone();
        recalled.head = session.head;
        recalled.is_bound = !options.scope.is_empty();
        let withheld = self.home().read_check().withheld_since(reads).into_iter();
        let withheld = withheld.map(|(id, code)| WithheldMemory::new(id, code.name()));
        recalled.withheld = withheld.collect();
        Ok(recalled)
    }

    /// Writer of a memory; `None` when it is this memory's own agent.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn writer_of(&self, id: &WorldId) -> Result<Option<DidKey>, Error> {
        let (whole, _) = self.reaching(&id.to_string()).await?;
        let (store, own) = (whole.any()?, self.home().agent_public()?);
        let agent = versions::stored(&store, id)
            .await?
            .map(|stored| stored.header.agent());
        Ok(agent.filter(|agent| *agent != own))
    }

    /// Number of archived memories, which no recall finds; 0 in a scope, as nobody knows the scope of what is archived.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn archived(&self) -> Result<u64, Error> {
        if !self.scope().is_empty() {
            return Ok(0);
        }
        let segments = self.any()?.segments().await?;
        Ok(segments.iter().map(|segment| segment.archived).sum())
    }

    /// An actor over the store as it is now, with receipts that continue from the floor, who may ask `queries`. Its proofs
    /// disclose the memories recalled for `disclosed`, if there are any.
    pub(crate) async fn session(
        &self,
        actor: ActorRef,
        options: &RecallOptions,
        (queries, disclosed): (&[Query], Option<&[Query]>),
    ) -> Result<Session, Error> {
        let home = self.home();
        let floor = floor::asked(home, options.floor)?;
        let store = self.reader_from(floor.map(floor::Asked::size))?;
        let end = LogEnd::of(&store).await?;
        home.must_be_of_log(end.verifier_key)?;
        if let Some(floor) = floor {
            floor.must_lie_in(end.size)?;
        }
        let latest = match options.scope.is_empty() {
            true => end.latest,
            false => store.latest_in(&options.scope).await?,
        };
        let logged = self.whole().logged_settings_at(end.size).await?;
        let anchors = home.anchors(None, logged.keys.iter().copied())?;
        let settings = self.with_logged(logged)?;
        let prover = prover(options, (anchors, &end.checkpoint), disclosed);
        let vectors = self.question_vectors(&store, queries).await?;
        let (vectors, without_vector) = vectors.unzip();
        let index = NamedMemories::or_all(&store, &options.only, &options.scope).await?;
        let selector = TextSelector::new(store.clone(), index, prover, Arc::new(System))
            .in_scope(options.scope.clone())
            .with_vectors(vectors.unwrap_or_default())
            .asked_at(options.asked_at.map_or_else(when::now, Ok)?);
        let selector = selector
            .with_beliefs(store.clone(), settings)
            .with_answers_first();
        let selector = match self.models().reranker(home.dir()).await? {
            Some((reranker, best)) => selector.with_reranker(reranker, best),
            None => selector,
        };
        let selector = match options.all_versions {
            true => selector.of_each_version(),
            false => selector,
        };
        let selector = match options.token_budget {
            Some(tokens) => selector.within_tokens(tokens),
            None => selector,
        };
        let selector = match options.oldest_first {
            true => selector.in_order_of_time(),
            false => selector,
        };
        Ok(Session {
            without_vector,
            actor: Actor::new(actor, Arc::new(selector), store),
            base_world: match latest {
                Some(world) => world,
                None => WorldId::new(GENESIS).map_err(|_| Error::bug("no genesis"))?,
            },
            head: LogHead::of(&end.checkpoint),
        })
    }
}

/// The log as a recall finds it, read at one moment.
pub(crate) struct LogEnd {
    pub(crate) verifier_key: String,
    size: u64,
    pub(crate) checkpoint: String,
    latest: Option<WorldId>,
}

impl LogEnd {
    pub(crate) async fn of(store: &SqliteStore) -> Result<Self, Error> {
        let end = store.read(|txn| {
            let (size, checkpoint) = txn.head()?;
            Ok(Self {
                verifier_key: txn.verifier_key()?,
                size,
                checkpoint,
                latest: latest_world(txn)?,
            })
        });
        Ok(end.await?)
    }
}

/// An agent as traces and proposals name it, by one of its keys.
pub(crate) fn actor_of(key: DidKey) -> Result<ActorRef, Error> {
    ActorRef::new(key.to_string(), ActorKind::Agent)
        .map_err(|error| Error::place(error, "put the right agent key back"))
}

/// Prover of a method, with what it discloses. Most of its proofs are under `checkpoint`.
pub(crate) fn prover(
    options: &RecallOptions,
    (anchors, checkpoint): (Anchors, &str),
    queries: Option<&[Query]>,
) -> Arc<dyn MemoryVerifier> {
    match options.method {
        Method::Merkle => {
            let verifier = MerkleVerifier::new(anchors).judging(checkpoint);
            let prover = MerkleProver::new(verifier);
            Arc::new(disclosing(prover, options, queries))
        }
        Method::Signature => {
            let prover = SignatureProver::new(SignatureVerifier::new(anchors));
            Arc::new(disclosing(prover, options, queries))
        }
        Method::Hash => Arc::new(disclosing(HashProver::new(HashVerifier), options, queries)),
        Method::Existence => Arc::new(ExistenceProver::new(ExistenceVerifier)),
        Method::None => Arc::new(NoneProver::new(NoneVerifier)),
    }
}

/// All recalled memories except those kept back; the words of the queries choose among the fields of a large content.
fn disclosing<V>(
    prover: Prover<V>,
    options: &RecallOptions,
    queries: Option<&[Query]>,
) -> Prover<V> {
    let Some(queries) = queries else {
        return prover;
    };
    let words = queries.iter();
    let words = words.filter_map(|query| text_query(query.as_str()).ok());
    let words = words.map(|query| query.terms().to_vec());
    let asked = options.disclose.iter().cloned();
    prover
        .disclosing(asked.chain([String::new()]))
        .withholding(options.withhold.iter().cloned())
        .matching(words.flatten())
}

/// The query, if it asks for anything.
pub(crate) fn query(text: &str) -> Result<Query, Error> {
    if text.trim().is_empty() {
        return Err(Error::input(
            "the query is empty",
            "name a thing, a person or a time",
        ));
    }
    Query::new(text).map_err(|error| Error::input(error, "ask in fewer words"))
}

/// Maps an actor's failure to the error that names the next step.
pub(crate) fn failure(error: ActError) -> Error {
    match error {
        ActError::Store(error) | ActError::Select(error) => match error.into() {
            SelectError::Store(error) => error.into(),
            error @ SelectError::NoWords => Error::new(ErrorKind::Input, error),
            error => Error::new(ErrorKind::Place, error),
        },
        ActError::Shape(_)
        | ActError::EmptyMember { .. }
        | ActError::Intent(_)
        | ActError::IntentOfAnother { .. }
        | ActError::Audience { .. }
        | ActError::Trace(_)
        | ActError::NotApproved { .. }
        | ActError::Content(_) => Error::new(ErrorKind::Input, error.to_string()),
        other => Error::new(ErrorKind::Place, other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_member_of_an_intent_is_the_callers_to_mend() {
        let error = ActError::EmptyMember { member: "type" };
        assert_eq!(failure(error).kind(), ErrorKind::Input);
    }
}
