//! Carries out what the machine says: writes down before it acts, sends, waits, and hands back what happened
//! (docs/format/exchange.md §9; R6, R21; cases 71-77).

mod listen;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use counterfoil_exchange::checks::{Bound, CheckResult};
use counterfoil_exchange::documents::{DocumentHash, Request, RequestId, Response};
use counterfoil_exchange::machine::{
    Effect, Event, EventKind, Exchange, ExchangeState, Limits, Notice, Transition, fold, step,
};
use counterfoil_exchange::trust::Records;
use counterfoil_store::{BegunExchange, StoreError, StoredExchange};
use counterfoil_types::DidKey;

use super::begin::Begun;
use super::item::Item;
use super::recording;
use super::terms::Terms;
use super::verify::{Answer, Answerer};
use super::{Asking, Keeping};
use crate::{PeerError, Transport};

/// So often another process may be ahead.
const MAX_CONFLICTS: u8 = 8;

/// One exchange, as it is carried out.
pub(super) struct Drive<'a> {
    asking: &'a Asking,
    begun: Begun,
    exchange: Exchange,
    records: Records,
    way: Option<&'a mut dyn Transport>,
    link: Link,
    wake_us: Option<u64>,
    queue: VecDeque<Event>,
    to_do: Option<Task>,
    came: BTreeMap<DocumentHash, Answer>,
    verified: Option<Answerer>,
    notices: BTreeMap<Notice, u32>,
    failure: Option<String>,
    conflicts: u8,
}

/// What the transport is at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Link {
    /// Nothing.
    Idle,
    /// Sends.
    Sending,
    /// Listens.
    Listening,
    /// Nothing more is read.
    Closed,
}

/// What takes longer than a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Task {
    Verify(DocumentHash),
    Store,
}

impl<'a> Drive<'a> {
    /// An exchange that nobody has begun.
    pub(super) async fn begin(asking: &'a Asking, begun: Begun) -> Result<Self, PeerError> {
        Self::new(asking, begun, Exchange::new(Limits::default())).await
    }

    /// An exchange, from what was written down.
    pub(super) async fn reread(asking: &'a Asking, id: &RequestId) -> Result<Self, PeerError> {
        let stored = asking.host.store.exchange(id).await?;
        let stored = stored.ok_or_else(|| PeerError::NoExchange { id: id.to_string() })?;
        Self::of_stored(asking, stored).await
    }

    /// The same of one that was read.
    pub(super) async fn of_stored(
        asking: &'a Asking,
        stored: StoredExchange,
    ) -> Result<Self, PeerError> {
        let exchange = folded(&stored.transitions)?;
        let begun = Begun {
            request: Request::parse(&stored.begun.request)?,
            terms: Terms::read(&stored.begun.terms)?,
            id: stored.begun.id,
            peer: stored.begun.peer,
            address: stored.begun.address,
            begun_us: stored.begun.begun_us,
        };
        Self::new(asking, begun, exchange).await
    }

    async fn new(asking: &'a Asking, begun: Begun, exchange: Exchange) -> Result<Self, PeerError> {
        Ok(Self {
            records: recording::load(&asking.host).await?,
            asking,
            begun,
            exchange,
            way: None,
            link: Link::Idle,
            wake_us: None,
            queue: VecDeque::new(),
            to_do: None,
            came: BTreeMap::new(),
            verified: None,
            notices: BTreeMap::new(),
            failure: None,
            conflicts: 0,
        })
    }

    /// With a way to the other agent.
    pub(super) fn by(mut self, way: &'a mut dyn Transport) -> Self {
        self.way = Some(way);
        self
    }

    /// Takes an event and all that follows from it, until the exchange has ended or nothing is to be waited for.
    pub(super) async fn run(&mut self, event: Event) -> Result<(), PeerError> {
        self.queue.push_back(event);
        loop {
            while let Some(event) = self.queue.pop_front() {
                self.take(event).await?;
            }
            if let Some(task) = self.to_do.take() {
                self.carry_out_task(task).await?;
                continue;
            }
            if self.exchange.state().is_final() {
                return Ok(());
            }
            match self.wait().await {
                Some(woken) => self.woken(woken).await?,
                None => return Ok(()),
            }
        }
    }

    async fn carry_out_task(&mut self, task: Task) -> Result<(), PeerError> {
        let hash = match task {
            Task::Verify(hash) => {
                self.drain().await?;
                hash
            }
            Task::Store => {
                let hash = self.exchange.answer().copied();
                hash.ok_or(PeerError::Bug("an exchange that stores no answer"))?
            }
        };
        let answer = self.answer(&hash).await?;
        let event = match (task, self.exchange.state()) {
            (Task::Verify(_), ExchangeState::Received) => self.verify(&answer).await?,
            (Task::Store, ExchangeState::Verified | ExchangeState::PartiallyVerified) => {
                self.keep(&answer).await?
            }
            // Somebody else has gone on meanwhile.
            _ => return Ok(()),
        };
        self.queue.push_back(event);
        Ok(())
    }

    /// One step of the machine, carried out.
    async fn take(&mut self, event: Event) -> Result<(), PeerError> {
        let at = self.asking.host.timer.now();
        let (next, effects) = step(self.exchange.clone(), event.clone(), at);
        for effect in effects {
            match self.carry_out(effect, &event).await {
                Err(PeerError::Store(StoreError::ExchangeConflict { .. }))
                    if self.exchange.rows() > 0 && self.conflicts < MAX_CONFLICTS =>
                {
                    self.conflicts += 1;
                    return self.catch_up(event).await;
                }
                other => other?,
            }
        }
        self.exchange = next;
        Ok(())
    }

    /// Another process has gone on with this exchange: what it has written counts.
    async fn catch_up(&mut self, event: Event) -> Result<(), PeerError> {
        let stored = self.asking.host.store.exchange(&self.begun.id).await?;
        let stored = stored.ok_or(PeerError::Bug("an exchange that was taken back"))?;
        self.exchange = folded(&stored.transitions)?;
        self.to_do = None;
        self.wake_us = None;
        self.link = match self.exchange.state() {
            ExchangeState::Sent => self.link,
            _ => Link::Closed,
        };
        self.queue.clear();
        if let Event::Answer { .. } = event {
            self.queue.push_back(event);
        } else if !self.exchange.state().is_final() {
            self.queue.push_back(Event::Restarted);
        }
        Ok(())
    }

    async fn carry_out(&mut self, effect: Effect, event: &Event) -> Result<(), PeerError> {
        match effect {
            Effect::Persist(row) => {
                if row.event == EventKind::Equivocation {
                    self.hold_against(event).await?;
                }
                self.persist(row).await?;
            }
            Effect::KeepAnswer(hash) => {
                let answer = self
                    .came
                    .get(&hash)
                    .ok_or(PeerError::Bug("an answer that never came"))?;
                let bytes = answer.response.bytes().to_vec();
                self.asking
                    .host
                    .store
                    .keep_answer(&self.begun.id, hash, bytes)
                    .await?;
            }
            Effect::Send { .. } if self.link != Link::Closed && self.way.is_some() => {
                self.link = Link::Sending;
            }
            Effect::Wake { at } => self.wake_us = Some(at.monotonic_us),
            Effect::Verify(hash) => self.to_do = Some(Task::Verify(hash)),
            Effect::Store => self.to_do = Some(Task::Store),
            Effect::Tell(notice) => self.notice(notice),
            Effect::Close => self.link = Link::Closed,
            _ => {}
        }
        Ok(())
    }

    async fn persist(&self, row: Transition) -> Result<(), PeerError> {
        let store = &self.asking.host.store;
        if row.number > 0 {
            return Ok(store.add_transition(&self.begun.id, row).await?);
        }
        let begun = BegunExchange {
            id: self.begun.id.clone(),
            request: self.begun.request.bytes().to_vec(),
            peer: self.begun.peer,
            address: self.begun.address.clone(),
            terms: self.begun.terms.write()?,
            begun_us: self.begun.begun_us,
        };
        Ok(store.begin_exchange(begun, row).await?)
    }

    /// A second answer is recorded of its responder, before the row that says that it was noticed: a row that is there is
    /// not written again. Only a key that was asked by a key remembers what it has answered; whoever is asked by nobody, or
    /// with everyone, may be asked the same again by anyone, and then gives a second answer.
    async fn hold_against(&mut self, event: &Event) -> Result<(), PeerError> {
        let Event::Answer { hash, .. } = event else {
            return Ok(());
        };
        let is_signed = self.request().parts().requester.public_key.is_some();
        let (Some(answer), Some(asked), true) = (self.came.get(hash), self.peer(), is_signed)
        else {
            return Ok(());
        };
        let found = self.examine_whole(answer, Bound::Unknown);
        if (found.responder, found.signature) == (Some(asked), CheckResult::Pass) {
            recording::note_equivocation(&self.asking.host, asked, *hash).await?;
            self.recorded(recording::load(&self.asking.host).await?);
        }
        Ok(())
    }

    /// The answer that counts; `None`: there is none, or something that came with it was erased.
    pub(super) async fn answer_left(&mut self) -> Result<Option<Answer>, PeerError> {
        let Some(hash) = self.exchange.answer().copied() else {
            return Ok(None);
        };
        let store = &self.asking.host.store;
        let is_there =
            self.came.contains_key(&hash) || store.answer(&self.begun.id, &hash).await?.is_some();
        match is_there {
            true => self.answer(&hash).await.map(Some),
            false => Ok(None),
        }
    }

    /// An answer that is kept.
    pub(super) async fn answer(&mut self, hash: &DocumentHash) -> Result<Answer, PeerError> {
        if let Some(answer) = self.came.get(hash) {
            return Ok(answer.clone());
        }
        let store = &self.asking.host.store;
        let bytes = store.answer(&self.begun.id, hash).await?;
        let stored = store.exchange(&self.begun.id).await?;
        let mut rows = stored.iter().flat_map(|stored| &stored.transitions);
        let row = rows.find(|row| row.evidence.as_ref() == Some(hash));
        let (Some(bytes), Some(row)) = (bytes, row) else {
            return Err(PeerError::Kept { what: "answer" });
        };
        let response = Response::parse(&bytes).map_err(|_| PeerError::Kept { what: "answer" })?;
        let answer = Answer {
            response: Arc::new(response),
            received_us: row.at_us,
        };
        self.came.insert(*hash, answer.clone());
        Ok(answer)
    }

    /// What was written down of each memory.
    pub(super) async fn items(&self) -> Result<Vec<Item>, PeerError> {
        let stored = self.asking.host.store.exchange(&self.begun.id).await?;
        let items = stored.map(|stored| stored.items).unwrap_or_default();
        Item::read_all(&items)
    }

    /// More is recorded now: how far somebody is trusted may have changed.
    fn recorded(&mut self, records: Records) {
        self.records = records;
        self.verified = None;
    }

    pub(super) const fn note_verified(&mut self, answerer: Answerer) {
        self.verified = Some(answerer);
    }

    /// Whose answer was verified here, under what is recorded.
    pub(super) const fn verified(&self) -> Option<Answerer> {
        self.verified
    }

    pub(super) fn notice(&mut self, notice: Notice) {
        let count = self.notices.entry(notice).or_insert(0);
        *count = count.saturating_add(1);
    }

    pub(super) const fn asking(&self) -> &'a Asking {
        self.asking
    }

    pub(super) const fn id(&self) -> &RequestId {
        &self.begun.id
    }

    pub(super) const fn request(&self) -> &Request {
        &self.begun.request
    }

    pub(super) const fn peer(&self) -> Option<DidKey> {
        self.begun.peer
    }

    pub(super) fn address(&self) -> &str {
        &self.begun.address
    }

    pub(super) const fn keeping(&self) -> Keeping {
        self.begun.terms.keeping
    }

    pub(super) const fn records(&self) -> &Records {
        &self.records
    }

    pub(super) const fn exchange(&self) -> &Exchange {
        &self.exchange
    }

    pub(super) const fn notices(&self) -> &BTreeMap<Notice, u32> {
        &self.notices
    }

    pub(super) fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }
}

fn folded(rows: &[Transition]) -> Result<Exchange, PeerError> {
    fold(rows, Limits::default()).map_err(|_| PeerError::Kept { what: "states" })
}
