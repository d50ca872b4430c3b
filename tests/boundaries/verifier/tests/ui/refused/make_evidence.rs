//! M-9, CR-17, FP-10, FP-11: a Verifier hands out evidence, which has a time and an actor.

use counterfoil_types::VerificationProof;

fn verified(proof: VerificationProof) -> counterfoil_types::VerificationEvidence {
    proof
}

fn main() {
    let _reached = verified;
}
