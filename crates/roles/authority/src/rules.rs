//! Policy verification: the checks without cryptography (§7.4.1; M-3, CR-10).

use alloc::string::ToString;
use alloc::vec::Vec;

use counterfoil_trace::types::{
    ActorRef, Proposal, SelectedMemory, UnixMillis, VerificationEvidence,
};
use counterfoil_trace::{MemoryTrace, Merge};
use counterfoil_verifier::Anchors;
use counterfoil_verifier::envelope::{self, Envelope};

use crate::received::{Presented, Received};
use crate::{DecisionReason, MemoryCause, Policy};

/// Checks of the proposal itself, and the envelope if it holds. Without `require_signed` none is looked at.
pub(crate) fn of_submission(
    received: &Received<'_>,
    anchors: Option<&Anchors>,
) -> (Option<Envelope>, Vec<DecisionReason>) {
    let (proposal, policy, now) = (received.proposal, &received.policy, received.now);
    let (envelope, refused) = match policy.require_signed {
        false => (None, None),
        true => match envelope::open(proposal, anchors, &policy.name) {
            Ok(None) => (None, Some(DecisionReason::Unsigned)),
            Ok(envelope) => (envelope, None),
            Err(error) => (None, Some(DecisionReason::Envelope(error))),
        },
    };
    let submitted_at = proposal.submitted_at();
    let skew_ms = policy.allowed_skew_ms;
    let ahead_ms = submitted_at.value().saturating_sub(now.value());
    let in_future = (policy.require_time_order && ahead_ms > skew_ms).then_some(
        DecisionReason::SubmittedInFuture {
            submitted_at,
            now,
            skew_ms,
        },
    );
    let age_ms = age_ms(submitted_at, now);
    let limit = policy.maximum_age_ms.filter(|limit_ms| age_ms > *limit_ms);
    let too_old = limit.map(|limit_ms| DecisionReason::SubmissionTooOld { age_ms, limit_ms });
    let reasons = [refused, in_future, too_old];
    (envelope, reasons.into_iter().flatten().collect())
}

/// Rules that the trace as a whole breaks.
pub(crate) fn of_trace(received: &Received<'_>, presented: &Presented) -> Vec<DecisionReason> {
    let (proposal, policy, now) = (received.proposal, &received.policy, received.now);
    let trace = &presented.trace;
    let (count, limit) = (trace.selected().len(), policy.maximum_memories);
    let (at, base) = (trace.at_world_id(), proposal.base_world());
    let (selected_at, submitted_at) = (trace.selected_at(), proposal.submitted_at());
    // Age of the first recall; the merged trace has the time of the last one.
    let recalls = presented.parts.iter().map(MemoryTrace::selected_at);
    let age_ms = age_ms(recalls.fold(selected_at, Ord::min), now);
    let oldest = policy.maximum_age_ms;
    let checks = [
        merge(presented),
        (count > limit).then_some(DecisionReason::TooManyMemories { count, limit }),
        selector(trace, policy),
        actor(trace.selector(), proposal, policy),
        (policy.require_at_base_world && at != base).then(|| DecisionReason::NotAtBaseWorld {
            at: at.clone(),
            base: base.clone(),
        }),
        (policy.require_time_order && selected_at > submitted_at).then_some(
            DecisionReason::SelectedAfterSubmission {
                selected_at,
                submitted_at,
            },
        ),
        oldest
            .filter(|limit_ms| age_ms > *limit_ms)
            .map(|limit_ms| DecisionReason::SelectionTooOld { age_ms, limit_ms }),
    ];
    checks.into_iter().flatten().collect()
}

/// Rule that one memory breaks, before any proof is examined.
pub(crate) fn of_memory(
    memory: &SelectedMemory,
    trace: &MemoryTrace,
    policy: &Policy,
    now: UnixMillis,
) -> Option<MemoryCause> {
    let (found, minimum) = (memory.confidence(), policy.minimum_confidence);
    if found < minimum {
        return Some(MemoryCause::ConfidenceTooLow { found, minimum });
    }
    // `verified: false` may refuse; `verified: true` is read nowhere.
    if policy.refuse_claimed_unverified && !memory.verified() {
        return Some(MemoryCause::ClaimedUnverified);
    }
    evidence(memory.evidence()?, trace, policy, now)
}

fn merge(presented: &Presented) -> Option<DecisionReason> {
    if presented.parts.is_empty() {
        return None;
    }
    match Merge::of(&presented.parts) {
        Err(error) => Some(DecisionReason::PartsApart(error)),
        Ok(merge) if merge.is(&presented.trace) => None,
        Ok(_) => Some(DecisionReason::NotTheMerge),
    }
}

fn selector(trace: &MemoryTrace, policy: &Policy) -> Option<DecisionReason> {
    let selector = trace.selector().actor_id();
    let allowed = policy.allowed_selectors.as_ref()?;
    let allowed = allowed.iter().any(|name| name == selector);
    (!allowed).then(|| DecisionReason::SelectorNotAllowed {
        selector: selector.to_string(),
    })
}

fn actor(selector: &ActorRef, proposal: &Proposal, policy: &Policy) -> Option<DecisionReason> {
    let selects_for_others = policy
        .selectors
        .iter()
        .any(|name| name == selector.actor_id());
    let differs = policy.require_same_actor && !same_actor(selector, proposal.actor());
    (differs && !selects_for_others).then(|| DecisionReason::SelectorNotActor {
        selector: selector.actor_id().to_string(),
        actor: proposal.actor().actor_id().to_string(),
    })
}

/// Compares `actorId` and `kind`. Name and meta identify no one.
fn same_actor(left: &ActorRef, right: &ActorRef) -> bool {
    left.actor_id() == right.actor_id() && left.kind() == right.kind()
}

const fn age_ms(time: UnixMillis, now: UnixMillis) -> u64 {
    now.value().saturating_sub(time.value())
}

fn evidence(
    evidence: &VerificationEvidence,
    trace: &MemoryTrace,
    policy: &Policy,
    now: UnixMillis,
) -> Option<MemoryCause> {
    let method = evidence.method();
    let methods = policy.allowed_methods.as_ref();
    if methods.is_some_and(|allowed| !allowed.contains(method)) {
        let method = method.clone();
        return Some(MemoryCause::MethodNotAllowed { method });
    }
    let (verified_by, selector) = (evidence.verified_by(), trace.selector());
    if policy.require_same_actor && !same_actor(verified_by, selector) {
        return Some(MemoryCause::VerifierNotSelector {
            verified_by: verified_by.actor_id().to_string(),
            selector: selector.actor_id().to_string(),
        });
    }
    let (verified_at, selected_at) = (evidence.verified_at(), trace.selected_at());
    if policy.require_time_order && verified_at > selected_at {
        return Some(MemoryCause::VerifiedAfterSelection {
            verified_at,
            selected_at,
        });
    }
    let (age_ms, limit_ms) = (age_ms(verified_at, now), policy.maximum_age_ms?);
    (age_ms > limit_ms).then_some(MemoryCause::VerifiedTooLongAgo { age_ms, limit_ms })
}
