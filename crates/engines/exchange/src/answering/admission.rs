//! Steps 1 to 4 of answering: shape, audience, time, proof (R4, R5; cases 66, 67).

use counterfoil_types::{DidKey, Sha256Hash};

use super::Refusal;
use crate::documents::{
    Audience, MAX_LIFE_US, Request, RequestHeader, RequestId, Signature, VerifyRequest,
};

/// Allowed lead of the requester's clock, in microseconds.
const AHEAD_US: u64 = 300_000_000;
/// Time after its expiry for which a request is admitted, in microseconds.
const AFTER_US: u64 = 30_000_000;
/// Time after its last moment for which a request is recorded, in microseconds.
const REMEMBERED_US: u64 = 1_000_000;

/// The record that a request was asked, stored before it is answered so that it is answered once (R4; case 66).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sighting {
    /// Key of the agent that asked.
    pub key: DidKey,
    /// Id of the request.
    pub request_id: RequestId,
    /// Hash of the request.
    pub hash: Sha256Hash,
    /// End of the record, in microseconds since 1970.
    pub until_us: u64,
}

/// Most sightings that are stored. A full store refuses requests, and drops no sighting before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeenQuotas {
    /// Of one key.
    pub per_key: u32,
    /// Of all keys.
    pub in_all: u32,
}

impl Default for SeenQuotas {
    fn default() -> Self {
        Self {
            per_key: 600,
            in_all: 100_000,
        }
    }
}

/// Admits the bytes of a request: it has its shape, is for this agent or for everyone, lives now, and its proof holds if it has
/// one. Returns it with the key of the agent that asks: none without a proof, of a draft, whose signature is not checked (R2),
/// and of an agent that asks everyone. The store decides whether it was asked before.
///
/// `own`: the keys of this agent. `now_us`: the present, in microseconds since 1970.
///
/// # Errors
/// [`Refusal`], cheap checks before costly ones.
pub fn admit(
    bytes: &[u8],
    own: &[DidKey],
    now_us: u64,
) -> Result<(Request, Option<DidKey>), Refusal> {
    let request = Request::parse(bytes)?;
    let parts = request.parts();
    check_time(&parts.header, parts.audience, own, now_us)?;
    let asker = asker(parts.audience, request.signature())?;
    Ok((request, asker))
}

/// Admits the bytes of a `memory_verify`, in the same way.
///
/// # Errors
/// As [`admit`].
pub fn admit_verify(
    bytes: &[u8],
    own: &[DidKey],
    now_us: u64,
) -> Result<(VerifyRequest, Option<DidKey>), Refusal> {
    let request = VerifyRequest::parse(bytes)?;
    let parts = request.parts();
    check_time(&parts.header, parts.audience, own, now_us)?;
    let asker = asker(parts.audience, request.signature())?;
    Ok((request, asker))
}

/// End of the time for which an admitted request has to be recorded, in microseconds since 1970: `expires` + 31 s.
pub const fn remembered_until_us(header: &RequestHeader) -> u64 {
    let last = header.expires.micros().saturating_add(AFTER_US);
    last.saturating_add(REMEMBERED_US)
}

/// Checks audience and time.
fn check_time(
    header: &RequestHeader,
    audience: Audience,
    own: &[DidKey],
    now_us: u64,
) -> Result<(), Refusal> {
    match audience {
        Audience::One(key) if !own.contains(&key) => {
            return Err(Refusal::WrongAudience);
        }
        Audience::One(_) | Audience::Everyone => {}
    }
    let (from, until) = (header.timestamp.micros(), header.expires.micros());
    if from > now_us.saturating_add(AHEAD_US) {
        return Err(Refusal::NotInTime(
            "this request is from the future; set the clock, or ask later",
        ));
    }
    if now_us > until.saturating_add(AFTER_US) {
        return Err(Refusal::NotInTime(
            "this request has expired; ask again under a new request_id",
        ));
    }
    if until < from || until.saturating_sub(from) > MAX_LIFE_US {
        return Err(Refusal::NotInTime(
            "a request lives at most 300 s; set expires closer to timestamp",
        ));
    }
    Ok(())
}

/// The asker by its proof: a proof that is present must hold, for any audience.
const fn asker(audience: Audience, signature: Signature) -> Result<Option<DidKey>, Refusal> {
    match (signature, audience) {
        (Signature::Broken, _) => Err(Refusal::BadProof),
        (Signature::Holds(key), Audience::One(_)) => Ok(Some(key)),
        _ => Ok(None),
    }
}
