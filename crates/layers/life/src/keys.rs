//! The key chain of an agent, read from the ground and folded (capsules 4.7).

use counterfoil_capsule::keys::{KeyDocument, KeyHistory};
use counterfoil_capsule::{Kind, RecordKind};
use counterfoil_store::{StoreError, StoreLocation, StoredCapsule};
use counterfoil_types::DidKey;
use counterfoil_types::json::{Limits, parse};

use crate::entries::{Sides, in_chain, unchecked};
use crate::port::rows::KeyRow;

/// The records of one agent's keys, and what follows from them.
#[derive(Debug, Clone)]
pub struct KeyChain {
    /// The fold: every proof in it was checked.
    pub history: KeyHistory,
    /// The records, in the order of the chain.
    pub records: Vec<StoredCapsule>,
}

/// Returns the key chain of `agent`; `None` when it has none.
///
/// # Errors
/// [`StoreError::Corrupt`] when a record is damaged, or no key chain begins with the first; when it cannot be read.
pub fn key_chain(sides: Sides<'_>, agent: &DidKey) -> Result<Option<KeyChain>, StoreError> {
    // The first inception, if there are several.
    let inception: Option<KeyRow> = sides.index.find(&[agent, &0_u64])?;
    let mut next = inception.map(|row| row.idx);
    let damaged =
        |index, detail| StoreError::corrupt(StoreLocation::entry("capsule", index), detail);
    let mut found: Option<KeyChain> = None;
    while let Some(index) = next {
        let record = match unchecked(sides.ground, index) {
            // Records of keys are never archived.
            Err(StoreError::Archived { .. }) if found.is_some() => break,
            read => read?.ok_or_else(|| damaged(index, "a key's record is not there"))?,
        };
        let history = match (found.as_ref(), document(&record)?) {
            (Some(found), Some(document)) => {
                let mut further = found.history.clone();
                let extended = further.extend(&record.header, &document);
                extended.ok().map(|()| further)
            }
            (None, Some(KeyDocument::Inception(inception))) => {
                KeyHistory::begin(&record.header, &inception).ok()
            }
            _ => None,
        };
        let Some(history) = history else {
            match found {
                // Who holds a stolen key can put anything behind the last record: it says nothing.
                Some(_) => break,
                None => return Err(damaged(index, "no key chain begins with this record")),
            }
        };
        let chain = record.header.chain();
        let mut records = found.map_or_else(Vec::new, |found| found.records);
        records.push(record);
        let seq = u64::try_from(records.len()).unwrap_or(u64::MAX);
        next = in_chain(sides.index, &chain, seq)?;
        found = Some(KeyChain { history, records });
    }
    Ok(found)
}

/// Tests whether records of this kind belong into key chains, and nowhere else.
pub(crate) const fn is_of_keys(kind: RecordKind) -> bool {
    matches!(
        kind,
        RecordKind::KeyInception | RecordKind::KeyRotation | RecordKind::KeyCompromise
    )
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
