//! What the store answers after the selection must be what was proven in it.
//!
//! The actor took whatever the store answered with the second time: another World, or another
//! content, stood beside the evidence of the first.

use std::collections::BTreeMap;
use std::sync::Arc;

use counterfoil_actor::capsule::{
    AgentSigner, CapsuleId, Position, Receipt, SecretKey, Stamp, World, seal_world,
};
use counterfoil_actor::prover::{ExistenceProver, HashProver, MemoryVerifier};
use counterfoil_actor::selector::{AnnotatedSelection, Annotation, MemorySelector, async_trait};
use counterfoil_actor::trace::has_trace;
use counterfoil_actor::types::{
    BoxError, Confidence, MemoryRef, Reason, SelectedMemory, SelectionRequest, SelectionResult,
    VerificationEvidence, VerificationProof,
};
use counterfoil_actor::verifier::{ExistenceVerifier, HashVerifier};
use counterfoil_actor::{ActError, Actor};
use serde_json::json;

use crate::support::{SELECTED_AT, Shelf, actor_ref, id, intent_of, millis, query, ready, world};

/// The World `a` with this text, sealed.
fn sealed(text: &str) -> World {
    let world =
        counterfoil_capsule::remember(id("a"), millis(SELECTED_AT - 1000), json!({"text": text}));
    with_receipt(world.expect("a World"))
}

fn with_receipt(world: World) -> World {
    let stamp = Stamp::next(SELECTED_AT * 1000, None).expect("a time");
    let position = Position::seed(CapsuleId::from_parts(SELECTED_AT, [1; 10]), stamp);
    let signer = AgentSigner::new(SecretKey::from_seed([7; 32]));
    let capsule = seal_world(&world, &position, [5; 32], &signer).expect("a capsule");
    capsule.receipt().expect("a World has one").beside(world)
}

/// Selects one memory, whatever it is asked, and hands over the World that it has examined, if any.
struct Answers(SelectedMemory, Option<World>);

#[async_trait]
impl MemorySelector for Answers {
    async fn select(&self, _: &SelectionRequest) -> Result<SelectionResult, BoxError> {
        let selected = vec![self.0.clone()];
        Ok(SelectionResult::new(selected, millis(SELECTED_AT)).expect("one memory"))
    }

    async fn select_annotated(
        &self,
        request: &SelectionRequest,
    ) -> Result<AnnotatedSelection, BoxError> {
        let world = self.1.clone();
        let annotation = Annotation {
            world,
            ..Annotation::default()
        };
        let annotations = BTreeMap::from([(id("a"), annotation)]);
        Ok((self.select(request).await?, annotations))
    }
}

fn selected(proof: VerificationProof) -> SelectedMemory {
    let mut evidence = serde_json::to_value(proof).expect("JSON");
    let members = evidence.as_object_mut().expect("an object");
    members.insert("verifiedAt".into(), json!(SELECTED_AT - 1));
    members.insert("verifiedBy".into(), json!(actor_ref("planner")));
    SelectedMemory::new(
        MemoryRef::new(id("a")),
        Reason::new("is called a").expect("a reason"),
        Confidence::ONE,
    )
    .with_evidence(VerificationEvidence::try_from(evidence).expect("evidence"))
}

/// A memory selected with the proof of its content's integrity, made from `world`.
fn hashed(world: &World) -> SelectedMemory {
    let proof = HashProver::new(HashVerifier).prove(&MemoryRef::new(id("a")), world);
    selected(proof.into_proof().expect("an honest proof"))
}

/// The error of a recall that selects `memory` from a store that answers `answer` for `a`; what
/// failed is in no proposal.
fn recalled(memory: SelectedMemory, answer: World) -> Result<World, ActError> {
    let store = Shelf(BTreeMap::from([(id("a"), answer)]));
    recalled_with(Answers(memory, None), store)
}

fn recalled_with(selector: Answers, store: Shelf) -> Result<World, ActError> {
    let selector = Arc::new(selector);
    let actor = Actor::new(actor_ref("planner"), selector, Arc::new(store));
    let deliberation = actor.deliberate(id("base"));
    let found = ready(deliberation.recall(query("a"), None)).map(|recalled| {
        let first = recalled.memories().next().expect("one memory");
        first.world().clone()
    });
    let recorded = found.is_ok();
    let proposal = deliberation.propose(intent_of("planner"), "s", "p", millis(SELECTED_AT));
    assert_eq!(has_trace(&proposal.expect("a proposal")), recorded);
    found
}

#[test]
fn what_was_proven_is_recalled() {
    let world = sealed("tea");
    let found = recalled(hashed(&world).as_verified(), world.clone());
    assert_eq!(found.expect("a recall"), world);
}

#[test]
fn another_world_than_the_selected_one_is_refused() {
    let memory = hashed(&sealed("tea")).as_verified();
    let error = recalled(memory, with_receipt(world("b"))).expect_err("another World");
    assert!(
        matches!(&error, ActError::OtherWorld { asked, answered }
            if *asked == id("a") && *answered == id("b")),
        "{error}"
    );
}

/// A World that the selector has examined is not fetched again; its receipt is of the entry that was proven.
#[test]
fn a_world_that_the_selector_has_examined_is_compared_by_its_entry() {
    let world = sealed("tea");
    let answers = |examined| Answers(hashed(&world).as_verified(), Some(examined));
    let found = recalled_with(answers(world.clone()), Shelf::default());
    assert_eq!(found.expect("a recall"), world);
    let other = recalled_with(answers(sealed("coffee")), Shelf::default());
    assert!(matches!(other, Err(ActError::OtherEntry { .. })));
    let bare = recalled_with(answers(world.clone().without_metadata()), Shelf::default());
    assert!(matches!(bare, Err(ActError::Unproven { .. })));
}

/// The entry is the one that was proven, and the content beside it is not.
#[test]
fn content_that_was_changed_after_it_was_proven_is_refused() {
    let honest = sealed("tea");
    let receipt = Receipt::of(&honest)
        .expect("well-formed")
        .expect("a receipt");
    let changed = receipt.beside(sealed("coffee").without_metadata());
    let bare = sealed("tea").without_metadata();
    for answer in [changed, bare] {
        let memory = hashed(&honest).as_verified();
        let error = recalled(memory, answer).expect_err("changed content");
        assert!(matches!(error, ActError::Unproven { .. }), "{error}");
    }
}

/// Content and entry fit each other, and the evidence is about another entry.
#[test]
fn another_entry_than_the_proven_one_is_refused() {
    let memory = hashed(&sealed("tea")).as_verified();
    let error = recalled(memory, sealed("coffee")).expect_err("another entry");
    assert!(matches!(error, ActError::OtherEntry { .. }), "{error}");
}

/// Nothing was shown about the content of these, so there is nothing that it could contradict.
#[test]
fn a_memory_without_proof_of_its_content_is_not_compared() {
    let unverified = hashed(&sealed("tea"));
    assert!(recalled(unverified, sealed("coffee")).is_ok());

    let existence = ExistenceProver::new(ExistenceVerifier);
    let proof = existence.prove(&MemoryRef::new(id("a")), &sealed("tea"));
    let exists = selected(proof.into_proof().expect("a proof")).as_verified();
    assert!(recalled(exists, sealed("coffee")).is_ok());
}
