//! Audits rows that neither tree nor journal covers: contents of branches, unaccepted documents, and the receipts of stubs
//! (C8, C9, C10).

use std::collections::BTreeMap;

use counterfoil_capsule::documents::ArchiveReceipt;
use counterfoil_capsule::{CapsuleDocument, Document, RecordKind, Surroundings};
use counterfoil_store::StoreError;
use counterfoil_verifier::merkle;

use super::journal::add;
use crate::entries;
use crate::port::rows::{ForkRow, HeldRow, StubRow};
use crate::port::{Row, Select, Txn};
use crate::records::content_of;
use crate::report::AuditReport;

pub(super) fn examine(txn: &dyn Txn, report: &mut AuditReport) -> Result<(), StoreError> {
    examine_rows(txn, report, of_fork)?;
    examine_rows(txn, report, of_held)?;
    of_stubs(txn, report)
}

/// Examines each row of a table.
fn examine_rows<R: Row>(
    txn: &dyn Txn,
    report: &mut AuditReport,
    examine: impl Fn(R) -> Result<(), String>,
) -> Result<(), StoreError> {
    let read = txn.select(&Select::of::<R>(), &mut |values| {
        let key = values.first().cloned();
        let row = R::read(values).ok_or("a column is not what the format says");
        if let Err(detail) = row.map_err(str::to_owned).and_then(&examine) {
            add(report, R::TABLE.name, key.as_slice(), &detail);
        }
        Ok(true)
    });
    report.damage(read).map(drop)
}

/// The bodies of a branch: the journal has the rest.
fn of_fork(row: ForkRow) -> Result<(), String> {
    let Ok(document) = CapsuleDocument::parse(row.document.as_bytes()) else {
        return Ok(());
    };
    let found = document.check_all(&Surroundings::default());
    match found.iter().find(|verdict| verdict.is_invalid()) {
        Some(invalid) => Err(invalid.to_string()),
        None => Ok(()),
    }
}

fn of_held(row: HeldRow) -> Result<(), String> {
    let whole = if row.capsule.is_none() {
        // Of a refused document only the beginning is kept.
        row.class == "pending"
    } else {
        let Ok(document) = CapsuleDocument::parse(row.document.as_bytes()) else {
            return Err("what is held is no capsule any more".to_owned());
        };
        let header = document.header();
        let place = (header.agent().to_string(), header.chain(), header.seq());
        if row.capsule != Some(header.hash())
            || row.agent != Some(place.0)
            || row.chain.as_ref() != Some(place.1.as_bytes())
            || row.seq != Some(place.2)
        {
            return Err("the columns are not those of the capsule".to_owned());
        }
        // A refused capsule is kept without bodies, and an erasure takes those of a waiting one.
        let mutated = header.previous().is_some();
        document.payload().is_some() && (!mutated || document.delta().is_some())
    };
    match whole && *merkle::leaf_hash(row.document.as_bytes()).as_bytes() != row.hash {
        true => Err("the document is not what came in".to_owned()),
        false => Ok(()),
    }
}

/// A stub has to be among the capsules that its receipt names: in its range, and not more than its number.
fn of_stubs(txn: &dyn Txn, report: &mut AuditReport) -> Result<(), StoreError> {
    // Of each receipt the first and the last stub, and their number.
    let mut moved: BTreeMap<u64, (u64, u64, u64)> = BTreeMap::new();
    let stubs = Select::of::<StubRow>();
    for (receipt, index) in txn.column(stubs, &["receipt", "idx"])? {
        let found = moved.entry(receipt).or_insert((index, index, 0));
        *found = (found.0, index, found.2 + 1);
    }
    for (receipt, (first, last, number)) in moved {
        let Ok(Some(Some(stored))) = report.damage(entries::unchecked(txn, receipt)) else {
            // Archived itself, or damaged: that is reported elsewhere.
            continue;
        };
        let payload = stored.payload.as_ref();
        let document = content_of(&stored.header, payload, RecordKind::ArchiveReceipt);
        let Some(document) = document.and_then(|it| ArchiveReceipt::parse(&it).ok()) else {
            report.add("stub", Some(first), "what it names is no receipt");
            continue;
        };
        let within = |(from, to)| from <= first && last <= to;
        if number > document.count || !document.entries().is_none_or(within) {
            report.add("stub", Some(first), "its receipt names other entries");
        }
    }
    Ok(())
}
