//! `counterfoil-verify` as a whole process on a proposal of ten memories.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use wait4::Wait4;

use crate::log::{LargeLog, START_MILLIS};
use crate::measure::{heading, line, median, micros};
use crate::verify::proposal;

const RUNS: usize = 21;

/// The argument with which this program writes the files that it then measures with.
pub(crate) const FIXTURE: &str = "--write-fixture";

/// Writes a proposal of ten memories and the anchors to check it against.
pub(crate) fn write_fixture(folder: &Path) -> Result<()> {
    let log = LargeLog::new(1 << 20, 10)?;
    std::fs::write(folder.join("proposal.json"), proposal(&log, 10)?)?;
    Ok(std::fs::write(
        folder.join("anchors.json"),
        log.anchors()?.to_json(),
    )?)
}

pub(crate) fn report() -> Result<()> {
    let binary = build()?;
    let folder = tempfile::tempdir()?;
    let wrote = Command::new(std::env::current_exe()?)
        .arg(FIXTURE)
        .arg(folder.path())
        .status()?;
    ensure!(wrote.success(), "the fixture could not be written");

    let (mut walls, mut peak) = (Vec::new(), 0);
    for _ in 0..RUNS {
        let start = std::time::Instant::now();
        let mut child = Command::new(&binary)
            .arg(folder.path().join("proposal.json"))
            .arg("--anchors")
            .arg(folder.path().join("anchors.json"))
            .args(["--now", &(START_MILLIS + 60_000).to_string()])
            .stdout(Stdio::null())
            .spawn()?;
        let end = child.wait4()?;
        walls.push(start.elapsed());
        ensure!(
            end.status.success(),
            "counterfoil-verify refused the bench's own proposal"
        );
        peak = peak.max(end.rusage.maxrss);
    }
    let wall: Duration = median(walls);
    heading("cold: counterfoil-verify on a proposal of 10 memories");
    line("wall time", format!("{:.2} ms", micros(wall) / 1e3));
    line("peak memory", mebibytes(peak)?);
    line(
        "size of the program",
        mebibytes(std::fs::metadata(&binary)?.len())?,
    );
    Ok(())
}

fn mebibytes(bytes: u64) -> Result<String> {
    Ok(format!(
        "{:.2} MiB",
        f64::from(u32::try_from(bytes)?) / 1024.0 / 1024.0
    ))
}

/// The program beside this one, built in the same profile.
fn build() -> Result<PathBuf> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let built = Command::new(cargo)
        .args([
            "build",
            "--release",
            "--quiet",
            "--package",
            "counterfoil-verify",
        ])
        .status()?;
    ensure!(built.success(), "counterfoil-verify does not build");
    let folder = std::env::current_exe()?;
    let folder = folder.parent().context("a program lies in a folder")?;
    Ok(folder
        .join("counterfoil-verify")
        .with_extension(std::env::consts::EXE_EXTENSION))
}
