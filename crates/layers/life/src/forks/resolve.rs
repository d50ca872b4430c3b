//! Choice of the branch of a forked chain that goes on: by its owner's recovery key, or for this store alone by
//! its operator (capsules 4.5). Nothing is deleted; the other branches stay, marked.

use counterfoil_capsule::keys::{ForkResolution, KeyError};
use counterfoil_capsule::{ChainId, RecordKind, Signer, Timestamp};
use counterfoil_store::{Draft, StoreError};
use counterfoil_types::Blake3Hash;
use counterfoil_types::json::Value;

use super::branches::{self, Branch};
use super::read;
use crate::entries::{Sides, chain_head, places};
use crate::keys::key_chain;
use crate::port::Txn;
use crate::receive::{self, ReceiveContext};
use crate::{Unit, contents, stubs};

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

/// Keeps the branch of `chain` that begins with `keep`, and lets the chain go on from its end.
pub(crate) fn resolve(
    unit: &mut Unit<'_>,
    signer: &dyn Signer,
    (chain, keep): (ChainId, Blake3Hash),
    recovery: Option<&dyn Signer>,
    reason: &str,
) -> Result<ResolveReport, StoreError> {
    let txn = unit.txn();
    let missing = StoreError::NoSuchBranch { chain, keep };
    let seq = branches::frozen_at(txn, &chain)?.ok_or_else(|| missing.clone())?;
    let forks = read::forks_of(txn, &chain)?;
    let fork = forks.into_iter().find(|fork| fork.seq == seq);
    let fork = fork.ok_or_else(|| missing.clone())?;
    let all = fork.accepted.iter().chain(&fork.others).copied();
    let (kept, abandon): (Vec<_>, Vec<_>) = all.partition(|hash| *hash == keep);
    if kept.is_empty() {
        return Err(missing);
    }
    let resolution = ForkResolution::new(fork.agent, (chain, seq), keep, abandon, reason);
    let resolution = resolution.map_err(|error| refused(error.into()))?;
    let document = document(unit, signer, resolution.clone(), recovery)?;
    keep_whole(txn, &chain, seq)?;
    let draft = Draft::record(RecordKind::ForkResolution, document);
    let appended = unit.append(signer, &[draft])?;
    let record = appended
        .first()
        .map(|place| place.index)
        .ok_or(StoreError::Bug("a record that was appended nowhere"))?;
    let abandoned = branches::abandoned(txn, &chain)?.len();
    let continued = receive::continue_chain(unit, ReceiveContext::local(signer.agent()), &chain)?;
    Ok(ResolveReport {
        resolution,
        record,
        continued,
        abandoned: u64::try_from(abandoned).unwrap_or(u64::MAX),
    })
}

fn document(
    unit: &Unit<'_>,
    signer: &dyn Signer,
    resolution: ForkResolution,
    recovery: Option<&dyn Signer>,
) -> Result<Value, StoreError> {
    let agent = resolution.agent;
    let Some(recovery) = recovery else {
        let resolution = resolution.by_operator(signer.agent()).map_err(refused)?;
        return Ok(resolution.to_value().clone());
    };
    let now = Timestamp::from_micros(unit.now_micros()).map_err(StoreError::ClockImplausible)?;
    let resolution = resolution.by_recovery(recovery, now).map_err(refused)?;
    let keys = key_chain(Sides::both(unit.txn()), &agent)?.ok_or(StoreError::ForkDecision {
        detail: format!("the keys of {agent} are not known here"),
    })?;
    keys.history.accepts(&resolution).map_err(refused)?;
    Ok(resolution.to_value().clone())
}

fn refused(error: KeyError) -> StoreError {
    match error {
        KeyError::Document(source) => StoreError::Seal {
            subject: "the resolution".to_owned(),
            source,
        },
        other => StoreError::ForkDecision {
            detail: other.to_string(),
        },
    }
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
            contents::keep_whole(txn, place.idx)?;
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
