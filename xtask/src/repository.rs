//! Files and packages of the repository.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use counterfoil_boundaries::Graph;

use crate::process;

/// The folder of the workspace.
pub(crate) fn root() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own).to_path_buf()
}

/// The text of a file, by its path from the root.
pub(crate) fn read(path: &str) -> Result<String> {
    std::fs::read_to_string(root().join(path)).with_context(|| format!("cannot read {path}"))
}

/// Every file that is or would be committed, by its path from the root with forward slashes, sorted.
pub(crate) fn files() -> Result<Vec<String>> {
    let list = "ls-files --cached --others --exclude-standard -z";
    let mut git = Command::new("git");
    let printed = process::output(git.args(list.split(' ')).current_dir(root()))?;
    let mut files: Vec<String> = printed
        .split('\0')
        .filter(|path| !path.is_empty() && root().join(path).is_file())
        .map(str::to_owned)
        .collect();
    files.sort();
    files.dedup();
    Ok(files)
}

/// The workspace as Cargo describes it.
pub(crate) fn graph() -> Result<Graph> {
    Ok(Graph::load(Some(&root().join("Cargo.toml")), &[])?)
}

/// Returns true if the workspace has the package.
pub(crate) fn has_package(package: &str) -> bool {
    graph().is_ok_and(|graph| graph.members().any(|(name, _)| name == package))
}
