//! The forks of a store, for those who look at them and for those who prove them.

use std::collections::BTreeMap;

use counterfoil_capsule::{ChainId, Equivocation};
use counterfoil_store::{StoreError, StoredCapsule};
use counterfoil_types::Blake3Hash;
use rusqlite::Connection;

use super::branches::{self, Branch, Fork, is_settled, roots, settled_branch};
use crate::keys::key_chain;
use crate::lookup;
use crate::{SqliteStore, rows};

impl SqliteStore {
    /// All forks that were seen, by chain.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    pub async fn forks(&self) -> Result<Vec<Fork>, StoreError> {
        self.read(forks).await
    }

    /// The forks of one chain, by number.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    pub async fn forks_of(&self, chain: ChainId) -> Result<Vec<Fork>, StoreError> {
        self.read(move |connection| forks_of(connection, &chain))
            .await
    }

    /// Two signed headers for one place: the first fork of the chain, proven for everyone.
    /// `None` when it has none.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    pub async fn fork_proof(&self, chain: ChainId) -> Result<Option<Equivocation>, StoreError> {
        self.read(move |connection| proof(connection, &chain)).await
    }
}

fn forks(connection: &Connection) -> Result<Vec<Fork>, StoreError> {
    let mut all = Vec::new();
    for chain in branches::chains(connection)? {
        all.extend(forks_of(connection, &chain)?);
    }
    Ok(all)
}

/// The places at which branches begin. Branches of an abandoned branch are no forks of their own.
fn forks_of(connection: &Connection, chain: &ChainId) -> Result<Vec<Fork>, StoreError> {
    let branches = branches::of_chain(connection, chain)?;
    let mut places: BTreeMap<u64, Vec<&Branch>> = BTreeMap::new();
    for root in roots(&branches) {
        places.entry(root.header().seq()).or_default().push(root);
    }
    let capsules = u64::try_from(branches.len()).unwrap_or(u64::MAX);
    let mut forks = Vec::new();
    for (seq, roots) in places {
        let Some(first) = roots.first() else { continue };
        let resolved = settled_branch(connection, first.header())?;
        if resolved.is_none() && is_settled(connection, first.header())? {
            // It continues a branch that was abandoned.
            continue;
        }
        let candidates = candidates(connection, chain, seq)?;
        let accepted = lookup::slot(connection, chain, seq)?.map(|slot| slot.hash);
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

pub(super) fn fork_at(
    connection: &Connection,
    chain: &ChainId,
    seq: u64,
) -> Result<Option<Fork>, StoreError> {
    let forks = forks_of(connection, chain)?;
    Ok(forks.into_iter().find(|fork| fork.seq == seq))
}

/// The first fork of the chain, by two of the capsules that stand for its place, with the key chain where somebody
/// without it could not check the signatures.
fn proof(connection: &Connection, chain: &ChainId) -> Result<Option<Equivocation>, StoreError> {
    let branches = branches::of_chain(connection, chain)?;
    for root in roots(&branches) {
        let mut candidates = candidates(connection, chain, root.header().seq())?;
        candidates.retain(|(hash, _)| *hash != root.header().hash());
        for (_, index) in candidates {
            let Some(stored) = rows::capsule(connection, index)? else {
                continue;
            };
            let Ok(proof) = Equivocation::new(stored.document(), root.document.clone()) else {
                continue;
            };
            let mut capsules = proof.capsules().iter();
            if !capsules.any(|capsule| capsule.header().key_number() > 0) {
                return Ok(Some(proof));
            }
            let keys = key_chain(connection, &proof.agent())?;
            let records = keys.map(|keys| keys.records).unwrap_or_default();
            let records = records.iter().map(StoredCapsule::document).collect();
            return Ok(Some(proof.with_keys(records)));
        }
    }
    Ok(None)
}

/// The capsules in the log for a place of a chain, accepted and abandoned, with their log indices.
fn candidates(
    connection: &Connection,
    chain: &ChainId,
    seq: u64,
) -> Result<Vec<(Blake3Hash, u64)>, StoreError> {
    let slot = lookup::slot(connection, chain, seq)?;
    let mut found: Vec<(Blake3Hash, u64)> = slot
        .map(|slot| (slot.hash, slot.index))
        .into_iter()
        .collect();
    for index in branches::abandoned(connection, chain)? {
        let header = rows::present_header(connection, index)?;
        if header.seq() == seq {
            found.push((header.hash(), index));
        }
    }
    Ok(found)
}
