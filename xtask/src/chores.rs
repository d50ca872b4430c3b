//! Chores that are a few calls of other programs.

use std::process::Command;

use anyhow::{Result, bail};
use counterfoil_boundaries::{check_reach, check_roles, own};

use crate::process::{self, cargo};
use crate::repository::{self, root};

/// Folders of crates whose features are theirs alone.
const ALONE: &[&str] = &["base", "engines", "layers", "roles"];
/// Optional features that are tested with the rest.
const OPTIONAL: [&str; 2] = ["--features", "counterfoil-cli/otel"];
/// Links the peers that we compare with; it is built where it is run, by `cargo xtask bench`.
const WITH_PEERS: &str = "counterfoil-benches";

/// All that CI runs, in its order, which `.ci/run` alone knows.
pub(crate) fn ci() -> Result<()> {
    let run = root().join(".ci/run");
    process::run(Command::new("bash").arg(run).current_dir(root()))
}

/// The tests of every package, then the examples in their documentation. Benches are no tests: they run for minutes.
pub(crate) fn test() -> Result<()> {
    let there = repository::has_package(WITH_PEERS);
    for targets in ["--lib --bins --tests --examples", "--doc"] {
        let mut command = cargo(["test", "--workspace"]);
        command.args(OPTIONAL);
        if there {
            command.args(["--exclude", WITH_PEERS]);
        }
        process::run(command.args(targets.split(' ')))?;
    }
    Ok(())
}

/// The workspace at once, and then each library that others may depend on by itself, so that none lives on features
/// which another package turned on.
pub(crate) fn clippy() -> Result<()> {
    let mut workspace = cargo(["clippy", "--quiet", "--workspace", "--all-targets"]);
    process::run(workspace.args(OPTIONAL).args(["--", "-D", "warnings"]))?;
    let files = repository::files()?;
    for folder in ALONE {
        let inside = format!("crates/{folder}/");
        let is_manifest =
            |file: &&String| file.starts_with(&inside) && file.ends_with("/Cargo.toml");
        for manifest in files.iter().filter(is_manifest) {
            let words = ["check", "--quiet", "--lib", "--manifest-path", manifest];
            process::run(&mut cargo(words))?;
        }
    }
    Ok(())
}

/// This workspace's table, and the roles that its boundary tests declare.
pub(crate) fn check_boundaries() -> Result<()> {
    let graph = repository::graph()?;
    let reports = [
        own::check(&graph)?,
        own::check_without_std(&graph)?,
        check_roles(&graph)?,
        check_reach(&graph)?,
    ];
    for report in &reports {
        print!("{report}");
    }
    if reports.iter().any(|report| !report.holds()) {
        bail!("boundaries are broken");
    }
    Ok(())
}

/// rustdoc of every package; a broken link is an error.
pub(crate) fn docs() -> Result<()> {
    let words = ["doc", "--quiet", "--workspace", "--no-deps"];
    let mut command = cargo(words);
    process::run(command.args(OPTIONAL).env("RUSTDOCFLAGS", "-D warnings"))
}

/// Writes docs/schemas. The schemas are made from the types that read or write the documents, by code that nothing shipped
/// depends on.
pub(crate) fn schemas() -> Result<()> {
    for words in [
        "run --quiet --package counterfoil-exchange-tests --example schemas",
        "run --quiet --package counterfoil --features schema --example schemas",
    ] {
        process::run(&mut cargo(words.split(' ')))?;
    }
    Ok(())
}

/// Runs the sequences of `count` seeds from `from` on, on the claim engine and on its oracle, in release. The output names
/// the seed to go on from.
pub(crate) fn soak(count: u64, from: u64) -> Result<()> {
    let words = "test --release --quiet --package counterfoil-claims-tests --test claims -- --nocapture --exact machine::soak";
    let mut command = cargo(words.split(' '));
    command.env("COUNTERFOIL_SOAK", count.to_string());
    process::run(command.env("COUNTERFOIL_SOAK_FROM", from.to_string()))
}
