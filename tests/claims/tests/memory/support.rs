//! A store in a folder of its own, a clock that stands until it is moved or runs, and memories through each channel.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use counterfoil_capsule::{AgentSigner, SecretKey};
use counterfoil_claim_memory::ClaimMemoryError;
use counterfoil_claim_memory::{Channel, ClaimError, ClaimMemory, Settings};
use counterfoil_claims::Channels;
use counterfoil_sqlite::{Options, SqliteStore};
use counterfoil_store::conformance::block_on;
use counterfoil_store::log::NoteSigner;
use counterfoil_store::{CapsuleLog, Clock, Draft};
use counterfoil_types::{UnixMillis, WorldId};
use serde_json::json;
use tempfile::TempDir;

/// 2027-01-15T08:00:00Z in microseconds.
pub(crate) const NOW_US: u64 = 1_800_000_000_000_000;
const DAY_US: u64 = 86_400_000_000;

/// Runs a future to its end.
pub(crate) fn ready<T>(future: impl IntoFuture<Output = T>) -> T {
    block_on(future.into_future())
}

/// Runs a future that must not fail.
#[track_caller]
pub(crate) fn done<T>(future: impl IntoFuture<Output = Result<T, ClaimMemoryError>>) -> T {
    ready(future).expect("nothing is refused")
}

/// Refusal of a request.
#[track_caller]
pub(crate) fn refusal<T>(
    future: impl IntoFuture<Output = Result<T, ClaimMemoryError>>,
) -> ClaimError {
    let refusal = match ready(future) {
        Err(ClaimMemoryError::Refused(refusal)) => Some(refusal),
        _ => None,
    };
    refusal.expect("a refusal")
}

/// The clock of one store.
#[derive(Default)]
struct TestClock {
    days: AtomicU64,
    /// Microseconds that pass between two looks at the clock.
    pace: AtomicU64,
    passed: AtomicU64,
}

impl Clock for TestClock {
    fn now_micros(&self) -> u64 {
        let pace = self.pace.load(Ordering::Relaxed);
        let passed = self.passed.fetch_add(pace, Ordering::Relaxed);
        NOW_US + self.days.load(Ordering::Relaxed) * DAY_US + passed
    }
}

/// A store with one agent.
pub(crate) struct Rig {
    clock: Arc<TestClock>,
    store: Arc<SqliteStore>,
    signer: Arc<AgentSigner>,
    settings: Arc<Settings>,
    channels: Channels,
    /// Deleted at the end.
    _folder: TempDir,
}

impl Rig {
    pub(crate) fn new() -> Self {
        Self::with(Settings::default())
    }

    /// With somebody who settles what is contested.
    pub(crate) fn with_oracle() -> Self {
        Self::with(Settings {
            oracle_days: Some(30),
            ..Settings::default()
        })
    }

    fn with(settings: Settings) -> Self {
        let clock = Arc::new(TestClock::default());
        let note = NoteSigner::new("example.com/log", SecretKey::from_seed([2; 32]));
        let note = note.expect("a sound origin");
        let folder = folder();
        let (path, guard) = (folder.path().join("memory.db"), folder.path().join("guard"));
        let options = Options::writable(path, note, guard);
        let store = SqliteStore::create(options.with_clock(Arc::<TestClock>::clone(&clock)));
        Self {
            clock,
            store: Arc::new(store.expect("a new store")),
            signer: Arc::new(AgentSigner::new(SecretKey::from_seed([1; 32]))),
            settings: Arc::new(settings),
            channels: Channels::of_host(),
            _folder: folder,
        }
    }

    /// What the user says.
    pub(crate) fn user(&self) -> ClaimMemory {
        self.through(self.channels.user())
    }

    /// What models say.
    pub(crate) fn model(&self) -> ClaimMemory {
        self.through(self.channels.model())
    }

    fn through(&self, channel: Channel) -> ClaimMemory {
        let store = Arc::<SqliteStore>::clone(&self.store);
        let signer = Arc::<AgentSigner>::clone(&self.signer);
        ClaimMemory::new(store, signer, channel, Arc::clone(&self.settings))
    }

    pub(crate) fn later_by_days(&self, days: u64) {
        self.clock.days.fetch_add(days, Ordering::Relaxed);
    }

    /// From now on time passes.
    pub(crate) fn runs(&self) {
        self.clock.pace.store(1_000_000, Ordering::Relaxed);
    }

    /// A memory that can be cited.
    pub(crate) fn document(&self, name: &str) -> WorldId {
        let id = WorldId::new(name).expect("an id");
        let at = UnixMillis::new(NOW_US / 1000).expect("a time");
        let world =
            counterfoil_capsule::remember(id.clone(), at, json!({"text": name})).expect("a World");
        let signer = Arc::<AgentSigner>::clone(&self.signer);
        ready(self.store.append_one(signer, Draft::new(world))).expect("room on disk");
        id
    }
}

/// A new folder, in memory if there is such a place: these tests wait for no disk.
fn folder() -> TempDir {
    tempfile::tempdir_in("/dev/shm").unwrap_or_else(|_| tempfile::tempdir().expect("a folder"))
}

/// The values that decide, as canonical JSON.
pub(crate) fn values(belief: &counterfoil_claim_memory::Belief) -> Vec<&str> {
    let sides = belief.sides.iter();
    sides.map(|side| side.value.canonical()).collect()
}
