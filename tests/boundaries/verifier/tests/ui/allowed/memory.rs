//! A Verifier makes a reference and verifies a proof.

use counterfoil_types::MemoryRef;
use counterfoil_verifier::ProofVerifier;

fn main() {
    let _reached = (
        MemoryRef::new,
        <dyn ProofVerifier>::verify_proof,
    );
}
