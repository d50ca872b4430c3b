//! `cargo xtask fuzz [TARGET] [--seconds N]`: each parser of foreign bytes on nightly, under the fuzzer, from the vectors as seeds.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::process;
use crate::repository::root;

// No sanitizer: there is no unsafe code to watch, and without one it is ten times as many inputs.

/// The longest input, in bytes.
const LONGEST: usize = 64 * 1024;

/// Runs `target`, or each target, for so many seconds.
pub(crate) fn run(target: Option<&str>, seconds: u64) -> Result<()> {
    let sources = list(&root().join("fuzz/targets"))?;
    let names: Vec<String> = sources
        .iter()
        .filter(|path| path.extension().is_some_and(|end| end == "rs"))
        .filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned()))
        .collect();
    let version = rustup_cargo(&["+nightly", "fuzz", "--version"]).output();
    if !version.is_ok_and(|output| output.status.success()) {
        bail!(
            "cargo-fuzz is not there; `cargo install --locked cargo-fuzz` takes a minute, and nightly Rust is needed"
        );
    }
    let is_asked = |name: &&String| target.is_none_or(|asked| asked == name.as_str());
    let asked: Vec<&String> = names.iter().filter(is_asked).collect();
    ensure!(
        !asked.is_empty(),
        "there is no such target; these are there: {}",
        names.join(", ")
    );
    for name in asked {
        // The vectors lie beside the fuzzer's own finds: good documents are where interesting bad ones begin.
        let corpus = root().join("fuzz/corpus").join(name);
        fs::create_dir_all(&corpus).with_context(|| format!("cannot make {}", corpus.display()))?;
        for path in list(&root().join("tests/vectors/exchange"))? {
            if let Some(file) = path.file_name().filter(|_| path.is_file()) {
                let copied = fs::copy(&path, corpus.join(file));
                copied.with_context(|| format!("cannot copy {}", path.display()))?;
            }
        }
        let length = format!("-max_len={LONGEST}");
        let time = format!("-max_total_time={seconds}");
        let mut command = rustup_cargo(&["+nightly", "fuzz", "run", name, "--", &time, &length]);
        command.args(["-timeout=10", "-print_final_stats=1"]);
        process::run(command.current_dir(root().join("fuzz")))?;
    }
    Ok(())
}

/// The files of a folder, sorted.
fn list(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut paths = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
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
