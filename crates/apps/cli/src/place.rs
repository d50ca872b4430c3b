//! The folder of the memory, and the person who is asked for a passphrase.

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use counterfoil::{Memory, MemoryBuilder};

use crate::failure::Failure;

/// Environment variable that names the folder; empty is as absent.
const VARIABLE: &str = "COUNTERFOIL_DIR";

/// Environment variables that name the shared ground of memories that are made, and the database of its keys of content.
const GROUND: [&str; 2] = ["COUNTERFOIL_GROUND", "COUNTERFOIL_GROUND_KEYS"];

/// The memory in the folder that was named, or else in that of the environment, or else in the platform's.
pub(crate) fn memory(
    named: Option<PathBuf>,
    passphrase_file: Option<PathBuf>,
) -> Result<MemoryBuilder, Failure> {
    let from_environment = || std::env::var_os(VARIABLE).map(PathBuf::from);
    let named = named
        .or_else(from_environment)
        .filter(|dir| !dir.as_os_str().is_empty());
    let platform = || directories::ProjectDirs::from("", "", "counterfoil");
    let dir = named
        .or_else(|| platform().map(|dirs| dirs.data_dir().to_owned()))
        .ok_or_else(|| Failure::input("this account has no data folder", "name one with --dir"))?;
    let mut builder = Memory::builder(dir).program("counterfoil-cli");
    if let Some(file) = passphrase_file {
        builder = builder.passphrase_file(file);
    }
    let [ground, keys] = GROUND.map(|name| std::env::var(name).ok().filter(|it| !it.is_empty()));
    if let Some(url) = ground {
        builder = builder.on_ground(url, keys);
    }
    if io::stdin().is_terminal() {
        builder = builder.ask_passphrase(|prompt| rpassword::prompt_password(prompt));
    }
    Ok(builder)
}
