//! Driver of the machine: stores before it acts, sends, waits, and returns events (docs/format/exchange.md §9; R6, R21;
//! cases 71-77).

mod listen;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use counterfoil_exchange::checks::{AnswerReport, CheckResult};
use counterfoil_exchange::documents::{DocumentHash, Request, RequestId, Response};
use counterfoil_exchange::machine::{
    Effect, Event, EventKind, Exchange, ExchangeState, Notice, Transition, fold, step,
};
use counterfoil_exchange::trust::{LocalRecord, Mark, Records};
use counterfoil_store::{BegunExchange, StoreError, StoredExchange};

use super::begin::Begun;
use super::item::Item;
use super::recording;
use crate::{Host, PeerError, Transport};

/// Most conflicts with another process in one run.
const MAX_CONFLICTS: u8 = 8;

/// Exchange under way.
pub(super) struct Drive<'a> {
    pub(super) host: &'a Host,
    pub(super) begun: Begun,
    pub(super) exchange: Exchange,
    pub(super) records: Records,
    transport: Option<&'a mut dyn Transport>,
    link: Link,
    wake_us: Option<u64>,
    queue: VecDeque<Event>,
    to_do: Option<Task>,
    answers: BTreeMap<DocumentHash, Answer>,
    /// Verified answer, and the report on it under the current records.
    pub(super) verified: Option<(DocumentHash, AnswerReport)>,
    pub(super) notices: BTreeMap<Notice, u32>,
    pub(super) failure: Option<String>,
    conflicts: u8,
}

/// State of the transport.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Link {
    /// Waits for the machine.
    Idle,
    /// Sends.
    Sending,
    /// Listens.
    Listening,
    /// Reads no more.
    Closed,
}

/// Work that takes longer than a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Task {
    Verify(DocumentHash),
    Store,
}

/// Way by which an answer came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    /// Way of the request: the same HTTP exchange, file name or reply.
    SameWay,
    /// Unknown.
    Unknown,
}

/// Answer that arrived now, or was read from the store.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    pub(super) response: Arc<Response>,
    /// Time of arrival, in microseconds since 1970.
    pub(super) received_us: u64,
}

impl<'a> Drive<'a> {
    /// Returns the driver of a new exchange.
    pub(super) async fn begin(host: &'a Host, begun: Begun) -> Result<Self, PeerError> {
        Self::new(host, begun, Exchange::default()).await
    }

    /// Returns the driver of a stored exchange.
    pub(super) async fn reread(host: &'a Host, id: &RequestId) -> Result<Self, PeerError> {
        let stored = host.store.exchange(id).await?;
        let stored = stored.ok_or_else(|| PeerError::NoExchange { id: id.to_string() })?;
        Self::of_stored(host, stored).await
    }

    /// Returns the driver of an exchange that was read from the store.
    pub(super) async fn of_stored(
        host: &'a Host,
        stored: StoredExchange,
    ) -> Result<Self, PeerError> {
        let exchange = folded(&stored.transitions)?;
        let begun = Begun {
            request: Request::parse(&stored.begun.request)?,
            terms: serde_json::from_str(&stored.begun.terms)
                .map_err(|_| PeerError::Unreadable { what: "terms" })?,
            id: stored.begun.id,
            peer: stored.begun.peer,
            address: stored.begun.address,
            begun_us: stored.begun.begun_us,
        };
        Self::new(host, begun, exchange).await
    }

    async fn new(host: &'a Host, begun: Begun, exchange: Exchange) -> Result<Self, PeerError> {
        Ok(Self {
            records: recording::load(host).await?,
            host,
            begun,
            exchange,
            transport: None,
            link: Link::Idle,
            wake_us: None,
            queue: VecDeque::new(),
            to_do: None,
            answers: BTreeMap::new(),
            verified: None,
            notices: BTreeMap::new(),
            failure: None,
            conflicts: 0,
        })
    }

    /// Sets the transport.
    pub(super) fn by(mut self, transport: &'a mut dyn Transport) -> Self {
        self.transport = Some(transport);
        self
    }

    /// Handles an event and its consequences, until the exchange has ended or there is nothing to wait for.
    pub(super) async fn run(&mut self, event: Event) -> Result<(), PeerError> {
        self.run_to_storage(event).await?;
        self.store_and_run_on().await
    }

    /// As [`run`](Self::run), but stops where a verified answer is to be stored.
    pub(super) async fn run_to_storage(&mut self, event: Event) -> Result<(), PeerError> {
        self.queue.push_back(event);
        self.proceed().await
    }

    /// Stores the answer at which [`run_to_storage`](Self::run_to_storage) stopped, if it did, and runs on.
    pub(super) async fn store_and_run_on(&mut self) -> Result<(), PeerError> {
        while self.to_do.take() == Some(Task::Store) {
            let state = self.exchange.state();
            // Otherwise another process has continued meanwhile.
            if let ExchangeState::Verified | ExchangeState::PartiallyVerified = state {
                let hash = self.exchange.answer().copied();
                let hash = hash.ok_or(PeerError::Bug("an exchange that stores no answer"))?;
                let answer = self.answer(&hash).await?;
                let event = self.keep(&answer).await?;
                self.queue.push_back(event);
            }
            self.proceed().await?;
        }
        Ok(())
    }

    async fn proceed(&mut self) -> Result<(), PeerError> {
        loop {
            while let Some(event) = self.queue.pop_front() {
                self.take(event).await?;
            }
            match self.to_do {
                Some(Task::Verify(hash)) => {
                    self.to_do = None;
                    self.drain().await?;
                    let answer = self.answer(&hash).await?;
                    // Otherwise another process has continued meanwhile.
                    if self.exchange.state() == ExchangeState::Received {
                        let event = self.verify(&answer).await?;
                        self.queue.push_back(event);
                    }
                    continue;
                }
                Some(Task::Store) => return Ok(()),
                None => {}
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

    /// Carries out one step of the machine.
    async fn take(&mut self, event: Event) -> Result<(), PeerError> {
        let at = self.host.timer.now();
        let (next, effects) = step(self.exchange.clone(), event.clone(), at);
        for effect in effects {
            match self.carry_out(effect, &event).await {
                Err(PeerError::Store(StoreError::ExchangeConflict { .. }))
                    if self.exchange.rows() > 0 && self.conflicts < MAX_CONFLICTS =>
                {
                    self.conflicts += 1;
                    // Continues from the rows that another process has written.
                    let stored = self.host.store.exchange(&self.begun.id).await?;
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
                    return Ok(());
                }
                other => other?,
            }
        }
        self.exchange = next;
        Ok(())
    }

    async fn carry_out(&mut self, effect: Effect, event: &Event) -> Result<(), PeerError> {
        match effect {
            Effect::Persist(row) => {
                if row.event == EventKind::Equivocation {
                    self.record_equivocation(event).await?;
                }
                let store = &self.host.store;
                if row.number > 0 {
                    store.add_transition(&self.begun.id, row).await?;
                } else {
                    let begun = BegunExchange {
                        id: self.begun.id.clone(),
                        request: self.begun.request.bytes().to_vec(),
                        peer: self.begun.peer,
                        address: self.begun.address.clone(),
                        terms: serde_json::to_string(&self.begun.terms)
                            .map_err(|_| PeerError::Bug("terms without JSON"))?,
                        begun_us: self.begun.begun_us,
                    };
                    store.begin_exchange(begun, row).await?;
                }
            }
            Effect::KeepAnswer(hash) => {
                let answer = self
                    .answers
                    .get(&hash)
                    .ok_or(PeerError::Bug("an answer that never came"))?;
                let bytes = answer.response.bytes().to_vec();
                self.host
                    .store
                    .keep_answer(&self.begun.id, hash, bytes)
                    .await?;
            }
            Effect::Send { .. } if self.link != Link::Closed && self.transport.is_some() => {
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

    /// Records a second answer against its responder, before the row that notes it, as an existing row is not written again.
    /// Only a signed request to one key obliges that key to answer the same again; an anonymous request, or one to everyone,
    /// may be repeated by anyone, and gets another answer.
    async fn record_equivocation(&mut self, event: &Event) -> Result<(), PeerError> {
        let Event::Answer { hash, .. } = event else {
            return Ok(());
        };
        let is_signed = self.begun.request.parts().requester.public_key.is_some();
        let (Some(answer), Some(asked), true) =
            (self.answers.get(hash), self.begun.peer, is_signed)
        else {
            return Ok(());
        };
        let found = self.examine_whole(answer, Bound::Unknown);
        if (found.responder, found.signature) == (Some(asked), CheckResult::Pass) {
            // Caps the trust in it until the record is cleared (case 73).
            let mark = LocalRecord::Mark {
                key: asked,
                mark: Mark::Equivocation,
                evidence: Some(*hash),
            };
            recording::add(self.host, mark).await?;
            // Levels of trust may differ now.
            (self.records, self.verified) = (recording::load(self.host).await?, None);
        }
        Ok(())
    }

    /// Returns the accepted answer; `None` also if one of its memories was erased.
    pub(super) async fn answer_left(&mut self) -> Result<Option<Answer>, PeerError> {
        let Some(hash) = self.exchange.answer().copied() else {
            return Ok(None);
        };
        let store = &self.host.store;
        let is_there = self.answers.contains_key(&hash)
            || store.answer(&self.begun.id, &hash).await?.is_some();
        match is_there {
            true => self.answer(&hash).await.map(Some),
            false => Ok(None),
        }
    }

    /// Returns a stored answer.
    pub(super) async fn answer(&mut self, hash: &DocumentHash) -> Result<Answer, PeerError> {
        if let Some(answer) = self.answers.get(hash) {
            return Ok(answer.clone());
        }
        let store = &self.host.store;
        let bytes = store.answer(&self.begun.id, hash).await?;
        let stored = store.exchange(&self.begun.id).await?;
        let mut rows = stored.iter().flat_map(|stored| &stored.transitions);
        let row = rows.find(|row| row.evidence.as_ref() == Some(hash));
        let (Some(bytes), Some(row)) = (bytes, row) else {
            return Err(PeerError::Unreadable { what: "answer" });
        };
        let response =
            Response::parse(&bytes).map_err(|_| PeerError::Unreadable { what: "answer" })?;
        let answer = Answer {
            response: Arc::new(response),
            received_us: row.at_us,
        };
        self.answers.insert(*hash, answer.clone());
        Ok(answer)
    }

    /// Returns the stored items of the memories.
    pub(super) async fn items(&self) -> Result<Vec<Item>, PeerError> {
        let stored = self.host.store.exchange(&self.begun.id).await?;
        let items = stored.map(|stored| stored.items).unwrap_or_default();
        Item::read_all(&items)
    }

    pub(super) fn notice(&mut self, notice: Notice) {
        let count = self.notices.entry(notice).or_insert(0);
        *count = count.saturating_add(1);
    }
}

fn folded(rows: &[Transition]) -> Result<Exchange, PeerError> {
    fold(rows).map_err(|_| PeerError::Unreadable { what: "states" })
}
