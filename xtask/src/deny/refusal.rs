//! Does the third fence refuse at all? cargo-deny, with our `deny.toml`, on a workspace that is broken on purpose.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::{process, repository};

/// Fails when an authority that depends on the store passes (FP-16), or when its honest twin does not.
pub(super) fn prove() -> Result<()> {
    if passes("counterfoil-authority", "counterfoil-store")? {
        bail!("deny.toml lets an authority depend on the store");
    }
    if !passes("counterfoil-authority", "counterfoil-trace")? {
        bail!("deny.toml keeps an authority from the trace; its refusals prove nothing");
    }
    Ok(())
}

fn passes(from: &str, to: &str) -> Result<bool> {
    let folder = tempfile::tempdir().context("no folder for a stub workspace")?;
    let root = folder.path();
    let members = format!("[workspace]\nresolver = \"3\"\nmembers = [\"{from}\", \"{to}\"]\n");
    write(&root.join("Cargo.toml"), &members)?;
    package(
        root,
        from,
        &format!("[dependencies]\n{to} = {{ path = \"../{to}\" }}\n"),
    )?;
    package(root, to, "")?;
    write(&root.join("deny.toml"), &repository::read("deny.toml")?)?;
    let mut deny = process::cargo(["deny", "--offline", "check", "bans"]);
    deny.current_dir(root);
    let output = deny.output().context("cannot start cargo-deny")?;
    let words = [output.stdout, output.stderr].concat();
    let words = String::from_utf8_lossy(&words);
    match (output.status.success(), words.contains("bans FAILED")) {
        (true, _) => Ok(true),
        (false, true) => Ok(false),
        (false, false) => bail!("cargo-deny came to no verdict: {words}"),
    }
}

fn package(root: &Path, name: &str, dependencies: &str) -> Result<()> {
    let head = "version = \"0.1.0\"\nedition = \"2024\"\npublish = false\n";
    let manifest = format!("[package]\nname = \"{name}\"\n{head}{dependencies}");
    fs::create_dir_all(root.join(name).join("src"))?;
    write(&root.join(name).join("Cargo.toml"), &manifest)?;
    write(&root.join(name).join("src/lib.rs"), "")
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
