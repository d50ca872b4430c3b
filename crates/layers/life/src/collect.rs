//! Garbage collection reads the held documents, and removes nothing else (capsules 4.6, C10).

use std::collections::BTreeSet;

use counterfoil_store::collect::{Fate, HeldCapsule, HeldClass, fate};
use counterfoil_store::{StoreError, StoreLocation};
use counterfoil_types::Blake3Hash;
use counterfoil_types::json::Value;

use crate::entries::each_header;
use crate::port::rows::{ChainRow, CollectedRow, EventRow, ForkRow, HeldRow};
use crate::port::{Select, Txn};

/// Prefix of a written hash.
const PREFIX: &str = "blake3:";
const DIGITS: usize = 64;

/// Removes the held documents that may go, and returns all that were held.
pub(crate) fn collect(
    txn: &dyn Txn,
    older_than_us: u64,
    now_us: u64,
) -> Result<Vec<(HeldCapsule, Fate)>, StoreError> {
    let fates = fates(txn, older_than_us, now_us)?;
    for (held, _) in fates.iter().filter(|(_, fate)| *fate == Fate::Collect) {
        txn.add(&CollectedRow {
            hash: held.hash,
            code: held.code.clone(),
            at: now_us,
        })?;
        txn.remove::<HeldRow>(&[&held.hash])?;
    }
    Ok(fates)
}

/// Returns all that is held by its fate, the oldest first.
pub(crate) fn fates(
    txn: &dyn Txn,
    older_than_us: u64,
    now_us: u64,
) -> Result<Vec<(HeldCapsule, Fate)>, StoreError> {
    let references = references(txn)?;
    let mut fates = Vec::new();
    txn.each(&Select::of::<HeldRow>(), |row: HeldRow| {
        let capsule = row.capsule.map(|capsule| *capsule.as_bytes());
        let named = references.contains(&row.hash)
            || capsule.is_some_and(|capsule| references.contains(&capsule));
        let child_accepted = match row.chain.zip(row.seq.and_then(|seq| seq.checked_add(1))) {
            Some((chain, seq)) => txn.find::<ChainRow>(&[&chain, &seq])?.is_some(),
            None => false,
        };
        let held = HeldCapsule {
            hash: row.hash,
            class: row.class.parse().unwrap_or(HeldClass::Quarantine),
            code: row.code,
            source: row.source,
            at_us: row.at,
            bytes: u64::try_from(row.document.len()).unwrap_or(u64::MAX),
            referenced: named || child_accepted,
        };
        let fate = fate(&held, older_than_us, now_us);
        fates.push((held, fate));
        Ok(true)
    })?;
    fates.sort_by_key(|(held, _)| (held.at_us, held.hash));
    Ok(fates)
}

/// Hashes in contradictions that accuse a key, in forks, and in `derived_from` of accepted
/// headers. A contradiction without an accused (a bad signature proves nothing) needs no
/// evidence.
fn references(txn: &dyn Txn) -> Result<BTreeSet<[u8; 32]>, StoreError> {
    let mut found = BTreeSet::new();
    txn.each(&Select::of::<EventRow>(), |row: EventRow| {
        let event: Value = serde_json::from_str(&row.document)
            .map_err(|error| StoreError::corrupt(StoreLocation::table("event"), error))?;
        if event.get("attributable") == Some(&Value::Bool(true)) {
            found.extend(hashes(&row.document));
        }
        Ok(true)
    })?;
    txn.each(&Select::of::<ForkRow>(), |row: ForkRow| {
        found.extend(hashes(&row.document));
        Ok(true)
    })?;
    each_header(txn, "\"derived_from\"", |_, header| {
        let sources = header.extensions().derived_from;
        found.extend(sources.iter().map(|source| *source.as_bytes()));
        Ok(())
    })?;
    Ok(found)
}

/// Every hash that is written in a text.
fn hashes(text: &str) -> impl Iterator<Item = [u8; 32]> {
    text.match_indices(PREFIX).filter_map(|(start, _)| {
        let written = text.get(start..start + PREFIX.len() + DIGITS)?;
        let hash: Blake3Hash = written.parse().ok()?;
        Some(*hash.as_bytes())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_found_wherever_they_stand() {
        let hash = Blake3Hash::from_bytes([7; 32]);
        let text = format!(r#"{{"a":["{hash}","blake3:short"],"b":"{hash}{hash}"}}"#);
        assert_eq!(hashes(&text).collect::<Vec<_>>(), [[7; 32]; 3]);
    }
}
