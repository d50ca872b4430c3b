//! A store, and one that follows it through a folder.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

use counterfoil_capsule::{CapsuleDocument, Header};
use counterfoil_claims::ClaimRef;
use counterfoil_life::commit::{self, Change, Shipped};
use counterfoil_life::port::{BodyRow, EntryRow, Select, Value};
use counterfoil_life::sealing::ContentKeys;
use counterfoil_life::{Backend, Txn, Unit};
use counterfoil_life_tests::author::Author;
use counterfoil_sqlite::{Options, SqliteStore, Standby, content_keys};
use counterfoil_store::map::LogMap;
use counterfoil_store::{AppendReport, StoreError};
use counterfoil_types::{Blake3Hash, WorldId};

use crate::common::{Place, block_on, is_clean};
/// A store of which one write does not happen, after so many others: as if it were killed before.
pub(super) struct Killed<'s>(&'s SqliteStore, AtomicU8);

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

/// Kinds of changes, and how often each was made.
pub(super) type Done = BTreeMap<&'static str, u32>;

/// A store, and one that follows it through a folder.
pub(super) struct Pair {
    pub(super) place: Place,
    pub(super) store: SqliteStore,
    pub(super) chains: Vec<Vec<AppendReport>>,
    pub(super) claims: Vec<ClaimRef>,
    pub(super) author: Author,
    pub(super) chain: Vec<CapsuleDocument>,
    pub(super) other: Vec<CapsuleDocument>,
    pub(super) drawn: u32,
    pub(super) is_sealed: bool,
    pub(super) done: Done,
    /// The map of the log, made from its entries as they came.
    pub(super) map: LogMap<'static>,
}

impl Pair {
    pub(super) fn sealed(is_sealed: bool) -> Self {
        Self {
            is_sealed,
            ..Self::new()
        }
    }

    pub(super) fn new() -> Self {
        let (place, store) = Place::copied();
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
            done: Done::new(),
            map: LogMap::new("log7.example"),
        }
    }

    pub(super) fn keys(&self) -> Option<PathBuf> {
        self.is_sealed
            .then(|| self.place.folder.path().join("keys"))
    }

    pub(super) fn folder(&self) -> PathBuf {
        self.place.folder.path().join("shipped")
    }

    pub(super) fn name(&mut self) -> String {
        self.drawn += 1;
        format!("w-{}", self.drawn)
    }

    pub(super) fn ship(&self) -> Shipped {
        block_on(commit::ship(
            &self.store,
            &self.folder(),
            self.keys().as_deref(),
        ))
        .unwrap()
    }

    pub(super) fn ship_elsewhere(&self) {
        let elsewhere = self.place.folder.path().join("elsewhere");
        block_on(commit::ship(
            &self.store,
            &elsewhere,
            self.keys().as_deref(),
        ))
        .unwrap();
    }

    /// The folder is not noted, or files are written and that is not noted.
    pub(super) fn ship_killed(&self, after: u8) {
        let killed = Killed(&self.store, AtomicU8::new(after));
        drop(block_on(commit::ship(
            &killed,
            &self.folder(),
            self.keys().as_deref(),
        )));
    }

    pub(super) fn standby(&self) -> PathBuf {
        self.place.folder.path().join("standby.db")
    }

    pub(super) fn follow(&self, killed_at: Option<usize>) -> Result<usize, StoreError> {
        self.follow_at(&self.folder(), &self.standby(), killed_at)
    }

    pub(super) fn follow_at(
        &self,
        from: &Path,
        to: &Path,
        killed_at: Option<usize>,
    ) -> Result<usize, StoreError> {
        follow((from, self.keys().as_deref()), to, killed_at)
    }

    /// Shipped and applied, both stores are the same. Texts may be packed in another way.
    pub(super) fn is_followed(&self) {
        self.ship();
        self.follow(None).unwrap();
        self.is_same(&self.standby());
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

    /// Follows from the beginning, with the keys that are left: each state is sound, the last one is the store's, and no
    /// more opens than the store has.
    pub(super) fn is_followed_late(&self) {
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

    pub(super) fn is_same(&self, standby: &Path) {
        same(&self.place.database(), standby);
        let standby = SqliteStore::open(Options::read_only(standby)).unwrap();
        let ground = |txn: &dyn Txn| Ok((txn.entries(None, 10_000)?, txn.index_digest()?));
        let [live, standby] = [&self.store, &standby].map(|it| block_on(it.read(ground)).unwrap());
        assert_eq!(live.0, standby.0, "the entries");
        assert_eq!(live.1, standby.1, "the digest of the index");
    }

    pub(super) fn choose(&self, of: u8) -> Option<&[AppendReport]> {
        let at = usize::from(of).checked_rem(self.chains.len())?;
        self.chains.get(at).map(Vec::as_slice)
    }

    /// A version of a memory, or a claim.
    pub(super) fn world_of(&self, of: u8) -> Option<WorldId> {
        if let (3, Some(at)) = (of % 4, usize::from(of).checked_rem(self.claims.len())) {
            return self.claims.get(at).cloned();
        }
        let chain = self.choose(of)?;
        chain[usize::from(of) % chain.len()].world_id.clone()
    }
}

/// Contents that a store has.
pub(super) struct Held {
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
            Change::Row { table, row, .. } => {
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

/// A store that follows nothing yet, made once: all pairs have one log key.
pub(super) fn empty_standby(key: &str) -> &'static [u8] {
    static EMPTY: OnceLock<Vec<u8>> = OnceLock::new();
    EMPTY.get_or_init(|| {
        let place = Place::new();
        drop(Standby::open(&place.database(), || Ok(key.to_owned())).unwrap());
        fs::read(place.database()).unwrap()
    })
}

/// Returns the number of commits that were applied.
pub(super) fn follow(
    (from, keys): (&Path, Option<&Path>),
    to: &Path,
    killed_at: Option<usize>,
) -> Result<usize, StoreError> {
    let Some(first) = commit::files(from, None)?.into_iter().next() else {
        return Ok(0);
    };
    if !to.exists() {
        fs::write(to, empty_standby(&first.head.key)).unwrap();
    }
    let log = first.head.key.clone();
    let keys = keys.map(|keys| content_keys(keys, &log)).transpose()?;
    let mut standby = Standby::open(to, || Ok(log))?;
    let commits = commit::files(from, standby.applied()?.as_ref())?;
    for files in &commits {
        let mut parts: Vec<_> = files.parts(keys.as_deref()).collect();
        if let Some(at) = killed_at {
            for part in parts.iter_mut().flatten() {
                part.changes.truncate(at);
            }
            parts.push(Err(StoreError::WriterStopped));
        }
        standby.apply(parts.into_iter())?;
    }
    Ok(commits.len())
}

/// Compares the tables beside the log, row by row.
pub(super) fn same(live: &Path, standby: &Path) {
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
