//! Store of one case in a folder of its own, with a clock that the case moves.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use counterfoil_capsule::{AgentSigner, SecretKey, Signer, Timestamp, World};
pub(super) use counterfoil_store::conformance::block_on;
use counterfoil_store::conformance::{Setup, seeded_entropy};
use counterfoil_store::text_index::{TextIndex as _, TextQuery};
use counterfoil_store::{AppendReport, CapsuleLog as _, Draft, StoreError};
use counterfoil_types::{UnixMillis, WorldId};
use serde_json::json;

use crate::LifeRig;
use counterfoil_life::port::{Select, Table, Value};
use counterfoil_life::{Backend as _, Certificate, Life, SegmentReport};

/// 2026-06-01T00:00:00Z, in microseconds: authors begin to sign.
pub const START: u64 = 1_780_272_000_000_000;
pub const DAY_US: u64 = 86_400_000_000;

/// A store in a folder of its own.
pub struct Rig<'f, F: LifeRig> {
    pub factory: &'f F,
    pub setup: Setup,
    pub folder: PathBuf,
    pub store: F::Store,
}

impl<'f, F: LifeRig> Rig<'f, F> {
    /// A new store, 180 days after [`START`]. No two stores draw the same ids.
    pub fn new(factory: &'f F) -> Self {
        static STORES: AtomicU64 = AtomicU64::new(1);
        let mut setup = Setup::new();
        setup.entropy = seeded_entropy(STORES.fetch_add(1, Ordering::SeqCst));
        setup.set_clock(START + 180 * DAY_US);
        let folder = factory.folder();
        let store = factory.create(&folder, &setup);
        Self {
            factory,
            setup,
            folder,
            store,
        }
    }

    /// The store as the next process finds it.
    pub fn reopened(self) -> Self {
        drop(self.store);
        let store = self.factory.open(&self.folder, &self.setup);
        Self { store, ..self }
    }

    pub fn archive(&self) -> PathBuf {
        self.folder.join("archive")
    }

    pub fn wait(&self, us: u64) {
        self.setup.clock.fetch_add(us, Ordering::SeqCst);
    }

    pub fn now(&self) -> Timestamp {
        Timestamp::from_micros(self.setup.clock.load(Ordering::SeqCst)).unwrap()
    }

    /// Remembers a turn of a conversation.
    pub fn remember(&self, id: &str, text: &str) -> AppendReport {
        self.append(Draft::new(world(id, text)))
    }

    /// The version of a World after `head`.
    pub fn update(&self, head: &AppendReport, id: &str, text: &str) -> AppendReport {
        self.append(Draft::new(world(id, text)).following(head.chain, head.capsule))
    }

    fn append(&self, draft: Draft) -> AppendReport {
        let mut appended = block_on(self.store.append(agent(1), vec![draft])).unwrap();
        appended.remove(0)
    }

    /// The ids that a search finds, best first.
    pub fn found(&self, term: &str, actor: Option<&str>) -> Vec<String> {
        let mut query = TextQuery::new([term]).unwrap().page(0, 100);
        query.actor = actor.map(str::to_owned);
        let hits = block_on(self.store.search(&query)).unwrap();
        hits.iter().map(|hit| hit.world_id.to_string()).collect()
    }

    /// Erases a version.
    pub fn erase(&self, world_id: &WorldId) -> Certificate {
        self.erasure(world_id).unwrap().unwrap()
    }

    pub fn erasure(&self, world_id: &WorldId) -> Result<Option<Certificate>, StoreError> {
        block_on(self.store.erase(agent(1), world_id, "asked to"))
    }

    /// Archives all that is older than five days, in one segment.
    pub fn archives(&self) -> SegmentReport {
        let (before, folder) = (self.five_days_ago(), self.archive());
        let (mut segments, ..) =
            block_on(self.store.archive(agent(1), before, Some(before), folder)).unwrap();
        assert_eq!(segments.len(), 1);
        segments.remove(0)
    }

    pub fn five_days_ago(&self) -> Timestamp {
        Timestamp::from_micros(self.now().micros() - 5 * DAY_US).unwrap()
    }

    /// The number of documents that are held and not accepted.
    pub fn held(&self) -> u64 {
        let aside = block_on(self.store.aside()).unwrap();
        aside.pending + aside.quarantined
    }

    /// The codes of the documents that were collected.
    pub fn collected(&self) -> Vec<String> {
        static COLLECTED: Table = Table {
            name: "collected",
            columns: &["hash", "code", "at"],
            key: 1,
        };
        let codes = self.store.read(|txn| {
            let mut codes = Vec::new();
            txn.select(&Select::all(&COLLECTED), &mut |row| {
                let Value::Text(code) = &row[1] else {
                    panic!("{row:?}")
                };
                codes.push(code.clone());
                Ok(true)
            })?;
            Ok(codes)
        });
        block_on(codes).unwrap()
    }

    /// The audit finds nothing, and a rebuild changes nothing.
    #[track_caller]
    pub fn is_sound(&self) {
        is_sound(&self.store);
    }

    /// The names of files that hold a text, in all folders.
    pub fn holding(&self, text: &str) -> Vec<String> {
        self.holding_bytes(text.as_bytes())
    }

    pub fn holding_bytes(&self, needle: &[u8]) -> Vec<String> {
        let mut found = Vec::new();
        search(self.factory, &self.folder, needle, &mut found);
        found
    }
}

fn search<F: LifeRig>(factory: &F, folder: &Path, needle: &[u8], found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            search(factory, &path, needle, found);
            continue;
        }
        let bytes = if path.extension().is_some_and(|extension| extension == "zst") {
            zstd::decode_all(&std::fs::read(&path).unwrap()[..]).unwrap()
        } else {
            factory.bytes(&path)
        };
        let mut windows = bytes.windows(needle.len());
        if windows.any(|window| window.eq_ignore_ascii_case(needle)) {
            let name = path.file_name().unwrap();
            found.push(name.to_string_lossy().into_owned());
        }
    }
}

/// The deep audit finds nothing, and a rebuild changes nothing.
#[track_caller]
pub fn is_sound<S: Life>(store: &S) {
    let report = block_on(store.audit_deep()).unwrap();
    assert!(report.is_clean(), "{:#?}", report.differences);
    let (_, before, after) = block_on(store.rebuild()).unwrap();
    assert_eq!(before, Some(after));
}

pub fn agent(number: u8) -> Arc<dyn Signer> {
    Arc::new(AgentSigner::new(SecretKey::from_seed([number; 32])))
}

pub fn id(id: &str) -> WorldId {
    WorldId::new(id).unwrap()
}

/// A turn whose place in its conversation is the number that its id ends with.
pub fn world(name: &str, text: &str) -> World {
    let digits: String = name.chars().filter(char::is_ascii_digit).collect();
    let position: u64 = digits.parse().unwrap_or(0);
    let source =
        json!({ "format": "chat", "conversation": "c", "session": "s", "position": position });
    let data = json!({ "kind": "turn", "speaker": "Ada", "text": text, "source": source });
    counterfoil_capsule::remember(id(name), UnixMillis::new(1_700_000_000_000).unwrap(), data)
        .unwrap()
}

/// Asserts that a result is the expected error.
#[macro_export]
macro_rules! assert_refused {
    ($refused:expr, $expected:pat) => {{
        let refused = $refused;
        assert!(matches!(refused, Err($expected)), "{refused:?}");
    }};
}
pub use assert_refused;
