//! A store with two agents, what an authority trusts of it, and proofs to tamper with.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use counterfoil_authority::types::json::Value;
use counterfoil_authority::types::{MemoryRef, Sha256Hash, UnixMillis, WorldId};
use counterfoil_authority::verifier::note::Algorithm;
use counterfoil_authority::verifier::{Anchors, Checkpoint, LogAnchor, VerifierKey};
use counterfoil_authority::{Policy, Preset};
use counterfoil_capsule::{AgentSigner, SecretKey, Signer, Timestamp};
use counterfoil_claim_memory::{BeliefProof, ClaimMemory, ClaimMemoryError, Settings};
use counterfoil_claims::{Channel, Channels};
use counterfoil_sqlite::{Options, SqliteStore};
use counterfoil_store::conformance::block_on;
use counterfoil_store::log::NoteSigner;
use counterfoil_store::{CapsuleLog, Clock, Draft, ExchangeStore, MemoryStore, StoredCapsule};
use counterfoil_verify::belief::{BeliefDocument, review};
use tempfile::TempDir;

/// 2027-01-15T08:00:00Z.
pub(crate) const NOW_MS: u64 = 1_800_000_000_000;
/// Codes of a report that approves.
pub(crate) const PROVEN: [&str; 1] = ["belief-proven"];
const DAY_US: u64 = 86_400_000_000;
const ORIGIN: &str = "example.com/log";

/// Runs a future to its end.
pub(crate) fn ready<T>(future: impl IntoFuture<Output = T>) -> T {
    block_on(future.into_future())
}

/// Runs a future that must not fail.
#[track_caller]
pub(crate) fn done<T>(future: impl IntoFuture<Output = Result<T, ClaimMemoryError>>) -> T {
    ready(future).expect("nothing is refused")
}

#[derive(Default)]
struct TestClock {
    days: AtomicU64,
}

impl Clock for TestClock {
    fn now_micros(&self) -> u64 {
        NOW_MS * 1000 + self.days.load(Ordering::Relaxed) * DAY_US
    }
}

/// A log with two agents in it.
pub(crate) struct Rig {
    clock: Arc<TestClock>,
    pub(crate) store: Arc<SqliteStore>,
    agents: [Arc<AgentSigner>; 2],
    pub(crate) channels: Channels,
    /// Deleted at the end.
    _folder: TempDir,
}

impl Rig {
    pub(crate) fn new() -> Self {
        let clock = Arc::new(TestClock::default());
        let note = NoteSigner::new(ORIGIN, log_key()).expect("a sound origin");
        let folder = folder();
        let (path, guard) = (folder.path().join("memory.db"), folder.path().join("guard"));
        let options = Options::writable(path, note, guard);
        let store = SqliteStore::create(options.with_clock(Arc::<TestClock>::clone(&clock)));
        let agent = |seed| Arc::new(AgentSigner::new(SecretKey::from_seed([seed; 32])));
        Self {
            clock,
            store: Arc::new(store.expect("a new store")),
            agents: [agent(1), agent(3)],
            channels: Channels::of_host(),
            _folder: folder,
        }
    }

    /// What the user says to the first agent.
    pub(crate) fn user(&self) -> ClaimMemory {
        self.memory(0, self.channels.user())
    }

    pub(crate) fn memory(&self, agent: usize, channel: Channel) -> ClaimMemory {
        let store = Arc::<SqliteStore>::clone(&self.store);
        let signer = Arc::clone(self.agents.get(agent).expect("two agents"));
        ClaimMemory::new(store, signer, channel, Settings::default())
    }

    pub(crate) fn later_by_days(&self, days: u64) {
        self.clock.days.fetch_add(days, Ordering::Relaxed);
    }

    /// When a review takes place: now.
    pub(crate) fn now(&self) -> UnixMillis {
        UnixMillis::new(self.clock.now_micros() / 1000).expect("a time")
    }

    /// Ann lives in Lisbon, then she moves: three units, the second of which cites a memory.
    pub(crate) fn moved_house(&self) -> ClaimMemory {
        let memory = self.user();
        let letter = self.remember("letter", &Value::from("I moved to Porto"));
        let first = done(memory.remember("ann", "lives in", "Lisbon").from("2020"));
        self.later_by_days(1);
        let moved = memory.remember("ann", "lives in", "Porto").from("2026-05");
        done(moved.superseding([first.reference]).citing([letter]));
        self.later_by_days(1);
        done(memory.end_line("ann", "lives in", Some("2030")));
        memory
    }

    /// A memory that is no claim.
    pub(crate) fn remember(&self, name: &str, data: &Value) -> WorldId {
        let id = WorldId::new(name).expect("an id");
        let world =
            counterfoil_capsule::remember(id.clone(), self.now(), data.clone()).expect("a World");
        let signer = Arc::clone(self.agents.first().expect("an agent"));
        ready(self.store.append_one(signer, Draft::new(world))).expect("room on disk");
        id
    }

    pub(crate) fn signer(&self, agent: usize) -> Arc<AgentSigner> {
        Arc::clone(self.agents.get(agent).expect("two agents"))
    }

    pub(crate) fn timestamp(&self) -> Timestamp {
        Timestamp::from_micros(self.clock.now_micros()).expect("a time")
    }

    /// Seals a document about others, and returns the log index of its record.
    pub(crate) fn keeps(&self, signer: Arc<AgentSigner>, document: Vec<u8>) -> u64 {
        let new = ready(self.store.add_records(signer, vec![document]));
        assert_eq!(new.expect("room on disk"), 1);
        self.checkpoint().0 - 1
    }

    pub(crate) fn stored(&self, index: u64) -> StoredCapsule {
        let stored = ready(self.store.capsule(index)).expect("a store");
        stored.expect("an entry of this log")
    }

    /// Receives a capsule from elsewhere, and returns its log index.
    pub(crate) fn receives(&self, capsule: StoredCapsule) -> u64 {
        let places = ready(self.store.receive("elsewhere", vec![capsule]));
        places.expect("a sound capsule").remove(0).index
    }

    pub(crate) fn path(&self, index: u64) -> Vec<Sha256Hash> {
        let size = self.checkpoint().0;
        ready(self.store.inclusion(index, size)).expect("an entry of this log")
    }

    /// What an authority trusts that knows the log and both agents.
    pub(crate) fn anchors(&self) -> Anchors {
        self.anchors_of(LogAnchor::new(self.key()))
    }

    /// The same from the present checkpoint on.
    pub(crate) fn anchors_with_floor(&self) -> Anchors {
        let (size, root, _) = self.checkpoint();
        let log = LogAnchor::new(self.key()).with_floor(size, root);
        self.anchors_of(log.expect("a size"))
    }

    fn anchors_of(&self, log: LogAnchor) -> Anchors {
        let agents = self.agents.iter().map(|signer| signer.agent());
        let anchors = Anchors::new(vec![log]).expect("a sound log");
        anchors.with_agents(agents).expect("sound agents")
    }

    /// The same without the first agent.
    pub(crate) fn anchors_of_a_stranger(&self) -> Anchors {
        let anchors = Anchors::new(vec![LogAnchor::new(self.key())]).expect("a sound log");
        let stranger = self.agents.last().expect("an agent").agent();
        anchors.with_agents([stranger]).expect("a sound agent")
    }

    fn key(&self) -> VerifierKey {
        VerifierKey::new(ORIGIN, Algorithm::Ed25519, &log_key().public_key()).expect("a sound key")
    }

    pub(crate) fn checkpoint(&self) -> (u64, Sha256Hash, String) {
        let note = ready(self.store.checkpoint()).expect("a store");
        let note = note.expect("a checkpoint");
        let checkpoint = Checkpoint::from_note(&note).expect("a checkpoint");
        (checkpoint.size(), checkpoint.root(), note)
    }

    /// Any World of the log, opened as a unit is.
    pub(crate) fn opened(&self, world: &WorldId) -> Value {
        let index = ready(self.store.index_of(world)).expect("a store");
        let index = index.expect("a World of this log");
        let stored = ready(self.store.capsule(index)).expect("a store");
        let header = stored.expect("a capsule").header;
        let recorded = ready(self.store.get(world)).expect("a store");
        let memory = MemoryRef::new(world.clone());
        counterfoil_prover::open(&memory, &recorded.expect("a World"), header.canonical())
            .expect("a capsule of this log")
            .to_value()
    }
}

/// A new folder, in memory if there is such a place: these tests wait for no disk.
pub(crate) fn folder() -> TempDir {
    tempfile::tempdir_in("/dev/shm").unwrap_or_else(|_| tempfile::tempdir().expect("a folder"))
}

fn log_key() -> SecretKey {
    SecretKey::from_seed([2; 32])
}

/// The document of a proof.
pub(crate) fn document(proof: &BeliefProof) -> Value {
    proof.1.clone()
}

pub(crate) fn read(document: &Value) -> BeliefDocument {
    let bytes = serde_json::to_vec(document).expect("JSON");
    BeliefDocument::from_json(&bytes).expect("a document")
}

/// The report of an authority with these anchors, under the policy `permissive`.
pub(crate) fn check(anchors: Anchors, document: &Value) -> Value {
    let now = UnixMillis::new(NOW_MS).expect("a time");
    report(anchors, document, &Policy::preset(Preset::Permissive), now)
}

/// The report of an authority under a policy.
pub(crate) fn report(
    anchors: Anchors,
    document: &Value,
    policy: &Policy,
    now: UnixMillis,
) -> Value {
    let report = review(read(document), anchors, policy, now);
    serde_json::from_str(&report.to_json().expect("JSON")).expect("JSON")
}

/// Codes of the reasons of a report.
pub(crate) fn codes(report: &Value) -> Vec<&str> {
    let reasons = report["reasons"].as_array().expect("reasons").iter();
    reasons.map(|reason| text(reason, "/code")).collect()
}

/// The document with the value at `pointer` replaced.
pub(crate) fn with(mut document: Value, pointer: &str, value: impl Into<Value>) -> Value {
    let place = document.pointer_mut(pointer).expect("a member");
    *place = value.into();
    document
}

/// The units of a document.
pub(crate) fn units(document: &mut Value) -> &mut Vec<Value> {
    let units = document.get_mut("units").and_then(Value::as_array_mut);
    units.expect("units")
}

/// The text at `pointer`.
pub(crate) fn text<'a>(document: &'a Value, pointer: &str) -> &'a str {
    let text = document.pointer(pointer).and_then(Value::as_str);
    text.expect("a text")
}
