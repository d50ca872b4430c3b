//! Outcome of an approved proposal: the next World, which names proposal, ground and decision (World Protocol §4.1).

use counterfoil_capsule::CapsuleError;
use counterfoil_types::json::Value;
use counterfoil_types::{Proposal, UnixMillis, World, WorldId};

use crate::ActError;

/// Makes the World that an approved proposal led to: `createdBy` is the proposal's id, and the members `baseWorld` and
/// `decision` are the World that it was made on and the authority's `report`. A seal is over all of them.
///
/// It says that the actor was given this report, not that an authority made it: reports are not signed.
///
/// # Errors
/// [`ActError::NotApproved`] if the report is about another proposal or approves none, [`ActError::Content`] for data that
/// is no content of a World.
pub fn outcome(
    proposal: &Proposal,
    report: Value,
    world_id: WorldId,
    created_at: UnixMillis,
    data: Value,
) -> Result<World, ActError> {
    let id = proposal.proposal_id();
    let says = |name: &str, value: &str| report.get(name).and_then(Value::as_str) == Some(value);
    if !says("decision", "approved") || !says("proposalId", id) {
        return Err(ActError::NotApproved {
            proposal: id.into(),
        });
    }
    let mut world = counterfoil_capsule::remember(world_id, created_at, data)?.to_value();
    if let Some(members) = world.as_object_mut() {
        members.insert("createdBy".into(), id.into());
        members.insert("baseWorld".into(), proposal.base_world().to_string().into());
        members.insert("decision".into(), report);
    }
    Ok(World::try_from(world).map_err(CapsuleError::from)?)
}
