//! What may stand in a key chain: records that extend it, and nothing that a thief of the operational key
//! can sign (capsules 4.7, B23-B25).

use counterfoil_capsule::keys::{KeyDocument, KeyHistory};
use counterfoil_capsule::{CapsuleDocument, Check, Header, IndeterminateReason, Kind};
use counterfoil_store::StoreError;
use counterfoil_types::Blake3Hash;
use counterfoil_types::json::{Limits, parse};
use rusqlite::Connection;

use super::judge::{Judgement, by_keys, content, pending, refused};
use crate::forks;
use crate::keys::{KeyChain, is_of_keys};

/// Tests whether it says that it belongs into a key chain, by its kind or by its place.
pub(super) fn concerns(keys: Option<&KeyChain>, header: &Header) -> bool {
    let kind = match header.kind() {
        Kind::Record(kind) => is_of_keys(kind),
        _ => false,
    };
    kind || keys.is_some_and(|keys| keys.history.chain() == header.chain())
}

/// The same by what can be said without the capsule before it.
pub(super) fn objection_by_kind(header: &Header) -> Option<Judgement> {
    match header.kind() {
        Kind::Record(kind) if is_of_keys(kind) => None,
        _ => Some(refused(Check::Key, "E_KEY_CHAIN")),
    }
}

/// Returns the verdict about a capsule for a key chain, unless it extends its predecessor there:
/// then nothing, and it is judged like any other.
pub(super) fn objection(
    connection: &Connection,
    keys: Option<&KeyChain>,
    document: &CapsuleDocument,
) -> Result<Option<Judgement>, StoreError> {
    let header = document.header();
    let Kind::Record(kind) = header.kind() else {
        return Ok(objection_by_kind(header));
    };
    if !is_of_keys(kind) {
        return Ok(objection_by_kind(header));
    }
    let Some(value) = content(document) else {
        // Without its content nobody can follow it.
        return Ok(Some(pending(IndeterminateReason::BodyErased)));
    };
    let Some(Ok(says)) = KeyDocument::parse(kind, &value) else {
        return Ok(Some(refused(Check::State, "E_SCHEMA")));
    };
    let extended = match (keys, &says) {
        (None, KeyDocument::Inception(inception)) => KeyHistory::begin(header, inception).map(drop),
        (None, _) => return Ok(Some(pending(IndeterminateReason::MissingParent))),
        (Some(keys), says) => history_before(connection, keys, header)?.extend(header, says),
    };
    Ok(extended.err().map(|error| by_keys(&error)))
}

/// The keys up to the capsule before this one, be it accepted or in a branch; all of them when that
/// one is not here.
fn history_before(
    connection: &Connection,
    keys: &KeyChain,
    header: &Header,
) -> Result<KeyHistory, StoreError> {
    let mut branch = Vec::new();
    let mut previous = header.previous();
    while let Some(hash) = previous
        && !stands(keys, hash)
        && let Some(found) = forks::branch(connection, hash)?
    {
        previous = found.header().previous();
        branch.push(found.document);
    }
    let accepted = keys.records.iter().map(|record| {
        let text = record.payload.as_ref().map(|body| body.text.as_str());
        (&record.header, text)
    });
    let branch = branch.iter().rev().map(|document| {
        let text = document.payload().map(|body| body.text.as_str());
        (document.header(), text)
    });
    let Some(previous) = previous.filter(|hash| stands(keys, *hash)) else {
        return Ok(keys.history.clone());
    };
    let mut upto = Vec::new();
    for record in accepted {
        let last = record.0.hash() == previous;
        upto.push(record);
        if last {
            break;
        }
    }
    Ok(folded(upto.into_iter().chain(branch)).unwrap_or_else(|| keys.history.clone()))
}

fn stands(keys: &KeyChain, hash: Blake3Hash) -> bool {
    keys.records
        .iter()
        .any(|record| record.header.hash() == hash)
}

fn folded<'a>(records: impl Iterator<Item = (&'a Header, Option<&'a str>)>) -> Option<KeyHistory> {
    let documents: Option<Vec<_>> = records
        .map(|(header, text)| {
            let Kind::Record(kind) = header.kind() else {
                return None;
            };
            let value = parse(text?.as_bytes(), Limits::CONTENT).ok()?;
            Some((header, KeyDocument::parse(kind, &value)?.ok()?))
        })
        .collect();
    let documents = documents?;
    let records = documents.iter().map(|(header, says)| (*header, says));
    KeyHistory::of(records).ok().flatten()
}
