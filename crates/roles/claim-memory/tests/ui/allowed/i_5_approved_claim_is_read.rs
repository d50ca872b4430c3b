//! Twin of `refused/i_5_approved_claim_is_not_made.rs`: a draft of a claim comes from what the gate approved.

use counterfoil_capsule::World;
use counterfoil_claims::Approved;
use counterfoil_store::{ApprovedClaim, Draft, StoreError};
use counterfoil_types::{UnixMillis, WorldId};

fn written(approved: &Approved, id: WorldId, at: UnixMillis) -> Result<Draft, StoreError> {
    Draft::claim(approved, id, at)
}

fn read(claim: &ApprovedClaim) -> &World {
    claim.world()
}

fn main() {
    let _ = (written, read);
}
