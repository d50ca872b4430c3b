//! Erasing, forgetting, and the decision of an authority that something is forgotten for all (C20, MEM-MAINT).

use std::fmt;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use counterfoil::{DerivedPolicy, ErasureScope};
use counterfoil_capsule::documents::ForgetDecision;
use counterfoil_types::DidKey;
use counterfoil_types::json::{Limits, Value, parse};
use counterfoil_verify::{read_file, terminal};

use crate::context::Context;
use crate::failure::{ErrorKind, Failure};
use crate::output::{count, filled, items, json_text, notice, pairs, table, text, write_table};

/// The most characters of an id or a reason that are shown.
const LIMIT: usize = 1024;

#[derive(Debug, Args)]
pub(crate) struct EraseArgs {
    /// The memory's id
    pub(crate) world_id: String,
    /// Reason; it is kept for ever, so do not repeat the erased content
    #[arg(long, value_name = "R", allow_hyphen_values = true)]
    pub(crate) reason: String,
    /// Do not ask
    #[arg(long)]
    pub(crate) yes: bool,
    /// Erase every version of it
    #[arg(long)]
    pub(crate) all_versions: bool,
    /// Treatment of memories that were made from it: derivations, claims that cite it, and all that follows from these
    /// [default: a question on the terminal; required without one]
    #[arg(long, value_enum)]
    pub(crate) derived: Option<Derived>,
}

/// Treatment of memories that were made from an erased one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Derived {
    /// Erase them as well
    Take,
    /// Keep them; the certificate names each
    Keep,
}

pub(crate) async fn erase(context: &Context, args: EraseArgs) -> Result<(), Failure> {
    let memory = &context.memory;
    let derived = memory.derived(&args.world_id, args.all_versions).await?;
    let derived = derived.value().as_array().map_or(&[][..], Vec::as_slice);
    let policy = match args.derived {
        Some(policy) => policy,
        None => ask_for_derived(&args, derived)?,
    };
    let takes = policy == Derived::Take && !derived.is_empty();
    if !args.yes && (takes || !memory.is_erased(&args.world_id).await?) {
        ask(&args)?;
    }
    let scope = ErasureScope {
        all_versions: args.all_versions,
        derived: match policy {
            Derived::Take => DerivedPolicy::Take,
            Derived::Keep => DerivedPolicy::Keep,
        },
    };
    let certificate = memory.erase(&args.world_id, &args.reason, scope).await?;
    context.out.report(&certificate, |out| {
        let value = certificate.value();
        for erased in items(value, "erased") {
            one(out, erased)?;
            writeln!(out)?;
        }
        let copies = value.get("copies").unwrap_or(&Value::Null);
        let versions = items(copies, "versions").iter().map(|version| {
            let why = match version.get("saysTheSame") {
                Some(Value::Bool(true)) => {
                    "version {seq} ({worldId}): says the same; `counterfoil erase` with --all-versions reaches it"
                }
                _ => "version {seq} ({worldId}): what did not change stands in it",
            };
            filled(version, why)
        });
        let others = [
            ("segments", "{segment}: `{removedBy}` removes it"),
            (
                "held",
                "{class} document {document}, which was not accepted: `counterfoil gc` removes it in time",
            ),
            ("sameData", "{}: says the same"),
            (
                "derived",
                "{kind} {worldId}: was made from {source}; `counterfoil erase` with --derived take reaches it",
            ),
            (
                "exchanges",
                "exchange {}: a memory came with it, and its question is kept",
            ),
        ];
        let others = others.into_iter().flat_map(|(name, line)| {
            let copies = items(copies, name).iter();
            copies.map(move |copy| filled(copy, line))
        });
        let remain: Vec<String> = versions.chain(others).collect();
        match remain.is_empty() {
            true => write!(out, "No copy is known to remain here. ")?,
            false => writeln!(out, "Copies that are known to remain:")?,
        }
        for line in remain {
            writeln!(out, "  {line}")?;
        }
        writeln!(
            out,
            "Exports, backups and what others were given are not reached."
        )
    })
}

/// Lists the memories that were made from it, and asks whether they are erased as well.
fn ask_for_derived(args: &EraseArgs, derived: &[Value]) -> Result<Derived, Failure> {
    if derived.is_empty() {
        return Ok(Derived::Keep);
    }
    for memory in derived {
        notice(filled(
            memory,
            "{kind} {worldId}, made from {source}: {says|no text here}",
        ));
    }
    let number = u64::try_from(derived.len()).unwrap_or(u64::MAX);
    let were = count(number, "memory was", "memories were");
    if args.yes || !is_attended() {
        return Err(Failure::input(
            format_args!("nothing was erased: {were} made from it, as listed"),
            "give --derived take to erase them as well, or --derived keep",
        ));
    }
    match confirmed(format_args!("Erase what was made from it as well? [y/N] "))? {
        true => Ok(Derived::Take),
        false => Ok(Derived::Keep),
    }
}

/// Asks for confirmation, as erasure is final; `--yes` skips the question.
fn ask(args: &EraseArgs) -> Result<(), Failure> {
    let refused = |what: &str| {
        Failure::input(
            format_args!("nothing was erased: {what}"),
            "give --yes to erase without being asked",
        )
    };
    if !is_attended() {
        return Err(refused("there is nobody to ask"));
    }
    let what = if args.all_versions {
        "every version of "
    } else {
        ""
    };
    let id = terminal::plain(&args.world_id, LIMIT);
    match confirmed(format_args!(
        "Erase the content of {what}{id} for good? [y/N] "
    ))? {
        true => Ok(()),
        false => Err(refused("you did not say yes")),
    }
}

/// Tests whether there is a person who can be asked.
fn is_attended() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks a question. Returns true for a yes.
fn confirmed(question: fmt::Arguments<'_>) -> io::Result<bool> {
    let mut asked = io::stderr().lock();
    asked.write_fmt(question)?;
    asked.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

fn one(out: &mut dyn Write, erased: &Value) -> io::Result<()> {
    let bytes = |name| {
        let bytes = erased.pointer(name).and_then(Value::as_u64);
        bytes.map(|bytes| count(bytes, "byte", "bytes"))
    };
    let when = match erased.get("erasedNow") {
        Some(Value::Bool(true)) => "now",
        _ => "already, before",
    };
    let content = bytes("/gone/payloadBytes").unwrap_or_default();
    let mut gone = vec![content + " of content", "its salt".to_owned()];
    gone.extend(bytes("/gone/deltaBytes").map(|bytes| bytes + " of change"));
    let next = bytes("/gone/nextDelta/bytes");
    gone.extend(next.map(|bytes| bytes + " of the next version's change"));
    let proven = "log entry {index}, which names content and size";
    let redaction = "log entry {/redaction/index}, {/redaction/recordedAt}";
    let it = |template| filled(erased, template);
    let mut lines = vec![
        ("erased", it("worldId")),
        ("", when.to_owned()),
        ("gone", gone.join(", ")),
        ("capsule", it("capsule")),
        ("chain", it("{chain}, number {seq}")),
        ("still proven by", it(proven)),
        ("redaction", it(redaction)),
        ("reason", it("/redaction/document/reason")),
        ("by", it("/redaction/document/by")),
    ];
    if erased.get("source").is_some_and(Value::is_string) {
        lines.insert(2, ("was made from", it("source")));
    }
    pairs(out, &lines)
}

#[derive(Debug, Args)]
pub(crate) struct ForgetArgs {
    /// The memory's id; any version of it selects the whole memory
    #[arg(required_unless_present = "list", conflicts_with = "list")]
    pub(crate) world_id: Option<String>,
    /// Why; it is kept for ever
    #[arg(
        long,
        value_name = "R",
        required_unless_present = "list",
        allow_hyphen_values = true
    )]
    pub(crate) reason: Option<String>,
    /// For whom
    #[arg(long, value_enum, default_value_t = ForgetFor::Actor)]
    pub(crate) scope: ForgetFor,
    /// The authority's decision, as `counterfoil decide forget` writes it
    #[arg(long, value_name = "FILE", required_if_eq("scope", "global"))]
    pub(crate) decision: Option<PathBuf>,
    /// List the forgotten memories, with the agent and the reason
    #[arg(long)]
    pub(crate) list: bool,
}

/// For whom something is forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ForgetFor {
    /// For this store's agent
    Actor,
    /// For all; an authority has to have decided so
    Global,
}

pub(crate) async fn forget(context: &Context, args: ForgetArgs) -> Result<(), Failure> {
    let (Some(id), Some(reason)) = (&args.world_id, &args.reason) else {
        let forgotten = context.memory.forgotten().await?;
        return context.out.report(&forgotten, |out| {
            let document = forgotten.value();
            let tombstones = document.as_array().map(Vec::as_slice).unwrap_or_default();
            if tombstones.is_empty() {
                return writeln!(out, "Nothing is forgotten.");
            }
            let mut table = table(&["world", "for", "since", "entry", "reason"]);
            for tombstone in tombstones {
                table.add_row([
                    filled(tombstone, "/tombstone/world"),
                    for_whom(tombstone),
                    filled(tombstone, "recordedAt"),
                    filled(tombstone, "index"),
                    filled(tombstone, "/tombstone/reason"),
                ]);
            }
            write_table(out, &table)
        });
    };
    context.memory.must_exist()?;
    let forgotten = match (args.scope, &args.decision) {
        (ForgetFor::Actor, None) => context.memory.forget(id, reason).await?,
        (ForgetFor::Actor, Some(_)) => {
            return Err(Failure::input(
                "an agent decides by itself what it forgets",
                "leave --decision out, or give --scope global",
            ));
        }
        (ForgetFor::Global, Some(file)) => {
            let decision = decision(file)?;
            context.memory.forget_for_all(id, reason, &decision).await?
        }
        (ForgetFor::Global, None) => {
            return Err(Failure::input(
                "to forget for all needs an authority's decision",
                "give --decision",
            ));
        }
    };
    context.out.report(&forgotten, |out| {
        let tombstone = forgotten.value();
        let when = match tombstone.get("forgottenNow") {
            Some(Value::Bool(true)) => "now",
            _ => "already, before",
        };
        pairs(
            out,
            &[
                ("forgotten", filled(tombstone, "/tombstone/world")),
                ("", when.to_owned()),
                ("for", for_whom(tombstone)),
                (
                    "tombstone",
                    filled(tombstone, "log entry {index}, {recordedAt}"),
                ),
                ("reason", filled(tombstone, "/tombstone/reason")),
            ],
        )
    })
}

fn decision(file: &Path) -> Result<Value, Failure> {
    let bytes = read_file("decision", file, Limits::PROOF.bytes)
        .map_err(|error| Failure::new(ErrorKind::Input, error))?;
    let value =
        parse(&bytes, Limits::PROOF).map_err(|error| Failure::json(file.display(), &error))?;
    ForgetDecision::parse(&value).map_err(|error| {
        Failure::input(
            format_args!("{}: {error}", file.display()),
            "ask the authority for a decision made by `counterfoil decide forget`",
        )
    })?;
    Ok(value)
}

fn for_whom(tombstone: &Value) -> String {
    match text(tombstone, "/tombstone/scope").as_str() {
        "actor" => filled(tombstone, "/tombstone/actor"),
        _ => "all".to_owned(),
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum DecideCommand {
    /// Decide that a memory is forgotten for all
    Forget(DecideForgetArgs),
}

#[derive(Debug, Args)]
pub(crate) struct DecideForgetArgs {
    /// The memory's id
    pub(crate) world_id: String,
    /// The agent who may act on it
    #[arg(long, value_name = "DID")]
    pub(crate) actor: DidKey,
    /// Why; it is kept for ever
    #[arg(long, value_name = "R", allow_hyphen_values = true)]
    pub(crate) reason: String,
    /// The key file of the authority that decides
    #[arg(long, value_name = "FILE")]
    pub(crate) key: PathBuf,
    /// Output file of the decision [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// Needs no store: the key is the authority's, and the memory somebody else's.
pub(crate) fn decide(context: &Context, command: DecideCommand) -> Result<(), Failure> {
    let DecideCommand::Forget(args) = command;
    let (id, key) = (&args.world_id, &args.key);
    let memory = &context.memory;
    let decision = memory.sign_forget_decision(id, args.actor, &args.reason, key)?;
    let text = json_text(&decision)?;
    context.out.document(&text, args.output.as_deref())
}
