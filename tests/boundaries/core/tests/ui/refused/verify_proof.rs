//! FP-14: the Core verifies a proof.

use counterfoil_verifier::ProofVerifier;

fn main() {
    let _reached = <dyn ProofVerifier>::verify_proof;
}
