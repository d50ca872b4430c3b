//! References of a request: cited Worlds exist and are no units, claims are claims of this agent.

use alloc::vec::Vec;

use counterfoil_types::WorldId;

use crate::limits::is_chain;
use crate::{Act, Anchor, ClaimError, ClaimInView, ClaimRef, LineView, Unit};

/// The anchors of a submission.
pub(super) fn anchors(view: &dyn LineView, worlds: &[WorldId]) -> Result<Vec<Anchor>, ClaimError> {
    worlds
        .iter()
        .map(|world| anchor(view, world)?.ok_or_else(|| ClaimError::AnchorNotFound(world.clone())))
        .collect()
}

/// The claims that a submission was derived from.
pub(super) fn ancestors(
    view: &dyn LineView,
    references: &[ClaimRef],
) -> Result<Vec<Unit>, ClaimError> {
    references
        .iter()
        .map(|reference| claim(view, reference).map(|found| found.claim))
        .collect()
}

/// The evidence of a verdict on `target`: at least one World, or claim of external provenance; no claim of a model.
pub(super) fn evidence(
    view: &dyn LineView,
    target: &ClaimRef,
    worlds: &[WorldId],
) -> Result<(Vec<Anchor>, Vec<ClaimRef>), ClaimError> {
    if worlds.is_empty() {
        return Err(ClaimError::InadmissibleEvidence);
    }
    let (mut anchors, mut claims) = (Vec::new(), Vec::new());
    for world in worlds {
        if world == target {
            return Err(ClaimError::Itself(world.clone()));
        }
        if let Some(anchor) = anchor(view, world)? {
            anchors.push(anchor);
            continue;
        }
        let claim = view
            .claim(world)?
            .ok_or_else(|| ClaimError::AnchorNotFound(world.clone()))?;
        if !claim.claim.provenance().is_external() {
            return Err(ClaimError::InadmissibleEvidence);
        }
        claims.push(world.clone());
    }
    Ok((anchors, claims))
}

/// The claim of that name.
pub(super) fn claim(view: &dyn LineView, reference: &ClaimRef) -> Result<ClaimInView, ClaimError> {
    view.claim(reference)?
        .filter(|found| matches!(found.claim.act(), Act::Claim(_)))
        .ok_or_else(|| ClaimError::ClaimNotFound(reference.clone()))
}

/// Returns the anchor of a World; `None` where there is none, or where it is a unit.
fn anchor(view: &dyn LineView, world: &WorldId) -> Result<Option<Anchor>, ClaimError> {
    let chain = view.anchor(world)?.filter(|chain| is_chain(chain));
    Ok(chain.map(|source| Anchor {
        world: world.clone(),
        source,
    }))
}
