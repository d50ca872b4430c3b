//! Validation: every capsule against its header, its chain and the log, told as it goes (CAP "Validation"; C16).

use counterfoil_life::Life as _;
use std::path::{Path, PathBuf};

use counterfoil_capsule::Verdict;
use counterfoil_capsule::documents::{
    CapsuleName, ContradictionKind, Evidence, Observation, Source, Suspect,
};
use counterfoil_store::StoreError;
use counterfoil_store::pool::{
    CapsuleVerdict, PoolAnomalies, PoolItem, PoolReport, PoolVerdict, Validation,
};
use serde_json::{Value, json};

use crate::error::Error;
use crate::memory::Memory;
use crate::report::Report;
use crate::words::count;

/// Depth of a validation.
#[derive(Debug, Clone, Default)]
pub struct Validating {
    /// Checks each signature; otherwise the log's signed checkpoint is relied on.
    pub each_signature: bool,
    /// Lists all findings of a capsule, not the first alone.
    pub all_findings: bool,
    /// Takes what the log records as erased for valid.
    pub erased_ok: bool,
    /// Looks into archive segments as well.
    pub deep: bool,
    /// Folder of the segments; `archive` in the memory's folder by default.
    pub archive: Option<PathBuf>,
}

impl Memory {
    /// Checks every capsule: header, chain, content, and signature or log. `each` takes the document of each capsule and
    /// chain as it is found, and of a capsule that is not valid a line for people; the report is the summary.
    ///
    /// # Errors
    /// [`ErrorKind::Refused`](crate::ErrorKind::Refused) when the store cannot be read. [`Report::problem`] says when something is invalid or
    /// cannot be decided.
    pub async fn validate(
        &self,
        how: Validating,
        mut each: impl FnMut(&Value, Option<String>) + Send + 'static,
    ) -> Result<Report, Error> {
        let folder = how.archive.unwrap_or_else(|| self.home().archive());
        let validation = Validation {
            each_signature: how.each_signature,
            all_findings: how.all_findings,
            segments: how.deep.then(|| folder.clone()),
        };
        let store = match self.reader() {
            Ok(store) => store,
            Err(error) => return Err(broken(error.into_store()?)),
        };
        let sink = Box::new(move |item: PoolItem| each(&document(&item), line(&item)));
        let report = store.validate(validation, sink).await.map_err(broken)?;
        let noted = match report.invalid {
            0 => Ok(()),
            _ => note_corruption(self, &report).await,
        };
        let unnoted = noted
            .err()
            .map(|error| format!("no event was written ({error})"));
        let beside = (!report.aside.is_empty()).then(|| beside(&report.aside));
        Ok(Report::new(&summary(&report))?
            .with("beside", beside)
            .with("openByErasureAlone", report.is_open_by_erasure_alone())
            .noticed(unnoted)
            .but(problem(&report, how.erased_ok, &folder)))
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
            "restore the database from a backup that validates",
        ),
        other => other.into(),
    }
}

/// A capsule that is not valid, in a line.
fn line(item: &PoolItem) -> Option<String> {
    let PoolItem::Capsule(told) = item else {
        return None;
    };
    let what = match &told.named {
        Some((named, world)) => {
            let world = world.as_ref().map(|world| format!(" {world}"));
            let world = world.unwrap_or_default();
            format!("{} #{}{world}", named.chain, named.seq)
        }
        None => "unreadable".to_owned(),
    };
    let others = told.findings.iter().filter(|found| **found != told.verdict);
    let others: String = others.map(|found| format!("; {found}")).collect();
    (told.verdict != Verdict::Valid)
        .then(|| format!("entry {}: {what}: {}{others}", told.index, told.verdict))
}

fn document(item: &PoolItem) -> Value {
    match item {
        PoolItem::Capsule(told) => capsule(told),
        PoolItem::Head {
            chain,
            head,
            first_bad,
            frozen_at,
        } => json!({
            "type": "head",
            "agent": head.agent.to_string(),
            "chain": chain.to_string(),
            "seq": head.seq,
            "capsule": head.capsule.to_string(),
            "index": head.index,
            "firstBad": first_bad,
            "frozenAt": frozen_at,
        }),
        _ => Value::Null,
    }
}

fn capsule(told: &CapsuleVerdict) -> Value {
    let mut document = verdict(told.verdict);
    let mut put = |name: &str, value: Value| {
        let members = document.as_object_mut();
        members.map(|members| members.insert(name.to_owned(), value));
    };
    put("type", "capsule".into());
    put("index", told.index.into());
    if let Some((named, world)) = &told.named {
        put("agent", named.agent.to_string().into());
        put("chain", named.chain.to_string().into());
        put("seq", named.seq.into());
        put("capsule", named.capsule_hash.to_string().into());
        if let Some(world) = world {
            put("worldId", world.to_string().into());
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

fn summary(report: &PoolReport) -> Value {
    let bad: Vec<Value> = report.first_bad.iter().map(capsule).collect();
    let open: Vec<Value> = report
        .open
        .iter()
        .map(|(reason, count)| json!({ "reason": reason.to_string(), "count": count }))
        .collect();
    json!({
        "type": "summary",
        "verdict": report.verdict(),
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
        "logDiffers": report.log_fault,
        "firstBad": bad,
    })
}

fn problem(report: &PoolReport, erased_ok: bool, folder: &Path) -> Option<Error> {
    match report.verdict() {
        PoolVerdict::Valid => None,
        PoolVerdict::Invalid => Some(Error::refused(
            format_args!(
                "{} invalid, and the log {}",
                count(report.invalid, "capsule is", "capsules are"),
                match report.log_fault {
                    None => "holds",
                    Some(_) => "differs",
                }
            ),
            "nothing was deleted: restore what is damaged from an archive or a backup",
        )),
        PoolVerdict::Indeterminate if erased_ok && report.is_open_by_erasure_alone() => None,
        PoolVerdict::Indeterminate => Some(Error::unproven(
            format_args!(
                "{} decided without what is erased, archived or not known",
                count(
                    report.indeterminate,
                    "capsule cannot be",
                    "capsules cannot be"
                )
            ),
            match report.missing_segments.as_slice() {
                _ if report.is_open_by_erasure_alone() => {
                    "what is erased stays open for ever; --erased-ok accepts what the log records \
                     as erased"
                        .to_owned()
                }
                [] => "--deep looks into archives; what is erased stays open for ever".to_owned(),
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
