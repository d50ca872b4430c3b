//! A store whose process is killed at a chosen write, before or after it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use async_trait::async_trait;
use counterfoil_capsule::{ChainId, Signer, World};
use counterfoil_claims::belief::{Belief, HistoryEntry};
use counterfoil_claims::{ClaimError, ClaimOutcome, Identifier, Line, Settings, Unit};
use counterfoil_exchange::answering::{SeenQuotas, Sighting};
use counterfoil_exchange::documents::{ClaimHash, DocumentHash, RequestId};
use counterfoil_exchange::machine::Transition;
use counterfoil_store::{
    AppendReport, AsOf, BegunExchange, CapsuleLog, ClaimRequest, ClaimStore, Draft, ExchangeStore,
    Head, InMemoryStore, LedgerEntry, LedgerPage, MemoryStore, PendingClaim, ReceivedCapsule,
    RequestState, ServedClaim, StoreError, StoredCapsule, StoredExchange, StoredItem, StoredRecord,
    VersionRow,
};
use counterfoil_types::{DidKey, Sha256Hash, WorldId};

/// Stops for good at its write of the number `at`: even before it, odd after it.
pub(crate) struct Killed {
    inner: Arc<InMemoryStore>,
    at: usize,
    passed: AtomicUsize,
    stopped: AtomicBool,
}

impl Killed {
    pub(crate) fn new(inner: Arc<InMemoryStore>, at: usize) -> Self {
        Self {
            inner,
            at,
            passed: AtomicUsize::new(0),
            stopped: AtomicBool::new(false),
        }
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    async fn pass(&self) {
        if self.passed.fetch_add(1, Ordering::Relaxed) == self.at {
            self.stopped.store(true, Ordering::Relaxed);
            std::future::pending::<()>().await;
        }
    }

    async fn write<T>(&self, write: impl Future<Output = T>) -> T {
        self.pass().await;
        let written = write.await;
        self.pass().await;
        written
    }
}

#[async_trait]
impl MemoryStore for Killed {
    async fn get(&self, world_id: &WorldId) -> Result<Option<World>, StoreError> {
        self.inner.get(world_id).await
    }

    async fn exists(&self, world_id: &WorldId) -> Result<bool, StoreError> {
        self.inner.exists(world_id).await
    }
}

#[async_trait]
impl CapsuleLog for Killed {
    async fn append(
        &self,
        signer: Arc<dyn Signer>,
        drafts: Vec<Draft>,
    ) -> Result<Vec<AppendReport>, StoreError> {
        self.write(self.inner.append(signer, drafts)).await
    }

    async fn receive(
        &self,
        source: &str,
        capsules: Vec<ReceivedCapsule>,
    ) -> Result<Vec<AppendReport>, StoreError> {
        self.inner.receive(source, capsules).await
    }

    async fn chain(&self, chain: &ChainId) -> Result<Vec<VersionRow>, StoreError> {
        self.inner.chain(chain).await
    }

    async fn chain_of(&self, world_id: &WorldId) -> Result<Option<(ChainId, u64)>, StoreError> {
        self.inner.chain_of(world_id).await
    }

    async fn version(
        &self,
        chain: &ChainId,
        seq: u64,
    ) -> Result<Option<StoredCapsule>, StoreError> {
        self.inner.version(chain, seq).await
    }

    async fn head(&self, chain: &ChainId) -> Result<Option<Head>, StoreError> {
        self.inner.head(chain).await
    }

    async fn checkpoint(&self) -> Result<Option<String>, StoreError> {
        self.inner.checkpoint().await
    }

    async fn size(&self) -> Result<u64, StoreError> {
        self.inner.size().await
    }

    async fn capsule(&self, index: u64) -> Result<Option<StoredCapsule>, StoreError> {
        self.inner.capsule(index).await
    }

    async fn index_of(&self, world_id: &WorldId) -> Result<Option<u64>, StoreError> {
        self.inner.index_of(world_id).await
    }

    async fn inclusion(&self, index: u64, size: u64) -> Result<Vec<Sha256Hash>, StoreError> {
        self.inner.inclusion(index, size).await
    }

    async fn consistency(&self, from: u64, to: u64) -> Result<Vec<Sha256Hash>, StoreError> {
        self.inner.consistency(from, to).await
    }

    async fn latest_world(&self) -> Result<Option<WorldId>, StoreError> {
        self.inner.latest_world().await
    }
}

#[async_trait]
impl ClaimStore for Killed {
    async fn submit(
        &self,
        signer: Arc<dyn Signer>,
        settings: Arc<Settings>,
        requests: Vec<ClaimRequest>,
    ) -> Result<Vec<Result<ClaimOutcome, ClaimError>>, StoreError> {
        self.write(self.inner.submit(signer, settings, requests))
            .await
    }

    async fn committed(
        &self,
        agent: DidKey,
        key: &str,
    ) -> Result<Option<ClaimOutcome>, StoreError> {
        self.inner.committed(agent, key).await
    }

    async fn believe(
        &self,
        line: Line,
        asked: AsOf,
        settings: Arc<Settings>,
    ) -> Result<Belief, StoreError> {
        self.inner.believe(line, asked, settings).await
    }

    async fn believe_subject(
        &self,
        agent: DidKey,
        subject: Identifier,
        after: Option<Identifier>,
        asked: AsOf,
        settings: Arc<Settings>,
    ) -> Result<Vec<Belief>, StoreError> {
        self.inner
            .believe_subject(agent, subject, after, asked, settings)
            .await
    }

    async fn claim_history(
        &self,
        line: Line,
        asked: AsOf,
        settings: Arc<Settings>,
    ) -> Result<Vec<HistoryEntry>, StoreError> {
        self.inner.claim_history(line, asked, settings).await
    }

    async fn units(&self, line: Line, as_of_us: Option<u64>) -> Result<Vec<Unit>, StoreError> {
        self.inner.units(line, as_of_us).await
    }

    async fn unit_of(&self, world: &WorldId) -> Result<Option<Unit>, StoreError> {
        self.inner.unit_of(world).await
    }

    async fn contested(
        &self,
        agent: DidKey,
        asked: AsOf,
        after: Option<(Identifier, Identifier)>,
        limit: usize,
        settings: Arc<Settings>,
    ) -> Result<Vec<Belief>, StoreError> {
        self.inner
            .contested(agent, asked, after, limit, settings)
            .await
    }

    async fn pending(
        &self,
        agent: DidKey,
        settings: Arc<Settings>,
    ) -> Result<Vec<PendingClaim>, StoreError> {
        self.inner.pending(agent, settings).await
    }

    async fn ledger(
        &self,
        agent: DidKey,
        page: LedgerPage,
    ) -> Result<Vec<LedgerEntry>, StoreError> {
        self.inner.ledger(agent, page).await
    }

    async fn predicates(
        &self,
        agent: DidKey,
        subject: Option<Identifier>,
    ) -> Result<Vec<Identifier>, StoreError> {
        self.inner.predicates(agent, subject).await
    }

    async fn serve(&self, agent: DidKey, served: Vec<ServedClaim>) {
        self.inner.serve(agent, served).await;
    }

    async fn last_recorded(&self, agent: DidKey) -> Result<Option<u64>, StoreError> {
        self.inner.last_recorded(agent).await
    }
}

#[async_trait]
impl ExchangeStore for Killed {
    async fn add_record(
        &self,
        hash: DocumentHash,
        record: StoredRecord,
    ) -> Result<bool, StoreError> {
        self.write(self.inner.add_record(hash, record)).await
    }

    async fn records(&self) -> Result<Vec<StoredRecord>, StoreError> {
        self.inner.records().await
    }

    async fn begin_exchange(
        &self,
        begun: BegunExchange,
        first: Transition,
    ) -> Result<(), StoreError> {
        self.write(self.inner.begin_exchange(begun, first)).await
    }

    async fn add_transition(&self, id: &RequestId, row: Transition) -> Result<(), StoreError> {
        self.write(self.inner.add_transition(id, row)).await
    }

    async fn keep_answer(
        &self,
        id: &RequestId,
        hash: DocumentHash,
        bytes: Vec<u8>,
    ) -> Result<(), StoreError> {
        self.write(self.inner.keep_answer(id, hash, bytes)).await
    }

    async fn answer(
        &self,
        id: &RequestId,
        hash: &DocumentHash,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        self.inner.answer(id, hash).await
    }

    async fn set_item(&self, id: &RequestId, item: StoredItem) -> Result<(), StoreError> {
        self.write(self.inner.set_item(id, item)).await
    }

    async fn exchange(&self, id: &RequestId) -> Result<Option<StoredExchange>, StoreError> {
        self.inner.exchange(id).await
    }

    async fn exchanges(
        &self,
        before_us: Option<u64>,
        limit: usize,
    ) -> Result<Vec<StoredExchange>, StoreError> {
        self.inner.exchanges(before_us, limit).await
    }

    async fn heard(&self, claim: &ClaimHash) -> Result<Option<(WorldId, u64)>, StoreError> {
        self.inner.heard(claim).await
    }

    async fn note_heard(
        &self,
        claim: ClaimHash,
        world: Option<WorldId>,
        at_us: u64,
    ) -> Result<u64, StoreError> {
        self.write(self.inner.note_heard(claim, world, at_us)).await
    }

    async fn seen(
        &self,
        key: &DidKey,
        id: &RequestId,
        hash: &Sha256Hash,
    ) -> Result<RequestState, StoreError> {
        self.inner.seen(key, id, hash).await
    }

    async fn see(
        &self,
        sighting: Sighting,
        now_us: u64,
        quotas: SeenQuotas,
    ) -> Result<RequestState, StoreError> {
        self.inner.see(sighting, now_us, quotas).await
    }

    async fn exchange_secret(&self, drawn: [u8; 32]) -> Result<[u8; 32], StoreError> {
        self.inner.exchange_secret(drawn).await
    }
}
