//! Exchanges in memory (docs/format/exchange.md §9, §10; R4).

use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;
use counterfoil_exchange::answering::{SeenQuotas, Sighting};
use counterfoil_exchange::documents::{ClaimHash, DocumentHash, RequestId};
use counterfoil_exchange::machine::Transition;
use counterfoil_types::{DidKey, Sha256Hash, WorldId};

use super::InMemoryStore;
use crate::exchange_limits as limits;
use crate::{BegunExchange, ExchangeStore, RequestState, StoreError, StoredExchange, StoredItem};

/// Exchanges of the agent.
#[derive(Default)]
pub(super) struct Exchanges {
    records: Vec<(Vec<u8>, u64)>,
    known: BTreeSet<DocumentHash>,
    /// In the order in which they were begun.
    begun: Vec<Kept>,
    by_id: BTreeMap<RequestId, usize>,
    heard: BTreeMap<ClaimHash, (Option<WorldId>, u64)>,
    seen: BTreeMap<(DidKey, RequestId), Sha256Hash>,
    /// The same by the end of their time.
    until: BTreeSet<(u64, DidKey, RequestId)>,
    secret: Option<[u8; 32]>,
}

/// One exchange.
struct Kept {
    begun: BegunExchange,
    transitions: Vec<Transition>,
    answers: Vec<(DocumentHash, Vec<u8>)>,
    /// All rows of each memory.
    items: BTreeMap<u32, Vec<StoredItem>>,
}

impl Kept {
    fn stored(&self) -> StoredExchange {
        StoredExchange {
            begun: self.begun.clone(),
            transitions: self.transitions.clone(),
            items: self
                .items
                .values()
                .filter_map(|rows| rows.last().cloned())
                .collect(),
        }
    }
}

impl Exchanges {
    fn of(&self, id: &RequestId) -> Option<&Kept> {
        self.begun.get(*self.by_id.get(id)?)
    }

    fn of_mut(&mut self, id: &RequestId) -> Result<&mut Kept, StoreError> {
        let at = self.by_id.get(id);
        at.and_then(|at| self.begun.get_mut(*at))
            .ok_or_else(|| limits::unknown(id))
    }

    fn see(&mut self, sighting: Sighting, now_us: u64, quotas: SeenQuotas) -> RequestState {
        while self
            .until
            .first()
            .is_some_and(|(until_us, ..)| *until_us < now_us)
        {
            if let Some((_, key, id)) = self.until.pop_first() {
                self.seen.remove(&(key, id));
            }
        }
        let place = (sighting.key, sighting.request_id);
        if let Some(known) = self.seen.get(&place) {
            return same(*known == sighting.hash);
        }
        if is_full(self.seen.len(), quotas.in_all) || is_full(self.of_key(&place.0), quotas.per_key)
        {
            return RequestState::Full;
        }
        self.until
            .insert((sighting.until_us, place.0, place.1.clone()));
        self.seen.insert(place, sighting.hash);
        RequestState::New
    }

    fn of_key(&self, key: &DidKey) -> usize {
        let from = (*key, RequestId::from_bytes([0; 16]));
        self.seen
            .range(from..)
            .take_while(|((of, _), _)| of == key)
            .count()
    }
}

const fn same(same: bool) -> RequestState {
    match same {
        true => RequestState::Same,
        false => RequestState::Other,
    }
}

fn is_full(count: usize, quota: u32) -> bool {
    usize::try_from(quota).is_ok_and(|quota| count >= quota)
}

#[async_trait]
impl ExchangeStore for InMemoryStore {
    async fn add_record(
        &self,
        hash: DocumentHash,
        (bytes, received_us): (Vec<u8>, u64),
    ) -> Result<bool, StoreError> {
        limits::check_record(&hash, &bytes)?;
        let kept = &mut self.state()?.exchanges;
        if kept.known.contains(&hash) {
            return Ok(false);
        }
        limits::check_records(kept.records.len())?;
        kept.known.insert(hash);
        kept.records.push((bytes, received_us));
        Ok(true)
    }

    async fn records(&self) -> Result<Vec<(Vec<u8>, u64)>, StoreError> {
        Ok(self.state()?.exchanges.records.clone())
    }

    async fn begin_exchange(
        &self,
        begun: BegunExchange,
        first: Transition,
    ) -> Result<(), StoreError> {
        limits::check_begun(&begun, &first)?;
        let kept = &mut self.state()?.exchanges;
        if kept.by_id.contains_key(&begun.id) {
            return Err(limits::conflict(&begun.id, "it was begun already"));
        }
        kept.by_id.insert(begun.id.clone(), kept.begun.len());
        kept.begun.push(Kept {
            begun,
            transitions: vec![first],
            answers: Vec::new(),
            items: BTreeMap::new(),
        });
        Ok(())
    }

    async fn add_transition(&self, id: &RequestId, row: Transition) -> Result<(), StoreError> {
        let rows = &mut self.state()?.exchanges;
        let rows = &mut rows.of_mut(id)?.transitions;
        let next = u32::try_from(rows.len()).unwrap_or(u32::MAX);
        limits::check_transition(id, row.number, next)?;
        rows.push(row);
        Ok(())
    }

    async fn keep_answer(
        &self,
        id: &RequestId,
        hash: DocumentHash,
        bytes: Vec<u8>,
    ) -> Result<(), StoreError> {
        limits::check_answer(&hash, &bytes)?;
        let kept = &mut self.state()?.exchanges;
        let answers = &mut kept.of_mut(id)?.answers;
        if answers.iter().any(|(known, _)| *known == hash) {
            return Ok(());
        }
        limits::check_answers(id, answers.len())?;
        answers.push((hash, bytes));
        Ok(())
    }

    async fn answer(
        &self,
        id: &RequestId,
        hash: &DocumentHash,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let state = self.state()?;
        let answers = state.exchanges.of(id).map(|kept| kept.answers.iter());
        let mut answers = answers.into_iter().flatten();
        Ok(answers.find_map(|(known, bytes)| (known == hash).then(|| bytes.clone())))
    }

    async fn set_item(&self, id: &RequestId, item: StoredItem) -> Result<(), StoreError> {
        let kept = &mut self.state()?.exchanges;
        let items = &mut kept.of_mut(id)?.items;
        limits::check_item(&item, items.get(&item.number).map_or(0, Vec::len))?;
        items.entry(item.number).or_default().push(item);
        Ok(())
    }

    async fn exchange(&self, id: &RequestId) -> Result<Option<StoredExchange>, StoreError> {
        Ok(self.state()?.exchanges.of(id).map(Kept::stored))
    }

    async fn exchanges(
        &self,
        before_us: Option<u64>,
        limit: usize,
    ) -> Result<Vec<StoredExchange>, StoreError> {
        let state = self.state()?;
        let within = |kept: &&Kept| before_us.is_none_or(|before| kept.begun.begun_us < before);
        let mut found: Vec<_> = state
            .exchanges
            .begun
            .iter()
            .enumerate()
            .filter(|(_, kept)| within(kept))
            .collect();
        found.sort_by_key(|(number, kept)| core::cmp::Reverse((kept.begun.begun_us, *number)));
        let limit = limit.clamp(1, limits::MAX_LISTED);
        let mut bytes = 0_usize;
        let found = found.into_iter().take(limit).map(|(_, kept)| kept.stored());
        Ok(found
            .take_while(|exchange| {
                let fits = bytes < limits::MAX_LISTED_BYTES;
                bytes = bytes.saturating_add(limits::bytes_of(exchange));
                fits
            })
            .collect())
    }

    async fn heard(&self, claim: &ClaimHash) -> Result<Option<(WorldId, u64)>, StoreError> {
        let state = self.state()?;
        let heard = state.exchanges.heard.get(claim);
        Ok(heard.and_then(|(world, times)| Some((world.clone()?, *times))))
    }

    async fn note_heard(
        &self,
        claim: ClaimHash,
        world: Option<WorldId>,
        _at_us: u64,
    ) -> Result<u64, StoreError> {
        let kept = &mut self.state()?.exchanges;
        let (stored, times) = kept.heard.entry(claim).or_default();
        *stored = stored.take().or(world);
        *times = times.saturating_add(1);
        Ok(*times)
    }

    async fn seen(
        &self,
        key: &DidKey,
        id: &RequestId,
        hash: &Sha256Hash,
    ) -> Result<RequestState, StoreError> {
        let state = self.state()?;
        let known = state.exchanges.seen.get(&(*key, id.clone()));
        Ok(known.map_or(RequestState::New, |known| same(known == hash)))
    }

    async fn see(
        &self,
        sighting: Sighting,
        now_us: u64,
        quotas: SeenQuotas,
    ) -> Result<RequestState, StoreError> {
        Ok(self.state()?.exchanges.see(sighting, now_us, quotas))
    }

    async fn exchange_secret(&self, drawn: [u8; 32]) -> Result<[u8; 32], StoreError> {
        Ok(*self.state()?.exchanges.secret.get_or_insert(drawn))
    }
}
