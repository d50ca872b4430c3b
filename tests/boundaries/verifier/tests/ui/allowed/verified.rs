//! Evidence carries a time and an actor: that is what evidence is (M-9).

use counterfoil_types::VerificationEvidence as Carrier;

fn main() {
    let _reached = (Carrier::verified_at, Carrier::verified_by);
}
