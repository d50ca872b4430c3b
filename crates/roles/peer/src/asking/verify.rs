//! Verification of an answer, and the plan of storage for each memory (MRP-4; R7, R17).

use std::sync::Arc;

use counterfoil_exchange::checks::{
    AnswerReport, CheckResult, Checks, Disposition, Examining, FailCode, Flag, JudgedMemory,
    conclude, examine, examine_whole, is_asked_for, words_agree,
};
use counterfoil_exchange::documents::{Audience, EvidenceLink, ResultParts};
use counterfoil_exchange::machine::{Event, ItemState};
use counterfoil_exchange::trust::{Level, Records};
use counterfoil_types::WorldId;
use counterfoil_verifier::Anchors;

use super::compare::{self, NO_BELIEF};
use super::drive::{Answer, Bound, Drive};
use super::item::{Item, Plan};
use super::keep;
use super::race::{First, race};
use super::recording;
use super::times::{Age, valid_time};
use super::{ReceivedMemory, StorePolicy};
use crate::PeerError;

/// Time for fetching evidence, in microseconds: less than that of verification (docs/format/exchange.md §9).
const EVIDENCE_US: u64 = 20_000_000;

impl Drive<'_> {
    /// Examines an answer as a whole under the current records.
    pub(super) fn examine_whole(&self, answer: &Answer, bound: Bound) -> AnswerReport {
        let with = self.examining(answer, bound, None);
        examine_whole(&answer.response, &with)
    }

    /// Examines an answer and each of its memories. It is authentic, or it would not be stored; so it counts as having come by
    /// the way of the request.
    fn examine(&self, answer: &Answer) -> (AnswerReport, Vec<(JudgedMemory, Level)>) {
        let anchors = recording::anchors(&self.records, &answer.response);
        examine(
            &answer.response,
            &self.examining(answer, Bound::SameWay, anchors.as_ref()),
        )
    }

    fn examining<'b>(
        &'b self,
        answer: &Answer,
        bound: Bound,
        anchors: Option<&'b Arc<Anchors>>,
    ) -> Examining<'b> {
        Examining {
            request: &self.begun.request,
            pinned: self.begun.peer,
            records: &self.records,
            trust: &self.host.trust,
            anchors,
            freshness: &self.host.freshness,
            own: &self.host.own_keys,
            came_back: bound == Bound::SameWay,
            received_us: answer.received_us,
            now_us: self.host.timer.now().wall_us,
        }
    }

    /// Returns the report on an answer as of its verification, or by another examination if the records have changed since.
    pub(super) fn report_on(&self, answer: &Answer) -> AnswerReport {
        let hash = answer.response.hash();
        let known = self.verified.filter(|(verified, _)| *verified == hash);
        known.map_or_else(
            || self.examine_whole(answer, Bound::SameWay),
            |(_, report)| report,
        )
    }

    /// Verifies an authentic answer. Memories that are stored already stay as they are.
    pub(super) async fn verify(&mut self, answer: &Answer) -> Result<Event, PeerError> {
        self.take_vouches(answer).await?;
        let (whole, memories) = self.examine(answer);
        self.verified = Some((answer.response.hash(), whole));
        let before = self.items().await?;
        let looked = self.look(answer, whole.level).await;
        let compared = self.compare(answer, &memories, &looked).await?;
        let filters = self.begun.request.parts().query.filters;
        let (mut passed, mut rejected) = (0_u32, 0_u32);
        let results = answer.response.parts().results.iter();
        for ((number, result), ((mut memory, level), found)) in (0_u32..)
            .zip(results)
            .zip(memories.into_iter().zip(compared))
        {
            let item = match before.iter().find(|item| item.memory.number == number) {
                Some(item) => item.clone(),
                None => {
                    memory
                        .flags
                        .extend(found.known.is_some().then_some(Flag::Known));
                    memory.flags.extend(self.unbound(result));
                    let (consistency, evidence) = (found.consistency, found.evidence);
                    let judged = conclude((memory, level), consistency, evidence, filters);
                    self.check(number, result, judged, found, answer).await?
                }
            };
            match item.disposition() {
                Disposition::Reject => rejected += 1,
                _ => passed += 1,
            }
        }
        Ok(Event::Examined { passed, rejected })
    }

    /// Counts the vouches that came with an answer, and records them in the log unless nothing is to be stored. An answer to
    /// everyone brings none (case 81).
    async fn take_vouches(&mut self, answer: &Answer) -> Result<(), PeerError> {
        let whole = self.examine_whole(answer, Bound::SameWay);
        let is_to_all = self.begun.request.parts().audience == Audience::Everyone;
        let (Some(responder), CheckResult::Pass, CheckResult::Pass, false) =
            (whole.responder, whole.identity, whole.signature, is_to_all)
        else {
            return Ok(());
        };
        let host = self.host;
        let vouches = recording::vouches(host, &self.records, &answer.response, responder);
        if vouches.is_empty() {
            return Ok(());
        }
        self.verified = None;
        if self.begun.terms.store_policy == StorePolicy::None {
            self.records = Records::gather(self.records.iter().cloned().chain(vouches));
            return Ok(());
        }
        let documents = vouches.iter().map(|vouch| vouch.bytes().to_vec()).collect();
        let signer = Arc::clone(&host.signer);
        host.store.add_records(signer, documents).await?;
        self.records = recording::load(host).await?;
        Ok(())
    }

    /// Decides on a memory, and stores the decision.
    async fn check(
        &self,
        number: u32,
        result: &ResultParts,
        judged: JudgedMemory,
        mut found: LocalFindings,
        answer: &Answer,
    ) -> Result<Item, PeerError> {
        let disposition = judged.disposition;
        let memory = ReceivedMemory {
            number,
            state: ItemState::Received.checked(disposition),
            judged,
            stored: None,
            gate: None,
            unchanged: false,
            sides: found.sides.clone(),
            supersedes: Vec::new(),
            heard: found.heard.saturating_add(1),
        };
        let mut item = Item {
            memory,
            claim: result.attestation.claim_hash(),
            plan: Plan::Nothing,
            at_us: answer.received_us,
        };
        if found.own.is_some() {
            item.flag(Flag::Own);
        }
        if let (true, None) = (item.is_testimony(), &found.known) {
            let raw = keep::raw_name(&item.claim);
            if let Some((world, times)) = self.host.store.heard(&raw).await? {
                item.flag(Flag::Known);
                item.memory.heard = times.saturating_add(1);
                found.known = Some(world);
            }
        }
        item.plan = self.plan(&item, result, &found, answer).await?;
        if item.plan != Plan::Nothing {
            item.memory.supersedes = self.links(&item, &result.attestation).await?;
        }
        let row = item.write()?;
        self.host.store.set_item(&self.begun.id, row).await?;
        Ok(item)
    }

    async fn plan(
        &self,
        item: &Item,
        result: &ResultParts,
        found: &LocalFindings,
        answer: &Answer,
    ) -> Result<Plan, PeerError> {
        let host = self.host;
        let is_own = item.memory.judged.flags.contains(&Flag::Own);
        let claim = &result.attestation.parts().claim;
        match item.disposition() {
            Disposition::Reject => return Ok(Plan::Nothing),
            Disposition::RawOnly if self.begun.terms.store_policy != StorePolicy::All => {
                return Ok(Plan::Nothing);
            }
            _ => {}
        }
        let known = match &found.known {
            Some(world)
                if compare::is_of_source(host, world, &item.memory.judged, &result.attestation)
                    .await? =>
            {
                Some(world.clone())
            }
            _ => None,
        };
        if let Some(there) = found.own.clone().or(known) {
            return Ok(Plan::There(there));
        }
        if is_own {
            let claims = match &claim.structured {
                Some(structured) => compare::same_claims(host, structured).await?,
                None => Vec::new(),
            };
            let there = claims.into_iter().next();
            return Ok(there.map_or(Plan::Nothing, Plan::There));
        }
        let judged = &item.memory.judged;
        let attests = item.disposition() > Disposition::RawOnly && judged.source.is_some();
        let age = self.age(&judged.checks, answer);
        let is_bound = self.unbound(result).next().is_none();
        let is_claim = claim.structured.as_ref().is_some_and(|structured| {
            attests && is_bound && valid_time(result.attestation.parts(), structured, &age).is_ok()
        });
        if is_claim {
            return Ok(Plan::Claim);
        }
        let mut bytes = [0_u8; 16];
        host.entropy.fill(&mut bytes)?;
        let mut name = String::from("mem_");
        for nibble in bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]) {
            name.extend(char::from_digit(u32::from(nibble), 16));
        }
        let world = WorldId::new(name).map_err(|_| PeerError::Bug("a name that is none"))?;
        Ok(Plan::Text(world))
    }

    /// Returns the reasons for which the claim of a memory is kept as text: the question did not ask for it, or its words state
    /// something else (docs/format/exchange.md §8.5).
    fn unbound(&self, result: &ResultParts) -> impl Iterator<Item = Flag> + use<> {
        let claim = &result.attestation.parts().claim;
        let query = &self.begun.request.parts().query;
        let structured = claim.structured.as_ref();
        let is_unasked = structured.is_some_and(|structured| !is_asked_for(query, structured));
        let unasked = is_unasked.then_some(Flag::Unasked);
        let other_words = (!words_agree(claim)).then_some(Flag::OtherWords);
        unasked.into_iter().chain(other_words)
    }

    /// Returns the age of a memory.
    pub(super) fn age(&self, checks: &Checks, answer: &Answer) -> Age<'_> {
        Age {
            received_us: answer.received_us,
            limits: &self.host.freshness,
            is_stale: checks.freshness == CheckResult::Fail(FailCode::Stale),
        }
    }

    /// Compares each memory with this agent's memories and beliefs.
    async fn compare(
        &self,
        answer: &Answer,
        memories: &[(JudgedMemory, Level)],
        looked: &[CheckResult],
    ) -> Result<Vec<LocalFindings>, PeerError> {
        let host = self.host;
        let now_us = host.timer.now().wall_us;
        let mut all = Vec::new();
        let results = answer.response.parts().results.iter();
        for (at, (result, (memory, _))) in results.zip(memories).enumerate() {
            let attestation = &result.attestation;
            let age = self.age(&memory.checks, answer);
            let is_bound = self.unbound(result).next().is_none();
            let structured = attestation.parts().claim.structured.as_ref();
            let (consistency, sides) = match structured.filter(|_| is_bound) {
                Some(claim) => match valid_time(attestation.parts(), claim, &age) {
                    Ok(valid) => {
                        compare::compare(host, attestation, claim, valid.as_ref(), now_us).await?
                    }
                    Err(_) => NO_BELIEF,
                },
                None => NO_BELIEF,
            };
            let heard = host.store.heard(&attestation.claim_hash()).await?;
            let (mut known, heard) = heard.map_or((None, 0), |(world, times)| (Some(world), times));
            if let (Some(claim), None) = (&attestation.parts().claim.structured, &known) {
                known = compare::echoed(host, attestation, claim).await?;
            }
            let mut evidence = looked.get(at).copied().unwrap_or(CheckResult::NOT_FETCHED);
            if !evidence.is_fail() && compare::cites_own(host, attestation).await? {
                evidence = CheckResult::Pass;
            }
            all.push(LocalFindings {
                consistency,
                evidence,
                sides,
                known,
                heard,
                own: compare::own(host, result).await?,
            });
        }
        Ok(all)
    }

    /// Fetches the evidence of a responder, if its level is enough for the source (case 112).
    async fn look(&self, answer: &Answer, level: Level) -> Vec<CheckResult> {
        let Some(source) = &self.host.evidence else {
            return Vec::new();
        };
        let results = answer.response.parts().results.iter();
        let urls: Vec<&[EvidenceLink]> = results
            .map(|result| result.attestation.parts().evidence.as_slice())
            .collect();
        let timer = &self.host.timer;
        let until = timer.now().monotonic_us.saturating_add(EVIDENCE_US);
        match race(source.look(&urls, level), timer.sleep_until(until)).await {
            First::One(found) => found,
            First::Other(()) => vec![CheckResult::UNREACHABLE; urls.len()],
        }
    }
}

/// Comparison of one memory.
#[derive(Debug, Clone)]
struct LocalFindings {
    consistency: CheckResult,
    evidence: CheckResult,
    sides: Vec<String>,
    known: Option<WorldId>,
    heard: u64,
    own: Option<WorldId>,
}
