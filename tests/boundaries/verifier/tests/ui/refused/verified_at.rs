//! M-8, CR-19, FP-10: a proof that carries a time.

use counterfoil_types::VerificationProof as Carrier;

fn main() {
    let _reached = Carrier::verified_at;
}
