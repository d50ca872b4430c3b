//! `fork`: chains for which their agent signed two capsules at one place (capsules 4.5, C8, C40).

use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;

use counterfoil_capsule::{Equivocation, EquivocationError};
use counterfoil_types::json::Value;
use serde::Serialize;

use crate::args::{ForkCommand, ForkResolveArgs};
use crate::context::Context;
use crate::failure::Failure;
use crate::files::write_file;
use crate::output::{items, members, pairs, table, text, write_table};

/// The most bytes of a proof.
const MAX_BYTES: u64 = 16 << 20;

pub(crate) async fn run(context: &Context, command: ForkCommand) -> Result<(), Failure> {
    match command {
        ForkCommand::List => {
            let forks = context.memory.forks(None).await?;
            context.out.report(&forks, |out| {
                let listed = forks.value();
                let forks = items(listed, "forks");
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
            })
        }
        ForkCommand::Show(args) => {
            let forks = context.memory.forks(Some(&args.chain)).await?;
            context.out.report(&forks, |out| {
                show(out, forks.value(), forks.detail("chain"))
            })
        }
        ForkCommand::Prove(args) => {
            let proof = context.memory.fork_proof(&args.fork.chain).await?;
            match args.output {
                Some(path) => {
                    write_file(&path, &proof)?;
                    context.out.written(&path)
                }
                None => context.out.text(&proof),
            }
        }
        ForkCommand::Check(args) => check(context, &args.file),
        ForkCommand::CheckCheckpoint(args) => {
            let compared = context.memory.check_checkpoint(&args.file).await?;
            context.out.report(&compared, |out| {
                let lines = [
                    ("log", "origin"),
                    ("signed entries", "size"),
                    ("entries here", "held"),
                    ("history", "verdict"),
                ];
                members(out, compared.value(), &lines)
            })
        }
        ForkCommand::Resolve(args) => resolve(context, args).await,
    }
}

fn show(out: &mut dyn Write, listed: &Value, chain: &Value) -> io::Result<()> {
    let forks = items(listed, "forks");
    if forks.is_empty() {
        return writeln!(out, "Chain {} has not forked.", text(chain, ""));
    }
    for fork in forks {
        let mut lines = vec![
            ("chain", text(fork, "chain")),
            ("agent", text(fork, "agent")),
            ("forked at", text(fork, "seq")),
            ("state", text(fork, "state")),
        ];
        let accepted = fork.get("accepted").and_then(Value::as_str);
        lines.extend(accepted.map(|hash| ("in the chain", hash.to_owned())));
        let others = items(fork, "others").iter();
        lines.extend(others.map(|hash| ("beside it", text(hash, ""))));
        pairs(out, &lines)?;
    }
    Ok(())
}

async fn resolve(context: &Context, args: ForkResolveArgs) -> Result<(), Failure> {
    let key = args.recovery_key.as_deref();
    let resolved = context
        .memory
        .resolve_fork(&args.fork.chain, args.keep, key, &args.reason)
        .await?;
    context.out.report(&resolved, |out| {
        let it = |name| text(resolved.value(), name);
        let abandoned = items(resolved.value(), "abandoned").iter();
        let abandoned: Vec<String> = abandoned.map(|hash| text(hash, "")).collect();
        pairs(
            out,
            &[
                ("chain", it("chain")),
                ("forked at", it("seq")),
                ("goes on with", it("kept")),
                ("abandoned", abandoned.join(" ")),
                ("decided by", it("by")),
                ("record", it("record")),
                ("capsules added", it("continued")),
            ],
        )
    })
}

#[derive(Debug, Serialize)]
struct Checked {
    proven: bool,
    agent: String,
    chain: String,
    seq: u64,
    capsules: [String; 2],
}

/// Needs neither store nor log.
fn check(context: &Context, path: &Path) -> Result<(), Failure> {
    let mut bytes = Vec::new();
    fs::File::open(path)
        .and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes))
        .map_err(|error| {
            Failure::input(
                format_args!("{} cannot be read ({error})", path.display()),
                "check the path and your rights",
            )
        })?;
    let fork = Equivocation::parse(bytes.trim_ascii_end()).map_err(|error| refused(&error))?;
    fork.check_alone().map_err(|error| refused(&error))?;
    let checked = Checked {
        proven: true,
        agent: fork.agent().to_string(),
        chain: fork.chain().to_string(),
        seq: fork.seq(),
        capsules: fork
            .capsules()
            .each_ref()
            .map(|capsule| capsule.header().hash().to_string()),
    };
    context.out.answer(&checked, |out| {
        writeln!(
            out,
            "Proven: one agent signed two capsules for one place.\n"
        )?;
        let [one, other] = &checked.capsules;
        pairs(
            out,
            &[
                ("agent", checked.agent.clone()),
                ("chain", checked.chain.clone()),
                ("seq", checked.seq.to_string()),
                ("one", one.clone()),
                ("other", other.clone()),
            ],
        )
    })
}

fn refused(error: &EquivocationError) -> Failure {
    Failure::refused(
        format_args!("no proof of a fork: {error}"),
        "do not pass it on",
    )
}
