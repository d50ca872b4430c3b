//! Examination of one memory of an answer: signatures, hops, receipt, age (docs/format/exchange.md §8).

use alloc::vec::Vec;

use counterfoil_types::DidKey;

use super::agent::{AgentReport, AgentReports};
use super::identity::{AnswerReport, unproven};
use super::receipt::ReceiptCheck;
use super::{
    CheckResult, Checks, Examining, FailCode, Flag, JudgedMemory, SkipReason, dispose, freshness,
    is_suspicious,
};
use crate::documents::{
    Attestation, AttestationParts, Chain, Filters, MAX_RELAYS, ResultParts, Signature,
};
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
        relays: Vec::new(),
        level: whole.level,
        vouch: whole.vouch,
        broken: false,
    };
    if holds {
        testimony.take_attester(attestation, whole, agents);
        if let Some(chain) = parts.chain() {
            testimony.take_chain(chain, attestation, whole, agents);
        }
        match parts.origin() {
            Some(origin) => testimony.take_origin(origin, parts, whole, agents),
            None => testimony.hand_on(whole.responder),
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
    let first = parts.origin().map(Attestation::parts);
    let agents = [Some(parts), first].into_iter().flatten();
    let agents = agents.filter_map(|it| it.agent.as_ref()?.public_key);
    let mut keys = hops.chain(agents).chain(whole.responder);
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
        relays: testimony.relays,
    };
    (memory, level)
}

/// The agent whose testimony a memory is, and the trust in it.
struct Testimony {
    signature: CheckResult,
    source: Option<DidKey>,
    /// Agents that handed it on, from the source on.
    relays: Vec<DidKey>,
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
        let origin = attestation.parts().origin().map(Attestation::hash);
        let reached = match chain.verify(&attestation.claim_hash(), origin) {
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

    /// A whole chain behind the signed attestation of an origin makes the testimony that of the origin, which is worth the least
    /// of all through whose hands it came. Behind a broken one it stays that of the attester. What an origin did not sign, or
    /// signed of something else, is a forgery.
    fn take_origin(
        &mut self,
        origin: &Attestation,
        parts: &AttestationParts,
        whole: &AnswerReport,
        agents: &mut AgentReports<'_>,
    ) {
        let named = origin.parts().agent.as_ref();
        let named = named.and_then(|agent| agent.public_key);
        let proven = match origin.signature_with(&mut agents.keys) {
            Signature::Holds(key) if Some(key) == named && parts.repeats(origin.parts()) => key,
            _ => {
                self.signature = self.signature.and(CheckResult::Fail(FailCode::BadOrigin));
                return;
            }
        };
        let chain = parts.chain().filter(|chain| {
            !self.broken && chain.agents().len() <= MAX_RELAYS && self.source.is_some()
        });
        let Some(chain) = chain else {
            self.broken = true;
            self.hand_on(whole.responder);
            return;
        };
        let attester = self.source.replace(proven);
        for relay in chain.agents().chain(attester).chain(whole.responder) {
            self.weaken(agents.of(&relay));
            self.hand_on(Some(relay));
        }
        self.weaken(agents.of(&proven));
    }

    /// Adds an agent that handed the memory on.
    fn hand_on(&mut self, relay: Option<DidKey>) {
        let relay = relay.filter(|_| self.source.is_some() && self.source != relay);
        self.relays
            .extend(relay.filter(|it| !self.relays.contains(it)));
    }

    /// Lowers the trust to that in one more agent: the weakest decides, and a dispute of any.
    fn weaken(&mut self, agent: AgentReport) {
        let is_weaker = agent.level < self.level && !self.vouch.is_fail();
        if agent.vouch.is_fail() || is_weaker {
            self.vouch = agent.vouch;
        }
        self.level = self.level.min(agent.level);
    }
}

/// The texts of a memory that are shown to people.
fn texts(result: &ResultParts) -> Vec<&str> {
    let parts = result.attestation.parts();
    let mut texts: Vec<&str> = Vec::from([result.memory_id.as_str()]);
    texts.extend(result.context.iter().map(|it| it.as_str()));
    let origin = parts.origin().map(Attestation::parts);
    for parts in [Some(parts), origin].into_iter().flatten() {
        let claim = &parts.claim;
        texts.extend([parts.id.as_str(), claim.content.as_str()]);
        let salience = parts.salience.as_ref();
        let why_kept = salience.and_then(|salience| salience.why_kept.as_ref());
        texts.extend(why_kept.map(|it| it.as_str()));
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
    }
    texts
}
