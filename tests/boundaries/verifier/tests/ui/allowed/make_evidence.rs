//! A Verifier hands out a proof.

use counterfoil_types::VerificationProof;

fn verified(proof: VerificationProof) -> counterfoil_types::VerificationProof {
    proof
}

fn main() {
    let _reached = verified;
}
