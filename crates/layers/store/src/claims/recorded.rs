//! Reads a unit back from its capsule: the one way from the log to derived tables (I1, I3).

use counterfoil_capsule::{Kind, World};
use counterfoil_claims::Unit;

use crate::capsule_log::StoredCapsule;

/// The unit of a capsule; `None` when it is of another kind, its content was erased, or its content is no unit, as may
/// be with capsules that were sealed elsewhere.
///
/// The line is that of the agent whom the header names: a capsule says something of its signer's lines and of no
/// other's, whatever its content.
pub fn unit_in(stored: &StoredCapsule) -> Option<Unit> {
    if stored.header.kind() != Kind::Claim {
        return None;
    }
    let world = World::from_json(stored.payload.as_ref()?.text.as_bytes()).ok()?;
    let (name, index) = (world.world_id().clone(), stored.index);
    Unit::parse(
        name,
        stored.header.agent(),
        index,
        stored.header.recorded().micros(),
        world.data()?,
    )
    .ok()
}
