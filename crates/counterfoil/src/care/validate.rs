//! Validation: every entry against its header, its chain and the log (CAP "Validation"; C16).

use counterfoil_life::Life as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use counterfoil_capsule::Verdict;
use counterfoil_capsule::documents::{
    CapsuleName, ContradictionKind, Evidence, Observation, Source, Suspect,
};
use counterfoil_store::pool::{
    CapsuleVerdict, PoolAnomalies, PoolItem, PoolReport, PoolVerdict, Validation,
};
use counterfoil_store::{CapsuleLog as _, StoreError};
use serde_json::{Value, json};

use crate::care::options::CheckOptions;
use crate::error::Error;
use crate::memory::Memory;
use crate::report::Report;
use crate::words::count;

/// Most entries that the report lists.
const LISTED: usize = 1000;

/// Entries that are not valid, as they were found.
#[derive(Default)]
struct Found {
    read: u64,
    documents: Vec<Value>,
    lines: Vec<String>,
}

/// Checks every entry: header, chain, content, and its signature or the log's signed checkpoint.
pub(crate) async fn entries(memory: &Memory, options: &CheckOptions) -> Result<Report, Error> {
    let folder = options.archive.clone();
    let folder = folder.unwrap_or_else(|| memory.home().archive());
    let validation = Validation {
        each_signature: options.deep,
        all_findings: options.deep,
        segments: options.deep.then(|| folder.clone()),
    };
    let store = match memory.home().reader_as_it_is() {
        Ok(store) => store,
        Err(error) => return Err(broken(error.into_store()?)),
    };
    let size = store.size().await.unwrap_or(0);
    let found = Arc::new(Mutex::new(Found::default()));
    let (filled, progress) = (Arc::clone(&found), memory.progress().cloned());
    let sink = Box::new(move |item: PoolItem| {
        let mut found = filled.lock().unwrap_or_else(PoisonError::into_inner);
        found.add(&item);
        if let (PoolItem::Capsule(_), Some(progress)) = (&item, &progress) {
            // The comparison of what is stored reads each of them once more.
            progress(found.read, Some((found.read, size.saturating_mul(2))));
        }
    });
    let report = store.validate(validation, sink).await.map_err(broken)?;
    let noted = match report.invalid {
        0 => Ok(()),
        _ => note_corruption(memory, &report).await,
    };
    let unnoted = noted
        .err()
        .map(|error| format!("no event was written ({error})"));
    let found = std::mem::take(&mut *found.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(Report::new(&summary(&report, found.documents))?
        .with("lines", found.lines)
        .noticed(unnoted)
        .but(problem(&report, &folder)))
}

impl Found {
    fn add(&mut self, item: &PoolItem) {
        let PoolItem::Capsule(verdict) = item else {
            return;
        };
        self.read += 1;
        if let Some(line) = line(verdict)
            && self.lines.len() < LISTED
        {
            self.lines.push(line);
            self.documents.push(capsule(verdict));
        }
    }
}

/// Something accepted does not verify any more: that is an event, and never a reason to delete (D53).
async fn note_corruption(memory: &Memory, report: &PoolReport) -> Result<(), Error> {
    let store = memory.writer()?;
    let detector = memory.home().agent_public()?;
    for bad in &report.first_bad {
        let code = match bad.verdict {
            Verdict::Invalid { code, .. } => code.name(),
            _ => "E_SCHEMA",
        };
        let capsule = bad.named.as_ref().map(|(named, _)| CapsuleName {
            record: None,
            ..*named
        });
        // What is damaged proves nothing: a digest of its place tells one damage from the other.
        let hash = capsule.map(|it| it.capsule_hash.to_string());
        let place = format!("{} {}", bad.index, hash.unwrap_or_default());
        let seen = Observation {
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
        };
        store.observe(detector, seen).await?;
    }
    Ok(())
}

/// Reports an unreadable capsule as invalid; passes any other failure on unchanged.
fn broken(error: StoreError) -> Error {
    match error {
        StoreError::Corrupt { .. } => Error::refused(
            format_args!("the store cannot be read: {error}"),
            "restore the database from a backup that checks clean",
        ),
        other => other.into(),
    }
}

/// An entry that is not valid, in a line.
fn line(found: &CapsuleVerdict) -> Option<String> {
    let what = match &found.named {
        Some((named, world)) => {
            let world = world.as_ref().map(|world| format!(" {world}"));
            let world = world.unwrap_or_default();
            format!("{} #{}{world}", named.chain, named.seq)
        }
        None => "unreadable".to_owned(),
    };
    let others = found.findings.iter().filter(|it| **it != found.verdict);
    let others: String = others.map(|it| format!("; {it}")).collect();
    (found.verdict != Verdict::Valid)
        .then(|| format!("entry {}: {what}: {}{others}", found.index, found.verdict))
}

fn capsule(told: &CapsuleVerdict) -> Value {
    let mut document = verdict(told.verdict);
    let mut put = |name: &str, value: Value| {
        let members = document.as_object_mut();
        members.map(|members| members.insert(name.to_owned(), value));
    };
    put("index", told.index.into());
    if let Some((named, world)) = &told.named {
        put("agent", named.agent.to_string().into());
        put("chain", named.chain.to_string().into());
        put("seq", named.seq.into());
        put("capsule", named.capsule_hash.to_string().into());
        if let Some(world) = world {
            put("memory", world.to_string().into());
        }
    }
    if !told.findings.is_empty() {
        let findings = told.findings.iter().copied().map(verdict);
        put("findings", findings.collect());
    }
    document
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

fn summary(report: &PoolReport, listed: Vec<Value>) -> Value {
    let open: Vec<Value> = report
        .open
        .iter()
        .map(|(reason, count)| json!({ "reason": reason.to_string(), "count": count }))
        .collect();
    json!({
        "verdict": report.verdict(),
        "entries": report.entries,
        "chains": report.chains,
        "valid": report.valid,
        "invalid": report.invalid,
        "indeterminate": report.indeterminate,
        "open": open,
        "erasedOnRecord": report.redacted,
        "missingSegments": report.missing_segments,
        "signaturesChecked": report.signatures,
        "logDiffers": report.log_fault,
        "listed": listed,
    })
}

fn problem(report: &PoolReport, folder: &Path) -> Option<Error> {
    match report.verdict() {
        PoolVerdict::Valid => None,
        PoolVerdict::Invalid => Some(Error::refused(
            format_args!(
                "{} invalid, and the log {}",
                count(report.invalid, "entry is", "entries are"),
                match report.log_fault {
                    None => "holds",
                    Some(_) => "differs",
                }
            ),
            "nothing was deleted: restore what is damaged from an archive or a backup",
        )),
        PoolVerdict::Indeterminate if report.is_open_by_erasure_alone() => None,
        PoolVerdict::Indeterminate => Some(Error::unproven(
            format_args!(
                "{} decided without what is archived or not known",
                count(report.indeterminate, "entry cannot be", "entries cannot be")
            ),
            match report.missing_segments.as_slice() {
                [] => "--deep looks into archives".to_owned(),
                missing => format!(
                    "put {} back into {}, or name its folder with --archive",
                    missing.join(", "),
                    folder.display()
                ),
            },
        )),
    }
}

/// Description of the capsules outside the accepted chains.
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
