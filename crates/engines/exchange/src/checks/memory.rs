//! Examination of one memory of an answer: signatures, hops, receipt, age (docs/format/exchange.md §8).

use alloc::vec::Vec;

use counterfoil_types::DidKey;

use super::agent::AgentReports;
use super::identity::{AnswerReport, unproven};
use super::receipt::ReceiptCheck;
use super::{
    CheckResult, Checks, Examining, FailCode, Flag, JudgedMemory, SkipReason, dispose, freshness,
    is_suspicious,
};
use crate::documents::{Attestation, Chain, Filters, ResultParts, Signature};
use crate::trust::Level;

/// Examines a memory. If the answer as a whole does not hold, no signature in it is checked.
pub(super) fn examine(
    result: &ResultParts,
    whole: &AnswerReport,
    with: &Examining<'_>,
    agents: &mut AgentReports<'_>,
    receipts: &mut ReceiptCheck<'_>,
) -> (JudgedMemory, Level) {
    let attestation = &result.attestation;
    let parts = attestation.parts();
    let holds = !whole.identity.is_fail() && !whole.signature.is_fail();
    let mut testimony = Testimony {
        signature: CheckResult::Pass,
        source: whole.responder,
        level: whole.level,
        vouch: whole.vouch,
        broken: false,
    };
    if holds {
        testimony.take_attester(attestation, whole, agents);
        if let Some(chain) = parts.chain() {
            testimony.take_chain(chain, attestation, whole, agents);
        }
    }
    let record = match &result.receipt {
        Some(receipt) if holds => receipts.check(receipt, &parts.claim),
        Some(_) => CheckResult::Skip(SkipReason::UnknownLog),
        None => CheckResult::Skip(SkipReason::NoReceipt),
    };
    let evidence = match parts.evidence.is_empty() {
        true => CheckResult::Skip(SkipReason::NoEvidence),
        false => CheckResult::NOT_FETCHED,
    };
    let checks = Checks {
        identity: whole.identity,
        signature: whole.signature.and(testimony.signature),
        record,
        evidence,
        freshness: freshness(parts, with.received_us, with.now_us, with.freshness),
        vouch: testimony.vouch,
        consistency: CheckResult::Skip(SkipReason::NotComparable),
    };
    // A memory that only claims to come from this agent corroborates nothing either (R16).
    let hops = parts.chain().into_iter().flat_map(Chain::agents);
    let agent = parts.agent.as_ref().and_then(|agent| agent.public_key);
    let mut keys = hops.chain(agent).chain(whole.responder);
    let flags = [
        (Flag::ChainBroken, testimony.broken),
        (Flag::Own, keys.any(|key| with.own.contains(&key))),
        (
            Flag::SuspiciousText,
            texts(result).into_iter().any(is_suspicious),
        ),
    ];
    let flags = flags.into_iter();
    let level = testimony.level.min(whole.level);
    let memory = JudgedMemory {
        checks,
        disposition: dispose(&checks, level, Filters::default()).0,
        flags: flags
            .filter_map(|(flag, holds)| holds.then_some(flag))
            .collect(),
        source: testimony.source,
    };
    (memory, level)
}

/// The agent whose testimony a memory is, and the trust in it.
struct Testimony {
    signature: CheckResult,
    source: Option<DidKey>,
    level: Level,
    vouch: CheckResult,
    broken: bool,
}

impl Testimony {
    /// The testimony is of the attesting agent if its signature holds, else of the responder. It is disputed if either is.
    fn take_attester(
        &mut self,
        attestation: &Attestation,
        whole: &AnswerReport,
        agents: &mut AgentReports<'_>,
    ) {
        let agent = attestation.parts().agent.as_ref();
        let named = agent.and_then(|agent| agent.public_key);
        match attestation.signature_with(&mut agents.keys) {
            Signature::Holds(key) if Some(key) == named => {
                let agent = agents.of(&key);
                self.source = Some(key);
                self.level = agent.level;
                if !whole.vouch.is_fail() {
                    self.vouch = agent.vouch;
                }
            }
            proof => self.signature = unproven(proof, named, [named, None], agents),
        }
    }

    /// A chain that is broken, or does not end at the source or the responder, leaves the trust in the last hop that is reached
    /// from its end (case 100).
    fn take_chain(
        &mut self,
        chain: &Chain,
        attestation: &Attestation,
        whole: &AnswerReport,
        agents: &mut AgentReports<'_>,
    ) {
        let last = chain.agents().next_back();
        let ends_here = last.is_none() || last == self.source || last == whole.responder;
        let reached = match chain.verify(&attestation.claim_hash()) {
            Ok(()) if ends_here => return,
            Ok(()) => last,
            Err(reached) => {
                if reached.is_none() {
                    self.signature = self.signature.and(CheckResult::Fail(FailCode::BadHop));
                }
                reached
            }
        };
        self.broken = true;
        if let Some(key) = reached {
            self.level = self.level.min(agents.of(&key).level);
        }
    }
}

/// The texts of a memory that are shown to people.
fn texts(result: &ResultParts) -> Vec<&str> {
    let parts = result.attestation.parts();
    let claim = &parts.claim;
    let mut texts: Vec<&str> = Vec::from([
        result.memory_id.as_str(),
        parts.id.as_str(),
        claim.content.as_str(),
    ]);
    let salience = parts.salience.as_ref();
    let why_kept = salience.and_then(|salience| salience.why_kept.as_ref());
    texts.extend(result.context.iter().chain(why_kept).map(|it| it.as_str()));
    texts.extend(parts.agent.iter().map(|agent| agent.agent_id.as_str()));
    texts.extend(claim.context.iter().map(|text| text.as_str()));
    texts.extend(claim.references.iter().map(|text| text.as_str()));
    texts.extend(claim.structured.iter().flat_map(|fact| {
        [
            fact.subject.as_str(),
            fact.predicate.as_str(),
            fact.value.canonical(),
        ]
    }));
    let witnesses = parts.provenance.iter().flat_map(|from| &from.witnesses);
    texts.extend(witnesses.map(|text| text.as_str()));
    texts.extend(parts.evidence.iter().map(|evidence| evidence.url.as_str()));
    texts
}
