//! Audits capsules, bodies, stubs and tree nodes, entry by entry, in log order: the pass of `validate`
//! with every signature, told as differences of tables.

use counterfoil_capsule::dangerous::decisive;
use counterfoil_capsule::{Check, Code, Verdict};
use counterfoil_store::pool::Signatures;
use counterfoil_store::{StoreError, StoreLocation};
use rusqlite::Connection;

use super::report::Findings;
use crate::error::at;
use crate::options::Options;
use crate::statement::Statements;
use crate::validate::{Judgement, PassState, is_meant, run};

pub(super) fn examine(
    connection: &Connection,
    options: &Options,
    findings: &mut Findings,
) -> Result<PassState, StoreError> {
    let outcome = run(connection, options, Signatures::Each, &mut |judged| {
        tell(&judged, findings);
    })?;
    for table in ["capsule", "body", "log"] {
        require_rows(connection, table, outcome.frontier.size(), findings)?;
    }
    require_stubs(connection, findings)?;
    Ok(outcome)
}

fn tell(judged: &Judgement, findings: &mut Findings) {
    let index = Some(judged.index);
    if let Some(found) = judged.misplaced {
        let detail = format!("entry {found} stands in its place");
        findings.add("capsule", index, detail);
    }
    let verdict = decisive(&judged.found);
    if !is_meant(&verdict) {
        findings.add(table_of(judged, verdict), index, verdict.to_string());
    }
    if judged.hashes_hold != Some(true) {
        let detail = "the hashes are not those of the tree";
        findings.add("log", index, detail);
    }
}

/// The table whose row a failed check is about.
const fn table_of(judged: &Judgement, verdict: Verdict) -> &'static str {
    match verdict {
        _ if judged.stub => "stub",
        Verdict::Invalid {
            check: Check::Body | Check::State,
            ..
        } => "body",
        Verdict::Invalid {
            code: Code::Entry, ..
        } => "capsule",
        _ => "capsule",
    }
}

fn require_rows(
    connection: &Connection,
    table: &'static str,
    expected: u64,
    findings: &mut Findings,
) -> Result<(), StoreError> {
    let count: u64 = connection
        .query_row(&format!("SELECT count(*) FROM {table}"), [], |row| {
            row.get(0)
        })
        .map_err(at(StoreLocation::table(table)))?;
    if count != expected {
        findings.add(table, None, format!("{count} rows for {expected} entries"));
    }
    Ok(())
}

/// Requires a stub exactly where a capsule is archived.
fn require_stubs(connection: &Connection, findings: &mut Findings) -> Result<(), StoreError> {
    let beside: Vec<u64> = connection
        .list(
            "SELECT stub.idx FROM stub LEFT JOIN capsule USING (idx)
             WHERE capsule.idx IS NULL OR header IS NOT NULL ORDER BY stub.idx",
            [],
        )
        .map_err(at(StoreLocation::table("stub")))?;
    for index in beside {
        findings.add("stub", Some(index), "a stub stands beside its capsule");
    }
    Ok(())
}
