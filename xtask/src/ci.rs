//! `cargo xtask ci`: all that CI runs, in its order, which `.ci/run` alone knows.

use std::process::Command;

use anyhow::Result;

use crate::{process, repository};

pub(crate) fn run() -> Result<()> {
    let root = repository::root();
    process::run(
        Command::new("bash")
            .arg(root.join(".ci/run"))
            .current_dir(&root),
    )
}
