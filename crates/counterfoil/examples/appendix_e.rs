//! Appendix E of the Memory specification, typed in: a verifier of method `merkle` that believes the root that the prover
//! wrote down. An authority takes it, and accepts below `hash` what it says, until its policy ranks it.

use std::error::Error;

use counterfoil_authority::verifier::VerifierSet;
use counterfoil_authority::{Authority, Policy, Verdict};
use counterfoil_memory_verifier::{MemoryVerifier, ProofVerifier, ProveResult};
use counterfoil_types::json::Value;
use counterfoil_types::{
    MemoryRef, Proposal, UnixMillis, VerificationMethod, VerificationProof, World, WorldId,
};
use serde_json::json;

/// E.2: compares the computed root with the expected one, if there is one.
struct MerkleMemoryVerifier;

impl MemoryVerifier for MerkleMemoryVerifier {
    fn prove(&self, _memory: &MemoryRef, world: &World) -> ProveResult {
        let computed = compute_merkle_root(world);
        let value = world.to_value();
        let expected = value.pointer("/metadata/merkleRoot").cloned();
        if expected.as_ref().is_some_and(|root| *root != computed) {
            return ProveResult::Invalid("Merkle root mismatch".into());
        }
        let data = match expected {
            Some(root) => json!({"computedRoot": computed, "expectedRoot": root}),
            None => json!({"computedRoot": computed}),
        };
        VerificationProof::new(VerificationMethod::Merkle, Some(data)).into()
    }
}

impl ProofVerifier for MerkleMemoryVerifier {
    fn verify_proof(&self, proof: &VerificationProof) -> bool {
        let data = proof
            .proof()
            .filter(|_| *proof.method() == VerificationMethod::Merkle);
        let member = |name: &str| data.and_then(|data| data.get(name));
        match (member("computedRoot"), member("expectedRoot")) {
            (None, _) => false,
            // Otherwise, just verify proof structure exists.
            (Some(_), None) => true,
            (computed, expected) => computed == expected,
        }
    }
}

/// As in the appendix: "use crypto library for real implementation".
fn compute_merkle_root(world: &World) -> Value {
    let content = world.content_value().to_string();
    format!("hash:{}", content.len()).into()
}

/// A proposal of some Manifesto application that was proven by this verifier.
fn proposal() -> Result<Proposal, Box<dyn Error>> {
    let id = WorldId::new("world-1")?;
    let world =
        counterfoil_capsule::remember(id.clone(), UnixMillis::new(1)?, json!({"text": "tea"}))?;
    let result = MerkleMemoryVerifier.prove(&MemoryRef::new(id), &world);
    let proof = result.into_proof().ok_or("no proof")?;
    let actor = json!({"actorId": "baker", "kind": "agent"});
    let evidence = json!({"method": proof.method(), "proof": proof.proof(), "verifiedAt": 2, "verifiedBy": actor});
    let memory = json!({"ref": {"worldId": "world-1"}, "reason": "mentions tea", "confidence": 0.7,
        "verified": true, "evidence": evidence});
    let origin =
        json!({"projectionId": "p", "source": {"kind": "agent", "eventId": "e"}, "actor": actor});
    let intent = json!({"body": {"type": "tea.make"}, "intentId": "i", "intentKey": "k", "meta": {"origin": origin}});
    let trace = json!({"selector": actor, "query": "tea", "selectedAt": 2, "atWorldId": "world-42", "selected": [memory]});
    let wire = json!({"proposalId": "prop-1", "actor": actor, "intent": intent, "baseWorld": "world-42",
        "submittedAt": 3, "status": "submitted", "trace": {"summary": "tea", "context": {"memory": trace}}});
    Ok(Proposal::from_json(wire.to_string().as_bytes())?)
}

/// Verdict and outcome of the memory under a policy.
fn judged(policy: &str) -> Result<(Verdict, &'static str), Box<dyn Error>> {
    let merkle = VerificationMethod::Merkle;
    let verifiers = VerifierSet::default().with_method(merkle, MerkleMemoryVerifier)?;
    let authority = Authority::new(verifiers, Policy::from_json(policy.as_bytes())?);
    let report = authority.review(&proposal()?, UnixMillis::new(4)?);
    let outcome = report.memories.first().map(|memory| memory.outcome.name());
    Ok((report.decision().verdict(), outcome.ok_or("no memory")?))
}

const POLICIES: [&str; 3] = [
    r#"{"preset": "manifesto"}"#,
    r#"{"require_signed": false, "require_disclosed": [], "require_author": "any", "require_standing": false, "minimum_method": "hash"}"#,
    r#"{"require_signed": false, "require_disclosed": [], "require_author": "any", "require_standing": false, "minimum_method": "hash", "verifier_ranks": {"merkle": "hash"}}"#,
];

fn main() -> Result<(), Box<dyn Error>> {
    for policy in POLICIES {
        println!("{policy}: {:?}", judged(policy)?);
    }
    Ok(())
}

/// §7.4: roots that the prover wrote down himself are proof of nothing that the policy does not name.
#[test]
fn a_believing_verifier_proves_what_the_policy_ranks() -> Result<(), Box<dyn Error>> {
    let [plain, strict, ranked] = POLICIES;
    assert_eq!(judged(plain)?, (Verdict::Approved, "accepted"));
    assert_eq!(judged(strict)?, (Verdict::Indeterminate, "unproven"));
    assert_eq!(judged(ranked)?, (Verdict::Approved, "accepted"));
    Ok(())
}
