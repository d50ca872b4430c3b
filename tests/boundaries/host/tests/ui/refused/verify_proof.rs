//! FP-13: a Host verifies a proof.

use counterfoil_verifier::ProofVerifier;

fn main() {
    let _reached = <dyn ProofVerifier>::verify_proof;
}
