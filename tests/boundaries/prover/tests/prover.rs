//! A prover of one's own proves what the crates of its role let it see.
#![cfg(test)]

use boundary_prover::Snapshots;
use counterfoil_memory_verifier::{MemoryVerifier, ProofVerifier};
use counterfoil_types::{MemoryRef, VerificationMethod, World, WorldId};
use serde_json::json;

/// M-7, CR-15, MR-04: an application's own `prove`, in a `no_std` library.
#[test]
fn a_prover_of_ones_own_proves_a_world_and_no_other() {
    let id = |text| WorldId::new(text).unwrap();
    let world = json!({
        "worldId": "world-1", "schemaHash": "note", "snapshotHash": "5f2e", "createdAt": 1, "createdBy": null,
    });
    let world = World::try_from(world).unwrap();
    let prover = Snapshots::new(VerificationMethod::new("snapshot").unwrap());
    let prove = |text| prover.prove(&MemoryRef::new(id(text)), &world);
    let proof = prove("world-1").into_proof().unwrap();
    assert!(prover.verify_proof(&proof));
    assert_eq!(prove("world-1").into_proof(), Some(proof));
    assert!(!prove("world-2").valid());
}
