//! The forks of a store, as operators see them, and the proof of one for others.

use std::collections::BTreeMap;

use counterfoil_capsule::{ChainId, Equivocation};
use counterfoil_store::{StoreError, StoredCapsule};
use counterfoil_types::Blake3Hash;

use super::branches::{self, Branch, Fork, is_settled, roots, settled_branch};
use crate::entries::{self, Sides, present_header, slot};
use crate::keys::key_chain;
use crate::port::Txn;

/// Returns all forks, by chain.
pub(crate) fn forks(txn: &dyn Txn) -> Result<Vec<Fork>, StoreError> {
    let mut all = Vec::new();
    for chain in branches::chains(txn)? {
        all.extend(forks_of(txn, &chain)?);
    }
    Ok(all)
}

/// Returns the places at which branches begin. Branches of an abandoned branch are no forks of their own.
pub(crate) fn forks_of(txn: &dyn Txn, chain: &ChainId) -> Result<Vec<Fork>, StoreError> {
    let branches = branches::of_chain(txn, chain)?;
    let mut places: BTreeMap<u64, Vec<&Branch>> = BTreeMap::new();
    for root in roots(&branches) {
        places.entry(root.header().seq()).or_default().push(root);
    }
    let capsules = u64::try_from(branches.len()).unwrap_or(u64::MAX);
    let mut forks = Vec::new();
    for (seq, roots) in places {
        let Some(first) = roots.first() else { continue };
        let resolved = settled_branch(txn, first.header())?;
        if resolved.is_none() && is_settled(txn, first.header())? {
            // It continues a branch that was abandoned.
            continue;
        }
        let candidates = candidates(txn, chain, seq)?;
        let accepted = slot(Sides::both(txn), chain, seq)?.map(|slot| slot.hash);
        let mut others: Vec<Blake3Hash> = roots.iter().map(|root| root.header().hash()).collect();
        others.extend(candidates.iter().map(|(hash, _)| *hash));
        others.retain(|hash| accepted.is_none_or(|accepted| accepted != *hash));
        others.sort_unstable();
        others.dedup();
        forks.push(Fork {
            agent: first.header().agent(),
            chain: *chain,
            seq,
            accepted,
            others,
            capsules,
            seen: roots.iter().map(|root| root.at).min().unwrap_or_default(),
            resolved,
        });
    }
    Ok(forks)
}

/// Returns the first fork of the chain, as two of the capsules for its place, with the key chain where their signatures
/// could not be checked without it.
pub(crate) fn proof(txn: &dyn Txn, chain: &ChainId) -> Result<Option<Equivocation>, StoreError> {
    let branches = branches::of_chain(txn, chain)?;
    for root in roots(&branches) {
        let mut candidates = candidates(txn, chain, root.header().seq())?;
        candidates.retain(|(hash, _)| *hash != root.header().hash());
        for (_, index) in candidates {
            let Some(stored) = entries::unchecked(txn, index)? else {
                continue;
            };
            let Ok(proof) = Equivocation::new(stored.document(), root.document.clone()) else {
                continue;
            };
            let mut capsules = proof.capsules().iter();
            if !capsules.any(|capsule| capsule.header().key_number() > 0) {
                return Ok(Some(proof));
            }
            let keys = key_chain(Sides::both(txn), &proof.agent())?;
            let records = keys.map(|keys| keys.records).unwrap_or_default();
            let records = records.iter().map(StoredCapsule::document).collect();
            return Ok(Some(proof.with_keys(records)));
        }
    }
    Ok(None)
}

/// Returns the capsules in the log for a place of a chain, accepted and abandoned, with their log indices.
fn candidates(
    txn: &dyn Txn,
    chain: &ChainId,
    seq: u64,
) -> Result<Vec<(Blake3Hash, u64)>, StoreError> {
    let slot = slot(Sides::both(txn), chain, seq)?;
    let mut found: Vec<(Blake3Hash, u64)> = slot
        .map(|slot| (slot.hash, slot.index))
        .into_iter()
        .collect();
    for index in branches::abandoned(txn, chain)? {
        let header = present_header(txn, index)?;
        if header.seq() == seq {
            found.push((header.hash(), index));
        }
    }
    Ok(found)
}
