//! I5: no World becomes a claim unit without the gate. Twin: `allowed/i_5_approved_claim_is_read.rs`.

use counterfoil_capsule::World;
use counterfoil_store::ApprovedClaim;

fn smuggled(world: World) -> ApprovedClaim {
    ApprovedClaim { world }
}

fn main() {
    let _ = smuggled;
}
