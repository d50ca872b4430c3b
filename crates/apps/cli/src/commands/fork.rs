//! Contradictions that were seen here, and chains for which their agent signed two capsules at one place (capsules 4.5,
//! 4.8, C8, C11, C40).

use std::io::{self, Write};
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use clap::{Args, Subcommand};
use counterfoil::Memory;
use counterfoil_capsule::documents::ContradictionKind;
use counterfoil_types::Blake3Hash;
use counterfoil_types::json::Value;
use counterfoil_verify::{Form, terminal};

use crate::context::Context;
use crate::failure::Failure;
use crate::output::{count, filled, items, lines_of, members, number, pairs, rows, text, texts};

/// Time between two looks for new events.
const PERIOD: Duration = Duration::from_millis(500);
/// The most characters of a line for a person.
const LIMIT: usize = 400;

#[derive(Debug, Args)]
pub(crate) struct EventsArgs {
    /// Go on as new ones are seen; one JSON document a line with --json
    #[arg(long)]
    follow: bool,
    /// Only of this kind
    #[arg(long, value_name = "K", value_parser = event_kind)]
    kind: Option<ContradictionKind>,
}

fn event_kind(text: &str) -> Result<ContradictionKind, String> {
    text.parse().map_err(|_| {
        let names: Vec<&str> = ContradictionKind::ALL
            .iter()
            .map(|kind| kind.name())
            .collect();
        format!(
            "{text:?} is no kind of event; choose one of {}",
            names.join(", ")
        )
    })
}

pub(crate) async fn events(context: &Context, args: EventsArgs) -> Result<(), Failure> {
    if args.follow {
        return follow(context, args).await;
    }
    let seen = context.memory.events(args.kind, 0).await?;
    let headings = ["#", "seen", "times", "kind", "code", "blames", "from"];
    context
        .out
        .report(&seen, |out, value| match items(value, "events") {
            [] => writeln!(out, "No contradiction was seen."),
            events => rows(out, &headings, events.iter().map(row)),
        })
}

/// Until the output is closed.
async fn follow(context: &Context, args: EventsArgs) -> Result<(), Failure> {
    let mut after = 0;
    loop {
        let seen = context.memory.events(args.kind, after).await?;
        let lines = texts(seen.detail("lines"), "");
        for (event, json) in items(seen.value(), "events").iter().zip(lines) {
            after = number(event, "number");
            let line = match context.out.form() {
                Form::Json => terminal::plain_json(&json),
                Form::Human => terminal::plain(&row(event).join("  "), LIMIT),
            };
            let mut out = io::stdout().lock();
            writeln!(out, "{line}")?;
            out.flush()?;
        }
        thread::sleep(PERIOD);
    }
}

fn row(event: &Value) -> Vec<String> {
    let times = count(number(event, "count"), "time", "times");
    let blames = match event.get("attributable") {
        Some(Value::Bool(true)) => "{/subject/agent?/subject/agent:/subject/log}",
        _ => "the sender",
    };
    let cells = [
        "number",
        "detected_at",
        &times,
        "kind",
        "code",
        blames,
        "/source/transport",
    ];
    cells.map(|cell| filled(event, cell)).to_vec()
}

#[derive(Debug, Subcommand)]
pub(crate) enum ForkCommand {
    /// List the chains that forked
    List,
    /// Show the forks of a chain
    Show(ForkArgs),
    /// Write a proof that anyone can check
    Prove {
        #[command(flatten)]
        fork: ForkArgs,
        /// Output file [default: standard output]
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Check such a proof; needs no store
    Check(FileArgs),
    /// Compare a signed checkpoint of this log that someone else holds
    CheckCheckpoint(FileArgs),
    /// Decide which branch goes on
    Resolve(ResolveArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ForkArgs {
    /// The chain, named by its id or by a memory in it
    #[arg(value_name = "CHAIN")]
    chain: String,
}

#[derive(Debug, Args)]
pub(crate) struct FileArgs {
    /// The file to check
    file: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct ResolveArgs {
    #[command(flatten)]
    fork: ForkArgs,
    /// The first capsule of the branch that goes on, as `fork show` prints it
    #[arg(long, value_name = "HASH")]
    keep: Blake3Hash,
    /// Decide as the owner, for everyone: the file of the recovery key
    #[arg(long, value_name = "FILE", required_unless_present = "operator")]
    recovery_key: Option<PathBuf>,
    /// Decide as the operator, for this store alone
    #[arg(long, conflicts_with = "recovery_key")]
    operator: bool,
    /// Reason, for others
    #[arg(long, value_name = "R", allow_hyphen_values = true)]
    reason: String,
}

pub(crate) async fn run(context: &Context, command: ForkCommand) -> Result<(), Failure> {
    let (memory, out) = (&context.memory, &context.out);
    match command {
        ForkCommand::List => {
            let forks = memory.forks(None).await?;
            out.report(&forks, |out, value| list(out, items(value, "forks")))
        }
        ForkCommand::Show(args) => {
            let forks = memory.forks(Some(&args.chain)).await?;
            let chain = forks.detail("chain");
            out.report(&forks, |out, value| show(out, items(value, "forks"), chain))
        }
        ForkCommand::Prove { fork, output } => {
            let proof = memory.fork_proof(&fork.chain).await?;
            out.document(&proof, output.as_deref())
        }
        ForkCommand::Check(args) => {
            let checked = Memory::check_fork_proof(&args.file)?;
            out.report(&checked, |out, value| {
                writeln!(
                    out,
                    "Proven: one agent signed two capsules for one place.\n"
                )?;
                let lines = [
                    ("agent", "agent"),
                    ("chain", "chain"),
                    ("seq", "seq"),
                    ("one", "/capsules/0"),
                    ("other", "/capsules/1"),
                ];
                members(out, value, &lines)
            })
        }
        ForkCommand::CheckCheckpoint(args) => {
            let compared = memory.check_checkpoint(&args.file).await?;
            let lines = [
                ("log", "origin"),
                ("signed entries", "size"),
                ("entries here", "held"),
                ("history", "verdict"),
            ];
            out.lines(&compared, &lines)
        }
        ForkCommand::Resolve(args) => {
            let key = args.recovery_key.as_deref();
            let resolved = memory.resolve_fork(&args.fork.chain, args.keep, key, &args.reason);
            let resolved = resolved.await?;
            let lines = [
                ("chain", "chain"),
                ("forked at", "seq"),
                ("goes on with", "kept"),
                ("abandoned", "{abandoned:list}"),
                ("decided by", "by"),
                ("record", "record"),
                ("capsules added", "continued"),
            ];
            out.lines(&resolved, &lines)
        }
    }
}

fn list(out: &mut dyn Write, forks: &[Value]) -> io::Result<()> {
    if forks.is_empty() {
        return writeln!(out, "No chain has forked.");
    }
    let row = |fork: &Value| {
        let accepted = usize::from(!text(fork, "accepted").is_empty());
        let branches = items(fork, "others").len() + accepted;
        let [chain, at, state] = ["chain", "seq", "state"].map(|it| text(fork, it));
        [chain, at, branches.to_string(), state]
    };
    let headings = ["chain", "at", "branches", "state"];
    rows(out, &headings, forks.iter().map(row))
}

fn show(out: &mut dyn Write, forks: &[Value], chain: &Value) -> io::Result<()> {
    if forks.is_empty() {
        return writeln!(out, "Chain {} has not forked.", text(chain, ""));
    }
    for fork in forks {
        let named = [
            ("chain", "chain"),
            ("agent", "agent"),
            ("forked at", "seq"),
            ("state", "state"),
            ("in the chain", "?accepted"),
        ];
        let mut lines = lines_of(fork, &named);
        lines.extend(texts(fork, "others").map(|hash| ("beside it", hash)));
        pairs(out, &lines)?;
    }
    Ok(())
}
