//! The recovery folder: the keys that take over, to be kept on another medium than those that sign (capsules 4.7).
//!
//! ```text
//! agent.next      the key that the agent has committed to as the one after
//! agent.recovery  marks thefts and settles forks
//! ```
//! Whoever steals `keys/` alone cannot rotate. Both folders in one place are one theft.

use std::fs;
use std::path::PathBuf;

use counterfoil_capsule::AgentSigner;
use counterfoil_types::DidKey;

use crate::error::Error;
use crate::keys::{self, Guarded, Key, Passphrase, Use, beside};

/// Folder of the recovery keys.
#[derive(Debug, Clone)]
pub(crate) struct RecoveryFolder {
    path: PathBuf,
}

impl RecoveryFolder {
    pub(crate) const fn at(path: PathBuf) -> Self {
        Self { path }
    }

    pub(crate) const fn path(&self) -> &PathBuf {
        &self.path
    }

    pub(crate) fn next_path(&self) -> PathBuf {
        self.path.join("agent.next")
    }

    /// The key after the next one, until the rotation that commits to it is done.
    pub(crate) fn waiting_path(&self) -> PathBuf {
        beside(&self.next_path(), ".new")
    }

    pub(crate) fn recovery_path(&self) -> PathBuf {
        self.path.join("agent.recovery")
    }

    /// Makes the two keys of an agent that has none yet. What an attempt left that was cut short
    /// is taken as it is.
    pub(crate) fn begin(
        &self,
        passphrase: &Passphrase,
        agent: DidKey,
        guarded: Guarded,
    ) -> Result<(DidKey, DidKey), Error> {
        keys::make_folder(&self.path)?;
        let next = Use::Next { agent, number: 1 };
        let next = found_or_made(passphrase, &self.next_path(), next, guarded)?;
        let recovery = Use::Recovery { agent };
        let recovery = found_or_made(passphrase, &self.recovery_path(), recovery, guarded)?;
        Ok((next.public(), recovery.public()))
    }

    /// The recovery key of `agent`.
    pub(crate) fn recovery(
        &self,
        passphrase: &Passphrase,
        agent: DidKey,
    ) -> Result<AgentSigner, Error> {
        let path = self.recovery_path();
        let key = self.read(passphrase, &path)?;
        if key.purpose != (Use::Recovery { agent }) {
            return Err(of_another(&path, agent));
        }
        Ok(AgentSigner::new(key.secret))
    }

    /// A key of this folder, if only its owner can have read it or it is sealed.
    pub(crate) fn read(
        &self,
        passphrase: &Passphrase,
        path: &std::path::Path,
    ) -> Result<Key, Error> {
        let Ok(found) = fs::metadata(&self.path) else {
            return Err(Error::place(
                format_args!("there is no recovery folder at {}", self.path.display()),
                "name where you keep it with --recovery-dir",
            ));
        };
        if is_open_to_write(&found) {
            passphrase.notices().add(format_args!(
                "others may replace the keys in {}; run: chmod 700 {}",
                self.path.display(),
                self.path.display()
            ));
        }
        keys::read(path, passphrase)
    }
}

/// Returns true if others may write to the folder. A medium without owners passes; its files must be sealed.
#[cfg(unix)]
fn is_open_to_write(found: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;

    found.permissions().mode() & 0o022 != 0
}

#[cfg(not(unix))]
const fn is_open_to_write(_: &fs::Metadata) -> bool {
    false
}

/// The key at `path`, which is made when there is none.
pub(crate) fn found_or_made(
    passphrase: &Passphrase,
    path: &std::path::Path,
    purpose: Use,
    guarded: Guarded,
) -> Result<Key, Error> {
    if fs::symlink_metadata(path).is_ok() {
        let key = keys::read(path, passphrase)?;
        if key.purpose == purpose {
            return Ok(key);
        }
        return Err(Error::place(
            format_args!("{} holds a key for another use", path.display()),
            "name another folder with --recovery-dir",
        ));
    }
    let key = Key {
        purpose,
        secret: keys::fresh()?,
        guarded,
    };
    keys::write(path, &key, passphrase)?;
    Ok(key)
}

pub(crate) fn of_another(path: &std::path::Path, agent: DidKey) -> Error {
    Error::place(
        format_args!("{} is not that of the agent {agent}", path.display()),
        "name the folder that was made with this store, with --recovery-dir",
    )
}
