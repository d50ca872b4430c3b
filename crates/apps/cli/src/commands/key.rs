//! `key`: the agent's keys over its life, from the commitment to the replacement of a stolen one (capsules 4.7).

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, Subcommand};
use counterfoil::{Report, write_file};
use counterfoil_types::json::Value;
use counterfoil_verify::DEFAULT_AUDIENCE;
use serde_json::json;

use crate::context::Context;
use crate::failure::Failure;
use crate::output::{each, filled, items, members, pairs, text};

/// Location of the keys that take over.
#[derive(Debug, Clone, Args)]
pub(crate) struct RecoveryArgs {
    /// The folder with the next key and the recovery key [default: recovery, in the store's folder]
    #[arg(long, value_name = "DIR", id = "recovery_dir")]
    pub(crate) recovery_dir: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeyCommand {
    /// Show the agent, its keys, what it has committed to, and where the files are
    Show(RecoveryArgs),
    /// Commit an older store's agent to a next key and a recovery key
    Begin(RecoveryArgs),
    /// Let the next key take over
    Rotate(RecoveryArgs),
    /// Say from which entry of the log on a key was in other hands
    Compromise(CompromiseArgs),
    /// Write the public history of the agent's keys, one capsule a line
    Export(KeyExportArgs),
    /// Make a key for an authority, which has no store, and print its line for the file `authorities` of others
    New(KeyNewArgs),
    /// Seal the key files under a passphrase
    Encrypt(RecoveryArgs),
    /// Take the passphrase from the key files
    Decrypt(RecoveryArgs),
}

#[derive(Debug, Args)]
pub(crate) struct CompromiseArgs {
    /// The number of the first log entry that is not believed: its `log index` in `counterfoil show`
    #[arg(long, value_name = "SEQ")]
    from: u64,
    /// Reason, for others
    #[arg(long, value_name = "R", allow_hyphen_values = true)]
    reason: String,
    /// The number of the key [default: the one that signed that entry]
    #[arg(long, value_name = "N")]
    key: Option<u64>,
    #[command(flatten)]
    recovery: RecoveryArgs,
}

#[derive(Debug, Args)]
pub(crate) struct KeyNewArgs {
    /// File of the new key; nothing is replaced
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Name of the authority, as its policy states it
    #[arg(long, value_name = "AUTHORITY", default_value = DEFAULT_AUDIENCE)]
    name: String,
    /// Seal the key under a passphrase
    #[arg(long)]
    passphrase: bool,
}

#[derive(Debug, Args)]
pub(crate) struct KeyExportArgs {
    /// Output file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(crate) async fn run(context: &Context, command: KeyCommand) -> Result<(), Failure> {
    let (memory, out) = (&context.memory, &context.out);
    match command {
        KeyCommand::Show(args) => {
            let shown = memory.keys(args.recovery_dir).await?;
            out.report(&shown, |out, value| show(out, value, &shown))
        }
        KeyCommand::Begin(args) => {
            let begun = memory.begin_keys(args.recovery_dir).await?;
            out.report(&begun, |out, value| {
                members(out, value, &[("agent", "agent"), ("index", "index")])?;
                let folder = text(value, "recoveryDir");
                writeln!(out, "\nMove {folder} to another medium.")
            })
        }
        KeyCommand::Rotate(args) => {
            let rotated = memory.rotate_key(args.recovery_dir).await?;
            out.report(&rotated, |out, value| {
                let lines = [
                    ("agent", "agent"),
                    ("key", "number {number}, {key}"),
                    ("index", "index"),
                ];
                members(out, value, &lines)?;
                writeln!(
                    out,
                    "\nGive out new anchors, and keep a new copy of the keys and of {}.",
                    text(value, "recoveryDir")
                )
            })
        }
        KeyCommand::Compromise(args) => args.run(context).await,
        KeyCommand::Export(args) => {
            let (text, records) = memory.export_keys().await?;
            let Some(path) = args.output else {
                return out.text(&text);
            };
            write_file(&path, &text)?;
            let written = json!({ "output": path.display().to_string(), "records": records });
            out.answer(&written, |out| {
                members(
                    out,
                    &written,
                    &[("written to", "output"), ("records", "records")],
                )
            })
        }
        KeyCommand::New(args) => args.run(context),
        KeyCommand::Encrypt(args) => sealed(context, &memory.seal_keys(true, args.recovery_dir)?),
        KeyCommand::Decrypt(args) => sealed(context, &memory.seal_keys(false, args.recovery_dir)?),
    }
}

fn show(out: &mut dyn Write, value: &Value, shown: &Report) -> io::Result<()> {
    let next = match value.get("chain") {
        Some(_) => [
            ("chain", "/chain/id"),
            ("next key", "/chain/nextKey"),
            ("recovery key", "/chain/recoveryKey"),
        ]
        .as_slice(),
        None => &[(
            "next key",
            "none is committed to: run `counterfoil key begin`",
        )],
    };
    let lines = [("agent", "agent"), ("key", "number {number}, {key}")];
    members(out, value, &[&lines, next].concat())?;
    for key in items(value, "keys") {
        if key.get("compromised").is_some() {
            let line = "key number {number} was in other hands from entry {/compromised/from} of \
                        {/compromised/log} on ({/compromised/fromTime})";
            writeln!(out, "{}", filled(key, line))?;
        }
    }
    writeln!(out)?;
    let files = items(value, "files").iter().map(|file| {
        let name = file.get("name").and_then(Value::as_str).unwrap_or_default();
        (name, filled(file, "{path}: {state}"))
    });
    pairs(out, &files.collect::<Vec<_>>())?;
    match shown.detail("together") {
        Value::Bool(true) => writeln!(
            out,
            "\nThe keys that take over lie beside the one that signs: move them to another medium."
        ),
        _ => Ok(()),
    }
}

impl KeyNewArgs {
    fn run(self, context: &Context) -> Result<(), Failure> {
        if self.name.is_empty() || !self.name.bytes().all(|it| it.is_ascii_graphic()) {
            return Err(Failure::input(
                format_args!("{:?} is no name of an authority", self.name),
                "give printable ASCII without spaces",
            ));
        }
        let builder = match self.passphrase {
            true => context.builder.clone().sealed(),
            false => context.builder.clone(),
        };
        let key = builder.build().new_key(&self.file)?;
        let line = format!("{key} {}", self.name);
        let made = json!({ "output": self.file.display().to_string(), "key": key, "line": line });
        context.out.answer(&made, |out| {
            members(out, &made, &[("written to", "output"), ("line", "line")])
        })
    }
}

impl CompromiseArgs {
    async fn run(self, context: &Context) -> Result<(), Failure> {
        let (memory, recovery_dir) = (&context.memory, self.recovery.recovery_dir);
        let marked = memory.mark_compromised(self.from, self.key, &self.reason, recovery_dir);
        let marked = marked.await?;
        context.out.report(&marked, |out, value| {
            let lines = [
                ("key", "number {number}, {key}"),
                ("contested", "from entry {from}, {fromTime}"),
                ("index", "index"),
            ];
            members(out, value, &lines)?;
            if value.get("current") == Some(&Value::Bool(true)) {
                writeln!(out, "\nThis key still signs: run `counterfoil key rotate`.")?;
            }
            writeln!(
                out,
                "\nGive out new anchors: the key is not in them any more."
            )
        })
    }
}

fn sealed(context: &Context, done: &Report) -> Result<(), Failure> {
    context.out.report(done, |out, value| {
        let lists = [("written", "written  {}"), ("notHere", "not here  {}")];
        each(value, &lists).try_for_each(|line| writeln!(out, "{line}"))?;
        match items(value, "written") {
            [] => writeln!(out, "Nothing had to be changed."),
            _ => Ok(()),
        }
    })
}
