//! `cargo xtask fuzz [TARGET] [--seconds N]`: each parser of foreign bytes on nightly, under the fuzzer, from the vectors as seeds.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::process;
use crate::root::root;

// No sanitizer: there is no unsafe code to watch, and without one it is ten times as many inputs.

/// The longest input, in bytes.
const LONGEST: usize = 64 * 1024;

/// Runs one target, or each for so long.
pub(crate) fn run(target: Option<&str>, seconds: u64) -> Result<()> {
    let there = targets()?;
    if !has_cargo_fuzz() {
        bail!(
            "cargo-fuzz is not there; `cargo install --locked cargo-fuzz` takes a minute, and nightly Rust is needed"
        );
    }
    let asked: Vec<&String> = there
        .iter()
        .filter(|name| target.is_none_or(|asked| asked == name.as_str()))
        .collect();
    ensure!(
        !asked.is_empty(),
        "there is no such target; these are there: {}",
        there.join(", ")
    );
    for name in asked {
        seed(name)?;
        let length = format!("-max_len={LONGEST}");
        let time = format!("-max_total_time={seconds}");
        let words = [
            "+nightly",
            "fuzz",
            "run",
            name,
            "--",
            &time,
            &length,
            "-timeout=10",
            "-print_final_stats=1",
        ];
        process::run(rustup_cargo(&words).current_dir(root().join("fuzz")))?;
    }
    Ok(())
}

/// The targets, by their files.
fn targets() -> Result<Vec<String>> {
    let folder = root().join("fuzz/targets");
    let mut names = Vec::new();
    for file in
        fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))?
    {
        let path = file?.path();
        if let Some(name) = path
            .file_stem()
            .filter(|_| path.extension().is_some_and(|end| end == "rs"))
        {
            names.push(name.to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// Puts the vectors beside what the fuzzer has found before: good documents are where interesting bad ones begin.
fn seed(target: &str) -> Result<()> {
    let corpus = root().join("fuzz/corpus").join(target);
    fs::create_dir_all(&corpus).with_context(|| format!("cannot make {}", corpus.display()))?;
    let vectors = root().join("tests/vectors/exchange");
    for file in
        fs::read_dir(&vectors).with_context(|| format!("cannot list {}", vectors.display()))?
    {
        let path = file?.path();
        copy(&path, &corpus)?;
    }
    Ok(())
}

fn copy(path: &Path, corpus: &Path) -> Result<()> {
    let Some(name) = path.file_name().filter(|_| path.is_file()) else {
        return Ok(());
    };
    fs::copy(path, corpus.join(name)).with_context(|| format!("cannot copy {}", path.display()))?;
    Ok(())
}

fn has_cargo_fuzz() -> bool {
    let found = rustup_cargo(&["+nightly", "fuzz", "--version"]).output();
    found.is_ok_and(|output| output.status.success())
}

/// The Cargo that reads `+nightly`: the one on the path, and not the one that runs this.
fn rustup_cargo(words: &[&str]) -> Command {
    let mut command = Command::new("cargo");
    command
        .args(words)
        .env_remove("RUSTUP_TOOLCHAIN")
        .env_remove("CARGO")
        .env_remove("CARGO_TARGET_DIR");
    command
}
