//! Storage of memories that passed, through the gate, once (docs/format/exchange.md §11; MRP-5, MRP-46; R16, R17; cases 75,
//! 102, 105).

use std::sync::Arc;

use counterfoil_claims::{Act, ClaimError, Disposition as Gate, Identifier, Submission, Unit};
use counterfoil_exchange::checks::{CheckResult, FailCode, Flag};
use counterfoil_exchange::documents::{Attestation, ClaimHash, StructuredClaim};
use counterfoil_exchange::machine::{Event, ItemState};
use counterfoil_store::{ClaimRequest, Draft};
use counterfoil_types::{DidKey, Scope, WorldId};

use super::StorePolicy;
use super::compare::{MAX_SIDES, bounded, is_of_source};
use super::drive::{Answer, Drive};
use super::item::{Item, Plan};
use super::received::{self, ReceivedFrom};
use super::times::{current_until, valid_time};
use crate::given::named;
use crate::{PeerError, behind};

impl Drive<'_> {
    /// Stores the planned memories that are not stored yet; doing it twice changes nothing.
    pub(super) async fn keep(&mut self, answer: &Answer) -> Result<Event, PeerError> {
        if self.begun.terms.store_policy == StorePolicy::None {
            return Ok(Event::NotKept);
        }
        let mut stored = false;
        for mut item in self.items().await? {
            let index = usize::try_from(item.memory.number).unwrap_or(usize::MAX);
            let result = answer.response.parts().results.get(index);
            let result = result.ok_or(PeerError::Unreadable { what: "answer" })?;
            let is_due = match item.memory.state {
                ItemState::Checked => true,
                // The policy stores raw memories.
                ItemState::Quarantined => item.plan != Plan::Nothing,
                _ => false,
            };
            if is_due {
                self.store(&mut item, &result.attestation, answer).await?;
            }
            stored |= item.memory.state == ItemState::Stored;
        }
        Ok(if stored { Event::Kept } else { Event::NotKept })
    }

    async fn store(
        &self,
        item: &mut Item,
        attestation: &Attestation,
        answer: &Answer,
    ) -> Result<(), PeerError> {
        let host = self.host;
        // With the stored time of receipt, so that a second write is the same to the microsecond.
        let answer = &Answer {
            received_us: item.at_us,
            ..answer.clone()
        };
        let stored = match (self.there(item, attestation).await?, &item.plan) {
            (Some(there), _) => Some(there),
            (None, Plan::Text(world)) => {
                let age = self.age(&item.memory.judged.checks, answer);
                let origin = ReceivedFrom {
                    exchange: &self.begun.id,
                    received_us: answer.received_us,
                    until_us: current_until(attestation.parts(), &age),
                };
                let draft = received::world(world.clone(), item, attestation, &origin)?;
                let signer = Arc::clone(&host.signer);
                host.store.append_one(signer, Draft::new(draft)).await?;
                Some(world.clone())
            }
            (None, Plan::Claim) => self.store_claim(item, attestation, answer).await?,
            (None, Plan::Nothing | Plan::There(_)) => None,
        };
        self.count(item, attestation, stored.as_ref()).await?;
        item.memory.state = match stored {
            Some(_) => item.memory.state.stored(),
            None => item.memory.state.set_apart(),
        };
        item.memory.stored = stored;
        host.store.set_item(&self.begun.id, item.write()?).await?;
        Ok(())
    }

    /// Returns the World in which a memory is stored already, by its plan or by another exchange since. A World that this item
    /// itself stored before the process ended is written again under its own name.
    async fn there(
        &self,
        item: &mut Item,
        attestation: &Attestation,
    ) -> Result<Option<WorldId>, PeerError> {
        let host = self.host;
        let name = self.name(item).await?;
        let heard = host.store.heard(&name).await?.map(|(world, _)| world);
        let there = match &item.plan {
            Plan::Nothing => return Ok(None),
            Plan::There(world) => return Ok(Some(world.clone())),
            Plan::Text(planned) => heard.filter(|world| world != planned),
            Plan::Claim => {
                let before = host
                    .store
                    .committed(host.signer.agent(), &self.key(item), &Scope::new())
                    .await?;
                match heard.filter(|_| before.is_none()) {
                    Some(world) => is_of_source(host, &world, &item.memory.judged, attestation)
                        .await?
                        .then_some(world),
                    None => None,
                }
            }
        };
        if there.is_some() {
            item.flag(Flag::Known);
        }
        Ok(there)
    }

    /// Returns the name under which receipts of a claim are counted. A raw one and one that was not asked for have a name of
    /// their own, so that they do not block an attested one that was asked for; unless the claim was attested before.
    async fn name(&self, item: &Item) -> Result<ClaimHash, PeerError> {
        let store = &self.host.store;
        Ok(
            match item.is_testimony() && store.heard(&item.claim).await?.is_none() {
                true => raw_name(&item.claim),
                false => item.claim,
            },
        )
    }

    /// Submits a claim to the gate, and returns the unit in which it is stored.
    async fn store_claim(
        &self,
        item: &mut Item,
        attestation: &Attestation,
        answer: &Answer,
    ) -> Result<Option<WorldId>, PeerError> {
        let Some(claim) = &attestation.parts().claim.structured else {
            return Err(PeerError::Unreadable { what: "answer" });
        };
        let submission = match self.submission(item, attestation, claim, answer)? {
            Ok(submission) => submission,
            Err(refusal) => return Ok(refused(item, &refusal)),
        };
        let host = self.host;
        let (signer, settings) = (Arc::clone(&host.signer), host.claims.current().await?);
        let requests = vec![ClaimRequest::Submit(submission)];
        let said = host.store.submit(signer, settings, requests).await?.pop();
        match said.ok_or(PeerError::Bug("a claim without an answer"))? {
            Ok(outcome) => {
                item.memory.gate = Some(outcome.disposition.name().to_owned());
                item.memory.unchanged = outcome.written.is_none();
                if matches!(
                    outcome.disposition,
                    Gate::Contested | Gate::QueuedForAdjudication
                ) {
                    // The check may have compared other instants.
                    item.flag(Flag::Contested);
                    item.memory.judged.checks.consistency =
                        CheckResult::Fail(FailCode::Contradicts);
                    if item.memory.sides.is_empty() {
                        let mut values = Vec::new();
                        for rival in outcome.because.rivals.iter().take(MAX_SIDES) {
                            let unit = host.store.unit_of(rival).await?;
                            if let Some(Act::Claim(body)) = unit.as_ref().map(Unit::act) {
                                values.push(body.value.canonical().to_owned());
                            }
                        }
                        item.memory.sides = bounded(values);
                    }
                }
                let is_kept = outcome.disposition != Gate::DeniedAlready;
                Ok(is_kept.then_some(outcome.reference))
            }
            Err(refusal) => Ok(refused(item, &refusal)),
        }
    }

    /// Returns the submission of a claim through the channel of its source and level at receipt (R17), without the peer's
    /// cardinality and supersessions.
    fn submission(
        &self,
        item: &Item,
        attestation: &Attestation,
        claim: &StructuredClaim,
        answer: &Answer,
    ) -> Result<Result<Submission, ClaimError>, PeerError> {
        let judged = &item.memory.judged;
        let source = judged
            .source
            .ok_or(PeerError::Bug("a claim of nobody is stored"))?;
        let level = judged.level().number();
        let host = self.host;
        let channel = host.channels.peer(source, level);
        let channel = channel.ok_or(PeerError::Bug("a level above 3"))?;
        let channel = match attestation.parts().is_inferred() {
            true => channel.inferred(),
            false => channel,
        };
        let channel = channel.through(&judged.relays);
        let channel = channel.map_err(|_| PeerError::Bug("a claim of too many agents"))?;
        let age = self.age(&judged.checks, answer);
        let valid = valid_time(attestation.parts(), claim, &age)
            .map_err(|_| PeerError::Bug("a window that was coherent before"))?;
        let (subject, predicate) = (claim.subject.clone(), claim.predicate.clone());
        let made = Submission::new(&channel, subject, predicate, claim.value.clone())
            .keyed(&self.key(item));
        let domain = self.begun.request.parts().query.domain.as_ref();
        let domain = domain.map(|domain| Identifier::new("domain", domain.as_str()));
        let made = match domain {
            Some(domain) => made.and_then(|made| Ok(made.about(domain?))),
            None => made,
        };
        Ok(match valid {
            Some(valid) => made.and_then(|made| made.valid(valid)),
            None => made,
        })
    }

    fn key(&self, item: &Item) -> String {
        behind::key(&self.begun.id, item.memory.number)
    }

    /// Counts the receipt of a claim, unless this item counted it before the process ended.
    async fn count(
        &self,
        item: &mut Item,
        attestation: &Attestation,
        stored: Option<&WorldId>,
    ) -> Result<(), PeerError> {
        let host = self.host;
        let name = self.name(item).await?;
        let heard = host.store.heard(&name).await?;
        let is_known = item.memory.judged.flags.contains(&Flag::Known);
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
        item.memory.heard = host.store.note_heard(name, stored.cloned(), now_us).await?;
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

    /// Returns the stored memories that an attestation supersedes, as far as the same key attested them (case 105).
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
            let found = self.host.store.heard(&link(&key, name.as_str())).await?;
            links.extend(found.map(|(world, _)| world));
        }
        links.dedup();
        Ok(links)
    }
}

/// Returns the key of the attesting agent if its signature is valid.
fn attester(item: &Item, attestation: &Attestation) -> Option<DidKey> {
    let key = attestation.parts().agent.as_ref()?.public_key?;
    let judged = &item.memory.judged;
    let holds = judged.source == Some(key) && judged.checks.signature == CheckResult::Pass;
    holds.then_some(key)
}

/// Returns the name under which receipts of a raw claim are counted.
pub(super) fn raw_name(claim: &ClaimHash) -> ClaimHash {
    named(&format!("counterfoil/exchange/v1 rumour\n{claim}"))
}

/// Returns the name under which an attestation is found: by its key and id. It is kept among the names of claims, which its
/// prefix keeps apart.
fn link(key: &DidKey, name: &str) -> ClaimHash {
    named(&format!(
        "counterfoil/exchange/v1 attestation\n{key}\n{name}"
    ))
}

fn refused(item: &mut Item, refusal: &ClaimError) -> Option<WorldId> {
    item.memory.gate = Some(refusal.code().to_owned());
    None
}
