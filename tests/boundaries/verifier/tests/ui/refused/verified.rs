//! M-8, CR-19, CR-20, FP-10, FP-11: a proof that carries a time and an actor.

use counterfoil_types::VerificationProof as Carrier;

fn main() {
    let _reached = (Carrier::verified_at, Carrier::verified_by);
}
