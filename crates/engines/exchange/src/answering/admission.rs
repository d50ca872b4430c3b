//! Steps 1 to 4 of answering: shape, audience, time, proof (R4, R5; cases 66, 67).

use counterfoil_types::DidKey;

use super::Refusal;
use crate::documents::{Audience, MAX_LIFE_US, Request, RequestHeader, Signature, VerifyRequest};

/// So far a clock may be ahead of this one, in microseconds.
const AHEAD_US: u64 = 300_000_000;
/// So long a request is heard after it has expired, in microseconds.
const AFTER_US: u64 = 30_000_000;
/// So long after its last moment it is remembered that a request was heard, in microseconds.
const REMEMBERED_US: u64 = 1_000_000;

/// What a request is admitted with.
#[derive(Debug, Clone, Copy)]
pub struct Admission<'a> {
    /// The keys of this agent.
    pub own: &'a [DidKey],
    /// Now, microseconds since 1970.
    pub now_us: u64,
}

/// A request that was heard. Whether it was seen before is for the store.
#[derive(Debug, Clone, PartialEq)]
pub struct Admitted {
    /// The request.
    pub request: Request,
    /// Who asks.
    pub asker: Asker,
    /// Until when it has to be remembered that it was asked, microseconds since 1970: `expires` + 31 s.
    pub remember_until_us: u64,
}

/// Who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Asker {
    /// Nobody, or somebody who asks everyone: level 0.
    Anonymous,
    /// Whoever holds this key, and asks this agent.
    Key(DidKey),
}

/// Admits the bytes of a request: it has its shape, is for this agent or for everyone, lives now, and its proof, where it has
/// one, holds. A draft is never more than anonymous: its signature is not looked at (R2).
///
/// # Errors
/// [`Refusal`], cheap checks before dear ones.
pub fn admit(bytes: &[u8], with: Admission<'_>) -> Result<Admitted, Refusal> {
    let request = Request::parse(bytes)?;
    let parts = request.parts();
    let remember_until_us = heard(&parts.header, parts.audience, with)?;
    let asker = asker(parts.audience, request.signature())?;
    Ok(Admitted {
        request,
        asker,
        remember_until_us,
    })
}

/// Admits the bytes of a `memory_verify`, in the same way.
///
/// # Errors
/// As [`admit`].
pub fn admit_verify(
    bytes: &[u8],
    with: Admission<'_>,
) -> Result<(VerifyRequest, Asker, u64), Refusal> {
    let request = VerifyRequest::parse(bytes)?;
    let parts = request.parts();
    let remember_until_us = heard(&parts.header, parts.audience, with)?;
    let asker = asker(parts.audience, request.signature())?;
    Ok((request, asker, remember_until_us))
}

/// Audience and time, which cost nothing; until when it has to be remembered.
fn heard(header: &RequestHeader, audience: Audience, with: Admission<'_>) -> Result<u64, Refusal> {
    match audience {
        Audience::One(key) if !with.own.contains(&key) => return Err(Refusal::WrongAudience),
        Audience::One(_) | Audience::Everyone => {}
    }
    let (from, until) = (header.timestamp.micros(), header.expires.micros());
    if from > with.now_us.saturating_add(AHEAD_US) {
        return Err(Refusal::NotInTime(
            "this request is from the future; set the clock, or ask later",
        ));
    }
    let last = until.saturating_add(AFTER_US);
    if with.now_us > last {
        return Err(Refusal::NotInTime(
            "this request has expired; ask again under a new request_id",
        ));
    }
    if until < from || until.saturating_sub(from) > MAX_LIFE_US {
        return Err(Refusal::NotInTime(
            "a request lives at most 300 s; set expires closer to timestamp",
        ));
    }
    Ok(last.saturating_add(REMEMBERED_US))
}

/// Who asks: a proof that is there must hold, whomever it is for.
const fn asker(audience: Audience, signature: Signature) -> Result<Asker, Refusal> {
    match (signature, audience) {
        (Signature::Broken, _) => Err(Refusal::BadProof),
        (Signature::Holds(key), Audience::One(_)) => Ok(Asker::Key(key)),
        (Signature::Holds(_), Audience::Everyone)
        | (Signature::Absent | Signature::NotLookedAt, _) => Ok(Asker::Anonymous),
    }
}
