//! An actor over the store: what `recall` and `propose` have in common.

use std::sync::Arc;

use counterfoil_actor::{ActError, Actor};
use counterfoil_prover::{
    ExistenceProver, HashProver, MemoryVerifier, MerkleProver, NoneProver, SignatureProver,
};
use counterfoil_selector::{Scope, SelectError, TextSelector};
use counterfoil_sqlite::SystemClock;
use counterfoil_store::CapsuleLog;
use counterfoil_store::text_index::{Listing, SearchError};
use counterfoil_types::{Confidence, Query, SelectionConstraints, TimeRange, UnixMillis, WorldId};
use counterfoil_verifier::{
    Anchors, ExistenceVerifier, HashVerifier, MerkleVerifier, NoneVerifier, SignatureVerifier,
};

use crate::anchors::believed;
use crate::claims::settings;
use crate::error::{Error, ErrorKind};
use crate::floor;
use crate::home::Home;

/// The World at which an empty store stands.
const GENESIS: &str = "genesis";

/// Conditions on recalled memories, and the method that proves them.
#[derive(Debug, Clone)]
pub struct Select {
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
    /// Method of the proofs.
    pub method: Method,
    /// Log size that receipts continue, 0 for none; the floor in the anchors given out by default.
    pub floor: Option<u64>,
}

/// Verification methods of the specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// In the log, under a signed checkpoint.
    Merkle,
    /// Signed by the agent.
    Signature,
    /// Unchanged since it was sealed.
    Hash,
    /// In the store.
    Existence,
    /// No proof.
    None,
}

/// An actor of this store, and the World at which it selects: the latest in the log.
pub struct Session {
    pub actor: Actor,
    pub base_world: WorldId,
}

impl Session {
    /// Opens the store to read, with receipts that continue from the floor. What is handed out of claims is written
    /// down, where nobody has to be asked for that.
    pub async fn open(home: &Home, select: &Select) -> Result<Self, Error> {
        let floor = floor::asked(home, select.floor)?;
        let store = home.reader_that_notes_with(|options| match &floor {
            Some(floor) => options.with_floor(floor.size()),
            None => options,
        })?;
        home.must_be_of_this_log(&store).await?;
        if let Some(floor) = floor {
            floor.must_lie_in(&store).await?;
        }
        let latest = store.latest_world().await?;
        let scope = if latest.is_some() {
            Scope::UpToWorld
        } else {
            Scope::WholeStore
        };
        let anchors = home.anchors(None, believed(home, &store).await?)?;
        let settings = Arc::new(settings::read(home)?);
        let (store, prover) = (Arc::new(store), prover(select.method, anchors));
        let selector =
            TextSelector::new(store.clone(), store.clone(), prover, Arc::new(SystemClock))
                .with_scope(scope)
                .with_beliefs(store.clone(), settings)
                .with_listing(if select.all_versions {
                    Listing::EachVersion
                } else {
                    Listing::EachMemory
                });
        Ok(Self {
            actor: Actor::new(home.actor()?, Arc::new(selector), store),
            base_world: latest.map_or_else(genesis, Ok)?,
        })
    }
}

fn prover(method: Method, anchors: Anchors) -> Arc<dyn MemoryVerifier> {
    match method {
        Method::Merkle => Arc::new(MerkleProver::new(MerkleVerifier::new(anchors))),
        Method::Signature => Arc::new(SignatureProver::new(SignatureVerifier::new(anchors))),
        Method::Hash => Arc::new(HashProver::new(HashVerifier)),
        Method::Existence => Arc::new(ExistenceProver::new(ExistenceVerifier)),
        Method::None => Arc::new(NoneProver::new(NoneVerifier)),
    }
}

/// The query, if it asks for anything.
pub fn query(text: &str) -> Result<Query, Error> {
    if text.trim().is_empty() {
        return Err(Error::input(
            "the query is empty",
            "name a thing, a person or a time",
        ));
    }
    Query::new(text).map_err(|error| Error::input(error, "ask in fewer words"))
}

/// What the memories must satisfy.
pub fn constraints(select: &Select) -> Result<SelectionConstraints, Error> {
    let mut constraints = SelectionConstraints::default()
        .with_max_results(select.max)
        .map_err(|error| Error::input(error, "choose --max from 1 to 1000"))?;
    if let Some(confidence) = select.min_confidence {
        constraints = constraints.with_min_confidence(confidence);
    }
    if select.require_verified {
        constraints = constraints.with_required_verification();
    }
    if select.require_evidence {
        constraints = constraints.with_required_evidence();
    }
    if select.after.is_some() || select.before.is_some() {
        let range = TimeRange::new(select.after, select.before)
            .map_err(|_| Error::input("--after is not earlier than --before", "swap them"))?;
        constraints = constraints.with_time_range(range);
    }
    Ok(constraints)
}

/// Who has to act when an actor could not.
pub fn failure(error: ActError) -> Error {
    match error {
        ActError::Store(error) | ActError::Select(SelectError::Store(error)) => error.into(),
        ActError::Select(SelectError::Search(SearchError::Store(error))) => error.into(),
        ActError::Select(SelectError::NoWords)
        | ActError::Shape(_)
        | ActError::EmptyMember { .. }
        | ActError::Intent(_)
        | ActError::IntentOfAnother { .. }
        | ActError::Attach(_) => Error::new(ErrorKind::Input, error.to_string()),
        other => Error::new(ErrorKind::Place, other.to_string()),
    }
}

fn genesis() -> Result<WorldId, Error> {
    WorldId::new(GENESIS).map_err(|_| Error::bug("no genesis"))
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
