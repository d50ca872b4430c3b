//! Twin of `authority/tests/ui/refused/fp_15_authority_proves.rs`: what an authority may not, an actor may (§9.2.1).

use counterfoil_actor::types::MemoryRef;
use counterfoil_capsule::World;
use counterfoil_prover::MemoryVerifier;

fn prove(verifier: &dyn MemoryVerifier, memory: &MemoryRef, world: &World) -> bool {
    verifier.prove(memory, world).valid()
}

fn main() {
    let _ = prove;
}
