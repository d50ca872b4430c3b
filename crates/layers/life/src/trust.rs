//! Decisions of the agent about others, as records of its log: added, derived, and read with the time from which each
//! document counts (docs/format/trust.md §1).

use std::collections::{BTreeMap, BTreeSet};

use counterfoil_capsule::documents::TrustRecord;
use counterfoil_capsule::{Document, RecordKind, Signer, Surroundings, Timestamp};
use counterfoil_store::exchange_limits::{check_records, document_hash};
use counterfoil_store::{Draft, StoreError, StoreLocation};
use counterfoil_types::DidKey;

use crate::Unit;
use crate::entries::{Scan, present_header};
use crate::port::rows::{CorrectionRow, EarlierTrustRow, TrustDocumentRow, TrustRow};
use crate::port::{Select, Txn};
use crate::records::{Record, content_of, is_received};

/// Appends documents about others, and first those that were received before records held them: with the time of their
/// receipt, and their rows go. Returns the number of `documents` that were new.
///
/// # Errors
/// [`StoreError::ExchangeLimit`]; [`StoreError::Seal`] for one that is no text of 1 to 65,536 bytes; when they cannot be read or written.
pub fn add(
    unit: &mut Unit<'_>,
    signer: &dyn Signer,
    documents: &[Vec<u8>],
) -> Result<usize, StoreError> {
    let txn = unit.txn();
    let mut rows: Vec<EarlierTrustRow> = txn.list(&Select::of::<EarlierTrustRow>())?;
    rows.sort_unstable_by_key(|row| (row.at, row.hash));
    let earlier = rows.iter().map(|row| (&row.document, Some(row.at)));
    let (mut new, mut seen) = (Vec::new(), BTreeSet::new());
    for (bytes, received) in earlier.chain(documents.iter().map(|it| (it, None))) {
        let hash = document_hash(bytes);
        if seen.insert(hash) && txn.find::<TrustDocumentRow>(&[&hash])?.is_none() {
            new.push((bytes.as_slice(), received));
        }
    }
    let held = usize::try_from(count(txn)?).unwrap_or(usize::MAX);
    check_records(held.saturating_add(new.len()))?;
    let records = TrustRecord::of(&new).map_err(|source| StoreError::Seal {
        subject: "the record of trust".to_owned(),
        source,
    })?;
    let records = records.iter().map(TrustRecord::to_value);
    let drafts = records.map(|document| Draft::record(RecordKind::Trust, document));
    unit.append(signer, &drafts.collect::<Vec<_>>())?;
    for row in &rows {
        txn.remove::<EarlierTrustRow>(&[&row.number])?;
    }
    Ok(new
        .iter()
        .filter(|(_, received)| received.is_none())
        .count())
}

/// Adds the documents of a record to the index. Those of another store's record decide nothing here.
pub(crate) fn derive(index: &dyn Txn, record: &Record<'_>) -> Result<(), StoreError> {
    let (Ok(trust), false) = (TrustRecord::parse(record.document), record.received) else {
        return Ok(());
    };
    let idx = record.index;
    index.add(&TrustRow { idx })?;
    let mut hashes = trust
        .documents()
        .map(|(document, _)| document_hash(document));
    hashes.try_for_each(|hash| index.add(&TrustDocumentRow { hash, idx }).map(drop))
}

/// Returns all documents about others in the order of their receipt, each with its time in microseconds since 1970; `None`
/// if they are as many as `known` and that is not 0, as their number only grows. Signature, content and place of each record
/// are checked, and its documents are those of the index.
///
/// # Errors
/// [`StoreError::Corrupt`] for a record or row that was changed or removed; when they cannot be read.
#[expect(
    clippy::type_complexity,
    reason = "a document is read as its bytes and time"
)]
pub fn documents(txn: &dyn Txn, known: u64) -> Result<Option<Vec<(Vec<u8>, u64)>>, StoreError> {
    let earlier: Vec<EarlierTrustRow> = txn.list(&Select::of::<EarlierTrustRow>().reversed())?;
    if known > 0 && count(txn)? + u64::try_from(earlier.len()).unwrap_or(u64::MAX) == known {
        return Ok(None);
    }
    let rows: Vec<TrustDocumentRow> = txn.list(&Select::of::<TrustDocumentRow>())?;
    let mut rows: BTreeMap<_, _> = rows.into_iter().map(|row| (row.hash, row.idx)).collect();
    let mut corrections: Vec<CorrectionRow> = txn.list(&Select::of::<CorrectionRow>())?;
    let records: Vec<TrustRow> = txn.list(&Select::of::<TrustRow>().reversed())?;
    let (mut found, mut scan, mut before) = (Vec::new(), Scan::default(), u64::MAX);
    for TrustRow { idx } in records {
        while let Some(later) = corrections.pop_if(|it| it.idx > idx) {
            before = before.min(later.observed);
        }
        let (trust, recorded) = record(txn, &mut scan, idx)?;
        // What was decided later counts later, also where the clock of one of the records was corrected.
        let at = recorded.micros().min(before);
        before = at.saturating_sub(1);
        let mut latest = at;
        for (document, received) in trust.documents().rev() {
            let hash = document_hash(document);
            match rows.get(&hash) {
                Some(first) if *first < idx => continue,
                Some(first) if *first == idx => rows.remove(&hash),
                _ => return Err(damaged(idx, "the index lacks a document of the record")),
            };
            let received = match received.map(|it| it.micros()) {
                None => at,
                Some(received) if received < latest => received,
                Some(_) => {
                    latest = latest.saturating_sub(1);
                    latest
                }
            };
            found.push((document.to_vec(), received));
        }
    }
    if let Some(idx) = rows.values().next() {
        let missing = "the index lacks the record that holds a document";
        return Err(damaged(*idx, missing));
    }
    found.extend(earlier.into_iter().map(|row| (row.document, row.at)));
    found.reverse();
    Ok(Some(found))
}

/// Returns the log indices of the records by which trust is read, ascending, those of names alone left out; `None` where one is of another agent, or counts from another time on than that
/// at which its header was recorded.
pub(crate) fn dated_by_header(
    txn: &dyn Txn,
    agent: &DidKey,
) -> Result<Option<Vec<u64>>, StoreError> {
    let earlier: Vec<EarlierTrustRow> = txn.list(&Select::of::<EarlierTrustRow>())?;
    if !earlier.is_empty() {
        return Ok(None);
    }
    let corrections: Vec<CorrectionRow> = txn.list(&Select::of::<CorrectionRow>())?;
    let records: Vec<TrustRow> = txn.list(&Select::of::<TrustRow>())?;
    let mut all: Vec<u64> = records.into_iter().map(|row| row.idx).collect();
    all.sort_unstable();
    let (mut indices, mut scan) = (Vec::new(), Scan::default());
    for idx in all {
        let header = present_header(txn, idx)?;
        if header.line().is_none() && record(txn, &mut scan, idx)?.0.is_of_names() {
            continue;
        }
        let at = header.recorded().micros();
        let mut later = corrections.iter().filter(|it| it.idx > idx);
        if header.agent() != *agent || later.any(|it| it.observed <= at) {
            return Ok(None);
        }
        indices.push(idx);
    }
    Ok(Some(indices))
}

/// Returns the record at a log index and the time at which it was recorded, once it is found to be as it was sealed.
fn record(
    txn: &dyn Txn,
    scan: &mut Scan,
    idx: u64,
) -> Result<(TrustRecord, Timestamp), StoreError> {
    let stored = scan.present(txn, idx)?;
    let verdicts = stored.document().check_all(&Surroundings {
        key: Some(stored.key),
        ..Surroundings::default()
    });
    if let Some(verdict) = verdicts.iter().find(|it| it.is_invalid()) {
        return Err(damaged(idx, verdict));
    }
    let content = content_of(&stored.header, stored.payload.as_ref(), RecordKind::Trust);
    match content.map(|it| TrustRecord::parse(&it)) {
        Some(Ok(trust)) if !is_received(txn, idx)? => Ok((trust, stored.header.recorded())),
        _ => Err(damaged(idx, "it is no record of trust of this store")),
    }
}

/// Returns the number of documents that records hold.
fn count(txn: &dyn Txn) -> Result<u64, StoreError> {
    Ok(txn.measure(&Select::of::<TrustDocumentRow>(), "hash")?.0)
}

fn damaged(idx: u64, why: impl std::fmt::Display) -> StoreError {
    StoreError::corrupt(StoreLocation::entry("trust", idx), why)
}
