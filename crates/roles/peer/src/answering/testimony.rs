//! Testimony of this agent on its own memories, which obliges no other agent to believe it (R9; case 99).

use std::net::IpAddr;
use std::sync::Arc;

use counterfoil_capsule::Timestamp;
use counterfoil_exchange::answering::{PassOn, Refusal, admit_verify};
use counterfoil_exchange::documents::{
    RequestedCheck, ResponseHeader, Signature, Testimony, VerifyRequest, VerifyResult,
    VerifyResultParts,
};
use counterfoil_exchange::trust::Level;
use counterfoil_selector::SelectError;
use counterfoil_types::{DidKey, WorldId};

use super::in_flight::Turn;
use super::memory::Memory;
use super::query::is_found;
use super::{Answering, internal};

impl Answering {
    /// Answers the bytes of a `memory_verify` with those of a `verify_result`. A memory that the asker may not have gets the same
    /// answer as one that does not exist.
    ///
    /// # Errors
    /// [`Refusal`].
    pub async fn verify(&self, request: &[u8], from: Option<IpAddr>) -> Result<Arc<[u8]>, Refusal> {
        let came_us = self.host.timer.now().monotonic_us;
        let admitted = admit_verify(request, &self.host.own_keys, self.host.timer.now().wall_us);
        self.charge(admitted.as_ref().map(|(_, asker)| *asker), from)?;
        let (request, asker) = admitted?;
        let (work, level) = match asker {
            None => (None, Level::Anonymous),
            Some(key) => {
                let (header, hash) = (&request.parts().header, *request.hash().digest());
                match self
                    .take_up((key, from), header, hash, None, |_| None)
                    .await?
                {
                    Turn::Answered(answer) => return Ok(answer.bytes),
                    Turn::Answer((work, level)) => (Some(work), level),
                }
            }
        };
        let bytes = self.testify(&request, asker, level, came_us).await?;
        if let Some(work) = work {
            // A testimony holds hashes and results, and no content.
            work.answered(&bytes, Vec::new());
        }
        Ok(bytes)
    }

    async fn testify(
        &self,
        request: &VerifyRequest,
        asker: Option<DidKey>,
        level: Level,
        came_us: u64,
    ) -> Result<Arc<[u8]>, Refusal> {
        let parts = request.parts();
        let memory = self.shown(request, asker, level).await.map_err(internal)?;
        let attested = memory
            .as_ref()
            .and_then(|memory| memory.attested(&self.host, PassOn::Refused));
        let vouched = self.trust.vouches().is_some();
        let testify = |holds| match holds {
            true => Testimony::Pass,
            false => Testimony::Fail,
        };
        let testimony = |check: &RequestedCheck| match (attested, check) {
            (Some(attested), RequestedCheck::SignatureValid) => testify(matches!(
                attested.attestation.signature(),
                Signature::Holds(_)
            )),
            (Some(_), RequestedCheck::VouchesPresent) => testify(vouched),
            // A request does not make this agent fetch anything.
            (Some(_), RequestedCheck::EvidenceAccessible) | (None, _) => Testimony::Skip,
        };
        let checks = parts.checks_requested.iter();
        let result = VerifyResultParts {
            header: ResponseHeader {
                request_id: parts.header.request_id.clone(),
                response_id: Some(self.host.draw_id().map_err(internal)?),
                timestamp: Timestamp::from_micros(self.host.timer.now().wall_us)
                    .map_err(internal)?,
            },
            in_response_to: Some(request.hash()),
            audience: parts.audience,
            responder: self.host.party(),
            attestation_id: parts.attestation_id.clone(),
            checks: checks.map(|check| (*check, testimony(check))).collect(),
        };
        let result = VerifyResult::sign(result, request, self.host.signer.as_ref());
        if attested.is_none() {
            self.pad_to_timing_step(came_us).await;
        }
        Ok(Arc::from(result.map_err(internal)?.bytes()))
    }

    /// Returns the memory of the request, if the asker may have it.
    async fn shown(
        &self,
        request: &VerifyRequest,
        asker: Option<DidKey>,
        level: Level,
    ) -> Result<Option<Arc<Memory>>, SelectError> {
        self.cache.refresh(&self.host).await?;
        let Ok(id) = WorldId::new(request.parts().attestation_id.as_str()) else {
            return Ok(None);
        };
        let Some(index) = self.host.store.index_of(&id).await? else {
            return Ok(None);
        };
        let Some(memory) = self
            .cache
            .memory_if(&self.host, &id, index, |_| true)
            .await?
        else {
            return Ok(None);
        };
        let mut shares = self.settings.shares.iter();
        let may = shares.any(|share| {
            share.fits(asker, level, share.domains.first()) && self.may_have(&memory, &[share])
        });
        let found = may && is_found(&self.host, self.index.as_ref(), &memory.world).await?;
        Ok(found.then_some(memory))
    }
}
