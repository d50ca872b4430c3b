//! Records that a key chain may hold: records that extend it, and nothing that a thief of the operational key
//! can sign (capsules 4.7, B23-B25).

use counterfoil_capsule::keys::{KeyDocument, KeyHistory};
use counterfoil_capsule::{CapsuleDocument, Check, Header, IndeterminateReason, Kind};
use counterfoil_store::StoreError;
use counterfoil_types::Blake3Hash;

use super::judgement::{Judgement, by_keys, content, pending, refused};
use crate::forks;
use crate::keys::{KeyChain, is_of_keys};
use crate::port::Txn;

/// Returns the verdict about a capsule that belongs into a key chain, by its kind or by its place, unless it extends its
/// predecessor there: then nothing, and it is judged like any other. Without its predecessor the kind decides.
pub(super) fn objection(
    txn: &dyn Txn,
    keys: Option<&KeyChain>,
    document: &CapsuleDocument,
    parent_missing: bool,
) -> Result<Option<Judgement>, StoreError> {
    let header = document.header();
    let kind = match header.kind() {
        Kind::Record(kind) if is_of_keys(kind) => kind,
        _ => {
            let concerns = keys.is_some_and(|keys| keys.history.chain() == header.chain());
            return Ok(concerns.then(|| refused(Check::Key, "E_KEY_CHAIN")));
        }
    };
    if parent_missing {
        return Ok(None);
    }
    let Some(value) = content(document.payload()) else {
        // Without its content none can follow it.
        return Ok(Some(pending(IndeterminateReason::BodyErased)));
    };
    let Some(Ok(says)) = KeyDocument::parse(kind, &value) else {
        return Ok(Some(refused(Check::State, "E_SCHEMA")));
    };
    let extended = match (keys, &says) {
        (None, KeyDocument::Inception(inception)) => KeyHistory::begin(header, inception).map(drop),
        (None, _) => return Ok(Some(pending(IndeterminateReason::MissingParent))),
        (Some(keys), says) => history_before(txn, keys, header)?.extend(header, says),
    };
    Ok(extended.err().map(|error| by_keys(&error)))
}

/// The keys up to the capsule before this one, be it accepted or in a branch; all of them when that
/// one is not here.
fn history_before(
    txn: &dyn Txn,
    keys: &KeyChain,
    header: &Header,
) -> Result<KeyHistory, StoreError> {
    let mut branch = Vec::new();
    let mut previous = header.previous();
    while let Some(hash) = previous
        && !has_record(keys, hash)
        && let Some(found) = forks::branch(txn, hash)?
    {
        previous = found.header().previous();
        branch.push(found.document);
    }
    let Some(previous) = previous.filter(|hash| has_record(keys, *hash)) else {
        return Ok(keys.history.clone());
    };
    let last = |header: &Header| header.hash() == previous;
    let upto = keys.records.iter().position(|record| last(&record.header));
    let accepted = keys.records.iter().take(upto.map_or(0, |last| last + 1));
    let accepted = accepted.map(|record| (&record.header, record.payload.as_ref()));
    let branch = branch.iter().rev();
    let branch = branch.map(|document| (document.header(), document.payload()));
    let documents = accepted.chain(branch).map(|(header, payload)| {
        let Kind::Record(kind) = header.kind() else {
            return None;
        };
        Some((header, KeyDocument::parse(kind, &content(payload)?)?.ok()?))
    });
    let documents: Option<Vec<_>> = documents.collect();
    let folded = documents.and_then(|documents| {
        let records = documents.iter().map(|(header, says)| (*header, says));
        KeyHistory::of(records).ok().flatten()
    });
    Ok(folded.unwrap_or_else(|| keys.history.clone()))
}

fn has_record(keys: &KeyChain, hash: Blake3Hash) -> bool {
    let mut records = keys.records.iter();
    records.any(|record| record.header.hash() == hash)
}
