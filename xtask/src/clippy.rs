//! `cargo xtask clippy`: each package by itself, so that no package lives on features which another turned on.

use anyhow::Result;

use crate::{process, repository};

pub(crate) fn run() -> Result<()> {
    for package in repository::packages()? {
        let words = [
            "clippy",
            "--quiet",
            "--package",
            &package,
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ];
        process::run(&mut process::cargo(words))?;
    }
    Ok(())
}
