//! Asking a responder about one of its memories: a `memory_verify`, answered by testimony that no check counts (R9;
//! docs/format/exchange.md §6).

use counterfoil_exchange::documents::{
    Audience, MAX_LIFE_US, Nonce, Party, RequestHeader, RequestedCheck, Signature, Text,
    VerifyParts, VerifyRequest, VerifyResult,
};
use counterfoil_types::DidKey;

use super::begin::instant;
use super::race::{First, race};
use crate::{Host, PeerError, Transport};

impl Host {
    /// Asks the agent of a key what it states of its memory `attestation_id`, and waits at most `timeout_us`. The result is signed by
    /// that key and bound to this request. Nothing is stored.
    ///
    /// # Errors
    /// [`PeerError::Failed`] without an answer in time, [`PeerError::Refused`] for an answer that is not authentic or not to this
    /// request.
    pub async fn verify(
        &self,
        peer: DidKey,
        attestation_id: Text<1024>,
        timeout_us: u64,
        transport: &mut dyn Transport,
    ) -> Result<VerifyResult, PeerError> {
        let now = self.timer.now();
        let mut nonce = [0_u8; 16];
        self.entropy.fill(&mut nonce)?;
        let expires_us = now.wall_us.saturating_add(timeout_us.min(MAX_LIFE_US));
        let parts = VerifyParts {
            header: RequestHeader {
                request_id: self.draw()?,
                nonce: Some(Nonce::from_bytes(nonce)),
                timestamp: instant(now.wall_us)?,
                expires: instant(expires_us)?,
            },
            requester: Party::named(self.name.clone()),
            audience: Audience::One(peer),
            attestation_id,
            checks_requested: RequestedCheck::ALL.into(),
        };
        let request = VerifyRequest::sign(parts, self.signer.as_ref())?;
        let until = now.monotonic_us.saturating_add(timeout_us);
        let exchange = async {
            transport.send(request.bytes()).await?;
            transport.receive().await
        };
        let bytes = match race(exchange, self.timer.sleep_until(until)).await {
            First::One(came) => came?,
            First::Other(()) => {
                return Err(PeerError::Failed {
                    detail: "no answer came in time; give it longer with --timeout".to_owned(),
                    retry_after_us: None,
                });
            }
        };
        checked(&bytes, &request, peer, self.signer.key())
    }
}

/// Reads the result of `request`, signed by `peer` and bound to it.
fn checked(
    bytes: &[u8],
    request: &VerifyRequest,
    peer: DidKey,
    asker: DidKey,
) -> Result<VerifyResult, PeerError> {
    let refused = |detail: String| PeerError::Refused {
        detail,
        problem: None,
    };
    let result = VerifyResult::parse(bytes)
        .map_err(|error| refused(format!("what came is no verify_result: {error}")))?;
    let (said, asked) = (result.parts(), request.parts());
    let is_bound = said.in_response_to == Some(request.hash())
        && said.header.request_id == asked.header.request_id
        && said.audience == Audience::One(asker)
        && said.attestation_id == asked.attestation_id
        && said.responder.public_key == Some(peer)
        && asked.checks_requested.len() == said.checks.len();
    match is_bound && result.signature_for(request) == Signature::Holds(peer) {
        true => Ok(result),
        false => Err(refused(
            "what came is not a signed answer of the asked agent to this request; ask again over another way".to_owned(),
        )),
    }
}
