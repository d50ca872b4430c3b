//! An asker with its store, a clock that moves when it is waited for, and a transport that follows a script.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use counterfoil_capsule::{AgentSigner, SecretKey, Signer};
use counterfoil_claims::belief::Belief;
use counterfoil_claims::ports::OracleVerdict;
use counterfoil_claims::{Assertion, Channels, FactValue, Identifier, Line, Settings, Submission};
use counterfoil_exchange::checks::FreshnessLimits;
use counterfoil_exchange::documents::{
    DocumentHash, Format, MemoryQuery, Request, RequestId, Response, Text,
};
use counterfoil_exchange::machine::Moment;
use counterfoil_exchange::trust::{LocalRecord, Record, RecordedTrust, Records, TrustSettings};
use counterfoil_peer::asking::StorePolicy;
use counterfoil_peer::{ExchangeQuestion, ExchangeReport, Host, PeerError, Timer, Transport};
use counterfoil_sqlite::{Options, SqliteStore};
use counterfoil_store::conformance::{block_on, seeded_entropy};
use counterfoil_store::log::NoteSigner;
use counterfoil_store::{
    AsOf, CapsuleLog, ClaimRequest, ClaimStore, Clock, Entropy, ExchangeStore, MemoryStore,
};
use counterfoil_types::json::Value;
use counterfoil_types::{DidKey, Scope, WorldId};
use tempfile::TempDir;

use crate::failing::Killed;

/// 2027-01-15T08:00:00Z in microseconds.
pub(crate) const NOW_US: u64 = 1_800_000_000_000_000;
pub(crate) const SECOND_US: u64 = 1_000_000;
pub(crate) const DAY_US: u64 = 86_400 * SECOND_US;

/// The clocks of the asker. They stand until somebody waits: then they move to what comes next.
#[derive(Default)]
pub(crate) struct Clocks {
    monotonic_us: AtomicU64,
    /// By how much the wall clock was moved.
    moved_us: AtomicI64,
    /// By how much both move whenever somebody looks.
    step_us: AtomicU64,
    /// When something arrives.
    due_us: Mutex<Vec<u64>>,
}

impl Clocks {
    pub(crate) fn pass(&self, us: u64) {
        self.monotonic_us.fetch_add(us, Ordering::Relaxed);
    }

    /// Sets the wall clock, as a person or a time server does.
    pub(crate) fn jump(&self, us: i64) {
        self.moved_us.fetch_add(us, Ordering::Relaxed);
    }

    /// From now on no two looks at the clocks show the same.
    pub(crate) fn run(&self) {
        self.step_us.store(1, Ordering::Relaxed);
    }

    pub(crate) fn monotonic(&self) -> u64 {
        self.monotonic_us.load(Ordering::Relaxed)
    }

    fn expect(&self, at_us: u64) {
        self.due_us.lock().unwrap().push(at_us);
    }
}

impl Clock for Clocks {
    fn now_micros(&self) -> u64 {
        let moved = self.moved_us.load(Ordering::Relaxed);
        (NOW_US + self.monotonic())
            .checked_add_signed(moved)
            .unwrap()
    }
}

struct VirtualTimer(Arc<Clocks>);

#[async_trait]
impl Timer for VirtualTimer {
    fn now(&self) -> Moment {
        self.0.pass(self.0.step_us.load(Ordering::Relaxed));
        Moment {
            monotonic_us: self.0.monotonic(),
            wall_us: self.0.now_micros(),
        }
    }

    async fn sleep_until(&self, monotonic_us: u64) {
        std::future::poll_fn(|context| {
            let now = self.0.monotonic();
            if now >= monotonic_us {
                return std::task::Poll::Ready(());
            }
            let due = self
                .0
                .due_us
                .lock()
                .unwrap()
                .iter()
                .copied()
                .filter(|at| *at > now)
                .min();
            let next = due.unwrap_or(u64::MAX).min(monotonic_us);
            self.0.monotonic_us.store(next, Ordering::Relaxed);
            context.waker().wake_by_ref();
            std::task::Poll::Pending
        })
        .await;
    }
}

/// What comes, and when after a request was sent.
pub(crate) enum Comes {
    Bytes(Vec<u8>),
    Fails(PeerError),
}

type Script = Box<dyn FnMut(&Request) -> Vec<(u64, Comes)> + Send>;

/// The way to somebody who answers by a script.
pub(crate) struct Scripted {
    clocks: Arc<Clocks>,
    script: Script,
    coming: VecDeque<(u64, Comes)>,
    /// What is done when something is handed over.
    pub(crate) meanwhile: Option<Box<dyn FnMut() + Send>>,
    pub(crate) sent: Vec<Vec<u8>>,
    pub(crate) refuses: VecDeque<PeerError>,
}

impl Scripted {
    pub(crate) fn new(
        rig: &Rig,
        script: impl FnMut(&Request) -> Vec<(u64, Comes)> + Send + 'static,
    ) -> Self {
        Self {
            clocks: Arc::clone(&rig.clocks),
            script: Box::new(script),
            coming: VecDeque::new(),
            meanwhile: None,
            sent: Vec::new(),
            refuses: VecDeque::new(),
        }
    }

    /// Nobody answers.
    pub(crate) fn silent(rig: &Rig) -> Self {
        Self::new(rig, |_| Vec::new())
    }

    /// One answer, at once.
    pub(crate) fn answering(
        rig: &Rig,
        mut answer: impl FnMut(&Request) -> Vec<u8> + Send + 'static,
    ) -> Self {
        Self::saying(rig, move |request| vec![answer(request)])
    }

    /// Several arrivals, at once.
    pub(crate) fn saying(
        rig: &Rig,
        mut said: impl FnMut(&Request) -> Vec<Vec<u8>> + Send + 'static,
    ) -> Self {
        Self::new(rig, move |request| {
            let said = said(request).into_iter();
            said.map(|bytes| (0, Comes::Bytes(bytes))).collect()
        })
    }
}

#[async_trait]
impl Transport for Scripted {
    async fn send(&mut self, request: &[u8]) -> Result<(), PeerError> {
        self.sent.push(request.to_vec());
        if let Some(error) = self.refuses.pop_front() {
            return Err(error);
        }
        let request = Request::parse(request).unwrap();
        let now = self.clocks.monotonic();
        for (after, comes) in (self.script)(&request) {
            self.clocks.expect(now + after);
            self.coming.push_back((now + after, comes));
        }
        Ok(())
    }

    async fn receive(&mut self) -> Result<Vec<u8>, PeerError> {
        std::future::poll_fn(|_| {
            let now = self.clocks.monotonic();
            match self.coming.front() {
                Some((at, _)) if *at <= now => std::task::Poll::Ready(()),
                _ => std::task::Poll::Pending,
            }
        })
        .await;
        if let Some(meanwhile) = &mut self.meanwhile {
            meanwhile();
        }
        match self.coming.pop_front().unwrap().1 {
            Comes::Bytes(bytes) => Ok(bytes),
            Comes::Fails(error) => Err(error),
        }
    }
}

/// An asker.
pub(crate) struct Rig {
    pub(crate) clocks: Arc<Clocks>,
    pub(crate) store: Arc<SqliteStore>,
    pub(crate) signer: Arc<AgentSigner>,
    settings: Arc<Settings>,
    channels: Channels,
    entropy: Arc<dyn Entropy>,
    /// Deleted at the end.
    _folder: TempDir,
}

impl Rig {
    pub(crate) fn new() -> Self {
        let clocks = Arc::new(Clocks::default());
        let note = NoteSigner::new("example.com/log", SecretKey::from_seed([2; 32])).unwrap();
        let folder = folder();
        let (file, guard) = (folder.path().join("memory.db"), folder.path().join("guard"));
        let options =
            Options::writable(file, note, guard).with_clock(Arc::<Clocks>::clone(&clocks));
        Self {
            clocks,
            store: Arc::new(SqliteStore::create(options).unwrap()),
            signer: Arc::new(AgentSigner::new(SecretKey::from_seed([1; 32]))),
            settings: Arc::new(Settings::default()),
            channels: Channels::of_host(),
            entropy: seeded_entropy(7),
            _folder: folder,
        }
    }

    pub(crate) fn asking(&self) -> Host {
        self.host(Arc::new(Killed::new(Arc::clone(&self.store), usize::MAX)))
    }

    pub(crate) fn host(&self, store: Arc<dyn ExchangeStore>) -> Host {
        Host {
            store,
            signer: Arc::<AgentSigner>::clone(&self.signer),
            own_keys: vec![self.signer.agent()].into(),
            name: Text::new("asker").unwrap(),
            channels: Arc::new(self.channels.peers()),
            claims: Arc::<Settings>::clone(&self.settings),
            trust: TrustSettings::default(),
            freshness: FreshnessLimits::default(),
            evidence: None,
            timer: Arc::new(VirtualTimer(Arc::clone(&self.clocks))),
            entropy: Arc::clone(&self.entropy),
        }
    }

    pub(crate) fn ask(&self, question: ExchangeQuestion, way: &mut Scripted) -> ExchangeReport {
        done(self.asking().ask(question, way))
    }

    /// Asks, and drops the task as soon as it waits: the process is gone.
    pub(crate) fn ask_and_stop(&self, question: ExchangeQuestion, way: &mut Scripted) -> RequestId {
        let asking = self.asking();
        let id = asking.draw().unwrap();
        let before = self.clocks.monotonic();
        {
            let mut task = std::pin::pin!(asking.ask_under(id.clone(), question, way));
            let mut context = std::task::Context::from_waker(std::task::Waker::noop());
            assert!(task.as_mut().poll(&mut context).is_pending());
        }
        // To look at the timer moved the clock.
        self.clocks.monotonic_us.store(before, Ordering::Relaxed);
        id
    }

    pub(crate) fn resume(&self, id: &RequestId, way: &mut Scripted) -> ExchangeReport {
        done(self.asking().resume(id, way))
    }

    /// Trusts a key directly.
    pub(crate) fn trust(&self, key: DidKey) {
        self.record(LocalRecord::DirectTrust {
            key,
            domain: None,
            expires: None,
        });
    }

    pub(crate) fn record(&self, record: LocalRecord) {
        let at = crate::answers::stamp(self.clocks.now_micros());
        let record = Record::local(record, at, self.signer.as_ref()).unwrap();
        let signer = Arc::<AgentSigner>::clone(&self.signer);
        let documents = vec![record.bytes().to_vec()];
        block_on(self.store.add_records(signer, documents)).unwrap();
    }

    /// What is recorded by this agent.
    pub(crate) fn recorded(&self) -> Vec<LocalRecord> {
        let own = [self.signer.agent()];
        let kept = block_on(self.store.records(0)).unwrap().unwrap();
        let read = kept
            .iter()
            .map(|(bytes, at)| Record::receive(bytes, &own, *at).unwrap());
        read.filter_map(|record| record.local_record().cloned())
            .collect()
    }

    pub(crate) fn line(&self, subject: &str, predicate: &str) -> Line {
        Line {
            agent: self.signer.agent(),
            subject: Identifier::new("subject", subject).unwrap(),
            predicate: Identifier::new("predicate", predicate).unwrap(),
            scope: Scope::new(),
        }
    }

    fn submit(&self, request: ClaimRequest) -> WorldId {
        let signer = Arc::<AgentSigner>::clone(&self.signer);
        let settings = Arc::clone(&self.settings);
        let said = block_on(self.store.submit(signer, settings, vec![request]));
        said.unwrap().pop().unwrap().unwrap().reference
    }

    /// What the user says.
    pub(crate) fn user_says(&self, subject: &str, predicate: &str, value: &str) -> WorldId {
        let (line, user) = (self.line(subject, predicate), self.channels.user());
        let value = FactValue::new(&Value::from(value)).unwrap();
        let made = Submission::new(&user, line.subject, line.predicate, value);
        self.submit(ClaimRequest::Submit(made))
    }

    /// The user denies a claim on the word of another one.
    pub(crate) fn user_denies(&self, claim: &WorldId, evidence: &WorldId) {
        let (user, cited) = (self.channels.user(), vec![evidence.clone()]);
        let denied = Assertion::verdict(&user, claim.clone(), OracleVerdict::Deny, cited).unwrap();
        self.submit(ClaimRequest::Assert(denied));
    }

    pub(crate) fn believe(&self, subject: &str, predicate: &str) -> Belief {
        self.believe_at(subject, predicate, AsOf::default())
    }

    pub(crate) fn believe_at(&self, subject: &str, predicate: &str, asked: AsOf) -> Belief {
        let line = self.line(subject, predicate);
        let stored = block_on(self.store.records(0)).unwrap().unwrap();
        let stored = stored.iter().map(|(bytes, at)| (bytes.as_slice(), *at));
        let records = Records::receive(stored, &[self.signer.agent()]).unwrap();
        let settings = Settings {
            trust: Some(Arc::new(RecordedTrust::new(Arc::new(records)))),
            ..Settings::clone(&self.settings)
        };
        block_on(self.store.believe(line, asked, Arc::new(settings))).unwrap()
    }

    /// The `data` of a World.
    pub(crate) fn data(&self, world: &WorldId) -> Value {
        let found = block_on(self.store.get(world)).unwrap().unwrap();
        found.content_value()["data"].clone()
    }

    /// Number of entries of the log but for those about others, each of one document here.
    pub(crate) fn size(&self) -> u64 {
        let records = block_on(self.store.records(0)).unwrap().unwrap();
        block_on(self.store.size()).unwrap() - u64::try_from(records.len()).unwrap()
    }
}

/// A new folder, in memory if there is such a place: these tests wait for no disk.
fn folder() -> TempDir {
    tempfile::tempdir_in("/dev/shm").unwrap_or_else(|_| tempfile::tempdir().unwrap())
}

/// Runs to the end what must not fail.
#[track_caller]
pub(crate) fn done<T>(task: impl Future<Output = Result<T, PeerError>>) -> T {
    block_on(task).expect("nothing fails")
}

/// A question to `peer`.
pub(crate) fn question(peer: Option<DidKey>) -> ExchangeQuestion {
    ExchangeQuestion {
        query: MemoryQuery::new(Text::new("what do you know about pruning, ann and bob?").unwrap()),
        format: Format::Attestation,
        include_evidence: true,
        include_vouches: false,
        include_referrals: false,
        max_results: 5,
        cursor: None,
        peer,
        address: "http://127.0.0.1:1".to_owned(),
        timeout_us: 30 * SECOND_US,
        store_policy: StorePolicy::Attested,
        is_anonymous: false,
    }
}

/// The values that decide, as canonical JSON.
pub(crate) fn values(belief: &Belief) -> Vec<&str> {
    belief
        .sides
        .iter()
        .map(|side| side.value.canonical())
        .collect()
}

/// The answer that counts.
pub(crate) fn hash(report: &ExchangeReport) -> DocumentHash {
    report.response.as_deref().map(Response::hash).unwrap()
}
