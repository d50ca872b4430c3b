//! I5: a World becomes a claim through the gate, and through nothing else.
use counterfoil_store::{ApprovedClaim, Draft, Subject};
use counterfoil_capsule::World;

fn draft(world: World) -> Draft {
    let mut draft = Draft::new(world.clone());
    draft.subject = Subject::Claim(ApprovedClaim { world });
    draft
}

fn main() {
    let _ = draft;
}
