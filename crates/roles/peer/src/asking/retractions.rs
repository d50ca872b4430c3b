//! What the asked agent has taken back of what is kept of it: recorded, so that no belief takes it any more
//! (docs/format/exchange.md §10.2).

use std::sync::Arc;

use counterfoil_claims::{Act, Assertion, ProvenanceClass, Unit};
use counterfoil_exchange::checks::CheckResult;
use counterfoil_exchange::documents::{Attestation, Text};
use counterfoil_exchange::machine::ItemState;
use counterfoil_store::{ClaimRequest, ExchangeStore, StoreError};
use counterfoil_types::{DidKey, WorldId};

use super::StorePolicy;
use super::drive::{Bound, Drive};
use super::item::{Item, Plan};
use crate::{Host, PeerError, attestation_behind};

/// Most exchanges that are looked through, the newest.
const MOST_EXCHANGES: usize = 32;
/// Most claims that a request names.
const MOST_HELD: usize = 16;

impl Host {
    /// Returns the newest claims of an agent that are kept and were not taken back, at most 16: the id of the attestation by that
    /// agent, and the unit here.
    pub(super) async fn held_from(
        &self,
        peer: DidKey,
    ) -> Result<Vec<(Text<1024>, WorldId)>, PeerError> {
        let mut held = Vec::new();
        let exchanges = self.store.exchanges(None, MOST_EXCHANGES).await?;
        let exchanges = exchanges.iter().filter(|it| it.begun.peer.is_some());
        for item in exchanges.flat_map(|it| Item::read_all(&it.items).unwrap_or_default()) {
            let is_claim = item.plan == Plan::Claim && item.memory.state == ItemState::Stored;
            let (Some(world), true) = (item.memory.stored, is_claim) else {
                continue;
            };
            let Some(unit) = self.store.unit_of(&world).await? else {
                continue;
            };
            if !matches!(unit.provenance().class(), ProvenanceClass::Peer { agent, .. } if agent == peer)
            {
                continue;
            }
            let known = held.iter().any(|(_, known)| *known == world);
            if known || is_retracted(self.store.as_ref(), &unit).await? {
                continue;
            }
            let attestation = attestation_behind(self.store.as_ref(), &unit).await?;
            held.extend(attestation.map(|it| (first(&it).parts().id.clone(), world)));
            if held.len() == MOST_HELD {
                break;
            }
        }
        Ok(held)
    }
}

impl Drive<'_> {
    /// Records what the responder takes back of its own word, once. An answer that does not show its key takes nothing back.
    pub(super) async fn take_retractions(&mut self) -> Result<(), PeerError> {
        if self.begun.terms.store_policy == StorePolicy::None {
            return Ok(());
        }
        let Some(answer) = self.answer_left().await? else {
            return Ok(());
        };
        let notices = &answer.response.parts().meta.retractions;
        let whole = self.examine_whole(&answer, Bound::SameWay);
        let (Some(responder), CheckResult::Pass, CheckResult::Pass, false) = (
            whole.responder,
            whole.identity,
            whole.signature,
            notices.is_empty(),
        ) else {
            return Ok(());
        };
        let (host, asked) = (self.host, &self.begun.request.parts().preferences.held);
        let held = host.held_from(responder).await?;
        for (number, notice) in notices.iter().enumerate() {
            let here = held.iter().find(|(id, _)| *id == notice.id);
            let Some((_, world)) = here.filter(|_| asked.contains(&notice.id)) else {
                continue;
            };
            let channel = host.channels.peer(responder, whole.level.number());
            let channel = channel.ok_or(PeerError::Bug("a level above 3"))?;
            let reason = notice.reason.as_ref().map(|reason| reason.to_string());
            // A reason that cannot be recorded takes the claim back all the same.
            let made = Assertion::retract(&channel, world.clone(), reason)
                .or_else(|_| Assertion::retract(&channel, world.clone(), None))
                .and_then(|made| {
                    made.keyed(&format!("exchange:{}:retraction:{number}", self.begun.id))
                });
            let made = made.map_err(|_| PeerError::Bug("a retraction without a shape"))?;
            let (signer, settings) = (Arc::clone(&host.signer), host.claims.current().await?);
            let requests = vec![ClaimRequest::Assert(made)];
            for said in host.store.submit(signer, settings, requests).await? {
                if let Err(refusal) = said {
                    tracing::warn!(%refusal, claim = %world, "a retraction was not recorded");
                }
            }
        }
        Ok(())
    }
}

/// Returns true if a claim was taken back.
pub(super) async fn is_retracted(
    store: &dyn ExchangeStore,
    unit: &Unit,
) -> Result<bool, StoreError> {
    let units = store.units(unit.line().clone(), None).await?;
    Ok(units
        .iter()
        .any(|it| matches!(it.act(), Act::Retract { target, .. } if target == unit.reference())))
}

/// The attestation of the agent that said it first.
pub(super) fn first(attestation: &Attestation) -> &Attestation {
    attestation.parts().origin().unwrap_or(attestation)
}
