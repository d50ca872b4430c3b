//! Audits rows that no tree covers: branches, events, unaccepted documents, and the receipts of stubs (C8, C9, C10).

use std::collections::BTreeMap;

use counterfoil_capsule::dangerous::check_signature;
use counterfoil_capsule::documents::{ArchiveReceipt, Contradiction};
use counterfoil_capsule::{CapsuleDocument, Document, RecordKind, Verdict};
use counterfoil_store::StoreError;
use counterfoil_types::Sha256Hash;
use counterfoil_types::json::{Limits, parse};
use counterfoil_verifier::merkle;

use super::known::RecordIndex;
use crate::entries;
use crate::port::rows::{EventRow, ForkRow, HeldRow, StubRow};
use crate::port::{Row, Select, Txn, Value};
use crate::records::content_of;
use crate::report::AuditReport;

const OTHER_COLUMNS: &str = "the columns are not those of the capsule";

pub(super) fn examine(
    txn: &dyn Txn,
    known: &RecordIndex,
    report: &mut AuditReport,
) -> Result<(), StoreError> {
    examine_rows(txn, report, |row| of_fork(row, known))?;
    examine_rows(txn, report, of_held)?;
    examine_rows(txn, report, |row| of_event(row, known))?;
    of_stubs(txn, report)
}

/// Examines each row of a table: by its log index or number, or by the hash that it begins with.
fn examine_rows<R: Row>(
    txn: &dyn Txn,
    report: &mut AuditReport,
    examine: impl Fn(R) -> Result<(), String>,
) -> Result<(), StoreError> {
    let table = R::TABLE.name;
    let read = txn.select(&Select::of::<R>(), &mut |values| {
        let key = values.first().cloned();
        let row = R::read(values).ok_or("a column is not what the format says");
        let Err(detail) = row.map_err(str::to_owned).and_then(&examine) else {
            return Ok(true);
        };
        match key {
            Some(Value::Integer(number)) => report.add(table, u64::try_from(number).ok(), detail),
            Some(Value::Blob(hash)) => {
                let hash = hash.try_into().map(Sha256Hash::from_bytes);
                let hash = hash.map_or_else(|_| String::new(), |hash| hash.to_hex());
                report.add(table, None, format!("row {hash}: {detail}"));
            }
            _ => report.add(table, None, detail),
        }
        Ok(true)
    });
    report.damage(read).map(drop)
}

fn of_fork(row: ForkRow, known: &RecordIndex) -> Result<(), String> {
    let Ok(document) = CapsuleDocument::parse(row.document.as_bytes()) else {
        return Err("the branch is no capsule any more".to_owned());
    };
    let header = document.header();
    let columns = (row.hash, row.agent, row.chain, row.seq, row.previous);
    let place = (header.hash(), header.agent(), header.chain(), header.seq());
    if columns != (place.0, place.1, place.2, place.3, header.previous()) {
        return Err(OTHER_COLUMNS.to_owned());
    }
    let entry = document.entry().map(|entry| entry.to_text());
    let entry = entry.unwrap_or_default();
    let signature = document.signature().map(<[u8; 64]>::as_slice);
    let key = known.key_of(header);
    match check_signature(key.as_ref(), entry.as_bytes(), signature) {
        Some(invalid @ Verdict::Invalid { .. }) => Err(invalid.to_string()),
        _ => Ok(()),
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
            return Err(OTHER_COLUMNS.to_owned());
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

fn of_event(row: EventRow, known: &RecordIndex) -> Result<(), String> {
    let Ok(value) = parse(row.document.as_bytes(), Limits::CONTENT) else {
        return Err("the document cannot be read".to_owned());
    };
    let event = Contradiction::parse(&value, &known.keys);
    let event = event.map_err(|error| format!("the document is no event any more: {error}"))?;
    let seen = event.observation();
    let columns = (row.dedupe, row.kind.as_str(), row.source);
    match columns == (seen.dedupe_key(), seen.kind.name(), seen.source.key()) {
        true => Ok(()),
        false => Err("the columns are not those of the document".to_owned()),
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
        let Ok(Some(Some(stored))) = report.damage(entries::capsule(txn, receipt)) else {
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
