//! `init`: makes the folder, the two keys and the database, and never replaces anything.

use std::fs;
use std::io;
use std::path::Path;

use counterfoil_capsule::SecretKey;
use counterfoil_sqlite::SqliteStore;
use serde::Serialize;

use crate::args::InitArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::home::{Home, LogKey};
use crate::keys::{self, Key, Use};
use crate::output::pairs;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Made {
    dir: String,
    name: String,
    pub(crate) verifier_key: String,
    pub(crate) agent: String,
}

pub(crate) fn run(context: &Context, args: InitArgs) -> Result<(), Failure> {
    let made = make(&context.home, args.name)?;
    context.out.answer(&made, |out| {
        pairs(
            out,
            &[
                ("store", made.dir.clone()),
                ("log key", made.verifier_key.clone()),
                ("agent", made.agent.clone()),
            ],
        )?;
        writeln!(
            out,
            "\nKeep a copy of {}/keys apart from the database.",
            made.dir
        )
    })
}

/// Makes a store where none is.
pub(crate) fn make(home: &Home, name: Option<String>) -> Result<Made, Failure> {
    let name = name.map_or_else(random_name, Ok)?;
    let log = keys::fresh()?;
    // A name that cannot stand in a checkpoint is refused before anything is made.
    let signer = LogKey {
        name: name.clone(),
        secret: copy(&log),
    }
    .signer()?;
    let verifier_key = signer.verifier_key().to_string();
    refuse_existing(home)?;
    make_folder(home.dir())?;
    let made = Cleanup::armed(home);
    make_folder(&home.keys())?;
    keys::write(
        &home.log_key_path(),
        &Key {
            purpose: Use::Log(name.clone()),
            secret: log,
        },
    )?;
    keys::write(
        &home.agent_key_path(),
        &Key {
            purpose: Use::Agent,
            secret: keys::fresh()?,
        },
    )?;
    let agent = home.agent()?.agent().to_string();
    keys::write_public(&home.log_public_path(), &verifier_key)?;
    keys::write_public(&home.agent_public_path(), &agent)?;
    drop(SqliteStore::create(home.writable()?)?);
    close_to_others(&home.database())?;
    made.keep();
    Ok(Made {
        dir: home.dir().display().to_string(),
        name,
        verifier_key,
        agent,
    })
}

fn copy(key: &SecretKey) -> SecretKey {
    SecretKey::from_seed(*key.expose_seed())
}

fn random_name() -> Result<String, Failure> {
    let mut bytes = [0_u8; 4];
    keys::fill(&mut bytes)?;
    Ok(format!("counterfoil.local/{}", hex::encode(bytes)))
}

fn refuse_existing(home: &Home) -> Result<(), Failure> {
    for path in [home.database(), home.keys()] {
        if fs::symlink_metadata(&path).is_ok() {
            return Err(Failure::input(
                format_args!("{} exists already and is not overwritten", path.display()),
                "choose another folder with --dir",
            ));
        }
    }
    Ok(())
}

/// Makes a folder for its owner alone. One that is there stays as it is.
fn make_folder(path: &Path) -> Result<(), Failure> {
    match private_folder(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        Err(error) => Err(Failure::place(
            format_args!("the folder {} cannot be made ({error})", path.display()),
            "choose a place that you may write to, with --dir",
        )),
        Ok(()) => Ok(()),
    }
}

#[cfg(unix)]
fn private_folder(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;

    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::DirBuilder::new().mode(0o700).create(path)
}

#[cfg(not(unix))]
fn private_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

/// What is remembered is nobody else's to read, also where the folder was there and is open.
/// SQLite gives the files beside the database the mode of the database.
#[cfg(unix)]
fn close_to_others(path: &Path) -> Result<(), Failure> {
    use std::os::unix::fs::PermissionsExt;

    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).map_err(|error| {
        Failure::place(
            format_args!("{} cannot be closed to others ({error})", path.display()),
            "choose a place that you own, with --dir",
        )
    })
}

#[cfg(not(unix))]
fn close_to_others(_: &Path) -> Result<(), Failure> {
    Ok(())
}

/// Takes away what a failed `init` made, so that it can be run again. There was nothing of these
/// names before.
struct Cleanup<'a> {
    home: Option<&'a Home>,
}

impl<'a> Cleanup<'a> {
    const fn armed(home: &'a Home) -> Self {
        Self { home: Some(home) }
    }

    fn keep(mut self) {
        self.home = None;
    }
}

impl Drop for Cleanup<'_> {
    fn drop(&mut self) {
        if let Some(home) = self.home {
            // What cannot be removed is reported by the next `init`.
            let _ = fs::remove_dir_all(home.keys());
            for suffix in ["", "-wal", "-shm", "-journal"] {
                let mut path = home.database().into_os_string();
                path.push(suffix);
                let _ = fs::remove_file(path);
            }
        }
    }
}
