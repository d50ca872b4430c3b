//! What must hold of a store that is found after a fault, whatever the fault was.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use counterfoil_life::Life as _;
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::conformance::block_on;
use counterfoil_store::pool::{PoolVerdict, Validation};
use counterfoil_store::{CapsuleLog, MemoryStore, StoreError};
use counterfoil_types::WorldId;
use rusqlite::Connection;
use tempfile::TempDir;

use crate::asking;
use crate::platter::Image;
use crate::scenario::{self, Answer, Promise, Step, Unit, User, secret};
use crate::watch::Watched;

/// The number of the process that looks: after those of a scenario.
const LATER: u64 = 9;

/// What a store that was found turned out to be.
#[derive(Debug, Clone, Default)]
struct Found {
    worlds: BTreeMap<WorldId, Standing>,
    /// How many rows there are of each exchange.
    asked: BTreeMap<&'static str, usize>,
    /// Requests that are known.
    heard: Vec<&'static str>,
    /// Numbers of the last file that can be read, and of the last one that the second store had.
    shipped: (u64, u64),
    /// What is wrong with it, whatever was promised.
    faults: Vec<String>,
}

/// What became of a World.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Standing {
    index: u64,
    content: Content,
    forgotten: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    Here,
    /// In a segment, from which it comes back.
    Archived,
    /// There is a redaction.
    Erased,
}

/// What was promised before the fault.
#[derive(Debug, Clone, Default)]
pub(crate) struct Said {
    promises: Vec<Promise>,
}

impl Said {
    pub(crate) fn add(&mut self, answer: &Answer) {
        self.promises.extend(answer.iter().cloned());
    }
}

/// Stores that were judged, by the judge's name and the bytes of the disk: by all that was laid out, and by what SQLite has
/// recovered of it. Each is examined once, whichever test finds it.
static FOUND: Mutex<BTreeMap<[u8; 32], Arc<Found>>> = Mutex::new(BTreeMap::new());

/// Judges stores of one scenario.
pub(crate) struct Judge {
    /// Scenario and what follows: judges of one name come to the same verdicts.
    name: String,
    steps: &'static [Step],
    units: Vec<Unit>,
    then: Then,
}

/// What is done with a store once it was looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Then {
    /// The whole scenario again.
    GoOn,
    Leave,
}

impl Judge {
    pub(crate) fn of(steps: &'static [Step], then: Then) -> Self {
        Self {
            name: format!("{steps:?} {then:?}"),
            steps,
            units: scenario::units(steps),
            then,
        }
    }

    /// What is wrong: nothing acknowledged is lost or moved, no unit is torn, the log goes on.
    pub(crate) fn verdict(&self, bench: &Bench, image: &Image, said: &Said) -> Vec<String> {
        let found = self.found(bench, image);
        let mut faults = found.faults.clone();
        let broken = |promise: &&Promise| !found.keeps(promise) || !is_gone(promise, image);
        let broken = said.promises.iter().filter(broken);
        faults.extend(broken.map(|promise| format!("{promise:?} is not kept: {found:?}")));
        faults
    }

    fn found(&self, bench: &Bench, image: &Image) -> Arc<Found> {
        self.once("laid out", image, || {
            image.write(bench.path());
            if let Err(error) = recover(&scenario::database(bench.path())) {
                return Arc::new(Found {
                    faults: vec![format!("SQLite cannot recover: {error}")],
                    ..Found::default()
                });
            }
            self.once("recovered", &Image::read(bench.path()), || {
                image.write(bench.path());
                Arc::new(self.examine(bench.path()))
            })
        })
    }

    /// What was found with this image, or is found now.
    fn once(&self, what: &str, image: &Image, find: impl FnOnce() -> Arc<Found>) -> Arc<Found> {
        let key = image.digest(&format!("{} {what}", self.name));
        let known = FOUND.lock().unwrap().get(&key).cloned();
        known.unwrap_or_else(|| {
            let found = find();
            FOUND.lock().unwrap().insert(key, Arc::clone(&found));
            found
        })
    }

    fn ships(&self) -> bool {
        self.steps.iter().any(|it| matches!(it, Step::Ship))
    }

    /// Opens the store as its user does, looks at everything, and goes on with the work.
    fn examine(&self, folder: &Path) -> Found {
        let mut found = Found::default();
        let mut user = User::new(folder).with_number(LATER);
        let moved = match self.ships() {
            true => scenario::moved(folder),
            false => Ok(()),
        };
        if let Err(error) = moved.and_then(|()| self.look(&mut user, &mut found)) {
            found.faults.push(error);
        } else if self.then == Then::GoOn
            && let Err(error) = self.go_on(&mut user, &found)
        {
            found.faults.push(format!("going on: {error}"));
        }
        found
    }

    fn look(&self, user: &mut User, found: &mut Found) -> Result<(), String> {
        let store = user.store().map_err(text)?;
        if let Some(mismatch) = store.guard_mismatch() {
            found.faults.push(mismatch.to_string());
        }
        for world_id in self.units.iter().flatten() {
            if let Some(standing) = standing(store, world_id)? {
                found.worlds.insert(world_id.clone(), standing);
            }
        }
        for world_id in scenario::claims(self.steps, store).map_err(text)? {
            if let Some(standing) = standing(store, &world_id)? {
                found.worlds.insert(world_id, standing);
            }
        }
        for step in self.steps {
            match *step {
                Step::Ask { name } => {
                    let rows = asking::written(store, name).map_err(text)?;
                    found.asked.insert(name, rows);
                }
                Step::Hear { name } if asking::was_heard(store, name).map_err(text)? => {
                    found.heard.push(name);
                }
                _ => {}
            }
        }
        for unit in &self.units {
            let there = unit
                .iter()
                .filter(|world_id| found.worlds.contains_key(*world_id));
            if ![0, unit.len()].contains(&there.count()) {
                found.faults.push(format!("torn: {unit:?}"));
            }
        }
        if self.ships() {
            found.shipped = scenario::shipped_and_followed(user.folder()).map_err(text)?;
            let differs = user.followed().map_err(text)?;
            found.faults.extend(differs);
        }
        let store = user.store().map_err(text)?;
        let worlds = worlds(store)?;
        if worlds != found.worlds.len() {
            let known = found.worlds.len();
            found
                .faults
                .push(format!("{worlds} Worlds, of which {known} are known"));
        }
        audit(user)
    }

    /// Does the whole scenario again, which adds what is missing and nothing twice.
    fn go_on(&self, user: &mut User, found: &Found) -> Result<(), String> {
        user.restore().map_err(text)?;
        for (world_id, before) in &found.worlds {
            let store = user.store().map_err(text)?;
            let after = standing(store, world_id)?.map(|after| after.content);
            if before.content == Content::Archived && after != Some(Content::Here) {
                return Err(format!("{world_id} does not come back: {after:?}"));
            }
        }
        let mut said = Said::default();
        for (number, step) in self.steps.iter().enumerate() {
            // What is not here cannot be compared with what is said again.
            if self.is_here(user, number)? {
                said.add(&user.perform(number, *step).map_err(text)?);
            }
        }
        let mut later = Found::default();
        self.look(user, &mut later)?;
        let moved = found.worlds.iter().find(|(world_id, before)| {
            later.worlds.get(*world_id).map(|after| after.index) != Some(before.index)
        });
        let broken = said.promises.iter().find(|promise| !later.keeps(promise));
        match (moved, broken, later.faults.first()) {
            (None, None, None) => Ok(()),
            found => Err(format!("{found:?}")),
        }
    }
}

impl Judge {
    /// Whether nothing that a step writes is archived or erased.
    fn is_here(&self, user: &mut User, step: usize) -> Result<bool, String> {
        let store = user.store().map_err(text)?;
        for world_id in &self.units[step] {
            let standing = standing(store, world_id)?;
            if standing.is_some_and(|it| it.content != Content::Here) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Found {
    fn keeps(&self, promise: &Promise) -> bool {
        let of = |world_id| self.worlds.get(world_id);
        match promise {
            Promise::Stands { world_id, index } => {
                of(world_id).is_some_and(|it| it.index == *index)
            }
            Promise::Erased(world_id) => {
                of(world_id).is_some_and(|it| it.content == Content::Erased)
            }
            Promise::Forgotten(world_id) => of(world_id).is_some_and(|it| it.forgotten),
            Promise::Asked { name, rows } => self.asked.get(name).is_some_and(|it| it >= rows),
            Promise::Heard(name) => self.heard.contains(name),
            Promise::Shipped(number) => self.shipped.0 >= *number,
            Promise::Followed(number) => self.shipped.1 >= *number,
        }
    }
}

/// Whether no file holds what was erased.
fn is_gone(promise: &Promise, image: &Image) -> bool {
    let Promise::Erased(world_id) = promise else {
        return true;
    };
    !image.holds(&secret(world_id))
}

/// What became of a World; an error when its content is neither here nor anywhere.
fn standing(store: &SqliteStore, world_id: &WorldId) -> Result<Option<Standing>, String> {
    let Some(index) = block_on(store.index_of(world_id)).map_err(text)? else {
        return Ok(None);
    };
    let content = match block_on(store.get(world_id)).map_err(StoreError::from) {
        Ok(Some(_)) => Content::Here,
        Ok(None) => {
            let redaction = block_on(store.redaction(world_id)).map_err(text)?;
            redaction.ok_or_else(|| format!("{world_id} has no content and no redaction"))?;
            Content::Erased
        }
        Err(StoreError::Archived { .. }) => Content::Archived,
        Err(error) => return Err(text(error)),
    };
    let tombstones = block_on(store.tombstones(Some(world_id))).map_err(text)?;
    if tombstones.len() > 1 {
        return Err(format!(
            "{world_id} is forgotten {} times",
            tombstones.len()
        ));
    }
    Ok(Some(Standing {
        index,
        content,
        forgotten: !tombstones.is_empty(),
    }))
}

/// How many entries of the log are of Worlds.
fn worlds(store: &SqliteStore) -> Result<usize, String> {
    let size = block_on(store.size()).map_err(text)?;
    let mut worlds = 0;
    for index in 0..size {
        worlds += match block_on(store.capsule(index)) {
            Ok(Some(stored)) => usize::from(stored.entry.world().is_some()),
            // Only Worlds are archived.
            Err(StoreError::Archived { .. }) => 1,
            Ok(None) => return Err(format!("entry {index} of {size} is missing")),
            Err(error) => return Err(text(error)),
        };
    }
    Ok(worlds)
}

/// The audit is clean, and no chain is invalid; something erased or archived may be open.
fn audit(user: &mut User) -> Result<(), String> {
    let store = user.store().map_err(text)?;
    let report = block_on(store.audit()).map_err(text)?;
    if !report.is_clean() {
        return Err(format!("audit: {:?}", report.differences));
    }
    let validated = store.validate(Validation::default(), Box::new(|_| {}));
    let report = block_on(validated).map_err(text)?;
    match report.verdict() {
        PoolVerdict::Valid | PoolVerdict::Indeterminate => Ok(()),
        PoolVerdict::Invalid => Err(format!("validate: {report:?}")),
    }
}

fn text(error: impl ToString) -> String {
    error.to_string()
}

/// Lets SQLite recover the database into one file.
fn recover(database: &Path) -> rusqlite::Result<()> {
    let connection = Connection::open(database)?;
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
}

/// A new folder, in memory if there is such a place: what a disk holds is modelled, and nothing here waits for one.
pub(crate) fn folder() -> TempDir {
    tempfile::tempdir_in("/dev/shm").unwrap_or_else(|_| tempfile::tempdir().unwrap())
}

/// A folder in which disks are laid out to be judged.
pub(crate) struct Bench {
    folder: TempDir,
    /// Ends before the folder does.
    _watched: Watched,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let folder = folder();
        let watched = Watched::hurry(folder.path());
        Self {
            folder,
            _watched: watched,
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}
