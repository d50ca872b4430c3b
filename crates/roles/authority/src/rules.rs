//! Policy verification: what can be judged without cryptography (§7.4.1; M-3, CR-10).

use alloc::string::ToString;
use alloc::vec::Vec;

use counterfoil_trace::types::{
    ActorRef, Proposal, SelectedMemory, UnixMillis, VerificationEvidence,
};
use counterfoil_trace::{MemoryTrace, Merge};

use crate::received::{Presented, Received};
use crate::{Ground, Policy, Refused};

/// What the trace as a whole has against it.
pub(crate) fn of_trace(received: &Received<'_>, presented: &Presented) -> Vec<Ground> {
    let Received {
        proposal,
        policy,
        now,
        ..
    } = received;
    let trace = &presented.trace;
    let checks = [
        merge(presented),
        count(trace, policy),
        selector(trace, policy),
        actor(trace.selector(), proposal, policy),
        world(trace, proposal, policy),
        order(trace, proposal, policy),
        future(proposal, policy, *now),
        age(oldest(presented), policy, *now),
    ];
    checks.into_iter().flatten().collect()
}

/// What one memory has against it, before any proof is looked at.
pub(crate) fn of_memory(
    memory: &SelectedMemory,
    trace: &MemoryTrace,
    policy: &Policy,
    now: UnixMillis,
) -> Option<Refused> {
    confidence(memory, policy)
        .or_else(|| claim(memory, policy))
        .or_else(|| {
            memory
                .evidence()
                .and_then(|found| evidence(found, trace, policy, now))
        })
}

fn merge(presented: &Presented) -> Option<Ground> {
    if presented.parts.is_empty() {
        return None;
    }
    match Merge::of(&presented.parts) {
        Err(error) => Some(Ground::PartsApart(error)),
        Ok(merge) if merge.is(&presented.trace) => None,
        Ok(_) => Some(Ground::NotTheMerge),
    }
}

fn count(trace: &MemoryTrace, policy: &Policy) -> Option<Ground> {
    let (count, limit) = (trace.selected().len(), policy.maximum_memories());
    (count > limit).then_some(Ground::TooManyMemories { count, limit })
}

fn selector(trace: &MemoryTrace, policy: &Policy) -> Option<Ground> {
    let selector = trace.selector().actor_id();
    let allowed = policy
        .allowed_selectors()?
        .iter()
        .any(|name| name == selector);
    (!allowed).then(|| Ground::SelectorNotAllowed {
        selector: selector.to_string(),
    })
}

fn actor(selector: &ActorRef, proposal: &Proposal, policy: &Policy) -> Option<Ground> {
    let differs = policy.require_same_actor() && !same_actor(selector, proposal.actor());
    differs.then(|| Ground::SelectorNotActor {
        selector: selector.actor_id().to_string(),
        actor: proposal.actor().actor_id().to_string(),
    })
}

/// Name and meta are decoration; who someone is, `actorId` and `kind` say.
fn same_actor(left: &ActorRef, right: &ActorRef) -> bool {
    left.actor_id() == right.actor_id() && left.kind() == right.kind()
}

fn world(trace: &MemoryTrace, proposal: &Proposal, policy: &Policy) -> Option<Ground> {
    let (at, base) = (trace.at_world_id(), proposal.base_world());
    let differs = policy.require_at_base_world() && at != base;
    differs.then(|| Ground::NotAtBaseWorld {
        at: at.clone(),
        base: base.clone(),
    })
}

fn order(trace: &MemoryTrace, proposal: &Proposal, policy: &Policy) -> Option<Ground> {
    let (selected_at, submitted_at) = (trace.selected_at(), proposal.submitted_at());
    let reversed = policy.require_time_order() && selected_at > submitted_at;
    reversed.then_some(Ground::SelectedAfterSubmission {
        selected_at,
        submitted_at,
    })
}

fn future(proposal: &Proposal, policy: &Policy, now: UnixMillis) -> Option<Ground> {
    let (submitted_at, skew_ms) = (proposal.submitted_at(), policy.allowed_skew_ms());
    let ahead = submitted_at.value().saturating_sub(now.value()) > skew_ms;
    (policy.require_time_order() && ahead).then_some(Ground::SubmittedInFuture {
        submitted_at,
        now,
        skew_ms,
    })
}

/// When the first recall was made; the merged trace says when the last one was.
fn oldest(presented: &Presented) -> UnixMillis {
    let recalls = presented.parts.iter().map(MemoryTrace::selected_at);
    recalls.fold(presented.trace.selected_at(), Ord::min)
}

fn age(selected_at: UnixMillis, policy: &Policy, now: UnixMillis) -> Option<Ground> {
    let limit_ms = policy.maximum_age_ms()?;
    let age_ms = now.value().saturating_sub(selected_at.value());
    (age_ms > limit_ms).then_some(Ground::SelectionTooOld { age_ms, limit_ms })
}

fn confidence(memory: &SelectedMemory, policy: &Policy) -> Option<Refused> {
    let (found, minimum) = (memory.confidence(), policy.minimum_confidence());
    (found < minimum).then_some(Refused::ConfidenceTooLow { found, minimum })
}

/// `verified: false` may refuse; `verified: true` is looked at nowhere.
fn claim(memory: &SelectedMemory, policy: &Policy) -> Option<Refused> {
    (policy.refuse_claimed_unverified() && !memory.verified()).then_some(Refused::ClaimedUnverified)
}

fn evidence(
    evidence: &VerificationEvidence,
    trace: &MemoryTrace,
    policy: &Policy,
    now: UnixMillis,
) -> Option<Refused> {
    method(evidence, policy)
        .or_else(|| verifier(evidence, trace, policy))
        .or_else(|| verified_first(evidence, trace, policy))
        .or_else(|| verified_lately(evidence, policy, now))
}

fn method(evidence: &VerificationEvidence, policy: &Policy) -> Option<Refused> {
    let allowed = policy.allowed_methods()?.contains(evidence.method());
    (!allowed).then(|| Refused::MethodNotAllowed {
        method: evidence.method().clone(),
    })
}

fn verifier(
    evidence: &VerificationEvidence,
    trace: &MemoryTrace,
    policy: &Policy,
) -> Option<Refused> {
    let (verified_by, selector) = (evidence.verified_by(), trace.selector());
    let differs = policy.require_same_actor() && !same_actor(verified_by, selector);
    differs.then(|| Refused::VerifierNotSelector {
        verified_by: verified_by.actor_id().to_string(),
        selector: selector.actor_id().to_string(),
    })
}

fn verified_first(
    evidence: &VerificationEvidence,
    trace: &MemoryTrace,
    policy: &Policy,
) -> Option<Refused> {
    let (verified_at, selected_at) = (evidence.verified_at(), trace.selected_at());
    let reversed = policy.require_time_order() && verified_at > selected_at;
    reversed.then_some(Refused::VerifiedAfterSelection {
        verified_at,
        selected_at,
    })
}

fn verified_lately(
    evidence: &VerificationEvidence,
    policy: &Policy,
    now: UnixMillis,
) -> Option<Refused> {
    let limit_ms = policy.maximum_age_ms()?;
    let age_ms = now.value().saturating_sub(evidence.verified_at().value());
    (age_ms > limit_ms).then_some(Refused::VerifiedTooLongAgo { age_ms, limit_ms })
}
