//! Runs each row on both sides in turn and prints figures, ratio and goal.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use wait4::Wait4;

use crate::ours::ROW;

/// One row of the table.
struct Row {
    /// Its name on the command line.
    name: &'static str,
    title: &'static str,
    words: &'static [&'static str],
    /// The peer's, where fewer calls do; `None`: it has no such row.
    peer: Option<&'static [&'static str]>,
    /// The member of the answer.
    figure: &'static str,
    unit: &'static str,
    goal: &'static str,
}

/// A row of both, with as many calls each.
const fn row(
    name: &'static str,
    title: &'static str,
    words: &'static [&'static str],
    peer: Option<&'static [&'static str]>,
    (figure, unit, goal): (&'static str, &'static str, &'static str),
) -> Row {
    Row {
        name,
        title,
        words,
        peer,
        figure,
        unit,
        goal,
    }
}

const ROWS: [Row; 13] = [
    row(
        "belief",
        "belief, 100,000 claims over 10,000 lines",
        &["belief", "10000", "10", "2000"],
        Some(&["belief", "10000", "10", "50"]),
        ("cpuMs", "ms", "at most 0.2"),
    ),
    row(
        "line",
        "belief on a line of 10,000",
        &["belief", "1", "10000", "200"],
        Some(&["belief", "1", "10000", "3"]),
        ("cpuMs", "ms", "at most 10"),
    ),
    row(
        "line",
        "belief on a line of 100,000",
        &["belief", "1", "100000", "50"],
        Some(&["belief", "1", "100000", "1"]),
        ("cpuMs", "ms", "at most 150, 60 MB"),
    ),
    row(
        "ingest",
        "one ingest, 10,000 claims on its line",
        &["ingest", "1", "10000", "300"],
        Some(&["ingest", "1", "10000", "5"]),
        ("cpuMs", "ms", "flat, 0.35 beside a memory of its length"),
    ),
    row(
        "ingest",
        "one ingest, 100,000 claims on its line",
        &["ingest", "1", "100000", "300"],
        Some(&["ingest", "1", "100000", "2"]),
        ("cpuMs", "ms", "flat"),
    ),
    row(
        "ingest",
        "one ingest, 10,000 claims over 1,000 lines",
        &["ingest", "1000", "10", "300"],
        Some(&["ingest", "1000", "10", "50"]),
        ("cpuMs", "ms", "flat"),
    ),
    row(
        "ingest",
        "one ingest, 100,000 claims over 10,000 lines",
        &["ingest", "10000", "10", "300"],
        Some(&["ingest", "10000", "10", "50"]),
        ("cpuMs", "ms", "flat"),
    ),
    row(
        "durable",
        "durable ingest, 1 agent",
        &["durable", "1", "1000"],
        Some(&["durable", "1", "500"]),
        ("perSecond", "/s", "at least 2,500"),
    ),
    row(
        "durable",
        "durable ingest, 8 agents",
        &["durable", "8", "1000"],
        Some(&["durable", "8", "200"]),
        ("perSecond", "/s", "at least 6,000 on one store"),
    ),
    row(
        "batches",
        "batches of 256",
        &["batches", "40"],
        None,
        ("perSecond", "/s", "at least 10,000, 60 % of raw"),
    ),
    row(
        "bytes",
        "bytes a claim on disk",
        &["bytes", "20000"],
        Some(&["bytes", "20000"]),
        ("bytes", "B", "at most 1,000"),
    ),
    row(
        "readers",
        "reads that fail while 8 write",
        &["readers", "100"],
        Some(&["readers", "50"]),
        ("failedPercent", "%", "none"),
    ),
    row(
        "pairs",
        "two processes, 50 pairs, both accepted",
        &["pairs", "50"],
        Some(&["pairs", "50"]),
        ("bothAccepted", "of 50", "0"),
    ),
];

pub(crate) fn print(wanted: &[String]) -> Result<()> {
    let peer = build_peer()?;
    let ours = std::env::current_exe()?;
    println!("claims: counterfoil and mempill 0.4, each row a process of its own");
    println!(
        "  {:<46} {:>14} {:>14} {:>9}  goal",
        "", "ours", "mempill", "ratio"
    );
    for row in &ROWS {
        if !wanted.is_empty() && !wanted.iter().any(|name| name == row.name) {
            continue;
        }
        let (answer, memory) = run(&ours, Some(ROW), row.words)?;
        let theirs = row.peer.map(|words| run(&peer, None, words)).transpose()?;
        let [ours, theirs] =
            [Some(answer.clone()), theirs.map(|(theirs, _)| theirs)].map(|answer| {
                answer
                    .as_ref()
                    .and_then(|answer| answer.get(row.figure))
                    .and_then(Value::as_f64)
            });
        let cell = |figure: Option<f64>| {
            figure.map_or_else(
                || "-".to_owned(),
                |figure| format!("{figure:.3} {}", row.unit),
            )
        };
        let ratio = match (ours, theirs) {
            (Some(ours), Some(theirs)) if ours > 0.0 && theirs > 0.0 => {
                format!("{:.2} x", ours.max(theirs) / ours.min(theirs))
            }
            _ => "-".to_owned(),
        };
        println!(
            "  {:<46} {:>14} {:>14} {:>9}  {}",
            row.title,
            cell(ours),
            cell(theirs),
            ratio,
            row.goal
        );
        println!("      {answer}, peak memory {} MiB", memory / (1 << 20));
    }
    Ok(())
}

/// Runs one row in a folder of its own: its answer, and the peak of its memory in bytes.
fn run(program: &Path, first: Option<&str>, words: &[&str]) -> Result<(Value, u64)> {
    let folder = tempfile::tempdir()?;
    let (name, numbers) = words.split_first().context("a row has a name")?;
    let mut child = Command::new(program)
        .args(first)
        .arg(name)
        .arg(folder.path())
        .args(numbers)
        .stdout(Stdio::piped())
        .spawn()?;
    let mut told = String::new();
    let mut out = child.stdout.take().context("its answer")?;
    std::io::Read::read_to_string(&mut out, &mut told)?;
    let end = child.wait4()?;
    ensure!(
        end.status.success(),
        "{} {words:?} failed",
        program.display()
    );
    Ok((serde_json::from_str(told.trim())?, end.rusage.maxrss))
}

/// The peer links an SQLite of its own, so that it is a program of its own.
fn build_peer() -> Result<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../claims-peer");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let target = folder.join("target");
    let built = Command::new(cargo)
        .args(["build", "--release", "--quiet"])
        .current_dir(&folder)
        .env("CARGO_TARGET_DIR", &target)
        .status()?;
    ensure!(built.success(), "the peer could not be built");
    Ok(target.join("release/counterfoil-bench-claims-peer"))
}
