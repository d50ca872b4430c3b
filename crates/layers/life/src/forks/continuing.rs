//! The way on of a chain that forked: its content made whole before, the capsules that follow after (capsules 4.5).

use counterfoil_capsule::ChainId;
use counterfoil_capsule::keys::ForkResolution;
use counterfoil_store::StoreError;

use super::branches::{self, Branch};
use crate::entries::{chain_head, places};
use crate::port::Txn;
use crate::{bodies, stubs};

/// Result of a resolution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolveReport {
    /// The record's document, which names the kept and the abandoned branches.
    pub resolution: ForkResolution,
    /// The log index of the record.
    pub record: u64,
    /// Number of capsules of the kept branch that were added to the log.
    pub continued: u64,
    /// Number of accepted capsules that are abandoned.
    pub abandoned: u64,
}

/// Makes content whole that follows from the chain, before the chain goes another way.
///
/// # Errors
/// [`StoreError::Archived`] for a capsule in an archive: it would come back into a chain that has gone on without it.
pub(crate) fn keep_whole(txn: &dyn Txn, chain: &ChainId, seq: u64) -> Result<(), StoreError> {
    let places = places(txn, chain, seq)?;
    for place in &places {
        if let Some(stub) = stubs::read(txn, place.idx)? {
            return Err(stub.archived(txn)?);
        }
    }
    for place in places {
        if txn.has_body(place.idx)? == (false, true) {
            bodies::keep_whole(txn, place.idx)?;
        }
    }
    Ok(())
}

/// The capsules of kept branches that follow the end of the chain, and are not in it yet.
pub(crate) fn to_continue(txn: &dyn Txn, chain: &ChainId) -> Result<Vec<Branch>, StoreError> {
    let mut branches = branches::of_chain(txn, chain)?;
    let head = chain_head(txn, chain)?;
    let mut last = head.map(|head| head.capsule);
    let mut next = Vec::new();
    // At a place that a resolution speaks about, only the capsule that it keeps.
    let may_follow = |branch: &Branch| {
        let settled = branches::settled_branch(txn, branch.header());
        let hash = branch.header().hash();
        settled.is_ok_and(|settled| settled.is_none_or(|(keep, _)| keep == hash))
    };
    while let Some(found) = branches
        .iter()
        .position(|branch| branch.header().previous() == last && may_follow(branch))
    {
        let branch = branches.remove(found);
        last = Some(branch.header().hash());
        next.push(branch);
    }
    Ok(next)
}
