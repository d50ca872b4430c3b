//! An agent that is asked, with clocks that move only when they are told to.

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use counterfoil_capsule::delta::Change;
use counterfoil_capsule::{AgentSigner, SecretKey, Signer, Timestamp, World};
use counterfoil_claims::ports::OracleVerdict;
use counterfoil_claims::{
    Assertion, Channel, Channels, FactValue, Identifier, Settings, Submission,
};
use counterfoil_exchange::answering::{PassOn, Refusal, Share};
use counterfoil_exchange::checks::FreshnessLimits;
use counterfoil_exchange::documents::{
    Audience, Format, MemoryQuery, Nonce, Party, Preferences, Request, RequestHeader, RequestId,
    RequestParts, Response, Text,
};
use counterfoil_exchange::machine::Moment;
use counterfoil_exchange::trust::{Level, TrustSettings};
use counterfoil_life::Life as _;
use counterfoil_peer::answering::AnsweringSettings;
use counterfoil_peer::{Answering, Host, Timer};
use counterfoil_sqlite::{Options, SqliteStore};
use counterfoil_store::conformance::{block_on, seeded_entropy};
use counterfoil_store::log::NoteSigner;
use counterfoil_store::mutation::mutate_capsule;
use counterfoil_store::text_index::{TextHit, TextIndex, TextQuery};
use counterfoil_store::{ClaimRequest, Clock, Draft, ExchangeStore, StoreError};
use counterfoil_types::{DidKey, Scope, UnixMillis, WorldId};
use serde_json::{Value, json};
use tempfile::TempDir;

/// 2027-01-15T08:00:00Z in microseconds.
pub(crate) const NOW_US: u64 = 1_800_000_000_000_000;
pub(crate) const SECOND_US: u64 = 1_000_000;

/// Both clocks. Who sleeps makes the time pass.
#[derive(Debug, Default)]
pub(crate) struct TestTimer {
    passed_us: AtomicU64,
    slept: AtomicU64,
}

impl TestTimer {
    pub(crate) fn pass(&self, us: u64) {
        self.passed_us.fetch_add(us, Ordering::SeqCst);
    }

    pub(crate) fn now_us(&self) -> u64 {
        self.now().wall_us
    }

    /// How often somebody slept.
    pub(crate) fn slept(&self) -> u64 {
        self.slept.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl Timer for TestTimer {
    fn now(&self) -> Moment {
        let passed_us = self.passed_us.load(Ordering::SeqCst);
        Moment {
            monotonic_us: 1_000 * SECOND_US + passed_us,
            wall_us: NOW_US + passed_us,
        }
    }

    async fn sleep_until(&self, monotonic_us: u64) {
        self.slept.fetch_add(1, Ordering::SeqCst);
        self.pass(monotonic_us.saturating_sub(self.now().monotonic_us));
    }
}

impl Clock for TestTimer {
    fn now_micros(&self) -> u64 {
        self.now().wall_us
    }
}

/// A key that counts what it signs.
pub(crate) struct CountingSigner {
    inner: AgentSigner,
    pub(crate) signed: AtomicU64,
}

impl Signer for CountingSigner {
    fn agent(&self) -> DidKey {
        self.inner.agent()
    }

    fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.signed.fetch_add(1, Ordering::SeqCst);
        self.inner.sign(message)
    }
}

/// An index that counts how often it is asked, and for how many hits.
pub(crate) struct CountingIndex {
    inner: Arc<SqliteStore>,
    pub(crate) asked: Mutex<Vec<(usize, usize)>>,
    /// It cannot be read.
    pub(crate) is_broken: AtomicBool,
}

#[async_trait]
impl TextIndex for CountingIndex {
    async fn search(&self, query: &TextQuery) -> Result<Vec<TextHit>, StoreError> {
        if self.is_broken.load(Ordering::Relaxed) {
            return Err(StoreError::Bug("broken by a test"));
        }
        let hits = self.inner.search(query).await?;
        self.asked
            .lock()
            .unwrap()
            .push((query.terms().len(), hits.len()));
        Ok(hits)
    }
}

/// An agent that is asked.
pub(crate) struct Rig {
    pub(crate) answering: Answering,
    pub(crate) host: Host,
    pub(crate) timer: Arc<TestTimer>,
    pub(crate) signer: Arc<CountingSigner>,
    pub(crate) index: Arc<CountingIndex>,
    pub(crate) settings: AnsweringSettings,
    store: Arc<dyn ExchangeStore>,
    asked: AtomicU64,
    _folder: TempDir,
}

pub(crate) fn agent(seed: u8) -> AgentSigner {
    AgentSigner::new(SecretKey::from_seed([seed; 32]))
}

/// The one who asks in most tests.
pub(crate) fn ann() -> AgentSigner {
    agent(21)
}

pub(crate) fn ann_key() -> DidKey {
    ann().agent()
}

/// A rule for everybody who has a key: what bears `label`.
pub(crate) fn rule(label: &str) -> Share {
    Share {
        to: None,
        level: Level::Identified,
        domains: Vec::new(),
        predicates: Vec::new(),
        scope: Scope::new(),
        pass_on: PassOn::Refused,
        continues: false,
        refer: false,
        labels: vec![label.to_owned()],
        format: Format::Attestation,
        max: 100,
        per_minute: 1_000_000,
    }
}

/// These rules, and rates that stand in nobody's way.
pub(crate) fn settings(shares: Vec<Share>) -> AnsweringSettings {
    AnsweringSettings {
        shares,
        anonymous_per_minute: 1_000_000,
        anonymous_in_all: 1_000_000,
        per_minute: 1_000_000,
        ..AnsweringSettings::default()
    }
}

impl Rig {
    pub(crate) fn new(settings: AnsweringSettings) -> Self {
        let timer = Arc::new(TestTimer::default());
        let note = NoteSigner::new("example.com/log", SecretKey::from_seed([9; 32])).unwrap();
        let folder = TempDir::new().unwrap();
        let (file, guard) = (folder.path().join("memory.db"), folder.path().join("guard"));
        let options = Options::writable(file, note, guard).with_clock(timer.clone());
        let store = Arc::new(SqliteStore::create(options).unwrap());
        let signer = Arc::new(CountingSigner {
            inner: agent(1),
            signed: AtomicU64::new(0),
        });
        let index = Arc::new(CountingIndex {
            inner: store.clone(),
            asked: Mutex::default(),
            is_broken: AtomicBool::new(false),
        });
        let host = Host {
            store: store.clone(),
            signer: signer.clone(),
            own_keys: Arc::from([signer.agent()]),
            name: Text::new("babel").unwrap(),
            channels: Arc::new(Channels::of_host().peers()),
            claims: Arc::new(Settings::default()),
            trust: TrustSettings::default(),
            freshness: FreshnessLimits::default(),
            evidence: None,
            timer: timer.clone(),
            entropy: seeded_entropy(5),
        };
        let answering = Answering::new(host.clone(), index.clone(), settings.clone());
        let answering = block_on(answering).unwrap();
        Self {
            answering,
            host,
            timer,
            signer,
            index,
            settings,
            store,
            asked: AtomicU64::new(0),
            _folder: folder,
        }
    }

    /// The same agent in a new process.
    pub(crate) fn restarted(mut self) -> Self {
        let answering =
            Answering::new(self.host.clone(), self.index.clone(), self.settings.clone());
        self.answering = block_on(answering).unwrap();
        self
    }

    pub(crate) fn key(&self) -> DidKey {
        self.signer.agent()
    }

    pub(crate) fn remember(&self, name: &str, data: Value) -> WorldId {
        self.remember_as(name, data, self.signer.clone())
    }

    pub(crate) fn remember_as(&self, name: &str, data: Value, by: Arc<dyn Signer>) -> WorldId {
        let draft = Draft::new(world(name, data));
        block_on(self.store.append_one(by, draft)).unwrap();
        WorldId::new(name).unwrap()
    }

    /// A later version of a memory.
    pub(crate) fn replace(&self, id: &WorldId, name: &str, data: Value) {
        let (chain, _) = block_on(self.store.chain_of(id)).unwrap().unwrap();
        let new = (
            WorldId::new(name).unwrap(),
            UnixMillis::new(NOW_US / 1000).unwrap(),
        );
        let change = Change::Replacement(&data);
        let signer = self.signer.clone();
        block_on(mutate_capsule(&*self.store, signer, &chain, change, new)).unwrap();
    }

    /// Erases the content of a memory.
    pub(crate) fn erase(&self, id: &WorldId) {
        let erased = self.index.inner.erase(self.signer.clone(), id, "asked to");
        assert!(block_on(erased).unwrap().is_some());
    }

    /// Something that the user says.
    pub(crate) fn claim(&self, channel: &Channel, value: &str, cites: &[WorldId]) -> WorldId {
        self.claim_in(&Scope::new(), channel, value, cites)
    }

    pub(crate) fn claim_in(
        &self,
        scope: &Scope,
        channel: &Channel,
        value: &str,
        cites: &[WorldId],
    ) -> WorldId {
        let identifier = |what, text| Identifier::new(what, text).unwrap();
        let (subject, predicate) = (
            identifier("subject", "ann"),
            identifier("predicate", "drinks"),
        );
        let value = FactValue::new(&value.into()).unwrap();
        let submission = Submission::new(channel, subject, predicate, value);
        let submission = submission
            .in_scope(scope.clone())
            .citing(cites.to_vec())
            .unwrap();
        self.submit(ClaimRequest::Submit(submission))
    }

    fn submit(&self, request: ClaimRequest) -> WorldId {
        let (signer, settings) = (self.signer.clone(), Arc::default());
        let outcomes = block_on(self.store.submit(signer, settings, vec![request]));
        outcomes.unwrap().remove(0).unwrap().reference
    }

    /// The user's verdict that a claim does not hold.
    pub(crate) fn deny(&self, claim: &WorldId, evidence: &WorldId) {
        let (user, evidence) = (Channels::of_host().user(), vec![evidence.clone()]);
        let verdict =
            Assertion::verdict(&user, claim.clone(), OracleVerdict::Deny, evidence).unwrap();
        self.submit(ClaimRequest::Assert(verdict));
    }

    /// Notes with a label: `tea`, one for each name.
    pub(crate) fn remember_tea(&self, names: &[&str], label: &str) {
        for name in names {
            self.remember(
                name,
                json!({"kind": "note", "text": format!("tea {name}"), "share": label}),
            );
        }
    }

    pub(crate) fn store(&self) -> &dyn ExchangeStore {
        self.store.as_ref()
    }

    /// What a request for `tea` says, living for a minute from now on.
    pub(crate) fn parts(&self) -> RequestParts {
        let number = self.asked.fetch_add(1, Ordering::SeqCst);
        let now = self.timer.now().wall_us;
        let mut id = [7; 16];
        id[..8].copy_from_slice(&number.to_be_bytes());
        RequestParts {
            header: RequestHeader {
                request_id: RequestId::from_bytes(id),
                nonce: Some(Nonce::from_bytes(id)),
                timestamp: Timestamp::from_micros(now).unwrap(),
                expires: Timestamp::from_micros(now + 60 * SECOND_US).unwrap(),
            },
            requester: Party::named(Text::new("ann").unwrap()),
            audience: Audience::One(self.key()),
            query: query("tea"),
            preferences: Preferences::default(),
        }
    }

    pub(crate) fn request(&self) -> Request {
        Request::sign(self.parts(), &ann()).unwrap()
    }

    /// A request of the asker, changed.
    pub(crate) fn request_with(&self, change: impl FnOnce(&mut RequestParts)) -> Request {
        let mut parts = self.parts();
        change(&mut parts);
        Request::sign(parts, &ann()).unwrap()
    }

    pub(crate) fn try_answer(&self, request: &Request) -> Result<Arc<[u8]>, Refusal> {
        self.try_bytes(request.bytes())
    }

    pub(crate) fn try_bytes(&self, request: &[u8]) -> Result<Arc<[u8]>, Refusal> {
        block_on(self.answering.answer(request, home()))
    }

    pub(crate) fn answer(&self, request: &Request) -> Response {
        Response::parse(&self.try_answer(request).unwrap()).unwrap()
    }

    /// The names of what is told, in their order.
    pub(crate) fn told(&self, request: &Request) -> Vec<String> {
        names(&self.answer(request))
    }
}

pub(crate) fn names(response: &Response) -> Vec<String> {
    response
        .parts()
        .results
        .iter()
        .map(|result| result.memory_id.to_string())
        .collect()
}

pub(crate) fn home() -> Option<IpAddr> {
    Some([127, 0, 0, 1].into())
}

pub(crate) fn world(name: &str, data: Value) -> World {
    let at = UnixMillis::new(NOW_US / 1000).unwrap();
    counterfoil_capsule::remember(WorldId::new(name).unwrap(), at, data).unwrap()
}

pub(crate) fn query(natural: &str) -> MemoryQuery {
    MemoryQuery::new(Text::new(natural).unwrap())
}
