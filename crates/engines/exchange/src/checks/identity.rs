//! Identity and signature of an answer as a whole (R1, R2, R3, R10, R21; docs/format/exchange.md §8).

use counterfoil_types::DidKey;

use super::standing::Standings;
use super::{Authentic, Bound, CheckResult, Examining, FailCode, SkipReason};
use crate::documents::{Audience, Form, Request, Response, Signature};
use crate::trust::Level;

/// What was found of an answer as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Whole {
    /// Is the responder who they claim to be?
    pub identity: CheckResult,
    /// Does the signature of the whole hold?
    pub signature: CheckResult,
    /// Authentic and bound: it may change the state of the exchange (R6, R21).
    pub authentic: Authentic,
    /// Who answered, as far as that was shown.
    pub responder: Option<DidKey>,
    /// The level of whoever answered.
    pub level: Level,
    /// Does somebody vouch for them whom I trust?
    pub vouch: CheckResult,
}

pub(super) fn whole(
    response: &Response,
    with: &Examining<'_>,
    standings: &mut Standings<'_>,
) -> Whole {
    let named = response.parts().responder.public_key;
    let proof = response.signature_with(with.request, &mut standings.keys);
    let shown = match proof {
        Signature::Holds(key) if Some(key) == named => Some(key),
        _ => None,
    };
    let identity = identity(response, with, shown);
    let standing = shown.map(|key| standings.of(&key));
    let signature = match shown {
        Some(_) => CheckResult::Pass,
        None => unsigned(proof, named, [named, with.pinned], standings),
    };
    Whole {
        identity,
        signature,
        authentic: authentic(identity, signature, with),
        responder: shown,
        level: standing.map_or(Level::Anonymous, |standing| standing.level),
        vouch: standing.map_or(CheckResult::Skip(SkipReason::NoVouches), |standing| {
            standing.vouch
        }),
    }
}

/// Is it an answer to this question, for whoever asked, by whoever was asked? What is named and not shown is no identity.
fn identity(response: &Response, with: &Examining<'_>, shown: Option<DidKey>) -> CheckResult {
    if !answers(response, with.request) {
        return CheckResult::Fail(FailCode::OtherBinding);
    }
    match (with.pinned, response.parts().responder.public_key) {
        (Some(pinned), Some(named)) if pinned != named => CheckResult::Fail(FailCode::OtherKey),
        _ if shown.is_some() => CheckResult::Pass,
        _ => CheckResult::Skip(SkipReason::NoKey),
    }
}

/// Three of the five bindings, and not more than was asked for; domain and challenge are the proof's (R1). A draft has the
/// id alone.
fn answers(response: &Response, request: &Request) -> bool {
    let (parts, asked) = (response.parts(), request.parts());
    let same_id = parts.header.request_id == asked.header.request_id;
    let asker = asked
        .requester
        .public_key
        .map_or(Audience::Everyone, Audience::One);
    let bound = match response.form() {
        Form::One => parts.in_response_to == Some(request.hash()) && parts.audience == asker,
        Form::Draft => true,
    };
    same_id && bound && response.fits(request).is_ok()
}

/// What a proof that shows nobody is: a Fail where somebody is known to sign or says so, so that to take it away gains
/// nothing (R2, R10, R19).
pub(super) fn unsigned(
    proof: Signature,
    named: Option<DidKey>,
    who: [Option<DidKey>; 2],
    standings: &mut Standings<'_>,
) -> CheckResult {
    let known_to_sign = who
        .into_iter()
        .flatten()
        .any(|key| standings.of(&key).signs);
    match proof {
        Signature::Holds(_) | Signature::Broken => CheckResult::Fail(FailCode::BadSignature),
        Signature::Absent if named.is_some() => CheckResult::Fail(FailCode::MissingSignature),
        _ if known_to_sign => CheckResult::Fail(FailCode::MissingSignature),
        Signature::Absent => CheckResult::Skip(SkipReason::Unsigned),
        Signature::NotLookedAt => CheckResult::Skip(SkipReason::Draft),
    }
}

/// May it change the state of the exchange? Of a known key, what that key has signed; of an unknown one, what came the way
/// that the question went (R6, R21).
fn authentic(identity: CheckResult, signature: CheckResult, with: &Examining<'_>) -> Authentic {
    let came_back = with.transport_bound == Bound::SameWay;
    match (with.pinned, identity, signature) {
        (_, CheckResult::Fail(_), _) | (_, _, CheckResult::Fail(_)) => Authentic::No,
        (Some(_), CheckResult::Pass, CheckResult::Pass) => Authentic::Yes,
        (None, _, _) if came_back => Authentic::Yes,
        _ => Authentic::No,
    }
}
