//! `validate`: every capsule against its header, its chain and the log, told as it goes (CAP "Validation"; C16).

use std::io::{self, Write};
use std::path::Path;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use counterfoil_capsule::Verdict;
use counterfoil_capsule::documents::{
    CapsuleName, ContradictionKind, Evidence, Observation, Source, Suspect,
};
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::pool::{
    CapsuleVerdict, ChainHead, Findings, LogState, PoolAnomalies, PoolItem, PoolReport,
    PoolVerdict, Signatures, Validation,
};
use counterfoil_store::{MemoryPool, StoreError};
use counterfoil_verify::{Form, terminal};
use serde_json::{Map, Value, json};

use crate::args::{SignatureCheck, ValidateArgs};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::count;
use crate::output::notice;

/// The most characters of a line for a person.
const LIMIT: usize = 400;
/// How many lines may wait to be written.
const WAITING: usize = 4096;

/// What an erasure that the log records is taken for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Erased {
    /// Not decidable: exit 2.
    Open,
    /// In order.
    Accepted,
}

pub(crate) async fn run(context: &Context, args: ValidateArgs) -> Result<(), Failure> {
    let folder = args.archive.unwrap_or_else(|| context.home.archive());
    let erased = if args.erased_ok {
        Erased::Accepted
    } else {
        Erased::Open
    };
    let how = Validation {
        signatures: match args.signatures {
            SignatureCheck::Each => Signatures::Each,
            SignatureCheck::Checkpoint => Signatures::Checkpoint,
        },
        findings: if args.all {
            Findings::All
        } else {
            Findings::First
        },
        segments: args.deep.then(|| folder.clone()),
    };
    let store = match context.home.reader() {
        Ok(store) => store,
        Err(error) => return Err(broken(error.into_store()?)),
    };
    let report = told(&store, how, context.out.form()).await?;
    if report.invalid > 0
        && let Err(failure) = note_corruption(context, &report).await
    {
        notice(format_args!("no event was written ({failure})"));
    }
    summarise(context.out.form(), &report)?;
    outcome(&report, erased, &folder)
}

/// Something accepted does not verify any more: that is an event, and never a reason to delete (D53).
async fn note_corruption(context: &Context, report: &PoolReport) -> Result<(), Failure> {
    let store = context.home.writer()?;
    let detector = context.home.agent_public()?;
    for bad in &report.first_bad {
        store.observe(detector, corruption(bad)).await?;
    }
    Ok(())
}

fn corruption(bad: &CapsuleVerdict) -> Observation {
    let code = match bad.verdict {
        Verdict::Invalid { code, .. } => code.name(),
        _ => "E_SCHEMA",
    };
    let capsule = bad.named.as_ref().map(|named| CapsuleName {
        agent: named.agent,
        chain: named.chain,
        seq: named.seq,
        capsule_hash: named.capsule,
        record: None,
    });
    // What is damaged proves nothing: a digest of its place tells one damage from the other.
    let hash = capsule.map(|it| it.capsule_hash.to_string());
    let place = format!("{} {}", bad.index, hash.unwrap_or_default());
    Observation {
        kind: ContradictionKind::Corruption,
        code: code.to_owned(),
        subject: Suspect::Entry {
            index: bad.index,
            capsule,
        },
        source: Source::way("store"),
        expected: None,
        actual: None,
        evidence: vec![Evidence::hash_of(place.as_bytes())],
    }
}

/// Validates, and writes each line as it comes.
async fn told(store: &SqliteStore, how: Validation, form: Form) -> Result<PoolReport, Failure> {
    let (sender, lines) = sync_channel::<String>(WAITING);
    let writing = thread::spawn(move || -> io::Result<()> {
        let mut out = io::BufWriter::new(io::stdout().lock());
        for line in lines {
            writeln!(out, "{line}")?;
        }
        out.flush()
    });
    let report = store
        .validate(how, Box::new(move |item| tell(&sender, &item, form)))
        .await;
    match writing.join() {
        Ok(written) => written?,
        Err(_) => return Err(Failure::bug("the thread that writes ended")),
    }
    report.map_err(broken)
}

/// What cannot be read at all is not valid; any other failure is its own.
fn broken(error: StoreError) -> Failure {
    match error {
        StoreError::Corrupt { .. } => Failure::refused(
            format_args!("the store cannot be read: {error}"),
            "restore the database from a backup that validates",
        ),
        other => other.into(),
    }
}

/// With `--json` each capsule and each chain is a line; a person sees what is not valid.
fn tell(sender: &SyncSender<String>, item: &PoolItem, form: Form) {
    let line = match (form, item) {
        (Form::Json, item) => Some(terminal::plain_json(&document(item).to_string())),
        (Form::Human, PoolItem::Capsule(told)) if told.verdict != Verdict::Valid => {
            Some(terminal::plain(&shown(told), LIMIT))
        }
        (Form::Human, _) => None,
    };
    if let Some(line) = line {
        // Nobody reads any more: the summary will say so.
        let _ = sender.send(line);
    }
}

fn shown(told: &CapsuleVerdict) -> String {
    let what = match &told.named {
        Some(named) => {
            let world = named.world.as_ref().map(|world| format!(" {world}"));
            format!(
                "{} #{}{}",
                named.chain,
                named.seq,
                world.unwrap_or_default()
            )
        }
        None => "unreadable".to_owned(),
    };
    let others = told.findings.iter().filter(|found| **found != told.verdict);
    let others: String = others.map(|found| format!("; {found}")).collect();
    format!("entry {}: {what}: {}{others}", told.index, told.verdict)
}

fn document(item: &PoolItem) -> Value {
    match item {
        PoolItem::Capsule(told) => capsule(told),
        PoolItem::Head(head) => of_head(head),
        _ => Value::Null,
    }
}

fn capsule(told: &CapsuleVerdict) -> Value {
    let mut document = members(verdict(told.verdict));
    let mut put = |name: &str, value: Value| document.insert(name.to_owned(), value);
    put("type", "capsule".into());
    put("index", told.index.into());
    if let Some(named) = &told.named {
        put("agent", named.agent.to_string().into());
        put("chain", named.chain.to_string().into());
        put("seq", named.seq.into());
        put("capsule", named.capsule.to_string().into());
        if let Some(world) = &named.world {
            put("worldId", world.to_string().into());
        }
    }
    if !told.findings.is_empty() {
        let findings = told.findings.iter().copied().map(verdict);
        put("findings", findings.collect());
    }
    Value::Object(document)
}

fn members(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

fn verdict(verdict: Verdict) -> Value {
    match verdict {
        Verdict::Valid => json!({ "verdict": "valid" }),
        Verdict::Invalid { check, code } => json!({
            "verdict": "invalid", "check": check.to_string(), "code": code.name(),
        }),
        Verdict::Indeterminate { reason } => json!({
            "verdict": "indeterminate", "reason": reason.to_string(),
        }),
    }
}

fn of_head(head: &ChainHead) -> Value {
    json!({
        "type": "head",
        "agent": head.agent.to_string(),
        "chain": head.chain.to_string(),
        "seq": head.seq,
        "capsule": head.capsule.to_string(),
        "index": head.index,
        "firstBad": head.first_bad,
        "frozenAt": head.frozen_at,
    })
}

fn summarise(form: Form, report: &PoolReport) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match form {
        Form::Json => {
            let line = terminal::plain_json(&summary(report).to_string());
            writeln!(out, "{line}")?;
        }
        Form::Human => for_a_person(&mut out, report)?,
    }
    out.flush()?;
    Ok(())
}

fn summary(report: &PoolReport) -> Value {
    let bad: Vec<Value> = report.first_bad.iter().map(capsule).collect();
    let open: Vec<Value> = report
        .open
        .iter()
        .map(|(reason, count)| json!({ "reason": reason.to_string(), "count": count }))
        .collect();
    let log = match &report.log {
        LogState::Differs { detail } => Value::from(detail.as_str()),
        _ => Value::Null,
    };
    json!({
        "type": "summary",
        "verdict": match report.verdict() {
            PoolVerdict::Valid => "valid",
            PoolVerdict::Invalid => "invalid",
            PoolVerdict::Indeterminate => "indeterminate",
        },
        "entries": report.entries,
        "chains": report.chains,
        "valid": report.valid,
        "invalid": report.invalid,
        "indeterminate": report.indeterminate,
        "open": open,
        "erasedOnRecord": report.redacted,
        "missingSegments": report.missing_segments,
        "openForks": report.aside.open_forks,
        "contested": report.aside.contested,
        "pending": report.aside.pending,
        "quarantined": report.aside.quarantined,
        "signaturesChecked": report.signatures,
        "logDiffers": log,
        "firstBad": bad,
    })
}

fn for_a_person(out: &mut dyn Write, report: &PoolReport) -> io::Result<()> {
    let capsules = count(report.entries, "capsule", "capsules");
    let chains = count(report.chains, "chain", "chains");
    writeln!(
        out,
        "{capsules} in {chains}: {} valid, {} invalid, {} indeterminate.",
        report.valid, report.invalid, report.indeterminate
    )?;
    for (reason, number) in &report.open {
        writeln!(out, "  {number} indeterminate: {reason}")?;
    }
    if report.is_open_by_erasure_alone() {
        writeln!(
            out,
            "All that is open was erased, and the log records each erasure."
        )?;
    }
    if !report.aside.is_empty() {
        writeln!(out, "Beside the chains: {}.", beside(&report.aside))?;
    }
    if let LogState::Differs { detail } = &report.log {
        writeln!(
            out,
            "The log does not stand for them: {}",
            terminal::plain(detail, LIMIT)
        )?;
    }
    match report.signatures {
        0 => writeln!(
            out,
            "The log's signed checkpoint stands for the signatures."
        ),
        checked => writeln!(
            out,
            "{} checked.",
            count(checked, "signature", "signatures")
        ),
    }
}

fn outcome(report: &PoolReport, erased: Erased, folder: &Path) -> Result<(), Failure> {
    match report.verdict() {
        PoolVerdict::Valid => Ok(()),
        PoolVerdict::Invalid => Err(Failure::refused(
            format_args!(
                "{} invalid, and the log {}",
                count(report.invalid, "capsule is", "capsules are"),
                match report.log {
                    LogState::Holds => "holds",
                    _ => "differs",
                }
            ),
            "nothing was deleted: restore what is damaged from an archive or a backup",
        )),
        PoolVerdict::Indeterminate
            if erased == Erased::Accepted && report.is_open_by_erasure_alone() =>
        {
            Ok(())
        }
        PoolVerdict::Indeterminate => Err(Failure::unproven(
            format_args!(
                "{} decided without what is erased, archived or not known",
                count(
                    report.indeterminate,
                    "capsule cannot be",
                    "capsules cannot be"
                )
            ),
            advice(report, folder),
        )),
    }
}

/// What to do about what is open.
fn advice(report: &PoolReport, folder: &Path) -> String {
    if report.is_open_by_erasure_alone() {
        return "what is erased stays open for ever; --erased-ok accepts what the log records as \
                erased"
            .to_owned();
    }
    match report.missing_segments.as_slice() {
        [] => "--deep looks into archives; what is erased stays open for ever".to_owned(),
        missing => format!(
            "put {} back into {}, or name its folder with --archive",
            missing.join(", "),
            folder.display()
        ),
    }
}

/// What is beside the accepted chains, in words.
pub(crate) fn beside(aside: &PoolAnomalies) -> String {
    let parts = [
        (aside.open_forks, "open fork", "open forks"),
        (aside.contested, "contested capsule", "contested capsules"),
        (aside.pending, "pending capsule", "pending capsules"),
        (
            aside.quarantined,
            "quarantined document",
            "quarantined documents",
        ),
    ];
    let told = parts.iter().filter(|(number, ..)| *number > 0);
    let told: Vec<String> = told
        .map(|(number, one, many)| count(*number, one, many))
        .collect();
    if told.is_empty() {
        return "nothing".to_owned();
    }
    told.join(", ")
}
