//! The inside of one transaction that appends: rows are changed and capsules appended together or not at all
//! (capsules 4.6: a redaction and what it takes away are one transaction).

use counterfoil_capsule::keys::KeyHistory;
use counterfoil_capsule::{ChainId, LastTimes, Signer, World};
use counterfoil_claims::{ClaimError, ClaimOutcome, Settings};
use counterfoil_store::append::{AppendContext, AppendTxn, NewCapsule, NextInFeed, Packer};
use counterfoil_store::claims::{JudgedDrafts, random_world_id, unit_in};
use counterfoil_store::log::Frontier;
use counterfoil_store::{
    AppendReport, ClaimRequest, Clock, Draft, Entropy, Head, StoreError, StoreLocation,
    StoredCapsule, now_after,
};
use counterfoil_types::{Blake3Hash, DidKey, Sha256Hash, WorldId};

use crate::entries::{self, Sides};
use crate::index::Places;
use crate::map::NewHeaders;
use crate::port::rows::{AgentRow, FeedSecretRow, ReceivedRow, WorldRow};
use crate::port::{IndexedWorld, Succession, Txn};
use crate::versions::recorded_at;
use crate::{forks, index, journal, keys};

/// Transaction, right edge of the log, clock and random source of one job of the writer.
pub struct Unit<'t> {
    txn: &'t dyn Txn,
    frontier: &'t mut Frontier,
    clock: &'t dyn Clock,
    entropy: &'t dyn Entropy,
    /// Headers that were appended, by log index.
    headers: NewHeaders,
}

/// Largest number of headers that a transaction holds in memory.
const MAX_HEADERS: usize = 1 << 14;

impl<'t> Unit<'t> {
    /// Begins a job. `frontier` is the right edge of the log as `txn` sees it; both grow together.
    pub const fn new(
        txn: &'t dyn Txn,
        frontier: &'t mut Frontier,
        clock: &'t dyn Clock,
        entropy: &'t dyn Entropy,
    ) -> Self {
        Self {
            txn,
            frontier,
            clock,
            entropy,
            headers: NewHeaders::new(),
        }
    }

    /// Returns the headers that were appended.
    pub fn into_headers(self) -> NewHeaders {
        self.headers
    }

    /// Returns the transaction.
    pub const fn txn(&self) -> &'t dyn Txn {
        self.txn
    }

    /// Returns the number of entries, with those of this job.
    pub const fn size(&self) -> u64 {
        self.frontier.size()
    }

    /// Returns the root of the log, with the entries of this job.
    pub(crate) fn root(&self) -> Sha256Hash {
        self.frontier.root()
    }

    /// Returns the present time of the store's clock, in microseconds since 1970.
    pub fn now_micros(&self) -> u64 {
        self.clock.now_micros()
    }

    /// Returns the random source of the store.
    pub const fn entropy(&self) -> &'t dyn Entropy {
        self.entropy
    }

    const fn context<'c>(&self, signer: &'c dyn Signer) -> AppendContext<'c>
    where
        't: 'c,
    {
        AppendContext {
            signer,
            clock: self.clock,
            entropy: self.entropy,
        }
    }

    /// Seals the drafts and appends them. `tree_size` of the answers is the size after this call.
    ///
    /// # Errors
    /// As [`CapsuleLog::append`](counterfoil_store::CapsuleLog::append). After one the whole job has to fail.
    pub fn append(
        &mut self,
        signer: &dyn Signer,
        drafts: &[Draft],
    ) -> Result<Vec<AppendReport>, StoreError> {
        let context = self.context(signer);
        let mut rows = Rows::new(self.txn, &mut self.headers);
        let places = self.frontier.append_drafts(&mut rows, context, drafts)?;
        rows.places.finish()?;
        self.index_drafts(&places, drafts)?;
        Ok(places)
    }

    /// Judges claims against the lines inside of the transaction, and appends those that the gate lets in (I5, I9).
    ///
    /// # Errors
    /// As [`ClaimStore::submit`](counterfoil_store::ClaimStore::submit). After one the whole job has to fail.
    pub fn submit(
        &mut self,
        signer: &dyn Signer,
        settings: &Settings,
        requests: &[ClaimRequest],
    ) -> Result<Vec<Result<ClaimOutcome, ClaimError>>, StoreError> {
        let (agent, context) = (signer.agent(), self.context(signer));
        let last = entries::last_recorded(self.txn, &agent)?;
        let mut judged = JudgedDrafts::new(agent, self.frontier.size(), last, self.clock)?;
        let mut lines = self.txn.lines(agent);
        let mut mint = || random_world_id(context.entropy);
        judged.judge_all(&mut *lines, settings, requests, &mut mint)?;
        if !judged.drafts.is_empty() {
            let mut rows = Rows::new(self.txn, &mut self.headers);
            rows.last = Some((agent, last));
            let places = self.frontier.append_judged(&mut rows, context, &judged)?;
            rows.places.finish()?;
            self.index_drafts(&places, &judged.drafts)?;
        }
        Ok(judged.answers)
    }

    /// Appends capsules that were sealed elsewhere and judged valid, each after its predecessor.
    ///
    /// # Errors
    /// As [`CapsuleLog::receive`](counterfoil_store::CapsuleLog::receive). After one the whole job has to fail.
    pub fn receive(
        &mut self,
        source: &str,
        capsules: &mut [StoredCapsule],
    ) -> Result<Vec<AppendReport>, StoreError> {
        let last = self.frontier.size().checked_sub(1);
        let last = last.map(|last| recorded_at(self.txn, last)).transpose()?;
        let received = Some((source, now_after(self.clock, last)?));
        self.take_in(received, capsules)
    }

    /// Appends capsules that were sealed elsewhere; those without source and time of receipt count as sealed here.
    pub(crate) fn take_in(
        &mut self,
        received: Option<(&str, u64)>,
        capsules: &mut [StoredCapsule],
    ) -> Result<Vec<AppendReport>, StoreError> {
        let mut rows = Rows::new(self.txn, &mut self.headers);
        let places = self.frontier.receive(&mut rows, received, capsules)?;
        rows.places.finish()?;
        for (place, capsule) in places.iter().zip(capsules) {
            if !place.is_new {
                continue;
            }
            if let Some(unit) = unit_in(capsule) {
                self.txn.index_unit(self.txn, &unit)?;
            }
            let payload = capsule
                .payload
                .as_ref()
                .filter(|_| capsule.entry.world().is_some());
            let world = payload.and_then(|body| World::from_json(body.text.as_bytes()).ok());
            let Some(world) = world else { continue };
            let later = capsule.header.previous().is_some();
            self.index(place, &world, later)?;
        }
        Ok(places)
    }

    fn index_drafts(&self, places: &[AppendReport], drafts: &[Draft]) -> Result<(), StoreError> {
        let new = places.iter().zip(drafts).filter(|(place, _)| place.is_new);
        for (place, draft) in new {
            if let Some(world) = draft.world() {
                self.index(place, world, draft.expected.is_some())?;
            }
        }
        Ok(())
    }

    /// Adds a memory to the index of text.
    fn index(&self, place: &AppendReport, world: &World, later: bool) -> Result<(), StoreError> {
        let mut follows = None;
        if later {
            let body = self.txn.body(place.index)?;
            let delta = body.and_then(|body| String::from_utf8(body.delta?).ok());
            let chain = place.chain;
            follows = Some(Succession { chain, delta });
        }
        self.txn.index_world(&IndexedWorld {
            index: place.index,
            world,
            follows,
        })
    }

    /// Derives the whole index again: after a change of entries that it rests on.
    pub(crate) fn derive_again(&self) -> Result<(), StoreError> {
        index::derive_again(self.txn, self.frontier.size())
    }

    /// Runs `job` in a part of the transaction: after an error of it nothing of it is kept.
    ///
    /// # Errors
    /// When the engine refuses; the error of `job` is inside.
    pub fn apart<T>(
        &mut self,
        job: impl FnOnce(&mut Self) -> Result<T, StoreError>,
    ) -> Result<Result<T, StoreError>, StoreError> {
        self.txn.begin()?;
        let edge = self.frontier.clone();
        let outcome = job(self);
        if outcome.is_ok() {
            self.txn.keep()?;
        } else {
            *self.frontier = edge;
            self.txn.undo()?;
        }
        Ok(outcome)
    }
}

impl std::fmt::Debug for Unit<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Unit")
            .field("size", &self.size())
            .finish_non_exhaustive()
    }
}

/// The transaction as the write path of all stores sees it.
struct Rows<'t> {
    txn: &'t dyn Txn,
    places: Places<'t>,
    /// An agent and the time of its last record before this append, where the caller has read it.
    last: Option<(DidKey, Option<LastTimes>)>,
    headers: &'t mut NewHeaders,
}

impl<'t> Rows<'t> {
    const fn new(txn: &'t dyn Txn, headers: &'t mut NewHeaders) -> Self {
        Self {
            txn,
            headers,
            places: Places::new(txn),
            last: None,
        }
    }
}

impl AppendTxn for Rows<'_> {
    fn reserve(&mut self, world_id: &WorldId, idx: u64) -> Result<Option<u64>, StoreError> {
        let id = world_id.clone();
        match self.txn.add(&WorldRow { idx, id })? {
            true => Ok(None),
            false => entries::index_of(self.txn, world_id),
        }
    }

    fn capsule(&mut self, index: u64) -> Result<StoredCapsule, StoreError> {
        entries::unchecked(self.txn, index)?.ok_or_else(|| {
            StoreError::corrupt(
                StoreLocation::entry("world", index),
                "a row points to no capsule",
            )
        })
    }

    fn head(&mut self, chain: &ChainId) -> Result<Option<Head>, StoreError> {
        entries::chain_head(self.txn, chain)
    }

    fn last_recorded(&mut self, agent: &DidKey) -> Result<Option<LastTimes>, StoreError> {
        match self.last {
            Some((known, last)) if known == *agent => Ok(last),
            _ => entries::last_recorded(self.txn, agent),
        }
    }

    fn current_key(&mut self, agent: &DidKey) -> Result<(u64, DidKey), StoreError> {
        entries::current_key(self.txn, agent)
    }

    fn key_history(&mut self, agent: &DidKey) -> Result<Option<KeyHistory>, StoreError> {
        Ok(keys::key_chain(Sides::both(self.txn), agent)?.map(|chain| chain.history))
    }

    fn forked_at(&mut self, chain: &ChainId) -> Result<Option<u64>, StoreError> {
        forks::frozen_at(self.txn, chain)
    }

    fn in_chain(
        &mut self,
        chain: &ChainId,
        seq: u64,
    ) -> Result<Option<(u64, Blake3Hash)>, StoreError> {
        let Some(index) = entries::in_chain(self.txn, chain, seq)? else {
            return Ok(None);
        };
        let state = entries::state(self.txn, index)?;
        Ok(Some((index, state.capsule)))
    }

    fn unnamed_journal(&mut self) -> Result<Option<(u64, Blake3Hash)>, StoreError> {
        journal::unnamed(self.txn)
    }

    fn feed(
        &mut self,
        agent: &DidKey,
        entropy: &dyn Entropy,
    ) -> Result<Option<NextInFeed>, StoreError> {
        let kept: Option<FeedSecretRow> = self.txn.find(&[agent])?;
        let secret = match kept {
            Some(row) => row.secret,
            None => {
                let (agent, mut secret) = (*agent, [0; 32]);
                entropy.fill(&mut secret)?;
                self.txn.add(&FeedSecretRow { agent, secret })?;
                secret
            }
        };
        let row: Option<AgentRow> = self.txn.find(&[agent])?;
        let (number, last) = row.map_or((0, None), |row| (row.sealed, row.last));
        Ok(Some((secret, number, last)))
    }

    fn packer(&self) -> Packer {
        self.txn.packer()
    }

    fn insert(&mut self, new: &NewCapsule<'_>) -> Result<(), StoreError> {
        let stored = new.stored;
        self.txn.append(new)?;
        self.headers.remove(&stored.index);
        if self.headers.len() < MAX_HEADERS {
            self.headers.insert(stored.index, stored.header.clone());
        }
        if let Some((source, at)) = new.received {
            self.txn.add(&ReceivedRow {
                idx: stored.index,
                source: source.to_owned(),
                at,
            })?;
        }
        let received = new.received.is_some();
        self.places.add(stored.index, &stored.header, received)?;
        index::add_record(Sides::both(self.txn), stored, received)
    }
}
