//! The key chain of an agent, read from the ground and folded (capsules 4.7).

use counterfoil_capsule::keys::{KeyDocument, KeyError, KeyHistory};
use counterfoil_capsule::{Kind, RecordKind};
use counterfoil_store::{StoreError, StoreLocation, StoredCapsule};
use counterfoil_types::DidKey;
use counterfoil_types::json::{Limits, parse};
use rusqlite::{Connection, OptionalExtension};

use crate::error::at;
use crate::rows;
use crate::statement::Statements;

/// The records of one agent's keys, and what follows from them.
#[derive(Debug, Clone)]
pub struct KeyChain {
    /// The fold: every proof in it was checked.
    pub history: KeyHistory,
    /// The records, in the order of the chain.
    pub records: Vec<StoredCapsule>,
}

/// As [`SqliteStore::key_chain`](crate::SqliteStore::key_chain), on any connection or transaction.
pub(crate) fn key_chain(
    connection: &Connection,
    agent: &DidKey,
) -> Result<Option<KeyChain>, StoreError> {
    let Some(seed) = inception(connection, agent)? else {
        return Ok(None);
    };
    let mut records = Vec::new();
    let mut history: Option<KeyHistory> = None;
    for record in records_from(connection, seed)? {
        match extended(history.as_ref(), &record)? {
            Some(further) => history = Some(further),
            // Who holds a stolen key can put anything behind the last record: it says nothing.
            None if history.is_some() => break,
            None => return Err(no_inception(seed)),
        }
        records.push(record);
    }
    Ok(history.map(|history| KeyChain { history, records }))
}

fn no_inception(seed: u64) -> StoreError {
    let detail = "no key chain begins with this record";
    StoreError::corrupt(StoreLocation::entry("capsule", seed), detail)
}

/// Tests whether records of this kind belong into key chains, and nowhere else.
pub(crate) const fn is_of_keys(kind: RecordKind) -> bool {
    matches!(
        kind,
        RecordKind::KeyInception | RecordKind::KeyRotation | RecordKind::KeyCompromise
    )
}

/// The log index of the agent's inception: the first, if it has several.
fn inception(connection: &Connection, agent: &DidKey) -> Result<Option<u64>, StoreError> {
    connection
        .find(
            "SELECT idx FROM key WHERE agent = ?1 AND number = 0",
            [agent.to_string()],
        )
        .map_err(at(StoreLocation::table("key")))
}

fn records_from(connection: &Connection, seed: u64) -> Result<Vec<StoredCapsule>, StoreError> {
    let gone = |index| {
        StoreError::corrupt(
            StoreLocation::entry("capsule", index),
            "a key's record is not there",
        )
    };
    let first = rows::capsule(connection, seed)?.ok_or_else(|| gone(seed))?;
    let mut records = vec![first];
    let chain = records.iter().map(|record| record.header.chain()).next();
    let mut next = connection
        .prepare_cached("SELECT idx FROM chain WHERE chain = ?1 AND seq = ?2")
        .map_err(at(StoreLocation::table("chain")))?;
    while let Some(chain) = chain {
        let seq = u64::try_from(records.len()).unwrap_or(u64::MAX);
        let index: Option<u64> = next
            .query_row((chain.as_bytes(), seq), |row| row.get(0))
            .optional()
            .map_err(at(StoreLocation::table("chain")))?;
        let Some(index) = index else { break };
        match rows::capsule(connection, index) {
            // Records of keys are never archived.
            Err(StoreError::Archived { .. }) => break,
            read => records.push(read?.ok_or_else(|| gone(index))?),
        }
    }
    Ok(records)
}

/// The history with one more record; `None` when that one does not extend it.
fn extended(
    history: Option<&KeyHistory>,
    record: &StoredCapsule,
) -> Result<Option<KeyHistory>, StoreError> {
    let Some(document) = document(record)? else {
        return Ok(None);
    };
    let further = match (history, &document) {
        (Some(history), document) => {
            let mut further = history.clone();
            further.extend(&record.header, document).map(|()| further)
        }
        (None, KeyDocument::Inception(inception)) => KeyHistory::begin(&record.header, inception),
        (None, _) => Err(KeyError::Inception),
    };
    Ok(further.ok())
}

/// Returns the document of a record of a key chain; `None` for another record.
fn document(record: &StoredCapsule) -> Result<Option<KeyDocument>, StoreError> {
    let Kind::Record(kind) = record.header.kind() else {
        return Ok(None);
    };
    if !is_of_keys(kind) {
        return Ok(None);
    }
    let refused =
        |detail: String| StoreError::corrupt(StoreLocation::entry("body", record.index), detail);
    let payload = record.payload.as_ref();
    let payload = payload.ok_or_else(|| refused("the body of a key's record is gone".into()))?;
    let value = parse(payload.text.as_bytes(), Limits::CONTENT)
        .map_err(|error| refused(error.to_string()))?;
    Ok(KeyDocument::parse(kind, &value).and_then(Result::ok))
}
