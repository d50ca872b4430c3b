//! One memory of an answer: its signatures, its way, its receipt, its age (docs/format/exchange.md §8).

use alloc::vec::Vec;

use counterfoil_types::DidKey;

use super::identity::{Whole, unsigned};
use super::receipt::ReceiptCheck;
use super::standing::{Standing, Standings};
use super::{
    CheckResult, Checks, ExaminedMemory, Examining, FailCode, Flag, SkipReason, freshness,
    is_suspicious,
};
use crate::documents::{Attestation, Chain, ResultParts, Signature};
use crate::trust::Level;

/// Examines a memory. Where the whole does not hold, no signature in it is looked at.
pub(super) fn examine(
    result: &ResultParts,
    whole: &Whole,
    with: &Examining<'_>,
    standings: &mut Standings<'_>,
    receipts: &mut ReceiptCheck,
) -> ExaminedMemory {
    let attestation = &result.attestation;
    let holds = !whole.identity.is_fail() && !whole.signature.is_fail();
    let testimony = if holds {
        testimony(attestation, whole, standings)
    } else {
        Testimony::none(whole)
    };
    let evidence = match &result.receipt {
        Some(receipt) if holds => receipts.check(receipt, &attestation.parts().claim),
        _ if attestation.parts().evidence.is_empty() => CheckResult::Skip(SkipReason::NoEvidence),
        _ => CheckResult::Skip(SkipReason::NotFetched),
    };
    let checks = Checks {
        identity: whole.identity,
        signature: whole.signature.and(testimony.signature),
        evidence,
        freshness: freshness(
            attestation.parts(),
            with.received_us,
            with.now_us,
            with.freshness,
        ),
        vouch: testimony.vouch,
        consistency: CheckResult::Skip(SkipReason::NotComparable),
    };
    let found = [
        (Flag::ChainBroken, testimony.broken),
        (Flag::Own, is_own(attestation, whole, with.own)),
        (Flag::SuspiciousText, has_suspicious_text(result)),
    ];
    ExaminedMemory {
        checks,
        level: testimony.level.min(whole.level),
        source: testimony.source,
        claim: attestation.claim_hash(),
        flags: found
            .into_iter()
            .filter_map(|(flag, holds)| holds.then_some(flag))
            .collect(),
        chain: testimony.chain,
    }
}

/// Whose word a memory is, and how far it goes.
struct Testimony {
    signature: CheckResult,
    source: Option<DidKey>,
    level: Level,
    vouch: CheckResult,
    broken: bool,
    chain: Option<Chain>,
}

impl Testimony {
    const fn none(whole: &Whole) -> Self {
        Self {
            signature: CheckResult::Pass,
            source: whole.responder,
            level: whole.level,
            vouch: whole.vouch,
            broken: false,
            chain: None,
        }
    }
}

/// The word of the agent that attests, if its signature holds; else of whoever answers. Either that is disputed is.
fn testimony(attestation: &Attestation, whole: &Whole, standings: &mut Standings<'_>) -> Testimony {
    let named = attestation
        .parts()
        .agent
        .as_ref()
        .and_then(|agent| agent.public_key);
    let proof = attestation.signature_with(&mut standings.keys);
    let attester = match proof {
        Signature::Holds(key) if Some(key) == named => Some(key),
        _ => None,
    };
    let mut found = Testimony::none(whole);
    match attester {
        None => found.signature = unsigned(proof, named, [named, None], standings),
        Some(key) => {
            let Standing { level, vouch, .. } = standings.of(&key);
            found = Testimony {
                source: Some(key),
                level,
                vouch: disputed(whole.vouch, vouch),
                ..found
            };
        }
    }
    way(attestation, whole, &mut found, standings);
    found
}

/// Who is disputed himself disputes what he hands on.
const fn disputed(responder: CheckResult, attester: CheckResult) -> CheckResult {
    if responder.is_fail() {
        responder
    } else {
        attester
    }
}

/// Through whose hands it came. A way that is broken, or does not end at whom we have it from, leaves the word of the last
/// hop that is reached from its end (case 100).
fn way(
    attestation: &Attestation,
    whole: &Whole,
    found: &mut Testimony,
    standings: &mut Standings<'_>,
) {
    let Some(chain) = attestation.parts().chain() else {
        return;
    };
    let last = chain.hops.last().map(|hop| hop.agent);
    let ends_here = last.is_none() || last == found.source || last == whole.responder;
    match chain.verify(&attestation.claim_hash()) {
        Ok(()) if ends_here => found.chain = Some(chain.clone()),
        Ok(()) => {
            found.broken = true;
            if let Some(key) = last {
                found.level = found.level.min(standings.of(&key).level);
            }
        }
        Err(broken) => {
            found.broken = true;
            match broken {
                None => found.signature = found.signature.and(CheckResult::Fail(FailCode::BadHop)),
                Some(key) => {
                    found.level = found.level.min(standings.of(&key).level);
                    found.chain = Some(reached(chain, &key));
                }
            }
        }
    }
}

/// The hops from the last one of `key` on.
fn reached(chain: &Chain, key: &DidKey) -> Chain {
    let from = chain
        .hops
        .iter()
        .rposition(|hop| hop.agent == *key)
        .unwrap_or(0);
    Chain {
        hops: chain.hops.iter().skip(from).cloned().collect(),
    }
}

/// Does it come from this agent, in whatever way (R16)? Whether the keys are shown does not matter: what only claims to be
/// one's own corroborates nothing either.
fn is_own(attestation: &Attestation, whole: &Whole, own: &[DidKey]) -> bool {
    let parts = attestation.parts();
    let hops = parts
        .chain()
        .into_iter()
        .flat_map(|chain| &chain.hops)
        .map(|hop| hop.agent);
    let agent = parts.agent.as_ref().and_then(|agent| agent.public_key);
    hops.chain(agent)
        .chain(whole.responder)
        .any(|key| own.contains(&key))
}

/// Every text of a memory that is shown to people.
fn has_suspicious_text(result: &ResultParts) -> bool {
    let parts = result.attestation.parts();
    let (claim, salience) = (&parts.claim, parts.salience.as_ref());
    let mut texts: Vec<&str> = Vec::new();
    texts.extend([
        result.memory_id.as_str(),
        parts.id.as_str(),
        claim.content.as_str(),
    ]);
    texts.extend(result.context.iter().map(|text| text.as_str()));
    texts.extend(parts.agent.iter().map(|agent| agent.agent_id.as_str()));
    texts.extend(claim.context.iter().map(|text| text.as_str()));
    texts.extend(claim.references.iter().map(|text| text.as_str()));
    texts.extend(claim.structured.iter().flat_map(|said| {
        [
            said.subject.as_str(),
            said.predicate.as_str(),
            said.value.canonical(),
        ]
    }));
    texts.extend(
        salience
            .and_then(|salience| salience.why_kept.as_ref())
            .map(|text| text.as_str()),
    );
    texts.extend(
        parts
            .provenance
            .iter()
            .flat_map(|from| &from.witnesses)
            .map(|text| text.as_str()),
    );
    texts.extend(parts.evidence.iter().map(|evidence| evidence.url.as_str()));
    texts.into_iter().any(is_suspicious)
}
