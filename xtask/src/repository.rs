//! Which files and packages are in the repository.

use std::process::Command;

use anyhow::{Context, Result};
use counterfoil_boundaries::{Graph, Network};

use crate::process;
pub(crate) use crate::root::root;

/// The text of a file, by its path from the root.
pub(crate) fn read(path: &str) -> Result<String> {
    std::fs::read_to_string(root().join(path)).with_context(|| format!("cannot read {path}"))
}

/// Every file that is or would be committed, by its path from the root with forward slashes, sorted.
pub(crate) fn files() -> Result<Vec<String>> {
    let list = [
        "ls-files",
        "--cached",
        "--others",
        "--exclude-standard",
        "-z",
    ];
    let printed = process::output(Command::new("git").args(list).current_dir(root()))?;
    let mut files: Vec<String> = printed
        .split('\0')
        .filter(|path| !path.is_empty() && root().join(path).is_file())
        .map(str::to_owned)
        .collect();
    files.sort();
    files.dedup();
    Ok(files)
}

/// What Cargo says of the workspace.
pub(crate) fn graph() -> Result<Graph> {
    Ok(Graph::load(
        Some(&root().join("Cargo.toml")),
        Network::AsConfigured,
    )?)
}

/// The names of the workspace's packages, sorted.
pub(crate) fn packages() -> Result<Vec<String>> {
    let graph = graph()?;
    let mut names: Vec<String> = graph.members().map(|(_, one)| one.name.clone()).collect();
    names.sort();
    Ok(names)
}
