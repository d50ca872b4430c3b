//! The engine over a store in a folder of its own.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use counterfoil_capsule::{ChainId, SecretKey};
use counterfoil_claims::{Aliases, Identifier, Settings};
use counterfoil_claims_tests::answer::{Answer, Belief, Past};
use counterfoil_claims_tests::calendar::Micros;
use counterfoil_claims_tests::request::{Id, Request};
use counterfoil_life::Life as _;
use counterfoil_sqlite::{Options, SqliteStore};
use counterfoil_store::conformance::block_on;
use counterfoil_store::log::NoteSigner;
use counterfoil_store::{CapsuleLog, ClaimStore, Clock, Draft};
use counterfoil_types::{Blake3Hash, Scope, UnixMillis, WorldId};
use serde_json::json;
use tempfile::TempDir;

use crate::backend::{Asked, Backend, Host, LineName};
use crate::engine::{self, Names, did, identifier, micros, signer};

/// A clock that stands still.
#[derive(Debug, Default)]
pub(crate) struct StillClock(AtomicU64);

impl StillClock {
    pub(crate) fn at(now: Micros) -> Arc<Self> {
        Arc::new(Self(AtomicU64::new(u64::try_from(now).unwrap())))
    }

    pub(crate) fn set(&self, now: Micros) {
        self.0.store(u64::try_from(now).unwrap(), Ordering::SeqCst);
    }
}

impl Clock for StillClock {
    fn now_micros(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }

    /// Ten years: the clock of a script jumps.
    fn max_leap_micros(&self) -> u64 {
        10 * 365 * 86_400_000_000
    }
}

/// The database of a store without entries: tests make thousands of it.
static EMPTY: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let folder = folder();
    let options = options_in(folder.path());
    drop(SqliteStore::create(options.clone()).unwrap());
    std::fs::read(options.path()).unwrap()
});

/// A store, and the names of what is in it.
pub(crate) struct Stored {
    store: Option<SqliteStore>,
    pub(crate) names: Names,
    clock: Arc<StillClock>,
    pub(crate) settings: Arc<Settings>,
    /// Records about names.
    named: Vec<(Identifier, u64, Option<Identifier>)>,
    /// The end of each chain of Worlds.
    chains: Vec<Option<(ChainId, Blake3Hash)>>,
    reopened: usize,
    /// Deleted at the end.
    folder: TempDir,
}

impl Stored {
    pub(crate) fn new(host: &Host, now: Micros) -> Self {
        let (folder, clock) = (folder(), StillClock::at(now));
        let options = options_in(folder.path()).with_clock(clock.clone());
        std::fs::write(options.path(), &*EMPTY).unwrap();
        Self {
            store: Some(SqliteStore::open(options).unwrap()),
            names: Names::default(),
            clock,
            settings: Arc::new(engine::settings(host)),
            named: Vec::new(),
            chains: Vec::new(),
            reopened: 0,
            folder,
        }
    }

    pub(crate) const fn store(&self) -> &SqliteStore {
        self.store.as_ref().unwrap()
    }

    fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.settings)
    }
}

/// A new folder, in memory if there is such a place: these tests wait for no disk.
pub(crate) fn folder() -> TempDir {
    tempfile::tempdir_in("/dev/shm").unwrap_or_else(|_| tempfile::tempdir().unwrap())
}

pub(crate) fn options_in(folder: &Path) -> Options {
    let signer = NoteSigner::new("claims.example/log", SecretKey::from_seed([0x10; 32]));
    let guard = folder.join("last-checkpoint");
    Options::writable(folder.join("memory.db"), signer.unwrap(), guard)
}

impl Backend for Stored {
    fn clock(&mut self, now: Micros) {
        self.clock.set(now);
    }

    fn remember(&mut self, agent: u8, chain: usize) {
        let name = WorldId::new(format!("memory-{}", self.names.worlds.len())).unwrap();
        let data = json!({ "kind": "note", "text": format!("{name}") });
        let world = counterfoil_capsule::remember(
            name.clone(),
            UnixMillis::new(1_700_000_000_000).unwrap(),
            data,
        );
        let mut draft = Draft::new(world.unwrap());
        self.chains.resize(self.chains.len().max(chain + 1), None);
        if let Some((id, head)) = self.chains[chain] {
            draft = draft.following(id, head);
        }
        let appended = block_on(self.store().append_one(signer(agent), draft)).unwrap();
        self.chains[chain] = Some((appended.chain, appended.capsule));
        self.names.worlds.push(name);
    }

    fn write(&mut self, request: &Request) -> Answer {
        let told = match self.names.request(request) {
            Ok(told) => told,
            Err(refusal) => return self.names.answer(Err(refusal)),
        };
        let submitted = self
            .store()
            .submit(signer(request.agent), self.settings(), vec![told]);
        let mut answers = block_on(submitted).unwrap();
        self.names.answer(answers.pop().unwrap())
    }

    fn name(&mut self, since: Micros, name: &str, main: Option<&str>) {
        let since_us = u64::try_from(since).unwrap();
        self.named
            .push((identifier(name), since_us, main.map(identifier)));
        self.settings = Arc::new(Settings {
            aliases: Aliases::new(self.named.iter().cloned()).into(),
            ..Settings::clone(&self.settings)
        });
    }

    /// Every second time from tables that are made again.
    fn reopen(&mut self) {
        drop(self.store.take());
        let options = options_in(self.folder.path()).with_clock(self.clock.clone());
        let store = SqliteStore::open(options).unwrap();
        if self.reopened.is_multiple_of(2) {
            block_on(store.rebuild()).unwrap();
        }
        self.reopened += 1;
        self.store = Some(store);
    }

    fn believe(&mut self, agent: u8, line: &LineName, asked: Asked) -> Belief {
        let line = engine::line(agent, line);
        let belief = self
            .store()
            .believe(line, engine::asked(asked), self.settings());
        self.names.belief(&block_on(belief).unwrap())
    }

    fn subject(&mut self, agent: u8, subject: &str, asked: Asked) -> Vec<(String, Belief)> {
        let beliefs = block_on(self.store().believe_subject(
            did(agent),
            identifier(subject),
            Scope::new(),
            None,
            engine::asked(asked),
            self.settings(),
        ));
        let named = |belief: &counterfoil_claims::belief::Belief| {
            let predicate = belief.line.predicate.as_str().to_owned();
            (predicate, self.names.belief(belief))
        };
        beliefs.unwrap().iter().map(named).collect()
    }

    fn history(&mut self, agent: u8, line: &LineName, asked: Asked) -> Vec<Past> {
        let line = engine::line(agent, line);
        let history = self
            .store()
            .claim_history(line, engine::asked(asked), self.settings());
        self.names.history(&block_on(history).unwrap())
    }

    fn contested(&mut self, agent: u8, asked: Asked) -> Vec<LineName> {
        let beliefs = block_on(ClaimStore::contested(
            self.store(),
            did(agent),
            Scope::new(),
            engine::asked(asked),
            None,
            1000,
            self.settings(),
        ));
        let line = |belief: &counterfoil_claims::belief::Belief| {
            let line = &belief.line;
            (
                line.subject.as_str().to_owned(),
                line.predicate.as_str().to_owned(),
            )
        };
        beliefs.unwrap().iter().map(line).collect()
    }

    fn pending(&mut self, agent: u8) -> Vec<Id> {
        let pending = block_on(self.store().pending(did(agent), self.settings())).unwrap();
        let claims = pending.iter();
        claims
            .map(|(waiting, ..)| self.names.id(waiting.reference()))
            .collect()
    }

    fn units(&mut self, agent: u8, line: &LineName) -> Vec<(Id, Micros)> {
        let units = block_on(self.store().units(engine::line(agent, line), None)).unwrap();
        let unit = |unit: &counterfoil_claims::Unit| {
            (
                self.names.id(unit.reference()),
                micros(unit.stamp().micros()),
            )
        };
        units.iter().map(unit).collect()
    }

    fn ledger(&mut self, agent: u8, claim: Option<Id>, limit: usize) -> Vec<Id> {
        let claim = claim.map(|claim| self.names.world(claim));
        let entries = block_on(
            self.store()
                .ledger(did(agent), Scope::new(), claim, None, limit),
        )
        .unwrap();
        let units = entries.iter();
        units.map(|unit| self.names.id(unit.reference())).collect()
    }
}
