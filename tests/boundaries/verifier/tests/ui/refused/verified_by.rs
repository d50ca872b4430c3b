//! M-8, CR-20, FP-11: a proof that carries an actor.

use counterfoil_types::VerificationProof as Carrier;

fn main() {
    let _reached = Carrier::verified_by;
}
