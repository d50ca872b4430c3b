//! Identity and signature of an answer as a whole (R1, R2, R3, R10, R21; docs/format/exchange.md §8).

use counterfoil_types::DidKey;

use super::agent::AgentReports;
use super::{CheckResult, Examining, FailCode, SkipReason};
use crate::documents::{Audience, Response, Signature};
use crate::trust::Level;

/// Findings about an answer as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnswerReport {
    /// Result of the identity check.
    pub identity: CheckResult,
    /// Result of the signature check of the whole.
    pub signature: CheckResult,
    /// Authentic and bound: it may change the state of the exchange (R6, R21).
    pub is_authentic: bool,
    /// Key of the responder, if its signature holds.
    pub responder: Option<DidKey>,
    /// Level of the responder.
    pub level: Level,
    /// Result of the vouch check of the responder.
    pub vouch: CheckResult,
}

pub(super) fn whole(
    response: &Response,
    with: &Examining<'_>,
    agents: &mut AgentReports<'_>,
) -> AnswerReport {
    let named = response.parts().responder.public_key;
    let proof = response.signature_with(with.request, &mut agents.keys);
    let proven = match proof {
        Signature::Holds(key) if Some(key) == named => Some(key),
        _ => None,
    };
    let identity = identity(response, with, proven);
    let agent = proven.map(|key| agents.of(&key));
    let signature = match proven {
        Some(_) => CheckResult::Pass,
        None => unproven(proof, named, [named, with.pinned], agents),
    };
    AnswerReport {
        identity,
        signature,
        is_authentic: is_authentic(identity, signature, with),
        responder: proven,
        level: agent.map_or(Level::Anonymous, |agent| agent.level),
        vouch: agent.map_or(CheckResult::Skip(SkipReason::NoVouches), |agent| {
            agent.vouch
        }),
    }
}

/// Checks three of the five bindings, and that there are no more memories than asked for; domain and challenge are bound by the
/// proof (R1). A draft has the id alone. A key that is named and not proven is no identity.
fn identity(response: &Response, with: &Examining<'_>, proven: Option<DidKey>) -> CheckResult {
    let (parts, asked) = (response.parts(), with.request.parts());
    let requester = asked.requester.public_key;
    let asker = requester.map_or(Audience::Everyone, Audience::One);
    let bound = response.is_draft()
        || parts.in_response_to == Some(with.request.hash()) && parts.audience == asker;
    let same_id = parts.header.request_id == asked.header.request_id;
    if !(same_id && bound && response.fits(with.request).is_ok()) {
        return CheckResult::Fail(FailCode::OtherBinding);
    }
    match (with.pinned, parts.responder.public_key) {
        (Some(pinned), Some(named)) if pinned != named => CheckResult::Fail(FailCode::OtherKey),
        _ if proven.is_some() => CheckResult::Pass,
        _ => CheckResult::Skip(SkipReason::NoKey),
    }
}

/// The signature check of a document whose proof proves no agent: a Fail if a named agent is known or claims to sign, so that
/// stripping a proof gains nothing (R2, R10, R19).
pub(super) fn unproven(
    proof: Signature,
    named: Option<DidKey>,
    expected: [Option<DidKey>; 2],
    agents: &mut AgentReports<'_>,
) -> CheckResult {
    let mut expected = expected.into_iter().flatten();
    let known_to_sign = expected.any(|key| agents.of(&key).signs);
    match proof {
        Signature::Holds(_) | Signature::Broken => CheckResult::Fail(FailCode::BadSignature),
        Signature::Absent if named.is_some() => CheckResult::Fail(FailCode::MissingSignature),
        _ if known_to_sign => CheckResult::Fail(FailCode::MissingSignature),
        Signature::Absent => CheckResult::Skip(SkipReason::Unsigned),
        Signature::NotLookedAt => CheckResult::Skip(SkipReason::Draft),
    }
}

/// Decides whether an answer may change the state of the exchange: of a known key if that key signed it, of an unknown one if
/// it came by the way of the request (R6, R21).
fn is_authentic(identity: CheckResult, signature: CheckResult, with: &Examining<'_>) -> bool {
    match (identity, signature, with.pinned) {
        (CheckResult::Fail(_), ..) | (_, CheckResult::Fail(_), _) => false,
        (identity, signature, Some(_)) => identity.is_pass() && signature.is_pass(),
        (.., None) => with.came_back,
    }
}
