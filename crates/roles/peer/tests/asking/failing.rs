//! A store that answers at once, and whose process can be killed at a chosen write, before or after it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use async_trait::async_trait;
use counterfoil_capsule::{ChainId, Signer, World};
use counterfoil_claims::belief::{Belief, HistoryEntry};
use counterfoil_claims::{ClaimError, ClaimOutcome, ClaimRef, Identifier, Line, Settings, Unit};
use counterfoil_exchange::answering::{SeenQuotas, Sighting};
use counterfoil_exchange::documents::{ClaimHash, DocumentHash, RequestId};
use counterfoil_exchange::machine::Transition;
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::conformance::block_on;
use counterfoil_store::{
    AppendReport, AsOf, BegunExchange, CapsuleLog, ClaimRequest, ClaimStore, Draft, ExchangeStore,
    Head, MemoryStore, RequestState, StoreError, StoredCapsule, StoredExchange, StoredItem,
    VersionRow,
};
use counterfoil_types::{BoxError, DidKey, Scope, Sha256Hash, WorldId};

/// Stops for good at its write of the number `at`: even before it, odd after it. No other call waits, so that the clock,
/// which moves when a task waits, moves for a transport or a timer alone.
pub(crate) struct Killed {
    inner: Arc<SqliteStore>,
    at: usize,
    passed: AtomicUsize,
    stopped: AtomicBool,
}

impl Killed {
    pub(crate) fn new(inner: Arc<SqliteStore>, at: usize) -> Self {
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
        let written = block_on(write);
        self.pass().await;
        written
    }
}

/// Passes each call on to the inner store; a `write` can be the one at which the process is killed.
macro_rules! pass_on {
    ($($trait:ident { $($kind:ident $name:ident($($arg:ident: $type:ty),*) -> $out:ty;)* })*) => {$(
        #[async_trait]
        impl $trait for Killed {
            $(async fn $name(&self, $($arg: $type),*) -> $out {
                pass_on!(@$kind self, $trait::$name(&*self.inner, $($arg),*))
            })*
        }
    )*};
    (@read $self:ident, $call:expr) => { block_on($call) };
    (@write $self:ident, $call:expr) => { $self.write($call).await };
}

pass_on! {
    MemoryStore {
        read get(world_id: &WorldId) -> Result<Option<World>, BoxError>;
        read exists(world_id: &WorldId) -> Result<bool, BoxError>;
    }
    CapsuleLog {
        write append(signer: Arc<dyn Signer>, drafts: Vec<Draft>) -> Result<Vec<AppendReport>, StoreError>;
        read receive(source: &str, capsules: Vec<StoredCapsule>) -> Result<Vec<AppendReport>, StoreError>;
        read chain(chain: &ChainId) -> Result<Vec<VersionRow>, StoreError>;
        read chain_of(world_id: &WorldId) -> Result<Option<(ChainId, u64)>, StoreError>;
        read version(chain: &ChainId, seq: u64) -> Result<Option<StoredCapsule>, StoreError>;
        read head(chain: &ChainId) -> Result<Option<Head>, StoreError>;
        read checkpoint() -> Result<Option<String>, StoreError>;
        read size() -> Result<u64, StoreError>;
        read capsule(index: u64) -> Result<Option<StoredCapsule>, StoreError>;
        read index_of(world_id: &WorldId) -> Result<Option<u64>, StoreError>;
        read inclusion(index: u64, size: u64) -> Result<Vec<Sha256Hash>, StoreError>;
        read consistency(from: u64, to: u64) -> Result<Vec<Sha256Hash>, StoreError>;
        read latest_world() -> Result<Option<WorldId>, StoreError>;
    }
    ClaimStore {
        write submit(signer: Arc<dyn Signer>, settings: Arc<Settings>, requests: Vec<ClaimRequest>)
            -> Result<Vec<Result<ClaimOutcome, ClaimError>>, StoreError>;
        read committed(agent: DidKey, key: &str, scope: &Scope) -> Result<Option<ClaimOutcome>, StoreError>;
        read believe(line: Line, asked: AsOf, settings: Arc<Settings>) -> Result<Belief, StoreError>;
        read believe_within(line: Line, asked: AsOf, settings: Arc<Settings>) -> Result<Vec<Belief>, StoreError>;
        read believe_subject(agent: DidKey, subject: Identifier, scope: Scope, after: Option<Line>, asked: AsOf, settings: Arc<Settings>)
            -> Result<Vec<Belief>, StoreError>;
        read claim_history(line: Line, asked: AsOf, settings: Arc<Settings>) -> Result<Vec<HistoryEntry>, StoreError>;
        read units(line: Line, as_of_us: Option<u64>) -> Result<Vec<Unit>, StoreError>;
        read units_of(worlds: &[WorldId]) -> Result<Vec<Result<Option<Unit>, StoreError>>, StoreError>;
        read contested(agent: DidKey, scope: Scope, asked: AsOf, after: Option<Line>, limit: usize, settings: Arc<Settings>)
            -> Result<Vec<Belief>, StoreError>;
        read pending(agent: DidKey, settings: Arc<Settings>) -> Result<Vec<(Unit, Vec<Unit>, u64)>, StoreError>;
        read ledger(agent: DidKey, scope: Scope, claim: Option<ClaimRef>, before: Option<u64>, limit: usize)
             -> Result<Vec<Unit>, StoreError>;
        read predicates(agent: DidKey, subject: Option<Identifier>, scope: Scope) -> Result<Vec<Identifier>, StoreError>;
        read last_recorded(agent: DidKey) -> Result<Option<u64>, StoreError>;
    }
    ExchangeStore {
        write add_records(signer: Arc<dyn Signer>, documents: Vec<Vec<u8>>) -> Result<usize, StoreError>;
        read records(known: u64) -> Result<Option<Vec<(Vec<u8>, u64)>>, StoreError>;
        write begin_exchange(begun: BegunExchange, first: Transition) -> Result<(), StoreError>;
        write add_transition(id: &RequestId, row: Transition) -> Result<(), StoreError>;
        write keep_answer(id: &RequestId, hash: DocumentHash, bytes: Vec<u8>) -> Result<(), StoreError>;
        read answer(id: &RequestId, hash: &DocumentHash) -> Result<Option<Vec<u8>>, StoreError>;
        write set_item(id: &RequestId, item: StoredItem) -> Result<(), StoreError>;
        read exchange(id: &RequestId) -> Result<Option<StoredExchange>, StoreError>;
        read exchanges(before_us: Option<u64>, limit: usize) -> Result<Vec<StoredExchange>, StoreError>;
        read heard(claim: &ClaimHash) -> Result<Option<(WorldId, u64)>, StoreError>;
        write note_heard(claim: ClaimHash, world: Option<WorldId>, at_us: u64) -> Result<u64, StoreError>;
        read seen(key: &DidKey, id: &RequestId, hash: &Sha256Hash) -> Result<RequestState, StoreError>;
        read see(sighting: Sighting, now_us: u64, quotas: SeenQuotas) -> Result<RequestState, StoreError>;
        read exchange_secret(drawn: [u8; 32]) -> Result<[u8; 32], StoreError>;
    }
}
