//! What passed is stored, through the gate, once (docs/format/exchange.md §11; MRP-5, MRP-46; R16, R17; cases 75, 102, 105).

use std::sync::Arc;

use counterfoil_claims::{Act, ClaimError, ClaimOutcome, Disposition as Gate, Submission};
use counterfoil_exchange::checks::{CheckResult, Disposition, FailCode, Flag};
use counterfoil_exchange::documents::{Attestation, ClaimHash, DocumentHash, StructuredClaim};
use counterfoil_exchange::machine::{Event, ItemEvent, ItemState, step_item};
use counterfoil_store::{ClaimRequest, Draft};
use counterfoil_types::{DidKey, WorldId};

use super::Keeping;
use super::compare::{MAX_SIDES, told};
use super::drive::Drive;
use super::item::{Item, Plan};
use super::received::{self, Receipt};
use super::times::{current_until, valid_time};
use super::verify::Answer;
use crate::PeerError;

impl Drive<'_> {
    /// Stores what is planned and not yet stored. To do it twice is to do it once.
    pub(super) async fn keep(&mut self, answer: &Answer) -> Result<Event, PeerError> {
        if self.keeping() == Keeping::Nothing {
            return Ok(Event::NotKept);
        }
        let mut stored = false;
        for mut item in self.items().await? {
            let result = answer.response.parts().results.get(index(item.number));
            let Some(result) = result else {
                return Err(PeerError::Kept { what: "answer" });
            };
            match item.state {
                ItemState::Checked => self.store(&mut item, &result.attestation, answer).await?,
                // What is raw, where the asker keeps that.
                ItemState::Quarantined if item.plan != Plan::Nothing => {
                    self.store(&mut item, &result.attestation, answer).await?;
                }
                _ => {}
            }
            stored |= item.state == ItemState::Stored;
        }
        Ok(if stored { Event::Kept } else { Event::NotKept })
    }

    async fn store(
        &self,
        item: &mut Item,
        attestation: &Attestation,
        answer: &Answer,
    ) -> Result<(), PeerError> {
        let host = &self.asking().host;
        // As it was written down: what is written a second time has to be the same to the microsecond.
        let answer = &Answer {
            received_us: item.at_us,
            ..answer.clone()
        };
        let stored = match (self.there(item).await?, &item.plan) {
            (Some(there), _) => Some(there),
            (None, Plan::Text(world)) => {
                let world = world.clone();
                self.store_text(world.clone(), item, attestation, answer)
                    .await?;
                Some(world)
            }
            (None, Plan::Claim) => self.store_claim(item, attestation, answer).await?,
            (None, Plan::Nothing | Plan::There(_)) => None,
        };
        self.note(item, attestation, stored.as_ref()).await?;
        let event = match stored {
            Some(_) => ItemEvent::Stored,
            None => ItemEvent::NotStored,
        };
        item.state = step_item(item.state, event);
        item.stored = stored;
        host.store.set_item(self.id(), item.write()?).await?;
        Ok(())
    }

    /// Where it stands already: planned so, or heard since. What this item itself has stored, before the process ended, is
    /// stored again under its own name.
    async fn there(&self, item: &mut Item) -> Result<Option<WorldId>, PeerError> {
        let host = &self.asking().host;
        let name = self.name(item).await?;
        let heard = host.store.heard(&name).await?.map(|(world, _)| world);
        let there = match &item.plan {
            Plan::Nothing => return Ok(None),
            Plan::There(world) => return Ok(Some(world.clone())),
            Plan::Text(planned) => heard.filter(|world| world != planned),
            Plan::Claim => {
                let before = host
                    .store
                    .committed(host.signer.agent(), &self.key(item))
                    .await?;
                heard.filter(|_| before.is_none())
            }
        };
        if there.is_some() {
            item.flag(Flag::Known);
        }
        Ok(there)
    }

    /// Under which name it is counted that a claim was heard. What nobody stands up for has one of its own, so that it
    /// keeps nobody out who does; unless it is known from such a one.
    async fn name(&self, item: &Item) -> Result<ClaimHash, PeerError> {
        let is_raw = item.disposition() <= Disposition::RawOnly;
        let store = &self.asking().host.store;
        Ok(match is_raw && store.heard(&item.claim).await?.is_none() {
            true => rumour(&item.claim),
            false => item.claim,
        })
    }

    async fn store_text(
        &self,
        world: WorldId,
        item: &Item,
        attestation: &Attestation,
        answer: &Answer,
    ) -> Result<(), PeerError> {
        let host = &self.asking().host;
        let age = self.age(&item.judged.checks, answer);
        let receipt = Receipt {
            exchange: self.id(),
            received_us: answer.received_us,
            until_us: current_until(attestation.parts(), &age),
        };
        let world = received::world(world, item, attestation, &receipt)?;
        host.store
            .append_one(Arc::clone(&host.signer), Draft::new(world))
            .await?;
        Ok(())
    }

    /// Has the gate judge a claim; where it is stored then, or stood before.
    async fn store_claim(
        &self,
        item: &mut Item,
        attestation: &Attestation,
        answer: &Answer,
    ) -> Result<Option<WorldId>, PeerError> {
        let Some(claim) = &attestation.parts().claim.structured else {
            return Err(PeerError::Kept { what: "answer" });
        };
        let submission = match self.submission(item, attestation, claim, answer)? {
            Ok(submission) => submission,
            Err(refusal) => return Ok(refused(item, &refusal)),
        };
        let host = &self.asking().host;
        let (signer, settings) = (Arc::clone(&host.signer), Arc::clone(&host.claims));
        let requests = vec![ClaimRequest::Submit(submission)];
        let said = host.store.submit(signer, settings, requests).await?.pop();
        match said.ok_or(PeerError::Bug("a claim without an answer"))? {
            Ok(outcome) => {
                item.gate = Some(outcome.disposition.name().to_owned());
                item.unchanged = outcome.written.is_none();
                if matches!(
                    outcome.disposition,
                    Gate::Contested | Gate::QueuedForAdjudication
                ) {
                    self.contest(item, &outcome).await?;
                }
                let is_kept = outcome.disposition != Gate::DeniedAlready;
                Ok(is_kept.then_some(outcome.reference))
            }
            Err(refusal) => Ok(refused(item, &refusal)),
        }
    }

    /// The claim through the door for other agents: its source, and the level at receipt (R17). What a peer says of
    /// cardinality and of whom it supersedes is left out.
    fn submission(
        &self,
        item: &Item,
        attestation: &Attestation,
        claim: &StructuredClaim,
        answer: &Answer,
    ) -> Result<Result<Submission, ClaimError>, PeerError> {
        let judged = &item.judged;
        let source = judged
            .source
            .ok_or(PeerError::Bug("a claim of nobody is stored"))?;
        let level = judged.outcome.level.number();
        let host = &self.asking().host;
        let channel = host.channels.peer(source, level);
        let channel = channel.ok_or(PeerError::Bug("a level above 3"))?;
        let age = self.age(&judged.checks, answer);
        let valid = valid_time(attestation.parts(), claim, &age)
            .map_err(|_| PeerError::Bug("a window that was coherent before"))?;
        let (subject, predicate) = (claim.subject.clone(), claim.predicate.clone());
        let made = Submission::new(&channel, subject, predicate, claim.value.clone())
            .keyed(&self.key(item));
        Ok(match valid {
            Some(valid) => made.and_then(|made| made.valid(valid)),
            None => made,
        })
    }

    fn key(&self, item: &Item) -> String {
        format!("exchange:{}:{}", self.id(), item.number)
    }

    /// The gate found claims that contradict it: so did the check, then, whatever instants it had looked at.
    async fn contest(&self, item: &mut Item, outcome: &ClaimOutcome) -> Result<(), PeerError> {
        item.flag(Flag::Contested);
        item.judged.checks.consistency = CheckResult::Fail(FailCode::Contradicts);
        if !item.sides.is_empty() {
            return Ok(());
        }
        for rival in outcome.because.rivals.iter().take(MAX_SIDES) {
            let unit = self.asking().host.store.unit_of(rival).await?;
            if let Some(Act::Claim(body)) = unit.as_ref().map(counterfoil_claims::Unit::act) {
                item.sides.push(body.value.canonical().to_owned());
            }
        }
        item.sides = told(std::mem::take(&mut item.sides));
        Ok(())
    }

    /// Counts that it was heard. What this item has counted before the process ended is not counted again.
    async fn note(
        &self,
        item: &mut Item,
        attestation: &Attestation,
        stored: Option<&WorldId>,
    ) -> Result<(), PeerError> {
        let host = &self.asking().host;
        let name = self.name(item).await?;
        let heard = host.store.heard(&name).await?;
        let is_known = item.judged.outcome.flags.contains(&Flag::Known);
        let is_there = stored.is_some() && heard.as_ref().map(|(world, _)| world) == stored;
        let is_counted = is_there
            && match item.plan {
                Plan::Text(_) | Plan::Claim => !is_known,
                Plan::Nothing | Plan::There(_) => false,
            };
        if is_counted {
            return Ok(());
        }
        let now_us = host.timer.now().wall_us;
        item.heard = host.store.note_heard(name, stored.cloned(), now_us).await?;
        if let (Some(key), Some(world)) = (attester(item, attestation), stored) {
            let name = link(&key, attestation.parts().id.as_str());
            if host.store.heard(&name).await?.is_none() {
                host.store
                    .note_heard(name, Some(world.clone()), now_us)
                    .await?;
            }
        }
        Ok(())
    }

    /// What an attestation says to take the place of, as far as the same key has attested that, and it is here (case 105).
    pub(super) async fn links(
        &self,
        item: &Item,
        attestation: &Attestation,
    ) -> Result<Vec<WorldId>, PeerError> {
        let salience = attestation.parts().salience.as_ref();
        let (Some(salience), Some(key)) = (salience, attester(item, attestation)) else {
            return Ok(Vec::new());
        };
        let mut links = Vec::new();
        for name in &salience.supersedes {
            let found = self
                .asking()
                .host
                .store
                .heard(&link(&key, name.as_str()))
                .await?;
            links.extend(found.map(|(world, _)| world));
        }
        links.dedup();
        Ok(links)
    }
}

/// The key that attests, where its signature holds.
fn attester(item: &Item, attestation: &Attestation) -> Option<DidKey> {
    let key = attestation.parts().agent.as_ref()?.public_key?;
    (item.judged.source == Some(key) && item.judged.checks.signature == CheckResult::Pass)
        .then_some(key)
}

/// What a claim is known by as long as nobody stands up for it.
pub(super) fn rumour(claim: &ClaimHash) -> ClaimHash {
    named(&format!("counterfoil/exchange/v1 rumour\n{claim}"))
}

/// What an attestation is found by: who attests, and the name that they gave it. It stands among what was heard, apart
/// from claims by the words that it begins with.
fn link(key: &DidKey, name: &str) -> ClaimHash {
    named(&format!(
        "counterfoil/exchange/v1 attestation\n{key}\n{name}"
    ))
}

fn named(text: &str) -> ClaimHash {
    ClaimHash::from_digest(*DocumentHash::of(text.as_bytes()).digest())
}

fn refused(item: &mut Item, refusal: &ClaimError) -> Option<WorldId> {
    item.gate = Some(refusal.code().to_owned());
    None
}

/// The place of a memory in its answer.
fn index(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
