//! `key encrypt`, `key decrypt`: puts the key files under a passphrase, or takes it from them.

use std::fs;
use std::path::PathBuf;

use serde::Serialize;

use crate::args::RecoveryArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::home::Home;
use crate::keys::{self, Guarded, Key};

#[derive(Serialize)]
struct Done {
    written: Vec<String>,
    #[serde(rename = "notHere")]
    not_here: Vec<String>,
}

pub(super) fn encrypt(context: &Context, args: RecoveryArgs) -> Result<(), Failure> {
    run(context, args, Guarded::ByPassphrase)
}

pub(super) fn decrypt(context: &Context, args: RecoveryArgs) -> Result<(), Failure> {
    run(context, args, Guarded::No)
}

/// Each file is replaced as a whole or not at all, so that to be cut short and to begin again does
/// no harm.
fn run(context: &Context, args: RecoveryArgs, guarded: Guarded) -> Result<(), Failure> {
    let home = &context.home;
    home.must_exist()?;
    let (here, not_here): (Vec<_>, Vec<_>) = all(home, args)
        .into_iter()
        .partition(|path| fs::symlink_metadata(path).is_ok());
    let mut due = Vec::new();
    for path in here {
        if keys::peek(&path)?.1 != guarded {
            due.push(path);
        }
    }
    if guarded == Guarded::ByPassphrase && !due.is_empty() {
        home.passphrase().to_seal()?;
    }
    for path in &due {
        let key = keys::read(path, home.passphrase())?;
        keys::replace(path, &Key { guarded, ..key }, home.passphrase())?;
    }
    let shown = |paths: &[PathBuf]| {
        paths
            .iter()
            .map(|path| path.display().to_string())
            .collect()
    };
    let done = Done {
        written: shown(&due),
        not_here: shown(&not_here),
    };
    context.out.answer(&done, |out| {
        for path in &done.written {
            writeln!(out, "written  {path}")?;
        }
        for path in &done.not_here {
            writeln!(out, "not here  {path}")?;
        }
        match done.written.is_empty() {
            true => writeln!(out, "Nothing had to be changed."),
            false => Ok(()),
        }
    })
}

fn all(home: &Home, args: RecoveryArgs) -> [PathBuf; 4] {
    let folder = home.recovery(args.recovery_dir);
    [
        home.log_key_path(),
        home.agent_key_path(),
        folder.next_path(),
        folder.recovery_path(),
    ]
}
