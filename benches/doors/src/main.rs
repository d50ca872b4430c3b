//! `counterfoil-bench-doors [MEMORIES]`: the same questions to the same memories from the library, over MCP and over HTTP.
//!
//! The program is the release build beside this one. The server runs on one core, its clients on the others. Figures and ratios
//! are of one run; none is an assertion.

mod http;
mod mcp;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use counterfoil::blocking::Memory;
use counterfoil::{Detail, RecallOptions};
use counterfoil_bench_recall::copies::Copies;
use counterfoil_bench_recall::locomo;
use serde_json::{Value, json};

/// Number of memories, unless the command line says otherwise.
const MEMORIES: usize = 10_000;
/// Number of lines of the import.
const LINES: usize = 100_000;
/// Number of questions that a client asks one after the other.
const QUESTIONS: usize = 300;
/// Most memories of an answer.
pub(crate) const RECALLED: usize = 8;
/// Core of the server.
const CORE: &str = "0";

fn main() -> Result<()> {
    let memories = std::env::args().nth(1);
    let memories = memories.map_or(Ok(MEMORIES), |number| number.parse())?;
    let file = data_folder().join("locomo/locomo-dev.json");
    if !file.is_file() {
        println!(
            "doors: skipped, as {} is not there; set COUNTERFOIL_DATA",
            file.display()
        );
        return Ok(());
    }
    let copies = Copies::of(locomo::load(&file)?);
    let folder = tempfile::tempdir()?;
    let store = folder.path().join("store");
    let spent = import(folder.path(), &store, &copies, memories)?;
    println!(
        "{memories} memories imported at {:.0} lines/s",
        per_second(memories, spent)
    );
    let questions = copies.questions(QUESTIONS, memories)?;
    let [library, over_mcp] = latencies(&store, &questions)?;
    let ratio = over_mcp.as_secs_f64() / library.as_secs_f64();
    println!("recall from the library      p50 {:.2} ms", ms(library));
    println!(
        "recall over MCP, stdio       p50 {:.2} ms, {ratio:.2} times the library's",
        ms(over_mcp)
    );
    println!(
        "hook user-prompt             p50 {:.1} ms, with the start of the program",
        ms(hooks(&store, &questions)?)
    );
    for (what, proofs) in [("receipts on request", false), ("proofs", true)] {
        let rate = http::rate(&store, &questions, proofs)?;
        println!("HTTP /v1/recall, one core    {rate:.0} requests/s with {what}");
    }
    let many = folder.path().join("many");
    let spent = import(folder.path(), &many, &copies, LINES)?;
    println!(
        "{LINES} lines imported at {:.0} lines/s",
        per_second(LINES, spent)
    );
    Ok(())
}

/// Imports so many lines into a new store; gives the time of the import alone.
fn import(folder: &Path, store: &Path, copies: &Copies, count: usize) -> Result<Duration> {
    let path = folder.join("lines.jsonl");
    let mut file = std::io::BufWriter::new(std::fs::File::create(&path)?);
    for world in copies.worlds(count) {
        let world = world?;
        let data = world.data().context("a memory without content")?;
        let member = |pointer: &str| data.pointer(pointer).cloned().unwrap_or_default();
        let line = json!({
            "conversation": member("/source/conversation"),
            "session": member("/source/session"),
            "speaker": member("/speaker"),
            "time": "2025-03-01T10:15:00Z",
            "text": member("/text"),
        });
        writeln!(file, "{line}")?;
    }
    file.flush()?;
    drop(file);
    run(store, &["init"])?;
    let start = Instant::now();
    let path = path.to_string_lossy();
    run(store, &["import", &path])?;
    Ok(start.elapsed())
}

/// Median times of one recall from the library and over MCP, asked in turn.
fn latencies(store: &Path, questions: &[String]) -> Result<[Duration; 2]> {
    let memory = Memory::open(store)?;
    let options = RecallOptions {
        max: RECALLED,
        ..RecallOptions::default()
    };
    let mut session = mcp::Session::start(store)?;
    let mut times = [Vec::new(), Vec::new()];
    // The first round fills the caches of both.
    for round in 0..2 {
        for question in questions {
            let start = Instant::now();
            let found = memory.recall(question, &options)?;
            let document = serde_json::to_vec(&found.document(Detail::Text))?;
            let library = start.elapsed();
            let start = Instant::now();
            let answer = session.recall(question)?;
            let over_mcp = start.elapsed();
            let document: Value = serde_json::from_slice(&document)?;
            let ids = |document: &Value| -> Vec<Value> {
                let items = document.get("items").and_then(Value::as_array);
                let ids = items.into_iter().flatten();
                ids.map(|item| item.get("id").cloned().unwrap_or_default())
                    .collect()
            };
            ensure!(
                ids(&document) == ids(&answer),
                "the doors disagree about {question:?}"
            );
            if round > 0 {
                for (times, time) in times.iter_mut().zip([library, over_mcp]) {
                    times.push(time);
                }
            }
        }
    }
    Ok(times.map(median))
}

/// Median time of a hook that seals a prompt and brings memories in, as a coding agent waits for it.
fn hooks(store: &Path, questions: &[String]) -> Result<Duration> {
    let mut times = Vec::new();
    for (number, question) in questions.iter().enumerate().take(30) {
        let event = json!({
            "session_id": format!("s{number}"), "hook_event_name": "UserPromptSubmit", "prompt": question, "cwd": "/",
        });
        let start = Instant::now();
        let mut child = program(store)
            .args(["hook", "user-prompt"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut input = child.stdin.take().context("no standard input")?;
        input.write_all(event.to_string().as_bytes())?;
        drop(input);
        let done = child.wait_with_output()?;
        times.push(start.elapsed());
        ensure!(done.status.success(), "the hook failed");
    }
    Ok(median(times))
}

/// The program on a store.
pub(crate) fn program(store: &Path) -> Command {
    let beside = std::env::current_exe().map(|it| it.with_file_name("counterfoil"));
    let mut command = Command::new(beside.unwrap_or_else(|_| PathBuf::from("counterfoil")));
    command.arg("--dir").arg(store);
    command
}

/// The program on a store, on one core.
pub(crate) fn program_on_one_core(store: &Path) -> Command {
    let program = program(store);
    let mut command = Command::new("taskset");
    command
        .args(["-c", CORE])
        .arg(program.get_program())
        .args(program.get_args());
    command
}

/// Runs a command that succeeds; gives its document.
pub(crate) fn run(store: &Path, arguments: &[&str]) -> Result<Value> {
    let done = program(store).arg("--json").args(arguments).output();
    let done = done.context("build it first: cargo build --release -p counterfoil-cli")?;
    let error = String::from_utf8_lossy(&done.stderr);
    ensure!(done.status.success(), "{arguments:?}: {error}");
    Ok(serde_json::from_slice(&done.stdout)?)
}

/// The median; zero of none.
fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn per_second(count: usize, spent: Duration) -> f64 {
    u32::try_from(count).map_or(f64::INFINITY, f64::from) / spent.as_secs_f64()
}

/// `$COUNTERFOIL_DATA`, or the folder `shared/data` beside the repository.
fn data_folder() -> PathBuf {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    std::env::var_os("COUNTERFOIL_DATA").map_or_else(beside, PathBuf::from)
}
