//! Erasing, forgetting, and the decision of an authority that something is forgotten for all (C20, MEM-MAINT).

use std::fmt;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::{ArgAction, Args};
use counterfoil::{DerivedPolicy, ErasureScope};
use counterfoil_capsule::documents::ForgetDecision;
use counterfoil_types::json::{Limits, Value, parse};
use counterfoil_verify::{read_file, terminal};

use crate::context::Context;
use crate::failure::{ErrorKind, Failure};
use crate::input::{Choice, one_of};
use crate::output::{count, each, filled, items, lines_of, notice, pairs};

/// The most characters of an id or a reason that are shown.
const LIMIT: usize = 1024;

#[derive(Debug, Args)]
pub(crate) struct EraseArgs {
    /// The memory's id
    #[arg(value_name = "MEMORY")]
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
    #[arg(long, value_parser = one_of(&DERIVED))]
    pub(crate) derived: Option<DerivedPolicy>,
}

/// Treatment of memories that were made from an erased one.
const DERIVED: [Choice<DerivedPolicy>; 2] = [
    ("take", "Erase them as well", DerivedPolicy::Take),
    (
        "keep",
        "Keep them; the certificate names each",
        DerivedPolicy::Keep,
    ),
];

pub(crate) async fn erase(context: &Context, args: EraseArgs) -> Result<(), Failure> {
    let memory = &context.memory;
    let derived = memory.derived(&args.world_id, args.all_versions).await?;
    let derived = derived.value().as_array().map_or(&[][..], Vec::as_slice);
    let policy = match args.derived {
        Some(policy) => policy,
        None => ask_for_derived(&args, derived)?,
    };
    let takes = policy == DerivedPolicy::Take && !derived.is_empty();
    if !args.yes && (takes || !memory.is_erased(&args.world_id).await?) {
        ask(&args)?;
    }
    let scope = ErasureScope {
        all_versions: args.all_versions,
        derived: policy,
    };
    let certificate = memory.erase(&args.world_id, &args.reason, scope).await?;
    context.out.report(&certificate, |out, value| {
        for erased in items(value, "erased") {
            one(out, erased)?;
            writeln!(out)?;
        }
        for line in each(value, &[("keysDestroyed", "{folder}: its key in {keys} is destroyed")]) {
            writeln!(out, "{line}")?;
        }
        let copies = value.get("copies").unwrap_or(&Value::Null);
        let copied = [
            (
                "versions",
                "version {seq} ({id}): {saysTheSame?says the same; `counterfoil erase` with --all-versions reaches \
                 it:what did not change stands in it}",
            ),
            ("segments", "{segment}: `{removedBy}` removes it"),
            (
                "held",
                "{class} document {document}, which was not accepted: `counterfoil gc` removes it in time",
            ),
            ("sameData", "{}: says the same"),
            (
                "derived",
                "{kind} {id}: was made from {source}; `counterfoil erase` with --derived take reaches it",
            ),
            (
                "exchanges",
                "exchange {}: a memory came with it, and its question is kept",
            ),
            ("shipped", "{folder}, shipped to: {obstacle}"),
        ];
        let remain: Vec<String> = each(copies, &copied).collect();
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
fn ask_for_derived(args: &EraseArgs, derived: &[Value]) -> Result<DerivedPolicy, Failure> {
    if derived.is_empty() {
        return Ok(DerivedPolicy::Keep);
    }
    for memory in derived {
        notice(filled(
            memory,
            "{kind} {id}, made from {source}: {says|no text here}",
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
        true => Ok(DerivedPolicy::Take),
        false => Ok(DerivedPolicy::Keep),
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
    let content = bytes("/gone/payloadBytes").unwrap_or_default();
    let mut gone = vec![content + " of content", "its salt".to_owned()];
    gone.extend(bytes("/gone/deltaBytes").map(|bytes| bytes + " of change"));
    let next = bytes("/gone/nextDelta/bytes");
    gone.extend(next.map(|bytes| bytes + " of the next version's change"));
    let proven = "log entry {index}, which names content and size";
    let redaction = "log entry {/redaction/index}, {/redaction/recordedAt}";
    let mut lines = lines_of(
        erased,
        &[
            ("erased", "id"),
            ("", "{erasedNow?now:already, before}"),
            ("was made from", "?source"),
        ],
    );
    lines.push(("gone", gone.join(", ")));
    let rest = [
        ("capsule", "capsule"),
        ("chain", "{chain}, number {seq}"),
        ("still proven by", proven),
        ("redaction", redaction),
        ("reason", "/redaction/document/reason"),
        ("by", "/redaction/document/by"),
    ];
    lines.extend(lines_of(erased, &rest));
    pairs(out, &lines)
}

#[derive(Debug, Args)]
pub(crate) struct ForgetArgs {
    /// The memory's id; any version of it selects the whole memory
    #[arg(
        value_name = "MEMORY",
        required_unless_present = "list",
        conflicts_with = "list"
    )]
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
    #[arg(long = "for", id = "for", value_name = "WHOM", action = ArgAction::Set, default_value = "actor", value_parser = one_of(&SCOPES))]
    pub(crate) for_all: bool,
    /// The authority's decision, as `counterfoil decide forget` writes it
    #[arg(long, value_name = "FILE", required_if_eq("for", "global"))]
    pub(crate) decision: Option<PathBuf>,
    /// List the forgotten memories, with the agent and the reason
    #[arg(long)]
    pub(crate) list: bool,
}

/// For whom something is forgotten, and whether that is for all.
const SCOPES: [Choice<bool>; 2] = [
    ("actor", "For this store's agent", false),
    (
        "global",
        "For all; an authority has to have decided so",
        true,
    ),
];

pub(crate) async fn forget(context: &Context, args: ForgetArgs) -> Result<(), Failure> {
    let (Some(id), Some(reason)) = (&args.world_id, &args.reason) else {
        let forgotten = context.memory.forgotten().await?;
        let columns = [
            ("memory", "/tombstone/world"),
            ("for", FOR_WHOM),
            ("since", "recordedAt"),
            ("entry", "index"),
            ("reason", "/tombstone/reason"),
        ];
        let list = ("", "Nothing is forgotten.");
        return context.out.list(&forgotten, list, &columns);
    };
    context.memory.must_exist()?;
    let forgotten = match (args.for_all, &args.decision) {
        (false, None) => context.memory.forget(id, reason).await?,
        (false, Some(_)) => {
            return Err(Failure::input(
                "an agent decides by itself what it forgets",
                "leave --decision out, or give --for global",
            ));
        }
        (true, Some(file)) => {
            let decision = decision(file)?;
            context.memory.forget_for_all(id, reason, &decision).await?
        }
        (true, None) => {
            return Err(Failure::input(
                "to forget for all needs an authority's decision",
                "give --decision",
            ));
        }
    };
    let lines = [
        ("forgotten", "/tombstone/world"),
        ("", "{forgottenNow?now:already, before}"),
        ("for", FOR_WHOM),
        ("tombstone", "log entry {index}, {recordedAt}"),
        ("reason", "/tombstone/reason"),
    ];
    context.out.lines(&forgotten, &lines)
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

/// The agent, or all by an authority's decision.
const FOR_WHOM: &str = "{/tombstone/decision?all:/tombstone/actor}";
