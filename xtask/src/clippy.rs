//! `cargo xtask clippy`: the workspace at once, and then each library that others may depend on by itself, so that none
//! lives on features which another package turned on.

use anyhow::Result;

use crate::{process, repository};

/// Folders of crates whose features are theirs alone.
const ALONE: &[&str] = &["base", "engines", "layers", "roles"];

pub(crate) fn run() -> Result<()> {
    let workspace = ["clippy", "--quiet", "--workspace", "--all-targets", "--"];
    process::run(process::cargo(workspace).args(["-D", "warnings"]))?;
    let files = repository::files()?;
    for folder in ALONE {
        let inside = format!("crates/{folder}/");
        let manifests = files
            .iter()
            .filter(|file| file.starts_with(&inside) && file.ends_with("/Cargo.toml"));
        for manifest in manifests {
            let words = ["check", "--quiet", "--lib", "--manifest-path", manifest];
            process::run(&mut process::cargo(words))?;
        }
    }
    Ok(())
}
