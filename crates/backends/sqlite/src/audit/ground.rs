//! Audits capsules, bodies, stubs and tree nodes, entry by entry, in log order: the pass of `validate`
//! with every signature, reported as differences of tables.

use counterfoil_capsule::dangerous::decisive;
use counterfoil_capsule::{Check, Verdict};
use counterfoil_store::StoreError;
use rusqlite::Connection;

use super::AuditReport;
use crate::options::Options;
use crate::statement::Statements;
use crate::validate::{Judgement, PassState, is_meant, run};

pub(super) fn examine(
    connection: &Connection,
    options: &Options,
    report: &mut AuditReport,
) -> Result<PassState, StoreError> {
    let outcome = run(connection, options, true, &mut |judged| {
        add(&judged, report);
    })?;
    let entries = outcome.frontier.size();
    for table in ["capsule", "body", "log"] {
        let rows: u64 = connection.get(&format!("SELECT count(*) FROM {table}"), [])?;
        if rows != entries {
            report.add(table, None, format!("{rows} rows for {entries} entries"));
        }
    }
    let doubled: Vec<u64> = connection.list(
        "SELECT stub.idx FROM stub LEFT JOIN capsule USING (idx)
         WHERE capsule.idx IS NULL OR header IS NOT NULL ORDER BY stub.idx",
        [],
    )?;
    for index in doubled {
        report.add("stub", Some(index), "a stub stands beside its capsule");
    }
    Ok(outcome)
}

fn add(judged: &Judgement, report: &mut AuditReport) {
    let index = Some(judged.index);
    if let Some(found) = judged.misplaced {
        let detail = format!("entry {found} stands in its place");
        report.add("capsule", index, detail);
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
        report.add(table, index, verdict.to_string());
    }
    if judged.hashes_hold != Some(true) {
        report.add("log", index, "the hashes are not those of the tree");
    }
}
