//! Request of a question, with an id, a nonce and times (MRP-2).

use counterfoil_capsule::Timestamp;
use counterfoil_exchange::documents::{
    Audience, DocumentError, MAX_LIFE_US, Nonce, Party, Preferences, Request, RequestHeader,
    RequestId, RequestParts, Text,
};
use counterfoil_types::DidKey;
use serde::{Deserialize, Serialize};

use super::{ExchangeQuestion, StorePolicy};
use crate::{Host, PeerError};

/// Start of an exchange.
#[derive(Debug, Clone)]
pub(super) struct Begun {
    pub(super) id: RequestId,
    pub(super) request: Request,
    pub(super) peer: Option<DidKey>,
    pub(super) address: String,
    pub(super) terms: Terms,
    pub(super) begun_us: u64,
}

/// Terms of the asker, stored with the exchange. Its demands are in the request.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Terms {
    #[serde(rename = "keeping")]
    pub(super) store_policy: StorePolicy,
}

impl Host {
    /// Builds and signs the request. `held`: what is kept of the asked agent.
    pub(super) fn begun(
        &self,
        id: RequestId,
        question: ExchangeQuestion,
        held: Vec<Text<1024>>,
    ) -> Result<Begun, PeerError> {
        let now_us = self.timer.now().wall_us;
        let mut parts = self.parts(&id, &question, now_us)?;
        parts.preferences.held = held;
        let request = match question.is_anonymous {
            false => Request::sign(parts, self.signer.as_ref())?,
            true => Request::anonymous(parts)?,
        };
        Ok(Begun {
            id,
            request,
            peer: question.peer,
            address: question.address,
            terms: Terms {
                store_policy: question.store_policy,
            },
            begun_us: now_us,
        })
    }

    fn parts(
        &self,
        id: &RequestId,
        question: &ExchangeQuestion,
        now_us: u64,
    ) -> Result<RequestParts, PeerError> {
        let mut nonce = [0_u8; 16];
        self.entropy.fill(&mut nonce)?;
        let query = question.query.clone();
        let expires_us = now_us.saturating_add(question.timeout_us.min(MAX_LIFE_US));
        Ok(RequestParts {
            header: RequestHeader {
                request_id: id.clone(),
                nonce: Some(Nonce::from_bytes(nonce)),
                timestamp: instant(now_us)?,
                expires: instant(expires_us)?,
            },
            requester: Party::named(self.name.clone()),
            audience: question.peer.map_or(Audience::Everyone, Audience::One),
            preferences: Preferences {
                format: question.format,
                include_evidence: question.include_evidence,
                include_vouches: question.include_vouches,
                include_referrals: question.include_referrals,
                max_results: question.max_results,
                cursor: question.cursor.clone(),
                held: Vec::new(),
            },
            query,
        })
    }
}

/// Returns the timestamp of a document.
///
/// # Errors
/// The time is outside the years 1970 to 9999.
pub(super) fn instant(micros: u64) -> Result<Timestamp, PeerError> {
    Timestamp::from_micros(micros).map_err(|_| {
        DocumentError::Incoherent("the clock stands outside of the years 1970 to 9999; set it")
            .into()
    })
}
