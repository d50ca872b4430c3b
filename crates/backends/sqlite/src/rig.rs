//! What the tests of erasing, forgetting, archiving and collecting have in common.
#![cfg(test)]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use counterfoil_capsule::{AgentSigner, SecretKey, Signer, Timestamp, World};
use counterfoil_life::{Certificate, Life as _, SegmentReport};
pub(crate) use counterfoil_store::conformance::block_on;
use counterfoil_store::log::NoteSigner;
use counterfoil_store::text_index::{TextIndex, TextQuery};
use counterfoil_store::{AppendReport, CapsuleLog, Clock, Draft, StoreError};
use counterfoil_types::{UnixMillis, WorldId};
use rusqlite::Connection;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::packed;
use crate::{Options, SqliteStore};

/// 1 March 2026, in microseconds.
pub(crate) const START_US: u64 = 1_772_323_200_000_000;
pub(crate) const DAY_US: u64 = 86_400_000_000;

/// A clock that is set by hand, and goes on by a millisecond each time it is asked.
#[derive(Debug)]
pub(crate) struct Hands(AtomicU64);

impl Clock for Hands {
    fn now_micros(&self) -> u64 {
        self.0.fetch_add(1000, Ordering::SeqCst)
    }
}

/// A store in a folder of its own.
pub(crate) struct Rig {
    folder: TempDir,
    pub(crate) clock: Arc<Hands>,
    pub(crate) store: SqliteStore,
}

impl Rig {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(Hands(AtomicU64::new(START_US)));
        let store = SqliteStore::create(options(folder.path(), clock.clone())).unwrap();
        Self {
            folder,
            clock,
            store,
        }
    }

    /// The same folder, after the program has ended.
    pub(crate) fn reopened(self) -> Self {
        drop(self.store);
        let options = options(self.folder.path(), self.clock.clone());
        let store = SqliteStore::open(options).unwrap();
        Self { store, ..self }
    }

    /// A plain connection to the file.
    pub(crate) fn raw(&self) -> Connection {
        Connection::open(self.path().join("memory.db")).unwrap()
    }

    pub(crate) fn count(&self, sql: &str) -> u64 {
        self.raw().query_row(sql, [], |row| row.get(0)).unwrap()
    }

    /// Changes the database past its triggers and constraints, and puts the triggers back.
    pub(crate) fn tamper(&self, sql: &str) {
        let raw = self.raw();
        let of_triggers = |column| -> String {
            let all = format!(
                "SELECT group_concat({column}, '; ') FROM sqlite_schema WHERE type = 'trigger'"
            );
            raw.query_row(&all, [], |row| row.get(0)).unwrap()
        };
        let made = of_triggers("sql");
        raw.execute_batch("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON")
            .unwrap();
        for sql in [&of_triggers("'DROP TRIGGER ' || name"), sql, &made] {
            raw.execute_batch(sql).unwrap();
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn archive(&self) -> PathBuf {
        self.path().join("archive")
    }

    pub(crate) fn wait(&self, us: u64) {
        self.clock.0.fetch_add(us, Ordering::SeqCst);
    }

    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.clock.0.load(Ordering::SeqCst)).unwrap()
    }

    /// Remembers a turn of a conversation.
    pub(crate) fn remember(&self, id: &str, text: &str) -> AppendReport {
        self.append(Draft::new(world(id, text)))
    }

    /// The version of a World after `head`.
    pub(crate) fn update(&self, head: &AppendReport, id: &str, text: &str) -> AppendReport {
        self.append(Draft::new(world(id, text)).following(head.chain, head.capsule))
    }

    fn append(&self, draft: Draft) -> AppendReport {
        let appended = block_on(self.store.append(agent(1), vec![draft])).unwrap();
        appended.into_iter().next().unwrap()
    }

    /// The ids that a search finds, best first.
    pub(crate) fn found(&self, term: &str, actor: Option<&str>) -> Vec<String> {
        let mut query = TextQuery::new([term]).unwrap().page(0, 100);
        query.actor = actor.map(str::to_owned);
        let hits = block_on(self.store.search(&query)).unwrap();
        hits.iter().map(|hit| hit.world_id.to_string()).collect()
    }

    /// Erases a version.
    pub(crate) fn erase(&self, world_id: &WorldId) -> Certificate {
        self.erasure(world_id).unwrap().unwrap()
    }

    pub(crate) fn erasure(&self, world_id: &WorldId) -> Result<Option<Certificate>, StoreError> {
        block_on(self.store.erase(agent(1), world_id, "asked to"))
    }

    /// Archives what is older than five days, in one segment.
    pub(crate) fn archives(&self) -> SegmentReport {
        let (before, folder) = (self.five_days_ago(), self.archive());
        let (mut segments, ..) = block_on(self.store.archive(agent(1), before, folder)).unwrap();
        assert_eq!(segments.len(), 1);
        segments.remove(0)
    }

    pub(crate) fn five_days_ago(&self) -> Timestamp {
        Timestamp::from_micros(self.now().micros() - 5 * DAY_US).unwrap()
    }

    /// The differences that an audit finds, as lines.
    pub(crate) fn differences(&self) -> Vec<String> {
        let report = block_on(self.store.audit()).unwrap();
        let differences = report.differences.iter();
        differences
            .map(|(place, detail)| format!("{place}: {detail}"))
            .collect()
    }

    /// The audit finds nothing, and a rebuild changes nothing.
    #[track_caller]
    pub(crate) fn is_sound(&self) {
        let report = block_on(self.store.audit_deep()).unwrap();
        assert!(report.is_clean(), "{:#?}", report.differences);
        let (_, before, after) = block_on(self.store.rebuild()).unwrap();
        assert_eq!(before, Some(after));
    }

    /// The names of files in which a text stands, all folders included.
    pub(crate) fn holding(&self, text: &str) -> Vec<String> {
        let mut found = Vec::new();
        search(self.path(), text.as_bytes(), &mut found);
        found
    }
}

fn search(folder: &Path, needle: &[u8], found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            search(&path, needle, found);
            continue;
        }
        let mut bytes = std::fs::read(&path).unwrap();
        if path.extension().is_some_and(|extension| extension == "zst") {
            bytes.extend(zstd::decode_all(&bytes[..]).unwrap());
        } else {
            // A frame that runs over several pages is found where it begins.
            bytes.extend(packed::frames_in(&bytes).concat());
        }
        let holds = bytes
            .windows(needle.len())
            .any(|window| window.eq_ignore_ascii_case(needle));
        if holds {
            let name = path.file_name().unwrap();
            found.push(name.to_string_lossy().into_owned());
        }
    }
}

fn options(folder: &Path, clock: Arc<Hands>) -> Options {
    let signer = NoteSigner::new("rig.example/log", SecretKey::from_seed([7; 32])).unwrap();
    Options::writable(folder.join("memory.db"), signer, folder.join("guard"))
        .with_clock(clock)
        .with_patience(std::time::Duration::from_millis(500))
}

pub(crate) fn agent(number: u8) -> Arc<dyn Signer> {
    Arc::new(AgentSigner::new(SecretKey::from_seed([number; 32])))
}

pub(crate) fn id(id: &str) -> WorldId {
    WorldId::new(id).unwrap()
}

/// A turn whose place in its conversation is the number that its id ends with.
pub(crate) fn world(name: &str, text: &str) -> World {
    let digits: String = name.chars().filter(char::is_ascii_digit).collect();
    let position: u64 = digits.parse().unwrap_or(0);
    let source: Value =
        json!({ "format": "chat", "conversation": "c", "session": "s", "position": position });
    let data = json!({ "kind": "turn", "speaker": "Ada", "text": text, "source": source });
    World::remember(id(name), UnixMillis::new(1_700_000_000_000).unwrap(), data).unwrap()
}

/// Asserts that a result is the expected error.
macro_rules! assert_refused {
    ($refused:expr, $expected:pat) => {{
        let refused = $refused;
        assert!(matches!(refused, Err($expected)), "{refused:?}");
    }};
}
pub(crate) use assert_refused;
