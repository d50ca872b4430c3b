//! A new store: makes the folders, the keys and the database, and never replaces anything.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use counterfoil_capsule::Signer;
use counterfoil_capsule::keys::{KeyDocument, KeyInception};
use counterfoil_life::beside;
use counterfoil_sqlite::{SqliteStore, make_content_keys};
use counterfoil_store::CapsuleLog;

use crate::error::Error;
use crate::home::{Home, LogKey, signer_of};
use crate::keys::{self, Guarded, Key, Use};
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
}

/// Makes a store where none is, with the agent's key chain as its first entry.
pub(crate) async fn make(home: &Home, making: Making) -> Result<Report, Error> {
    let name = match making.name {
        Some(name) => name,
        None => {
            let mut bytes = [0_u8; 4];
            keys::fill(&mut bytes)?;
            format!("counterfoil.local/{}", hex::encode(bytes))
        }
    };
    let log = keys::fresh()?;
    // A name that cannot stand in a checkpoint is refused before anything is made.
    let signer = LogKey {
        name: name.clone(),
        secret: keys::copy(&log),
    }
    .signer()?;
    let verifier_key = signer.verifier_key().to_string();
    let recovery = home.recovery(making.recovery_dir);
    refuse_existing(home, &recovery)?;
    if making.guarded == Guarded::ByPassphrase {
        home.passphrase().to_seal()?;
    }
    keys::make_folder(home.dir())?;
    keys::check_not_writable(home.dir())?;
    let mut made = Cleanup(Some((home, &recovery)));
    keys::make_folder(&home.keys())?;
    let guarded = making.guarded;
    let key = |purpose, secret| Key {
        purpose,
        secret,
        guarded,
    };
    let log = key(Use::Log(name.clone()), log);
    let agent = key(Use::Agent, keys::fresh()?);
    keys::write(&home.log_key_path(), &log, home.passphrase())?;
    keys::write(&home.agent_key_path(), &agent, home.passphrase())?;
    let agent = agent.public().to_string();
    keys::write_public(&home.log_public_path(), &verifier_key)?;
    keys::write_public(&home.agent_public_path(), &agent)?;
    let mut options = home.writable()?;
    if making.seals_content {
        options = options.sealed(make_content_keys(&home.keys(), &verifier_key)?.into());
    }
    let store = SqliteStore::create(options)?;
    close_to_others(&home.database())?;
    commit(home, &store, &recovery).await?;
    made.0 = None;
    Report::new(
        &object()
            .with("dir", home.dir().display().to_string())
            .with("name", name)
            .with("verifierKey", verifier_key)
            .with("agent", agent)
            .with("recoveryDir", recovery.path().display().to_string())
            .with_some("sealed", making.seals_content.then_some(true)),
    )
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
            // Only when nothing of anyone else is in it.
            let _ = fs::remove_dir(recovery.path());
            for path in [home.database(), home.index()] {
                for suffix in ["", "-wal", "-shm", "-journal"] {
                    let _ = fs::remove_file(beside(&path, suffix));
                }
            }
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
