//! FP-15, §9.2.3: an authority cannot name `prove`. Twin: `actor/tests/ui/allowed/fp_15_actor_proves.rs`.

use counterfoil_authority::types::MemoryRef;
use counterfoil_capsule::World;
use counterfoil_prover::MemoryVerifier;

fn prove(verifier: &dyn MemoryVerifier, memory: &MemoryRef, world: &World) -> bool {
    verifier.prove(memory, world).valid()
}

fn main() {
    let _ = prove;
}
