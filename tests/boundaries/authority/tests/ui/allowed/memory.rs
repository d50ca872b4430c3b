//! An Authority reads a trace, makes a reference and verifies a proof.

use counterfoil_trace::from_proposal;
use counterfoil_types::MemoryRef;
use counterfoil_verifier::ProofVerifier;

fn main() {
    let _reached = (
        from_proposal,
        MemoryRef::new,
        <dyn ProofVerifier>::verify_proof,
    );
}
