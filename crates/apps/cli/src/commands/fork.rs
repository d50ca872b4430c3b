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
use crate::output::{count, filled, items, members, number, pairs, table, text, write_table};

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
    context.out.report(&seen, |out| {
        let events = items(seen.value(), "events");
        if events.is_empty() {
            return writeln!(out, "No contradiction was seen.");
        }
        let mut rows = table(&["#", "seen", "times", "kind", "code", "blames", "from"]);
        rows.add_rows(events.iter().map(row));
        write_table(out, &rows)
    })
}

/// Until the output is closed.
async fn follow(context: &Context, args: EventsArgs) -> Result<(), Failure> {
    let mut after = 0;
    loop {
        let seen = context.memory.events(args.kind, after).await?;
        let lines = seen.detail("lines").as_array().into_iter().flatten();
        for (event, json) in items(seen.value(), "events").iter().zip(lines) {
            after = number(event, "number");
            let line = match context.out.form() {
                Form::Json => terminal::plain_json(json.as_str().unwrap_or_default()),
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
        Some(Value::Bool(true)) => {
            let agent = filled(event, "/subject/agent");
            if agent.is_empty() {
                filled(event, "/subject/log")
            } else {
                agent
            }
        }
        _ => "the sender".to_owned(),
    };
    let it = |name| filled(event, name);
    vec![
        it("number"),
        it("detected_at"),
        times,
        it("kind"),
        it("code"),
        blames,
        it("/source/transport"),
    ]
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
            out.report(&forks, |out| list(out, items(forks.value(), "forks")))
        }
        ForkCommand::Show(args) => {
            let forks = memory.forks(Some(&args.chain)).await?;
            out.report(&forks, |out| {
                let chain = forks.detail("chain");
                show(out, items(forks.value(), "forks"), chain)
            })
        }
        ForkCommand::Prove { fork, output } => {
            let proof = memory.fork_proof(&fork.chain).await?;
            out.document(&proof, output.as_deref())
        }
        ForkCommand::Check(args) => {
            let checked = Memory::check_fork_proof(&args.file)?;
            out.report(&checked, |out| {
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
                members(out, checked.value(), &lines)
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
            out.report(&resolved, |out| {
                let value = resolved.value();
                let abandoned = items(value, "abandoned").iter();
                let abandoned: Vec<String> = abandoned.map(|hash| text(hash, "")).collect();
                let it = |name| text(value, name);
                let lines = [
                    ("chain", it("chain")),
                    ("forked at", it("seq")),
                    ("goes on with", it("kept")),
                    ("abandoned", abandoned.join(" ")),
                    ("decided by", it("by")),
                    ("record", it("record")),
                    ("capsules added", it("continued")),
                ];
                pairs(out, &lines)
            })
        }
    }
}

fn list(out: &mut dyn Write, forks: &[Value]) -> io::Result<()> {
    if forks.is_empty() {
        return writeln!(out, "No chain has forked.");
    }
    let mut rows = table(&["chain", "at", "branches", "state"]);
    for fork in forks {
        let accepted = usize::from(!text(fork, "accepted").is_empty());
        let branches = items(fork, "others").len() + accepted;
        rows.add_row(vec![
            text(fork, "chain"),
            text(fork, "seq"),
            branches.to_string(),
            text(fork, "state"),
        ]);
    }
    write_table(out, &rows)
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
        ];
        let mut lines = named
            .map(|(heading, name)| (heading, text(fork, name)))
            .to_vec();
        let accepted = fork.get("accepted").and_then(Value::as_str);
        lines.extend(accepted.map(|hash| ("in the chain", hash.to_owned())));
        let others = items(fork, "others").iter();
        lines.extend(others.map(|hash| ("beside it", text(hash, ""))));
        pairs(out, &lines)?;
    }
    Ok(())
}
