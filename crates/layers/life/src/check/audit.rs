//! The audit: all that is stored is compared with the signatures, the index with the ground.

use counterfoil_capsule::dangerous::decisive;
use counterfoil_capsule::{Check, Verdict};
use counterfoil_store::StoreError;

use super::examine::Judgement;
use super::links::is_meant;
use super::pass::run;
use super::{beside, feeds, head, journal, lines};
use crate::index::EachStep;
use crate::port::{Select, Table, Txn};
use crate::report::AuditReport;

/// Tables with one row an entry.
static LOG_TABLES: [Table; 3] = [log_table("capsule"), log_table("body"), log_table("log")];

const fn log_table(name: &'static str) -> Table {
    Table {
        name,
        columns: &["idx"],
        key: 1,
    }
}

impl AuditReport {
    /// Capsules, bodies, stubs and tree nodes of one entry.
    fn entry(&mut self, judged: &Judgement) {
        let index = Some(judged.index);
        if let Some(found) = judged.misplaced {
            let detail = format!("entry {found} stands in its place");
            self.add("capsule", index, detail);
        }
        let verdict = decisive(&judged.found);
        if !is_meant(&verdict) {
            let table = match verdict {
                _ if judged.stub => "stub",
                Verdict::Invalid {
                    check: Check::Body | Check::State,
                    ..
                } => "body",
                _ => "capsule",
            };
            self.add(table, index, verdict.to_string());
        }
        if judged.hashes_hold != Some(true) {
            self.add("log", index, "the hashes are not those of the tree");
        }
    }
}

/// Audits everything that the transaction reads; with `deep` the proofs as well. `log_key` is the verifier key of the
/// log's signer, if there is one. `each` gets the number of entries that are compared.
pub(crate) fn audit(
    txn: &dyn Txn,
    log_key: Option<&str>,
    deep: bool,
    each: &mut EachStep,
) -> Result<AuditReport, StoreError> {
    let mut report = AuditReport::default();
    let size = txn.head().map_or(0, |(size, _)| size);
    let state = run(txn, true, &mut |judged| {
        report.entry(&judged);
        each(judged.index.saturating_add(1), size);
    })?;
    report.entries = state.frontier.size();
    for table in &LOG_TABLES {
        let (rows, _) = txn.measure(&Select::all(table), "idx")?;
        if rows != report.entries {
            let detail = format!("{rows} rows for {} entries", report.entries);
            report.add(table.name, None, detail);
        }
    }
    for index in &state.known.stubs {
        if state.bare.binary_search(index).is_err() {
            report.add("stub", Some(*index), "a stub stands beside its capsule");
        }
    }
    beside::examine(txn, &mut report)?;
    journal::examine(txn, &mut report)?;
    feeds::examine(txn, &mut report)?;
    lines::examine(txn, &mut report)?;
    head::examine(txn, log_key, &state, &mut report)?;
    if deep {
        head::prove_all(txn, &state, &mut report)?;
    }
    txn.check_tables(&mut report)?;
    Ok(report)
}
