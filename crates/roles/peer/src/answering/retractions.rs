//! Notices that a claim of this agent was taken back, for an asker that keeps it (docs/format/exchange.md §10.2).

use counterfoil_capsule::Timestamp;
use counterfoil_claims::Act;
use counterfoil_claims::belief::ClaimState;
use counterfoil_exchange::documents::{Request, Retraction, RetractionAct, Text};
use counterfoil_selector::SelectError;
use counterfoil_store::{AsOf, StoreError};
use counterfoil_types::{DidKey, WorldId};

use super::Answering;
use super::recall::Recalled;
use crate::PeerError;
use crate::given::{Handover, note};

impl Answering {
    /// Adds the notices for what the asker keeps. An anonymous one gets none.
    pub(super) async fn with_retractions(
        &self,
        mut found: Recalled,
        request: &Request,
        asker: Option<DidKey>,
    ) -> Result<Recalled, SelectError> {
        let held = &request.parts().preferences.held;
        for id in held.iter().filter(|_| asker.is_some()) {
            found.retractions.extend(self.retraction(id).await?);
        }
        Ok(found)
    }

    /// Counts the claims that this agent gives to another that it knows by a name, and the notices: a stranger leaves no trace here.
    pub(super) async fn note_readers(
        &self,
        found: &Recalled,
        asker: Option<DidKey>,
    ) -> Result<(), PeerError> {
        let records = self.trust.records();
        let is_named = |key: &DidKey| records.of_key(key).is_some_and(|it| it.name.is_some());
        let Some(asker) = asker.filter(is_named) else {
            return Ok(());
        };
        let (store, now_us) = (self.host.store.as_ref(), self.host.timer.now().wall_us);
        let given = found.memories.iter().map(|found| &found.memory);
        let given = given.filter(|memory| memory.unit.is_some());
        for memory in given {
            let claim = (&asker, memory.world.world_id());
            note(store, Handover::Given, claim, now_us).await?;
        }
        for notice in &found.retractions {
            if let Ok(claim) = WorldId::new(notice.id.as_str()) {
                note(store, Handover::Told, (&asker, &claim), now_us).await?;
            }
        }
        Ok(())
    }

    /// Returns the notice for one claim; `None` while it holds. Who names it was given it: ids of claims are drawn.
    async fn retraction(&self, id: &Text<1024>) -> Result<Option<Retraction>, StoreError> {
        let store = &self.host.store;
        let Ok(world) = WorldId::new(id.as_str()) else {
            return Ok(None);
        };
        let unit = store.unit_of(&world).await?;
        let Some(unit) = unit.filter(|unit| unit.line().agent == self.host.signer.agent()) else {
            return Ok(None);
        };
        let settings = self.host.claims.current().await?;
        let history = store.claim_history(unit.line().clone(), AsOf::default(), settings);
        let history = history.await?;
        let entry = history
            .iter()
            .find(|entry| *entry.claim.reference() == world);
        // A claim that another has followed held before that.
        let act = entry.and_then(|entry| match entry.state {
            ClaimState::Retracted | ClaimState::Denied => Some(RetractionAct::Retracted),
            ClaimState::Superseded if entry.window.is_empty() => Some(RetractionAct::Corrected),
            _ => None,
        });
        let because_of = entry.and_then(|entry| entry.because_of.as_ref());
        let (Some(act), Some(because_of)) = (act, because_of) else {
            return Ok(None);
        };
        let by = store.unit_of(because_of).await?;
        let at = by.as_ref().map(|by| by.stamp().micros());
        let at = at.and_then(|at| Timestamp::from_micros(at).ok());
        let (Some(by), Some(at)) = (by, at) else {
            return Ok(None);
        };
        let reason = match by.act() {
            Act::Retract { reason, .. } => reason.as_deref(),
            _ => None,
        };
        Ok(Some(Retraction {
            id: id.clone(),
            act,
            at,
            reason: reason.and_then(|reason| Text::new(reason).ok()),
        }))
    }
}
