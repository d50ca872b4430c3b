//! The twin of `refused/i_5_nobody_else_makes_what_was_approved.rs`.
use counterfoil_claims::Approved;
use counterfoil_store::{Draft, StoreError};
use counterfoil_types::{UnixMillis, WorldId};

fn draft(approved: &Approved, world: WorldId, at: UnixMillis) -> Result<Draft, StoreError> {
    Draft::claim(approved, world, at)
}

fn main() {
    let _ = draft;
}
