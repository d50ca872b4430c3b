//! A store that is fed by commits alone has the ground and the index of the one that writes (docs/format/commit.md).

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use counterfoil_capsule::keys::{KeyCompromise, KeyDocument, KeyRotation};
use counterfoil_capsule::{
    AgentSigner, CapsuleDocument, Header, SecretKey, Signer as _, Timestamp,
};
use counterfoil_claims::ports::OracleVerdict;
use counterfoil_claims::{Assertion, Channels, ClaimRef, Settings, Submission};
use counterfoil_claims::{Cardinality, FactValue, Identifier};
use counterfoil_life::commit::{self, Change, Shipped};
use counterfoil_life::port::{BodyRow, EntryRow, Select, Value};
use counterfoil_life::sealing::ContentKeys;
use counterfoil_life::{Backend, DerivedPolicy, ErasureScope, Life as _, Txn, Unit};
use counterfoil_life_tests::author::{Author, begun, hash, import, key, of_keys, redaction, texts};
use counterfoil_sqlite::{Options, SqliteStore, Standby, content_keys};
use counterfoil_store::mutation::roll_back;
use counterfoil_store::{AppendReport, CapsuleLog, ClaimRequest, ClaimStore, Draft, StoreError};
use counterfoil_types::{Blake3Hash, UnixMillis, WorldId};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::common::{Place, agent, assert_refused, block_on, is_clean, world};
use crate::kept_exchanges;

/// Number of histories, unless the environment names another.
const HISTORIES: &str = "COUNTERFOIL_HISTORIES";

/// A store of which one write does not happen, after so many others: as if it were killed before.
struct Killed<'s>(&'s SqliteStore, AtomicU8);

impl Backend for Killed<'_> {
    async fn read<T: Send + 'static>(
        &self,
        job: impl FnOnce(&dyn Txn) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.0.read(job).await
    }

    async fn write<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Unit<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        match self.1.fetch_sub(1, Ordering::SeqCst) {
            0 => Err(StoreError::WriterStopped),
            _ => self.0.write(job).await,
        }
    }

    fn content_keys(&self, folder: &Path, log: &str) -> Result<Box<dyn ContentKeys>, StoreError> {
        self.0.content_keys(folder, log)
    }

    fn make_content_keys(
        &self,
        folder: &Path,
        log: &str,
    ) -> Result<Box<dyn ContentKeys>, StoreError> {
        self.0.make_content_keys(folder, log)
    }

    fn log_key(&self) -> Option<String> {
        self.0.log_key()
    }

    fn scrub(&self) -> impl Future<Output = Option<String>> + Send {
        self.0.scrub()
    }

    fn now_micros(&self) -> u64 {
        self.0.now_micros()
    }
}

/// A store, and one that follows it through a folder.
struct Pair {
    place: Place,
    store: SqliteStore,
    chains: Vec<Vec<AppendReport>>,
    claims: Vec<ClaimRef>,
    author: Author,
    chain: Vec<CapsuleDocument>,
    other: Vec<CapsuleDocument>,
    drawn: u32,
    is_sealed: bool,
}

impl Pair {
    fn sealed(is_sealed: bool) -> Self {
        Self {
            is_sealed,
            ..Self::new()
        }
    }

    fn new() -> Self {
        let (place, store) = Place::created();
        let mut author = Author::new(5);
        let chain = author.chain("theirs", 6);
        let mut other = vec![author.next(&chain[2], "x-3", 3_500_000)];
        let next = author.next(&other[0], "x-4", 4_000_000);
        other.push(next);
        Self {
            place,
            store,
            chains: Vec::new(),
            claims: Vec::new(),
            author,
            chain,
            other,
            drawn: 0,
            is_sealed: false,
        }
    }

    fn keys(&self) -> Option<PathBuf> {
        self.is_sealed
            .then(|| self.place.folder.path().join("keys"))
    }

    fn folder(&self) -> PathBuf {
        self.place.folder.path().join("shipped")
    }

    fn name(&mut self) -> String {
        self.drawn += 1;
        format!("w-{}", self.drawn)
    }

    fn ship(&self) -> Shipped {
        block_on(commit::ship(
            &self.store,
            &self.folder(),
            self.keys().as_deref(),
        ))
        .unwrap()
    }

    fn ship_elsewhere(&self) {
        let elsewhere = self.place.folder.path().join("elsewhere");
        block_on(commit::ship(
            &self.store,
            &elsewhere,
            self.keys().as_deref(),
        ))
        .unwrap();
    }

    /// The folder is not noted, or files are written and that is not noted.
    fn ship_killed(&self, after: u8) {
        let killed = Killed(&self.store, AtomicU8::new(after));
        drop(block_on(commit::ship(
            &killed,
            &self.folder(),
            self.keys().as_deref(),
        )));
    }

    fn standby(&self) -> PathBuf {
        self.place.folder.path().join("standby.db")
    }

    fn follow(&self, killed_at: Option<usize>) -> Result<(), StoreError> {
        self.follow_at(&self.folder(), &self.standby(), killed_at)
    }

    fn follow_at(
        &self,
        from: &Path,
        to: &Path,
        killed_at: Option<usize>,
    ) -> Result<(), StoreError> {
        follow((from, self.keys().as_deref()), to, killed_at)
    }

    /// Shipped and applied, both stores are the same. Texts may be packed in another way.
    fn is_followed(&self) {
        self.ship();
        self.follow(None).unwrap();
        self.is_same(&self.standby());
        if self.is_sealed {
            self.is_followed_late();
        }
        // A second folder has come less far.
        let root = self.place.folder.path();
        if root.join("elsewhere").exists() {
            self.ship_elsewhere();
            let second = root.join("second.db");
            self.follow_at(&root.join("elsewhere"), &second, None)
                .unwrap();
            self.is_same(&second);
        }
    }

    /// From the beginning, with the keys that are left: each state is sound, the last one is the store's, and no more opens
    /// than the store has.
    fn is_followed_late(&self) {
        let late = self.place.folder.path().join("late.db");
        let commits = commit::files(&self.folder(), None).unwrap();
        let log = &commits[0].head.key;
        let keys = content_keys(&self.keys().unwrap(), log).unwrap();
        let held = Held::by(&self.store);
        for files in &commits {
            let parts: Vec<_> = files.parts(Some(&*keys)).map(Result::unwrap).collect();
            for change in parts.iter().flat_map(|part| &part.changes) {
                assert!(held.covers(change), "{change:?}");
            }
            let mut standby = Standby::open(&late, || Ok(log.clone())).unwrap();
            standby.apply(parts.into_iter().map(Ok)).unwrap();
            drop(standby);
            is_clean(&SqliteStore::open(Options::read_only(&late)).unwrap());
        }
        self.is_same(&late);
    }

    fn is_same(&self, standby: &Path) {
        same(&self.place.database(), standby);
        let [live, standby] = [self.place.options(), Options::read_only(standby)]
            .map(|options| SqliteStore::open(options).unwrap());
        let ground = |txn: &dyn Txn| Ok((txn.entries(None, 10_000)?, txn.index_digest()?));
        let [live, standby] = [live, standby].map(|store| block_on(store.read(ground)).unwrap());
        assert_eq!(live.0, standby.0, "the entries");
        assert_eq!(live.1, standby.1, "the digest of the index");
    }

    fn choose(&self, of: u8) -> Option<&[AppendReport]> {
        let at = usize::from(of).checked_rem(self.chains.len())?;
        self.chains.get(at).map(Vec::as_slice)
    }

    fn world_of(&self, of: u8) -> Option<WorldId> {
        let chain = self.choose(of)?;
        chain[usize::from(of) % chain.len()].world_id.clone()
    }

    /// One step of a history. A refusal is no fault: the next step follows.
    fn step(&mut self, (what, of, with): (u8, u8, u8)) {
        let archive = self.place.folder.path().join("archive");
        match what {
            0 => {
                let draft = Draft::new(world(&self.name(), &format!("text {with}")));
                let placed = block_on(self.store.append(agent(1), vec![draft])).unwrap();
                self.chains.push(placed);
            }
            1 | 2 => self.version(what == 2, of, with),
            3 => self.claim(of, with),
            4 => self.judge(of, with),
            5 | 6 => {
                let Some(id) = self.world_of(of) else { return };
                drop(match what {
                    5 => block_on(self.store.erase(agent(1), &id, "asked to")),
                    _ => {
                        let scope = ErasureScope {
                            all_versions: true,
                            derived: DerivedPolicy::Take,
                        };
                        block_on(self.store.erase_scope(agent(1), &id, "asked to", scope))
                    }
                });
            }
            7 => {
                let Some(id) = self.world_of(of) else { return };
                drop(block_on(self.store.forget(agent(1), &id, None, "old")));
            }
            8 => {
                let before = Timestamp::from_micros(self.store.now_micros()).unwrap();
                drop(block_on(self.store.archive(agent(1), before, archive)));
            }
            9 => {
                let segments = block_on(self.store.segments()).unwrap();
                let names = segments.into_iter().filter(|it| it.archived > 0);
                let names = names.map(|it| it.name).collect();
                drop(block_on(self.store.restore(archive, names)));
            }
            10 => {
                let lines = [texts(&self.chain), texts(&self.other)].concat();
                let from = usize::from(of) % lines.len();
                let to = lines.len().min(from + 1 + usize::from(with % 3));
                import(&self.store, &lines[from..to]);
            }
            11 => {
                let keep = [&self.chain[3], &self.other[0]][usize::from(of % 2)];
                let of = (self.chain[0].header().chain(), hash(keep));
                drop(block_on(self.store.resolve_fork(
                    agent(200),
                    of,
                    None,
                    "a reason",
                )));
            }
            12 => {
                let of = self.chain[usize::from(of) % 6].clone();
                let redaction = redaction(&mut self.author, &of);
                import(&self.store, &[redaction, of.without_bodies().to_text()]);
            }
            13 => self.change_key(of),
            14 => kept_exchanges::any(&self.store, of, with),
            15 => drop(block_on(self.store.collect(0)).unwrap()),
            16 => import(&self.store, &[format!("no capsule {with}")]).clear(),
            17 if with.is_multiple_of(2) => self.ship_elsewhere(),
            17 => drop(self.ship()),
            18 => self.ship_killed(with % 2),
            _ => drop(self.follow((with % 4 > 0).then(|| usize::from(with / 4)))),
        }
    }

    fn version(&mut self, back: bool, of: u8, with: u8) {
        let (name, Some(chain)) = (self.name(), self.choose(of)) else {
            return;
        };
        let last = chain[chain.len() - 1].clone();
        let seq = u64::from(with) % u64::try_from(chain.len()).unwrap();
        let placed = match back {
            true => {
                let now = UnixMillis::new(1_700_000_000_000).unwrap();
                let new = (WorldId::new(name).unwrap(), now);
                block_on(roll_back(&self.store, agent(1), &last.chain, seq, new))
            }
            false => {
                let draft = Draft::new(world(&name, &format!("text {with}")));
                let draft = draft.following(last.chain, last.capsule);
                block_on(self.store.append(agent(1), vec![draft]))
                    .map(|mut placed| placed.remove(0))
            }
        };
        let at = usize::from(of) % self.chains.len();
        self.chains[at].extend(placed);
    }

    fn tell(&mut self, request: ClaimRequest) {
        let settings = Arc::new(Settings::default());
        let answers = block_on(self.store.submit(agent(1), settings, vec![request])).unwrap();
        let answers = answers.into_iter().flatten();
        self.claims.extend(answers.map(|answer| answer.reference));
    }

    fn claim(&mut self, of: u8, with: u8) {
        let name = |text: String| Identifier::new("name", &text).unwrap();
        let channels = Channels::of_host();
        let channel = if with.is_multiple_of(2) {
            channels.user()
        } else {
            channels.model()
        };
        let town = FactValue::new(&format!("town {}", with % 4).into()).unwrap();
        let key = self.name();
        let said = Submission::new(
            &channel,
            name(format!("s {}", of % 3)),
            name("in".into()),
            town,
        )
        .cardinality(Cardinality::One)
        .keyed(&key);
        self.tell(ClaimRequest::Submit(said.unwrap()));
    }

    fn judge(&mut self, of: u8, with: u8) {
        let Some(at) = usize::from(of).checked_rem(self.claims.len()) else {
            return;
        };
        let verdict = [OracleVerdict::Affirm, OracleVerdict::Deny][usize::from(with % 2)];
        let (user, letter) = (Channels::of_host().user(), WorldId::new("letter").unwrap());
        let claim = self.claims[at].clone();
        if let Ok(verdict) = Assertion::verdict(&user, claim, verdict, vec![letter]) {
            self.tell(ClaimRequest::Assert(verdict));
        }
    }

    /// Begins the key chain of an agent, rotates its key, and says that the first one was stolen.
    fn change_key(&self, of: u8) {
        let agent = self.author.did();
        let Some(history) = block_on(self.store.key_history(agent)).unwrap() else {
            begun(&self.store, &self.author);
            return;
        };
        let now = Timestamp::from_micros(self.store.now_micros()).unwrap();
        let (document, signer) = match history.current_number() {
            0 if of.is_multiple_of(2) => {
                let (then, signer) = (key(92).key(), key(5));
                let rotation = KeyRotation::sign(&history, &signer, &key(90), &then, now);
                (KeyDocument::Rotation(rotation.unwrap()), signer)
            }
            number => {
                let from = ("log7.example", u64::from(of % 4), now);
                let said = KeyCompromise::sign(&history, &key(91), 0, from, "stolen", now);
                let signer = match number {
                    0 => key(5),
                    _ => AgentSigner::rotated(agent, 1, SecretKey::from_seed([90; 32])),
                };
                let Ok(said) = said else { return };
                (KeyDocument::Compromise(said), signer)
            }
        };
        let draft = of_keys(&document).following(history.chain(), history.head());
        drop(block_on(self.store.append(Arc::new(signer), vec![draft])));
    }
}

/// Contents that a store has.
struct Held {
    entries: Vec<EntryRow>,
    /// Hashes of capsules whose content was erased here.
    erased: HashSet<Blake3Hash>,
    /// Rows beside the log, by table and key.
    rows: BTreeMap<(&'static str, Vec<Value>), Vec<Value>>,
}

impl Held {
    fn by(store: &SqliteStore) -> Self {
        let read = |txn: &dyn Txn| {
            let mut rows = BTreeMap::new();
            for table in commit::BESIDE {
                txn.select(&Select::all(table), &mut |row| {
                    rows.insert((table.name, row[..table.key].to_vec()), row);
                    Ok(true)
                })?;
            }
            let entries = txn.entries(None, 10_000)?;
            Ok((entries, rows))
        };
        let (entries, rows) = block_on(store.read(read)).unwrap();
        let here =
            |row: &&EntryRow| !rows.contains_key(&("received", vec![Value::Integer(row.index)]));
        let gone = entries
            .iter()
            .filter(here)
            .filter(|row| row.body == BodyRow::default());
        let headers = gone.filter_map(|row| Header::parse(row.header.as_ref()?).ok());
        Self {
            erased: headers.map(|it| it.hash()).collect(),
            entries,
            rows,
        }
    }

    /// Tests whether all that a change holds is in the store, or in an archive.
    fn covers(&self, change: &Change) -> bool {
        let has = |document: &CapsuleDocument, payload: bool, delta: bool| {
            (payload || document.payload().is_none()) && (delta || document.delta().is_none())
        };
        match change {
            Change::Entry {
                index, document, ..
            } => {
                let entry = &self.entries[usize::try_from(*index).unwrap()];
                let before = document.header().previous();
                let is_after_erased = before.is_some_and(|it| self.erased.contains(&it));
                match entry.header {
                    None => has(document, true, !is_after_erased),
                    Some(_) => has(
                        document,
                        entry.body.salt.is_some(),
                        entry.body.delta.is_some(),
                    ),
                }
            }
            Change::Row(table, row) => {
                let key = (table.name, row[..table.key].to_vec());
                let held = self.rows.get(&key);
                let capsule = |value: &Value| match value {
                    Value::Text(text) => CapsuleDocument::parse(text.as_bytes()).ok(),
                    _ => None,
                };
                row.iter().enumerate().all(|(at, value)| {
                    let held = held.map_or(&Value::Null, |row| &row[at]);
                    match (capsule(value), capsule(held)) {
                        (Some(sent), held) => {
                            let held = held.unwrap_or_else(|| sent.clone().without_bodies());
                            has(&sent, held.payload().is_some(), held.delta().is_some())
                        }
                        _ if ["document", "report"].contains(&table.columns[at]) => {
                            *value == Value::Null || *held != Value::Null
                        }
                        _ => true,
                    }
                })
            }
            _ => true,
        }
    }
}

fn follow(
    (from, keys): (&Path, Option<&Path>),
    to: &Path,
    killed_at: Option<usize>,
) -> Result<(), StoreError> {
    let Some(first) = commit::files(from, None)?.into_iter().next() else {
        return Ok(());
    };
    let log = first.head.key.clone();
    let keys = keys.map(|keys| content_keys(keys, &log)).transpose()?;
    let mut standby = Standby::open(to, || Ok(log))?;
    for files in commit::files(from, standby.applied()?.as_ref())? {
        let mut parts: Vec<_> = files.parts(keys.as_deref()).collect();
        if let Some(at) = killed_at {
            for part in parts.iter_mut().flatten() {
                part.changes.truncate(at);
            }
            parts.push(Err(StoreError::WriterStopped));
        }
        standby.apply(parts.into_iter())?;
    }
    Ok(())
}

/// Compares the tables beside the log, row by row.
fn same(live: &Path, standby: &Path) {
    let [live, standby] = [live, standby].map(|path| {
        let raw = rusqlite::Connection::open(path).unwrap();
        let list = |sql: &str| -> Vec<String> {
            let mut statement = raw.prepare(sql).unwrap();
            let columns = statement.column_count();
            let rows = statement.query_map([], |row| {
                let values = (0..columns).map(|at| row.get_ref(at).map(|it| format!("{it:?}")));
                values.collect::<Result<Vec<_>, _>>().map(|it| it.join(" "))
            });
            rows.unwrap().map(Result::unwrap).collect()
        };
        let beside = commit::BESIDE.iter().map(|table| table.name);
        let tables = ["origin", "head", "request_seen_count"];
        let all = tables.into_iter().chain(beside).map(|table| {
            let rows = list(&format!("SELECT * FROM {table} ORDER BY 1, 2"));
            (table, rows)
        });
        all.collect::<Vec<_>>()
    });
    for (live, standby) in live.iter().zip(&standby) {
        assert!(live == standby, "{}", live.0);
    }
}

/// Over random histories of everything that writes, shipped and applied at random moments and killed in between, the
/// follower ends with the same ground and the same index. (I3)
#[test]
fn a_follower_has_the_ground_and_the_index_of_what_it_follows() {
    let histories = std::env::var(HISTORIES).ok().and_then(|it| it.parse().ok());
    let config = Config {
        max_shrink_iters: 200,
        ..Config::with_cases(histories.unwrap_or(24))
    };
    let step = (0_u8..22, any::<u8>(), any::<u8>());
    let steps = (any::<bool>(), prop::collection::vec(step, 1..60));
    let ran = TestRunner::new(config).run(&steps, |(is_sealed, steps)| {
        let mut pair = Pair::sealed(is_sealed);
        pair.step((0, 0, 0));
        for step in steps {
            pair.step(step);
        }
        pair.is_followed();
        Ok(())
    });
    ran.unwrap();
}

/// A pair whose store has shipped twice.
fn shipped() -> Pair {
    let mut pair = Pair::new();
    for _ in 0..2 {
        pair.step((0, 0, 0));
        pair.ship();
    }
    pair
}

fn detail(outcome: Result<(), StoreError>) -> String {
    match outcome {
        Err(StoreError::Commit { detail }) => detail,
        other => panic!("{other:?}"),
    }
}

/// Changes the text of a shipped file.
fn edit(pair: &Pair, number: u64, edit: impl FnOnce(String) -> String) {
    let path = pair.folder().join(format!("{number:012}.commit.zst"));
    let text = zstd::decode_all(fs::File::open(&path).unwrap()).unwrap();
    let text = edit(String::from_utf8(text).unwrap());
    fs::write(path, zstd::encode_all(text.as_bytes(), 3).unwrap()).unwrap();
}

/// Ships neither a document that was held, accepted and given up by a resolution between two commits, nor a report that was
/// taken away with its memory.
#[test]
fn what_came_and_went_in_one_commit_is_gone() {
    let held = [
        (10, 182, 4),
        (12, 55, 0),
        (17, 1, 1),
        (12, 66, 0),
        (10, 122, 109),
        (11, 134, 0),
    ];
    let report = [(0, 0, 0), (14, 142, 0), (14, 121, 81), (5, 0, 0)];
    for steps in [&held[..], &report] {
        let mut pair = Pair::new();
        steps.iter().for_each(|step| pair.step(*step));
        pair.is_followed();
    }
}

type Forge = fn(String) -> String;

/// Refuses a commit that is forged, of another store, or after a gap, and keeps nothing of it.
#[test]
fn a_commit_that_does_not_continue_the_store_is_refused() {
    let cases: [(&str, Forge); 7] = [
        ("entry 1: ", |text| text.replace("text 0", "text 1")),
        ("not signed by the log's key", |text| {
            text.replace("\\n2\\n", "\\n3\\n")
        }),
        ("its last part is missing", |text| {
            text.replace("\"last\":true", "\"last\":false")
        }),
        ("entries before it are missing", |text| {
            text.replace("\"from\":[1,", "\"from\":[2,")
        }),
        ("another one than the store's", |text| {
            let at = text.find("[1,\"sha256:").unwrap() + 11;
            format!("{}{}{}", &text[..at], "0".repeat(64), &text[at + 64..])
        }),
        ("no change of this format", |text| {
            text + "{\"row\":[1],\"table\":\"head\"}\n"
        }),
        ("cut off", |text| text.trim_end().to_owned()),
    ];
    for (why, forge) in cases {
        let pair = shipped();
        edit(&pair, 2, forge);
        let first = commit::files(&pair.folder(), None).unwrap();
        let mut standby = Standby::open(&pair.standby(), || Ok(first[0].head.key.clone())).unwrap();
        standby.apply(first[0].parts(None)).unwrap();
        drop(standby);
        let digest = || fs::read(pair.standby()).unwrap();
        let before = digest();
        let refused = pair.follow(None);
        let refused = match refused {
            // A file that is not the last part of anything is passed over.
            Ok(()) => "its last part is missing".to_owned(),
            refused => detail(refused),
        };
        assert!(refused.contains(why), "{why}: {refused}");
        assert_eq!(digest(), before, "{why}");
    }
}

/// A folder belongs to one store, and a standby to one folder.
#[test]
fn streams_are_not_mixed() {
    let (pair, other) = (shipped(), Place::numbered(8));
    let second = other.create();
    let refused = block_on(commit::ship(&second, &pair.folder(), None)).map(drop);
    assert!(detail(refused).contains("has not shipped there"));
    let elsewhere = pair.place.folder.path().join("elsewhere");
    pair.ship_elsewhere();
    pair.follow(None).unwrap();
    let refused = pair.follow_at(&elsewhere, &pair.standby(), None);
    assert!(detail(refused).contains("another folder"));
    fs::remove_dir_all(pair.folder()).unwrap();
    let refused = block_on(commit::ship(&pair.store, &pair.folder(), None)).map(drop);
    assert!(detail(refused).contains("lacks file 2"));
    assert_eq!(pair.place.count("SELECT count(*) FROM ship"), 2);
}

/// The guard beside the keys is not asked about a store that follows, nor moved by it.
#[test]
fn a_standby_is_written_once_it_is_reconciled() {
    let pair = shipped();
    pair.follow(None).unwrap();
    let keys = tempfile::tempdir().unwrap();
    let guard = keys.path().join("last-checkpoint");
    let options = || Options::writable(pair.standby(), crate::common::signer(), guard.clone());
    let draft = || vec![Draft::new(world("mine", "mine"))];
    fs::copy(pair.place.guard(), &guard).unwrap();
    let standby = SqliteStore::open(options()).unwrap();
    let refused = block_on(standby.append(agent(1), draft()));
    assert_refused!(refused, StoreError::GuardMismatch { .. });
    drop(standby);
    fs::remove_file(&guard).unwrap();
    let reconcile =
        || counterfoil_sqlite::reconcile(&options(), agent(1).agent(), std::iter::empty());
    assert!(reconcile().is_err(), "no guard says how long the log was");
    fs::copy(pair.place.guard(), &guard).unwrap();
    reconcile().unwrap();
    let standby = SqliteStore::open(options()).unwrap();
    block_on(standby.append(agent(1), draft())).unwrap();
    is_clean(&standby);
    drop(standby);
    assert_refused!(pair.follow(None), StoreError::AlreadyExists { .. });
}

/// A state that is larger than a part comes in several, and a part alone is nothing.
#[test]
fn a_large_state_comes_in_parts() {
    let pair = Pair::new();
    let text: String = (0..120_000).map(|number| format!("{number:x} ")).collect();
    for part in 0..30 {
        let draft = Draft::new(world(&format!("large-{part}"), &text));
        block_on(pair.store.append(agent(1), vec![draft])).unwrap();
    }
    assert!(pair.ship().files > 1);
    pair.is_followed();
}

/// Returns the sealed content of the entry at `index` in the text of a file.
fn sealed_content(text: &str, index: u64) -> String {
    let line = text
        .lines()
        .find(|line| line.contains(&format!("\"index\":{index}")));
    let from = line
        .unwrap()
        .split("\"content\":{\"hex\":\"")
        .nth(1)
        .unwrap();
    from.split('"').next().unwrap().to_owned()
}

/// Sealed content opens at its own place of its own log alone, with the keys of its own folder.
#[test]
fn sealed_content_is_not_moved() {
    let swap: Forge = |text| {
        let [first, second] = [0, 1].map(|index| sealed_content(&text, index));
        let text = text.replace(&first, "first").replace(&second, &first);
        text.replace("first\"", &format!("{second}\""))
    };
    let renamed: Forge = |text| {
        let key = text
            .split("\"key\":\"")
            .nth(1)
            .unwrap()
            .split('"')
            .next()
            .unwrap();
        text.replace(key, "another.example/log+1f2e3d4c+AA")
    };
    let cut: Forge = |text| text.replace(&sealed_content(&text, 1), "");
    let whole = || {
        let mut pair = Pair::sealed(true);
        (0..2).for_each(|_| pair.step((0, 0, 0)));
        pair.ship();
        pair
    };
    for (why, forge) in [
        ("another place", swap),
        ("another log", renamed),
        ("changed", cut),
    ] {
        let pair = whole();
        edit(&pair, 1, forge);
        let refused = pair.follow(None).unwrap_err().to_string();
        assert!(refused.contains(why), "{why}: {refused}");
    }
    let (pair, keys) = (whole(), tempfile::tempdir().unwrap());
    let (from, log) = (pair.folder(), pair.store.log_key().unwrap());
    drop(pair.store.make_content_keys(keys.path(), &log).unwrap());
    for (keys, why) in [
        (None, "with --keys"),
        (Some(keys.path()), "missing, and was not destroyed"),
        (Some(from.as_path()), "it is not there"),
    ] {
        let refused = follow((&from, keys), &pair.standby(), None).unwrap_err();
        assert!(refused.to_string().contains(why), "{refused}");
    }
}

/// A folder is sealed from its first file on, or never, with keys that lie elsewhere and stay the same.
#[test]
fn sealed_and_plain_files_are_not_mixed() {
    let (plain, sealed) = (shipped(), Pair::sealed(true));
    let root = sealed.place.folder.path();
    let ship = |pair: &Pair, folder: &Path, keys: Option<&Path>| {
        block_on(commit::ship(&pair.store, folder, keys)).map(|shipped| shipped.keys)
    };
    let refused = |shipped: Result<Option<String>, StoreError>| shipped.unwrap_err().to_string();
    let keys = root.join("keys");
    let mixed = refused(ship(&plain, &plain.folder(), Some(&keys)));
    assert!(mixed.contains("not sealed"), "{mixed}");
    let inside = refused(ship(
        &sealed,
        &sealed.folder(),
        Some(&sealed.folder().join("keys")),
    ));
    assert!(inside.contains("apart"), "{inside}");
    fs::remove_dir_all(sealed.folder()).unwrap();
    sealed.ship();
    // The folder of the keys is known, and may move.
    let known = ship(&sealed, &sealed.folder(), None).unwrap();
    assert_eq!(known.as_deref(), keys.canonicalize().unwrap().to_str());
    let moved = root.join("moved");
    fs::rename(&keys, &moved).unwrap();
    assert!(refused(ship(&sealed, &sealed.folder(), None)).contains("it is not there"));
    ship(&sealed, &sealed.folder(), Some(&moved)).unwrap();
    let other = root.join("other");
    drop(
        sealed
            .store
            .make_content_keys(&other, &sealed.store.log_key().unwrap())
            .unwrap(),
    );
    let other = refused(ship(&sealed, &sealed.folder(), Some(&other)));
    assert!(other.contains("another folder of commits"), "{other}");
}

/// Returns the changes in the files of a folder, as far as the keys open them.
fn opened(folder: &Path, keys: &Path) -> String {
    let commits = commit::files(folder, None).unwrap();
    let keys = content_keys(keys, &commits[0].head.key).unwrap();
    let parts = commits.iter().flat_map(|files| files.parts(Some(&*keys)));
    let changes = parts.flat_map(|part| part.unwrap().changes);
    let texts = changes.map(|change| match change {
        Change::Entry { document, .. } => document.to_text(),
        other => format!("{other:?}"),
    });
    texts.collect()
}

/// Returns the text of the first file of a folder.
fn raw(folder: &Path) -> String {
    let text = fs::File::open(folder.join("000000000001.commit.zst")).unwrap();
    String::from_utf8(zstd::decode_all(text).unwrap()).unwrap()
}

/// An erasure reaches each copy whose keys it reaches, names the others, and is finished by the next one.
#[test]
fn an_erasure_takes_the_content_from_each_copy() {
    const CANARY: &str = "zanzibarine";
    let pair = Pair::sealed(true);
    let root = pair.place.folder.path();
    let [sealed, plain, far] = ["shipped", "plain", "far"].map(|name| root.join(name));
    let keys = |name: &str| root.join(format!("{name}-keys"));
    let first = Draft::new(world("w-1", CANARY));
    let first = block_on(pair.store.append(agent(1), vec![first]))
        .unwrap()
        .remove(0);
    let next = Draft::new(world("w-2", "other words")).following(first.chain, first.capsule);
    block_on(pair.store.append(agent(1), vec![next])).unwrap();
    for (folder, name) in [
        (&sealed, Some("shipped")),
        (&plain, None),
        (&far, Some("far")),
    ] {
        let keys = name.map(keys);
        block_on(commit::ship(&pair.store, folder, keys.as_deref())).unwrap();
    }
    let says = |folder: &Path, name: &str| opened(folder, &keys(name));
    assert!(says(&sealed, "shipped").contains(CANARY) && raw(&plain).contains(CANARY));
    assert!(!raw(&sealed).contains(CANARY) && !raw(&sealed).contains("other words"));
    fs::rename(keys("far"), keys("away")).unwrap();
    let erase = || {
        let erased = block_on(pair.store.erase(
            agent(1),
            &WorldId::new("w-1").unwrap(),
            "asked to",
        ));
        let destinations = erased.unwrap().unwrap().destinations;
        let named = |folder: &Path| {
            let path = folder.canonicalize().unwrap();
            let path = path.to_str().unwrap();
            let found = destinations.iter().find(|it| it.folder == path);
            found.unwrap().obstacle.clone()
        };
        [&sealed, &plain, &far].map(|folder| named(folder))
    };
    let [reached, unsealed, unreached] = erase();
    assert_eq!(reached, None);
    assert!(unsealed.unwrap().contains("not sealed"));
    assert!(unreached.unwrap().contains("it is not there"));
    let left = says(&sealed, "shipped");
    assert!(!left.contains(CANARY) && left.contains("other words"));
    follow((&sealed, Some(&keys("shipped"))), &pair.standby(), None).unwrap();
    let copy = fs::read(pair.standby()).unwrap();
    assert!(
        !copy
            .windows(CANARY.len())
            .any(|window| window == CANARY.as_bytes())
    );
    // Nothing waits for the store to be told again.
    fs::rename(keys("away"), keys("far")).unwrap();
    assert!(says(&far, "far").contains(CANARY));
    let settled = block_on(commit::destroy_keys(&pair.store, Vec::new())).unwrap();
    assert!(settled.len() == 2 && settled.iter().all(|it| it.obstacle.is_none()));
    assert!(!says(&far, "far").contains(CANARY));
    assert_eq!(erase()[2], None);
    // One that begins after the erasure never had it.
    let late = root.join("late");
    block_on(commit::ship(&pair.store, &late, None)).unwrap();
    let again = block_on(
        pair.store
            .erase(agent(1), &WorldId::new("w-1").unwrap(), "asked to"),
    );
    assert_eq!(again.unwrap().unwrap().destinations.len(), 3);
}
