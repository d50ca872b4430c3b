//! M-9, CR-17, FP-10, FP-11: a Verifier makes evidence, which has a time and an actor.

use counterfoil_types::{ActorRef, UnixMillis, VerificationEvidence, VerificationProof};

fn verified(proof: VerificationProof, at: UnixMillis, by: ActorRef) -> VerificationEvidence {
    VerificationEvidence::new(proof, at, by)
}

fn main() {
    let _reached = verified;
}
