//! A new store: makes the folders, the keys and the database, and never replaces anything.

use std::fs;
use std::path::{Path, PathBuf};

use counterfoil_sqlite::SqliteStore;
use serde::Serialize;

use crate::begin;
use crate::error::Error;
use crate::home::{Home, LogKey};
use crate::keys::{self, Guarded, Key, Use};
use crate::recovery::RecoveryFolder;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Made {
    pub(crate) dir: String,
    pub(crate) name: String,
    pub(crate) verifier_key: String,
    pub(crate) agent: String,
    pub(crate) recovery_dir: String,
}

/// Options of a new store.
#[derive(Debug, Clone, Default)]
pub(crate) struct Making {
    /// The log's name; a random one otherwise.
    pub(crate) name: Option<String>,
    /// Protection of the key files.
    pub(crate) guarded: Guarded,
    /// Folder of the recovery keys; by default inside the store's folder.
    pub(crate) recovery_dir: Option<PathBuf>,
}

/// Makes a store where none is, with the agent's key chain as its first entry.
pub(crate) async fn make(home: &Home, making: Making) -> Result<Made, Error> {
    let name = making.name.map_or_else(random_name, Ok)?;
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
    let made = Cleanup::armed(home, &recovery);
    keys::make_folder(&home.keys())?;
    let agent = write_keys(home, &name, log, making.guarded)?;
    keys::write_public(&home.log_public_path(), &verifier_key)?;
    keys::write_public(&home.agent_public_path(), &agent)?;
    let store = SqliteStore::create(home.writable()?)?;
    close_to_others(&home.database())?;
    begin::commit(home, &store, &recovery).await?;
    made.keep();
    Ok(Made {
        dir: home.dir().display().to_string(),
        name,
        verifier_key,
        agent,
        recovery_dir: recovery.path().display().to_string(),
    })
}

/// Writes the two keys that sign, and gives the agent's name.
fn write_keys(
    home: &Home,
    name: &str,
    log: counterfoil_capsule::SecretKey,
    guarded: Guarded,
) -> Result<String, Error> {
    let log = Key {
        purpose: Use::Log(name.to_owned()),
        secret: log,
        guarded,
    };
    let agent = Key {
        purpose: Use::Agent,
        secret: keys::fresh()?,
        guarded,
    };
    keys::write(&home.log_key_path(), &log, home.passphrase())?;
    keys::write(&home.agent_key_path(), &agent, home.passphrase())?;
    Ok(agent.public().to_string())
}

fn random_name() -> Result<String, Error> {
    let mut bytes = [0_u8; 4];
    keys::fill(&mut bytes)?;
    Ok(format!("counterfoil.local/{}", hex::encode(bytes)))
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
fn close_to_others(path: &Path) -> Result<(), Error> {
    use std::os::unix::fs::PermissionsExt;

    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).map_err(|error| {
        Error::place(
            format_args!("{} cannot be closed to others ({error})", path.display()),
            "choose a place that you own, with --dir",
        )
    })
}

#[cfg(not(unix))]
fn close_to_others(_: &Path) -> Result<(), Error> {
    Ok(())
}

/// Takes away what a failed `init` made, so that it can be run again. There was nothing of these
/// names before.
struct Cleanup<'a> {
    made: Option<(&'a Home, &'a RecoveryFolder)>,
}

impl<'a> Cleanup<'a> {
    const fn armed(home: &'a Home, recovery: &'a RecoveryFolder) -> Self {
        Self {
            made: Some((home, recovery)),
        }
    }

    fn keep(mut self) {
        self.made = None;
    }
}

impl Drop for Cleanup<'_> {
    fn drop(&mut self) {
        if let Some((home, recovery)) = self.made {
            // What cannot be removed is reported by the next `init`.
            let _ = fs::remove_dir_all(home.keys());
            for path in [recovery.next_path(), recovery.recovery_path()] {
                let _ = fs::remove_file(path);
            }
            // Only when nothing of anyone else is in it.
            let _ = fs::remove_dir(recovery.path());
            for suffix in ["", "-wal", "-shm", "-journal"] {
                let mut path = home.database().into_os_string();
                path.push(suffix);
                let _ = fs::remove_file(path);
            }
        }
    }
}
