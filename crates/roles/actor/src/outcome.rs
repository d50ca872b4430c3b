//! Worlds of a decision: the decision itself, and the outcome of an approved one (World Protocol §4.1; docs/format/decision.md).

use counterfoil_capsule::CapsuleError;
use counterfoil_types::json::{Map, Value};
use counterfoil_types::{Proposal, UnixMillis, World, WorldId};
use counterfoil_verifier::decision::{self, DecisionRecord, Verdict};

use crate::ActError;

/// Begin of the id of the World that keeps a decision.
pub const DECISION: &str = "decision-";
/// Begin of the id of the World that an approved proposal led to.
const OUTCOME: &str = "outcome-";
/// Characters of a proposal's summary that are kept beside a decision.
const MAX_SUMMARY: usize = 1000;

/// Makes the World that keeps a decision about `proposal`. Its id follows from the decision, so that one decision is kept
/// once.
///
/// # Errors
/// [`ActError::Content`] for a decision that is too large for a World.
pub fn decided(proposal: &Proposal, decision: &DecisionRecord) -> Result<World, ActError> {
    let (_, name) = decision.authority();
    let summary = proposal.trace().map(|trace| trace.summary());
    let summary = summary.unwrap_or_else(|| proposal.proposal_id());
    let summary: String = summary.chars().take(MAX_SUMMARY).collect();
    let mut data = Map::new();
    data.insert("kind".into(), "decision".into());
    let text = format!("{} by {name}: {summary}", decision.verdict());
    data.insert("text".into(), text.into());
    let world_id = id(DECISION, decision)?;
    let created_at = decision.decided_at();
    world(proposal, decision, world_id, created_at, data.into())
}

/// Makes the World that an approved proposal led to: `createdBy` is the proposal's id, and the members `baseWorld` and
/// `decision` are the World that it was made on and the authority's decision. A seal is over all of them. Its id follows from
/// the decision: one decision has one outcome.
///
/// It says that the authority approved. That the actor did it is the actor's word.
///
/// # Errors
/// [`ActError::NotApproved`] if the decision approves nothing, [`ActError::Content`] for data that is no content of a World.
pub fn outcome(
    proposal: &Proposal,
    decision: &DecisionRecord,
    created_at: UnixMillis,
    data: Value,
) -> Result<World, ActError> {
    if decision.verdict() != Verdict::Approved {
        return Err(ActError::NotApproved {
            proposal: proposal.proposal_id().into(),
        });
    }
    let world_id = outcome_id(decision)?;
    world(proposal, decision, world_id, created_at, data)
}

/// Returns the id of the World that this decision led to, if it led to any.
///
/// # Errors
/// As [`decided`].
pub fn outcome_id(decision: &DecisionRecord) -> Result<WorldId, ActError> {
    id(OUTCOME, decision)
}

fn id(begin: &str, decision: &DecisionRecord) -> Result<WorldId, ActError> {
    let digest = decision::digest(decision.to_value())?.to_hex();
    Ok(WorldId::new(format!("{begin}{digest}"))?)
}

fn world(
    proposal: &Proposal,
    decision: &DecisionRecord,
    world_id: WorldId,
    created_at: UnixMillis,
    data: Value,
) -> Result<World, ActError> {
    let mut world = counterfoil_capsule::remember(world_id, created_at, data)?.to_value();
    if let Some(members) = world.as_object_mut() {
        members.insert("createdBy".into(), proposal.proposal_id().into());
        members.insert("baseWorld".into(), proposal.base_world().to_string().into());
        members.insert("decision".into(), decision.to_value().clone());
    }
    Ok(World::try_from(world).map_err(CapsuleError::from)?)
}
