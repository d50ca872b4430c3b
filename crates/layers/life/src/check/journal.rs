//! Walks the journal: each row of evidence is the one that was linked, each is linked, and each head that an entry names is
//! on it (docs/format/database.md 9).

use std::collections::BTreeMap;

use counterfoil_store::StoreError;

use crate::journal::{self, EVIDENCE, NOT_LINKED, RECONCILED, START};
use crate::port::rows::{JournalHeadRow, JournalRow};
use crate::port::{Field, Select, Txn, Value};
use crate::report::AuditReport;

pub(super) fn examine(txn: &dyn Txn, report: &mut AuditReport) -> Result<(), StoreError> {
    let (mut next, mut before, mut reconciled) = (0, START, 0);
    let mut linked: BTreeMap<String, u64> = BTreeMap::new();
    let read = txn.each(&Select::of::<JournalRow>(), |row: JournalRow| {
        if row.number != next {
            report.add("journal", Some(next), "the row is missing");
        }
        next = row.number.saturating_add(1);
        if row.part == RECONCILED {
            reconciled = u64::read(row.first.clone()).unwrap_or_default();
        }
        if let Some(detail) = journal::difference(txn, &row, before)? {
            add(
                report,
                &row.part,
                &[row.first, row.second, row.third],
                detail,
            );
        }
        before = row.link;
        *linked.entry(row.part).or_default() += 1;
        Ok(true)
    });
    report.damage(read)?;
    for (table, _) in EVIDENCE {
        let key = table.columns.get(..table.key).unwrap_or_default();
        let all = Select::all(table).only(key);
        let (rows, _) = txn.measure(&all, key.first().copied().unwrap_or_default())?;
        if rows != linked.get(table.name).copied().unwrap_or_default() {
            let read = txn.select(&all, &mut |key| {
                if !txn.has(journal::of(table, &key))? {
                    add(report, table.name, &key, NOT_LINKED);
                }
                Ok(true)
            });
            report.damage(read)?;
        }
    }
    let named = txn.list::<JournalHeadRow>(&Select::of::<JournalHeadRow>().from("idx", reconciled));
    for head in report.damage(named)?.unwrap_or_default() {
        if journal::link_at(txn, head.rows)? != Some(head.link) {
            let detail = format!(
                "entry {} of the log names other rows up to here: some were removed or changed, and the rows after them \
                 linked again",
                head.idx
            );
            report.add("journal", head.rows.checked_sub(1), detail);
        }
    }
    Ok(())
}

/// Adds a difference in the row of a table with that key.
pub(super) fn add(report: &mut AuditReport, table: &str, key: &[Value], detail: &str) {
    let place = key
        .first()
        .and_then(|first| journal::place(table, first).index());
    let columns = EVIDENCE.iter().find(|(it, _)| it.name == table);
    let key = key.iter().take(columns.map_or(1, |(it, _)| it.key));
    let key: Vec<String> = key.map(|value| value.to_json().to_string()).collect();
    report.add(table, place, format!("row {}: {detail}", key.join(", ")));
}
