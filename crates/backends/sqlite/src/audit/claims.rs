//! Audits what stands beside the log about claims: what was erased of a line (I1).

use std::collections::{BTreeMap, BTreeSet};

use counterfoil_capsule::Kind;
use counterfoil_life::{AuditReport, Txn, entries};
use counterfoil_store::StoreError;
use rusqlite::Connection;

use super::can_read;
use crate::statement::Statements;

const ERASED: &str = "SELECT idx, number, beside FROM claim_erased ORDER BY idx";
/// Lines whose units do not have each number once. What came from elsewhere may leave gaps, and what cannot be opened yet.
const WITH_GAPS: &str = "SELECT line, max(idx) FROM claim_unit GROUP BY line
     HAVING count(DISTINCT number) <> max(number) + 1
     AND NOT EXISTS (SELECT 1 FROM claim_unit AS unit JOIN received USING (idx) WHERE unit.line = claim_unit.line)
     AND NOT EXISTS (SELECT 1 FROM unopened WHERE part = 'entry')";
const NUMBERS: &str = "SELECT number FROM claim_unit WHERE line = ?1 ORDER BY number";
const LINE_OF: &str = "SELECT b FROM claim_entry WHERE list = 4 AND a = ?1";

/// Units that are gone by their entries: the number of each, and another one of its line.
type Gone = BTreeMap<u64, (u64, u64)>;

pub(super) fn examine(
    (ground, connection): (&dyn Txn, &Connection),
    report: &mut AuditReport,
) -> Result<(), StoreError> {
    let queries = [ERASED, WITH_GAPS, NUMBERS, LINE_OF];
    if !can_read(connection, queries, report) {
        return Ok(());
    }
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, (row.get(1)?, row.get(2)?)));
    let gone: Gone = connection.list_with(ERASED, [], read)?;
    for (&index, &(_, beside)) in &gone {
        let kept = connection.has(
            "SELECT 1 FROM body WHERE idx = ?1 AND (payload IS NOT NULL OR salt IS NOT NULL)",
            [index],
        )?;
        let detail = if kept {
            "the content of the entry is there"
        } else if !is_claim(ground, index)? || !is_claim(ground, beside)? {
            "it is about something that is no claim"
        } else {
            continue;
        };
        report.add("claim_erased", Some(index), detail);
    }
    for (line, last) in connection.list::<(i64, u64), Vec<_>>(WITH_GAPS, [])? {
        // The numbers of the line, with those that were erased.
        let mut numbers: BTreeSet<u64> = connection.list(NUMBERS, [line])?;
        for &(number, beside) in gone.values() {
            if line_of(connection, beside, &gone)? == Some(line) {
                numbers.insert(number);
            }
        }
        if (0..)
            .zip(&numbers)
            .any(|(expected, number)| expected != *number)
        {
            let detail = "a unit of its line is missing, and nothing says that it was erased";
            report.add("claim_unit", Some(last), detail);
        }
    }
    Ok(())
}

/// The line of a unit that is gone: that of the unit beside it, which may be gone as well.
fn line_of(
    connection: &Connection,
    mut beside: u64,
    gone: &Gone,
) -> Result<Option<i64>, StoreError> {
    let mut seen = BTreeSet::new();
    while seen.insert(beside) {
        if let Some(line) = connection.find(LINE_OF, [beside])? {
            return Ok(Some(line));
        }
        let Some((_, next)) = gone.get(&beside) else {
            break;
        };
        beside = *next;
    }
    Ok(None)
}

/// Tests whether the entry is a claim unit; one whose header cannot be read is found elsewhere.
fn is_claim(ground: &dyn Txn, index: u64) -> Result<bool, StoreError> {
    let header = match entries::header(ground, index) {
        Err(StoreError::Corrupt { .. }) => return Ok(true),
        header => header?,
    };
    Ok(header.is_some_and(|header| header.kind() == Kind::Claim))
}
