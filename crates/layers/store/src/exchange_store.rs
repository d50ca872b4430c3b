//! Exchanges in a store: beside the log, only added, without proof (docs/format/exchange.md §9, §10; R4).

use std::sync::Arc;

use async_trait::async_trait;
use counterfoil_capsule::Signer;
use counterfoil_exchange::answering::{SeenQuotas, Sighting};
use counterfoil_exchange::documents::{ClaimHash, DocumentHash, RequestId};
use counterfoil_exchange::machine::{ItemState, Transition};
use counterfoil_types::{DidKey, Sha256Hash, WorldId};

use crate::{ClaimStore, MemoryStore, StoreError};

/// An exchange that was begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BegunExchange {
    /// The id of its request, which names it.
    pub id: RequestId,
    /// The bytes of the request, which are sent again after a restart.
    pub request: Vec<u8>,
    /// The key that is asked, where one is.
    pub peer: Option<DidKey>,
    /// Address of the other agent: a URL, a folder, or `conversation`.
    pub address: String,
    /// Demands and wishes of the asker, as JSON of the program's own.
    pub terms: String,
    /// Begin, microseconds since 1970.
    pub begun_us: u64,
}

/// State of one memory of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredItem {
    /// Number in the answer, from 0 on.
    pub number: u32,
    /// Its state.
    pub state: ItemState,
    /// World that stores it, or the unit of a claim. Set before that is written, so that it is written once.
    pub world: Option<WorldId>,
    /// Hash of its claim.
    pub claim: ClaimHash,
    /// The report of its checks, as JSON.
    pub report: String,
    /// Time of the state, microseconds since 1970.
    pub at_us: u64,
}

/// An exchange with all that happened.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredExchange {
    /// Begin of the exchange.
    pub begun: BegunExchange,
    /// Its rows, from 0 on.
    pub transitions: Vec<Transition>,
    /// The last that is known of each memory, in their order.
    pub items: Vec<StoredItem>,
}

/// State of an incoming request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestState {
    /// Never seen; by [`see`](ExchangeStore::see): it is written down now, durably.
    New,
    /// The same was seen.
    Same,
    /// Another was seen under this id.
    Other,
    /// There is no room.
    Full,
}

/// Keeps exchanges. All of it belongs to the one agent of the store.
#[async_trait]
pub trait ExchangeStore: MemoryStore + ClaimStore {
    /// Seals documents about others into the log, in one transaction: decisions of the signer's agent. Those that are there keep their first time. Returns the number of new ones.
    ///
    /// # Errors
    /// [`StoreError::ExchangeLimit`] for more than 200,000 in all; [`StoreError::Seal`] for one of more than 64 KiB; when the store cannot write.
    async fn add_records(
        &self,
        signer: Arc<dyn Signer>,
        documents: Vec<Vec<u8>>,
    ) -> Result<usize, StoreError>;

    /// Returns all documents about others in the order of their receipt, each with the time from which on it counts,
    /// microseconds since 1970. `Records::receive` reads them and checks their proofs again. `None` if they are as many as
    /// `known` and that is not 0: their number only grows.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] for one that was changed or removed; when the store cannot be read.
    async fn records(&self, known: u64) -> Result<Option<Vec<(Vec<u8>, u64)>>, StoreError>;

    /// Begins an exchange with its first transition.
    ///
    /// # Errors
    /// [`StoreError::ExchangeConflict`] when one of that id was begun.
    async fn begin_exchange(
        &self,
        begun: BegunExchange,
        first: Transition,
    ) -> Result<(), StoreError>;

    /// Adds a row; its number is the one that follows.
    ///
    /// # Errors
    /// [`StoreError::ExchangeConflict`] when another process has added one: read the exchange again.
    async fn add_transition(&self, id: &RequestId, row: Transition) -> Result<(), StoreError>;

    /// Keeps the bytes of an answer with its exchange; at most 4 answers of one exchange, 1 MiB each.
    ///
    /// # Errors
    /// [`StoreError::ExchangeConflict`] when there are more, or no such exchange.
    async fn keep_answer(
        &self,
        id: &RequestId,
        hash: DocumentHash,
        bytes: Vec<u8>,
    ) -> Result<(), StoreError>;

    /// The bytes of an answer; `None` when it was not kept, or something that came with it was erased.
    ///
    /// # Errors
    /// When the store cannot tell.
    async fn answer(
        &self,
        id: &RequestId,
        hash: &DocumentHash,
    ) -> Result<Option<Vec<u8>>, StoreError>;

    /// Writes down what became of a memory: a row more; the last one counts.
    ///
    /// # Errors
    /// [`StoreError::ExchangeConflict`] when there is no such exchange.
    async fn set_item(&self, id: &RequestId, item: StoredItem) -> Result<(), StoreError>;

    /// An exchange with all that happened.
    ///
    /// # Errors
    /// When the store cannot tell.
    async fn exchange(&self, id: &RequestId) -> Result<Option<StoredExchange>, StoreError>;

    /// The newest exchanges, begun before `before_us` (`None`: now), the newest first, at most `limit` (1 to 1,000).
    /// Fewer where they take more than 64 MiB, but at least one.
    ///
    /// # Errors
    /// When the store cannot tell.
    async fn exchanges(
        &self,
        before_us: Option<u64>,
        limit: usize,
    ) -> Result<Vec<StoredExchange>, StoreError>;

    /// The memory that is stored of a claim that was heard, and how often it was heard; `None`: nothing is stored of it.
    ///
    /// # Errors
    /// When the store cannot tell.
    async fn heard(&self, claim: &ClaimHash) -> Result<Option<(WorldId, u64)>, StoreError>;

    /// Counts that a claim was heard, and where it is stored if it is; returns how often it was heard.
    ///
    /// # Errors
    /// When the store cannot write.
    async fn note_heard(
        &self,
        claim: ClaimHash,
        world: Option<WorldId>,
        at_us: u64,
    ) -> Result<u64, StoreError>;

    /// Returns the state of a request, without writing.
    ///
    /// # Errors
    /// When the store cannot tell.
    async fn seen(
        &self,
        key: &DidKey,
        id: &RequestId,
        hash: &Sha256Hash,
    ) -> Result<RequestState, StoreError>;

    /// Records durably that a request was received; the first caller gets [`RequestState::New`]. Requests that have expired at
    /// `now_us` are removed, and no others. Callers at the same time share a commit.
    ///
    /// # Errors
    /// When the store cannot write.
    async fn see(
        &self,
        sighting: Sighting,
        now_us: u64,
        quotas: SeenQuotas,
    ) -> Result<RequestState, StoreError>;

    /// A secret of the store that is drawn once, for cursors: 32 bytes.
    ///
    /// # Errors
    /// When the store cannot write.
    async fn exchange_secret(&self, drawn: [u8; 32]) -> Result<[u8; 32], StoreError>;
}
