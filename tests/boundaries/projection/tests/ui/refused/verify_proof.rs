//! M-10, CR-11, FP-03: a Projection verifies a proof.

use counterfoil_verifier::ProofVerifier;

fn main() {
    let _reached = <dyn ProofVerifier>::verify_proof;
}
