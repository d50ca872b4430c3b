//! Appendix D of the Memory specification, typed in: an application's own store, verifier and selector, an actor that
//! recalls with them, and an authority that takes the same verifier.

use std::collections::BTreeMap;
use std::sync::Arc;

use counterfoil_actor::{Actor, IntentDraft, SourceKind};
use counterfoil_authority::{Authority, Policy, Preset, Verdict};
use counterfoil_memory_selector::{MemorySelector, wrap_proof};
use counterfoil_memory_store::{MemoryStore, async_trait};
use counterfoil_memory_verifier::{MemoryVerifier, ProofVerifier, ProveResult};
use counterfoil_trace::{MemoryTrace, from_proposal};
use counterfoil_types::{
    ActorKind, ActorRef, BoxError, Confidence, IntentBody, MemoryRef, Proposal, Query, Reason,
    SelectedMemory, SelectionRequest, SelectionResult, UnixMillis, VerificationMethod,
    VerificationProof, World, WorldId,
};
use serde_json::json;

/// D.1: a store. A map is its database.
struct MapStore(BTreeMap<WorldId, World>);

#[async_trait]
impl MemoryStore for MapStore {
    async fn get(&self, world_id: &WorldId) -> Result<Option<World>, BoxError> {
        Ok(self.0.get(world_id).cloned())
    }

    async fn exists(&self, world_id: &WorldId) -> Result<bool, BoxError> {
        Ok(self.0.contains_key(world_id))
    }
}

/// D.2: a verifier that knows that there is a World.
struct ExistenceVerifier;

impl ProofVerifier for ExistenceVerifier {
    fn verify_proof(&self, proof: &VerificationProof) -> bool {
        *proof.method() == VerificationMethod::Existence
    }
}

impl MemoryVerifier for ExistenceVerifier {
    fn prove(&self, _memory: &MemoryRef, _world: &World) -> ProveResult {
        VerificationProof::new(VerificationMethod::Existence, None).into()
    }
}

/// D.3: a selector that finds Worlds by the words of the query.
struct SimpleSelector {
    store: Arc<MapStore>,
    verifier: ExistenceVerifier,
}

impl SimpleSelector {
    fn find_by_keywords(&self, query: &str) -> Vec<WorldId> {
        let holds = |world: &World| {
            let content = world.to_value().to_string();
            query.split_whitespace().any(|word| content.contains(word))
        };
        let worlds = self.store.0.values().filter(|world| holds(world));
        worlds.map(|world| world.world_id().clone()).collect()
    }
}

#[async_trait]
impl MemorySelector for SimpleSelector {
    async fn select(&self, request: &SelectionRequest) -> Result<SelectionResult, BoxError> {
        let constraints = request.constraints().cloned().unwrap_or_default();
        let limit = constraints.max_results().unwrap_or(10);
        let mut selected = Vec::new();
        for candidate in self.find_by_keywords(request.query().as_str()) {
            // 1. The World (IO belongs to the selector). 2. The proof (pure). 3. The evidence: time and actor.
            let Some(world) = self.store.get(&candidate).await? else {
                continue;
            };
            let memory = MemoryRef::new(candidate);
            let reason = Reason::new(format!("Matched query: {}", request.query().as_str()))?;
            let proof = self.verifier.prove(&memory, &world).into_proof();
            let mut found = SelectedMemory::new(memory, reason, Confidence::new(0.7)?);
            if let Some(proof) = proof {
                let evidence = wrap_proof(&proof, at(2)?, request.selector())?;
                found = found.with_evidence(evidence).as_verified();
            }
            if constraints.admits(&found, world.created_at()) {
                selected.push(found);
            }
        }
        selected.truncate(limit);
        Ok(SelectionResult::new(selected, at(2)?)?)
    }
}

fn at(millis: u64) -> Result<UnixMillis, BoxError> {
    Ok(UnixMillis::new(millis)?)
}

/// D.4: an authority that does no more than call the verifier.
fn authority_verify_memories(trace: &MemoryTrace, verifier: &dyn ProofVerifier) -> Vec<String> {
    let with_evidence = trace.selected().iter().filter_map(|memory| {
        // M-12: the proof is taken out of the evidence.
        let proof = memory.evidence()?.to_proof();
        (!verifier.verify_proof(&proof)).then(|| memory.memory_ref().world_id())
    });
    with_evidence
        .map(|world| format!("Invalid proof for {world}"))
        .collect()
}

async fn propose(me: &ActorRef) -> Result<Proposal, BoxError> {
    let note = WorldId::new("note-1")?;
    let data = json!({"text": "Kit must not eat sesame"});
    let world = counterfoil_capsule::remember(note.clone(), at(1)?, data)?;
    let store = Arc::new(MapStore(BTreeMap::from([(note, world)])));
    let selector = SimpleSelector {
        store: Arc::clone(&store),
        verifier: ExistenceVerifier,
    };
    let actor = Actor::new(me.clone(), Arc::new(selector), store);
    // The World of the application: the memory store does not hold it.
    let deliberation = actor.deliberate(WorldId::new("world-42")?);
    let recalled = deliberation.recall(Query::new("sesame")?, None).await?;
    let summary = format!("A lemon cake, on {} memory", recalled.len());
    let intent = IntentDraft {
        body: IntentBody::new("cake.bake")?,
        schema_hash: "schema".into(),
        intent_id: "intent-1".into(),
        projection_id: "kitchen".into(),
        source: SourceKind::Agent,
        event_id: "event-1".into(),
    };
    Ok(deliberation.propose(intent.by(me)?, summary, "prop-1", at(3)?)?)
}

/// Verdict of an authority with this verifier, and the outcome of the memory.
fn judged(proposal: &Proposal, preset: Preset) -> Result<(Verdict, &'static str), BoxError> {
    let authority = Authority::new(ExistenceVerifier, Policy::preset(preset));
    let report = authority.review(proposal, at(4)?);
    let outcome = report.memories.first().map(|memory| memory.outcome.name());
    Ok((report.decision().verdict(), outcome.ok_or("no memory")?))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    let me = ActorRef::new("baker", ActorKind::Agent)?;
    let proposal = propose(&me).await?;
    let trace = from_proposal(&proposal)?.ok_or("a proposal without a trace")?;
    println!(
        "{:?}",
        authority_verify_memories(&trace, &ExistenceVerifier)
    );
    for preset in [Preset::Manifesto, Preset::Standard] {
        println!("{preset}: {:?}", judged(&proposal, preset)?);
    }
    Ok(())
}

/// §7.4: a plain Manifesto proposal passes where the host wants it, and is left open by the standard policy.
#[tokio::test]
async fn the_appendix_is_approved_where_the_host_wants_it() -> Result<(), BoxError> {
    let me = ActorRef::new("baker", ActorKind::Agent)?;
    let proposal = propose(&me).await?;
    let judged = |preset| judged(&proposal, preset);
    assert_eq!(judged(Preset::Manifesto)?, (Verdict::Approved, "accepted"));
    assert_eq!(
        judged(Preset::Standard)?,
        (Verdict::Indeterminate, "unproven")
    );
    assert_eq!(judged(Preset::HighRisk)?, (Verdict::Rejected, "unproven"));
    Ok(())
}
