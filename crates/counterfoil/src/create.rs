//! A new store: makes the folders, the keys and the database, and never replaces anything.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use counterfoil_capsule::keys::{KeyDocument, KeyInception};
use counterfoil_capsule::{SecretKey, Signer};
use counterfoil_life::beside;
use counterfoil_sqlite::{SqliteStore, make_content_keys};
use counterfoil_store::CapsuleLog;
use tokio::task::spawn_blocking;

use crate::error::Error;
use crate::home::{Home, LogKey, signer_of};
use crate::keys::{self, Guarded, Key, Use};
use crate::node::{self, NodeSettings};
use crate::recovery::RecoveryFolder;
use crate::report::{Report, object};
use crate::rotation::draft;
use crate::when;

/// Options of a new store.
#[derive(Debug, Clone, Default)]
pub(crate) struct Making {
    /// The log's name; a random one otherwise.
    pub(crate) name: Option<String>,
    /// Protection of the key files.
    pub(crate) guarded: Guarded,
    /// Folder of the recovery keys; by default inside the store's folder.
    pub(crate) recovery_dir: Option<PathBuf>,
    /// True to seal the content under keys of its own.
    pub(crate) seals_content: bool,
    /// The shared ground of the log, and the database of its keys of content.
    pub(crate) ground: Option<(String, Option<String>)>,
}

/// Makes a store where none is, with the agent's key chain as its first entry.
pub(crate) async fn make(home: &Home, making: Making) -> Result<Report, Error> {
    let store = NewStore::new(home, making)?;
    if !home.is_unfinished() {
        refuse_existing(home, &store.recovery)?;
    }
    store.ask_passphrase(home)?;
    let _alone = alone_in(home.dir()).await?;
    store.make(home).await
}

/// Makes a store where there is none yet; `None` where there is one. Of two that begin at once, one makes it and the
/// other one waits.
pub(crate) async fn make_missing(home: &Home, making: Making) -> Result<Option<Report>, Error> {
    if is_made(home) {
        return Ok(None);
    }
    let mut making = making;
    if home.passphrase().is_given() {
        making.guarded = Guarded::ByPassphrase;
    }
    let store = NewStore::new(home, making)?;
    refuse_foreign(home)?;
    store.ask_passphrase(home)?;
    let _alone = alone_in(home.dir()).await?;
    if is_made(home) {
        return Ok(None);
    }
    refuse_lost(home)?;
    store.make(home).await.map(Some)
}

/// Tests for a store that was made to its end.
fn is_made(home: &Home) -> bool {
    !home.is_unfinished() && fs::symlink_metadata(home.database()).is_ok()
}

/// Store to be made: its names and keys, before anything is on disk.
struct NewStore {
    name: String,
    log: SecretKey,
    verifier_key: String,
    recovery: RecoveryFolder,
    making: Making,
}

impl NewStore {
    /// Refuses a name that cannot stand in a checkpoint.
    fn new(home: &Home, making: Making) -> Result<Self, Error> {
        let name = match &making.name {
            Some(name) => name.clone(),
            None => {
                let mut bytes = [0_u8; 4];
                keys::fill(&mut bytes)?;
                format!("counterfoil.local/{}", hex::encode(bytes))
            }
        };
        let log = keys::fresh()?;
        let signer = LogKey {
            name: name.clone(),
            secret: keys::copy(&log),
        }
        .signer()?;
        Ok(Self {
            verifier_key: signer.verifier_key().to_string(),
            recovery: home.recovery(making.recovery_dir.clone()),
            name,
            log,
            making,
        })
    }

    /// Asks before others are kept waiting.
    fn ask_passphrase(&self, home: &Home) -> Result<(), Error> {
        match self.making.guarded {
            Guarded::ByPassphrase => home.passphrase().to_seal().map(drop),
            Guarded::No => Ok(()),
        }
    }

    /// Makes the store in its folder, which is locked. Until the end a mark lies there, by which one that was cut short is
    /// known.
    async fn make(self, home: &Home) -> Result<Report, Error> {
        keys::check_not_writable(home.dir())?;
        remove_unfinished(home, &self.recovery).await?;
        refuse_existing(home, &self.recovery)?;
        let mut made = Cleanup(Some((home, &self.recovery)));
        mark(&home.unfinished())?;
        keys::make_folder(&home.keys())?;
        let key = |purpose, secret| Key {
            purpose,
            secret,
            guarded: self.making.guarded,
        };
        let log = key(Use::Log(self.name.clone()), keys::copy(&self.log));
        let agent = key(Use::Agent, keys::fresh()?);
        keys::write(&home.log_key_path(), &log, home.passphrase())?;
        keys::write(&home.agent_key_path(), &agent, home.passphrase())?;
        let agent = agent.public().to_string();
        keys::write_public(&home.log_public_path(), &self.verifier_key)?;
        keys::write_public(&home.agent_public_path(), &agent)?;
        if let Some((url, keys_url)) = self.making.ground {
            let mut settings = NodeSettings::new(&url)?;
            settings.ground.keys_url = keys_url;
            node::migrate(settings.ground.clone()).await?;
            settings.write(home.dir())?;
        }
        let mut options = home.writable()?;
        if self.making.seals_content {
            options = options.sealed(make_content_keys(&home.keys(), &self.verifier_key)?.into());
        }
        let store = SqliteStore::create(options)?;
        close_to_others(&home.database())?;
        commit(home, &store, &self.recovery).await?;
        unmark(&home.unfinished())?;
        made.0 = None;
        Report::new(
            &object()
                .with("dir", home.dir().display().to_string())
                .with("name", self.name.as_str())
                .with("verifierKey", self.verifier_key.as_str())
                .with("agent", agent)
                .with("recoveryDir", self.recovery.path().display().to_string())
                .with_some("sealed", self.making.seals_content.then_some(true)),
        )
    }
}

/// Makes the folder, and locks it until the value goes.
async fn alone_in(dir: &Path) -> Result<File, Error> {
    keys::make_folder(dir)?;
    let failed = |error: io::Error| {
        Error::place(
            format_args!("the folder {} cannot be locked ({error})", dir.display()),
            "choose a place that you may read and write, with --dir",
        )
    };
    let lock = lockable(dir).map_err(failed)?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::Error(error)) => Err(failed(error)),
        // The one that makes the store may wait for this thread.
        Err(TryLockError::WouldBlock) => {
            let locked = spawn_blocking(move || lock.lock().map(|()| lock)).await;
            let locked =
                locked.map_err(|_| Error::bug("the thread that waits for a lock ended"))?;
            locked.map_err(failed)
        }
    }
}

/// The folder itself, so that no file is left behind.
#[cfg(unix)]
fn lockable(dir: &Path) -> io::Result<File> {
    File::open(dir)
}

/// A file, as folders cannot be locked here.
#[cfg(not(unix))]
fn lockable(dir: &Path) -> io::Result<File> {
    let path = dir.join("unfinished.lock");
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).write(true).open(path)
}

/// Text of the mark, for people who find it.
const MARK: &str = "The store in this folder is being made, or its making was cut short. Nothing is remembered in it yet: \
    `counterfoil init`, or the next `counterfoil remember`, makes it anew.\n";

fn mark(path: &Path) -> Result<(), Error> {
    let mut options = OpenOptions::new();
    let made = options.write(true).create_new(true).open(path);
    made.and_then(|mut file| {
        file.write_all(MARK.as_bytes())?;
        file.sync_all()
    })
    .and_then(|()| keys::sync_folder_of(path))
    .map_err(|error| unmakable(path, &error))
}

/// Takes the mark away for good: after a loss of power it would stand beside memories.
fn unmark(path: &Path) -> Result<(), Error> {
    fs::remove_file(path)
        .and_then(|()| keys::sync_folder_of(path))
        .map_err(|error| unmakable(path, &error))
}

fn unmakable(path: &Path, error: &io::Error) -> Error {
    Error::place(
        format_args!("{} cannot be written ({error})", path.display()),
        "choose a place that you may write to, with --dir",
    )
}

/// Takes away what a making left that was cut short: its keys have signed nothing that anybody has seen.
async fn remove_unfinished(home: &Home, recovery: &RecoveryFolder) -> Result<(), Error> {
    if !home.is_unfinished() {
        return Ok(());
    }
    let entries = match home.half_made() {
        Ok(store) => store.size().await.unwrap_or(0),
        Err(_) => 0,
    };
    if entries > 1 {
        return Err(Error::place(
            format_args!(
                "{} lies beside a log of {entries} entries, and belongs to none",
                home.unfinished().display()
            ),
            "remove it, and run `counterfoil check`",
        ));
    }
    drop(Cleanup(Some((home, recovery))));
    Ok(())
}

/// Names in the folder of a store that others than `init` make, or a person before it.
const OWN: [&str; 16] = [
    "unfinished",
    "unfinished.lock",
    "keys",
    "recovery",
    "archive",
    "witness",
    "authorities",
    "floor",
    "ground.toml",
    "claims.toml",
    "clock.toml",
    "exchange.toml",
    "extract.toml",
    "recall.toml",
    "api-keys.json",
    "api-keys.lock",
];
/// Names of the databases, and of the files beside them.
const OWN_PREFIXES: [&str; 2] = ["memory.db", "index.db"];
/// Most entries that are looked at before a folder counts as another's.
const MAX_ENTRIES: usize = 1000;

/// Refuses a folder that holds something else: a mistyped `--dir` does not put keys among a person's files.
fn refuse_foreign(home: &Home) -> Result<(), Error> {
    let Ok(entries) = fs::read_dir(home.dir()) else {
        // It is made, or whoever makes it says what is wrong.
        return Ok(());
    };
    let is_own =
        |name: &str| OWN.contains(&name) || OWN_PREFIXES.iter().any(|own| name.starts_with(own));
    let names = entries.take(MAX_ENTRIES).flatten();
    let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let foreign = names.filter(|name| !is_own(name)).min();
    foreign.map_or(Ok(()), |name| {
        Err(Error::input(
            format_args!(
                "there is no memory at {dir}, and none is made beside other files, such as {name}",
                dir = home.dir().display()
            ),
            format_args!(
                "name a new folder with --dir, or make it there all the same with `counterfoil init --dir {}`",
                home.dir().display()
            ),
        ))
    })
}

/// Refuses keys without their database: a new one would hide that the old one is gone.
fn refuse_lost(home: &Home) -> Result<(), Error> {
    let keys = home.keys();
    match home.is_unfinished() || fs::symlink_metadata(&keys).is_err() {
        true => Ok(()),
        false => Err(Error::place(
            format_args!(
                "there are keys in {}, and {} is missing",
                keys.display(),
                home.database().display()
            ),
            "put it back from a backup, or choose another folder with --dir",
        )),
    }
}

/// Makes the keys that take over, and records the commitment to them. The keys are on disk before
/// the log says anything about them.
pub(crate) async fn commit(
    home: &Home,
    store: &SqliteStore,
    folder: &RecoveryFolder,
) -> Result<u64, Error> {
    let key = home.agent_key()?;
    let signer = signer_of(&key).ok_or(Error::bug("a key that signs no memories"))?;
    let (next, recovery) = folder.begin(home.passphrase(), signer.agent(), key.guarded)?;
    let inception = KeyInception::sign(&signer, &next, &recovery, when::stamp()?)
        .map_err(|error| Error::place(error, "put the agent's first key back"))?;
    let draft = draft(&KeyDocument::Inception(inception));
    Ok(store.append_one(Arc::new(signer), draft).await?.index)
}

fn refuse_existing(home: &Home, recovery: &RecoveryFolder) -> Result<(), Error> {
    let [next, other] = [recovery.next_path(), recovery.recovery_path()];
    for path in [home.database(), home.keys(), next, other] {
        if fs::symlink_metadata(&path).is_ok() {
            return Err(Error::input(
                format_args!("{} exists already and is not overwritten", path.display()),
                "choose another folder with --dir",
            ));
        }
    }
    Ok(())
}

/// Limits the database file to its owner, also if the folder existed before and is open to others.
/// SQLite gives the files beside the database the mode of the database.
#[cfg(unix)]
pub(crate) fn close_to_others(path: &Path) -> Result<(), Error> {
    use std::os::unix::fs::PermissionsExt;

    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).map_err(|error| {
        Error::place(
            format_args!("{} cannot be closed to others ({error})", path.display()),
            "choose a place that you own, with --dir",
        )
    })
}

#[cfg(not(unix))]
pub(crate) fn close_to_others(_: &Path) -> Result<(), Error> {
    Ok(())
}

/// Takes away what a failed `init` made, so that it can be run again. There was nothing of these
/// names before.
struct Cleanup<'a>(Option<(&'a Home, &'a RecoveryFolder)>);

impl Drop for Cleanup<'_> {
    fn drop(&mut self) {
        if let Some((home, recovery)) = self.0 {
            // What cannot be removed is reported by the next `init`.
            let _ = fs::remove_dir_all(home.keys());
            for path in [recovery.next_path(), recovery.recovery_path()] {
                let _ = fs::remove_file(path);
            }
            let _ = fs::remove_file(home.dir().join(node::FILE));
            // Only when nothing of anyone else is in it.
            let _ = fs::remove_dir(recovery.path());
            for path in [home.database(), home.index()] {
                for suffix in ["", "-wal", "-shm", "-journal"] {
                    let _ = fs::remove_file(beside(&path, suffix));
                }
            }
            // The mark last: what is left is known by it.
            let _ = fs::remove_file(home.unfinished());
        }
    }
}

#[cfg(test)]
mod tests {
    use counterfoil_capsule::keys::{next_key_commitment, recovery_key_commitment};
    use counterfoil_life::Life as _;

    use super::*;
    use crate::keys::{self, Guarded, Key, Passphrase, Use};

    /// A store as it was made before agents committed to anything.
    fn older_store(dir: &Path) -> (Home, SqliteStore) {
        let home = Home::new(dir.to_owned(), Passphrase::default());
        keys::make_folder(&home.keys()).unwrap();
        for (path, purpose) in [
            (home.log_key_path(), Use::Log("example.org/log".into())),
            (home.agent_key_path(), Use::Agent),
        ] {
            let key = Key {
                purpose,
                secret: keys::fresh().unwrap(),
                guarded: Guarded::No,
            };
            keys::write(&path, &key, &Passphrase::default()).unwrap();
        }
        let store = SqliteStore::create(home.writable().unwrap()).unwrap();
        (home, store)
    }

    /// Cut short between the files and the log, it goes on with the files that are there.
    #[test]
    fn an_older_store_begins_and_may_be_cut_short() {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.unwrap().block_on(async {
            let dir = tempfile::tempdir().unwrap();
            let (home, store) = older_store(dir.path());
            let agent = home.agent_public().unwrap();
            assert!(store.key_history(agent).await.unwrap().is_none());
            let folder = home.recovery(None);
            let made = folder.begin(home.passphrase(), agent, Guarded::No).unwrap();
            commit(&home, &store, &folder).await.unwrap();
            let history = store.key_history(agent).await.unwrap().unwrap();
            let committed = (
                next_key_commitment(&made.0),
                recovery_key_commitment(&made.1),
            );
            assert_eq!((history.next_key(), history.recovery_key()), committed);
            let again = commit(&home, &store, &folder).await;
            assert!(again.is_err(), "an agent has one key chain");
        });
    }
}
