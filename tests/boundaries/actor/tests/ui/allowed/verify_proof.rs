//! An Actor verifies a proof: allowed.

use counterfoil_verifier::ProofVerifier;

fn main() {
    let _reached = <dyn ProofVerifier>::verify_proof;
}
