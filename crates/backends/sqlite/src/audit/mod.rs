//! The audit: everything stored is compared with what was signed, everything derived with the
//! ground (F6: no column that can change an answer is left out).

mod beside;
mod claims;
mod derived;
mod exchange;
mod fulltext;
mod ground;
mod head;
mod objects;
mod pages;
mod report;

pub(crate) use head::log_state;
pub(crate) use objects::differences as schema_differences;
pub use report::{AuditReport, Difference};

use counterfoil_store::StoreError;
use rusqlite::Connection;

use crate::options::Options;
use crate::stats;
use report::Findings;

/// Scope of an audit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Depth {
    /// Every row of every table: content, signatures, chains, leaves, nodes, root, checkpoint,
    /// and the derived tables against ones that are made again.
    Standard,
    /// In addition the proofs: each entry's inclusion, and the consistency of the present log with
    /// each earlier size that is a power of two, verified as an authority does.
    Deep,
}

/// Audits the database behind `connection`, which is inside of one read transaction.
pub(crate) fn audit(
    connection: &Connection,
    options: &Options,
    depth: Depth,
) -> Result<AuditReport, StoreError> {
    let mut findings = Findings::default();
    for line in stats::integrity(connection)? {
        findings.add("database", None, line);
    }
    for line in schema_differences(connection)? {
        findings.add("sqlite_schema", None, line);
    }
    let outcome = ground::examine(connection, options, &mut findings)?;
    beside::examine(connection, &mut findings)?;
    claims::examine(connection, &mut findings)?;
    exchange::examine(connection, &mut findings)?;
    head::examine(connection, options, &outcome, &mut findings)?;
    if depth == Depth::Deep {
        head::prove_all(connection, &outcome, &mut findings)?;
    }
    let entries = outcome.frontier.size();
    derived::examine(connection, entries, &mut findings)?;
    Ok(findings.into_report(entries))
}
