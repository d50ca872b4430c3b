//! Choice of the branch of a forked chain that goes on: by its owner's recovery key, or for this store alone by
//! its operator (capsules 4.5). Nothing is deleted; the other branches stay, marked.

use std::sync::Arc;

use counterfoil_capsule::keys::{ForkResolution, KeyError};
use counterfoil_capsule::{ChainId, RecordKind, Signer, Timestamp};
use counterfoil_store::{Draft, StoreError};
use counterfoil_types::Blake3Hash;
use counterfoil_types::json::Value;
use rusqlite::{Connection, params};

use super::branches::{self, Branch};
use super::read::fork_at;
use crate::SqliteStore;
use crate::keys::key_chain;
use crate::receive::{self, ReceiveContext};
use crate::rows;
use crate::statement::Statements;
use crate::unit::Unit;

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

impl SqliteStore {
    /// Keeps the branch of `chain` that begins with `keep`, and lets the chain go on from its end.
    /// `signer` signs the record, as the agent of this store. With the recovery key of the chain's owner the decision
    /// holds wherever the record arrives; without it, for this store alone.
    ///
    /// # Errors
    /// [`StoreError::NoSuchBranch`] unless the chain has an undecided fork with that branch;
    /// [`StoreError::Seal`] for a reason that cannot be written, and for a key that is not the
    /// recovery key of the chain's owner.
    pub async fn resolve_fork(
        &self,
        signer: Arc<dyn Signer>,
        (chain, keep): (ChainId, Blake3Hash),
        recovery: Option<Arc<dyn Signer>>,
        reason: &str,
    ) -> Result<ResolveReport, StoreError> {
        let reason = reason.to_owned();
        self.unit(move |unit| resolve(unit, &*signer, (chain, keep), recovery.as_deref(), &reason))
            .await
    }
}

fn resolve(
    unit: &mut Unit<'_>,
    signer: &dyn Signer,
    (chain, keep): (ChainId, Blake3Hash),
    recovery: Option<&dyn Signer>,
    reason: &str,
) -> Result<ResolveReport, StoreError> {
    let connection = unit.connection();
    let missing = StoreError::NoSuchBranch { chain, keep };
    let seq = branches::frozen_at(connection, &chain)?.ok_or_else(|| missing.clone())?;
    let fork = fork_at(connection, &chain, seq)?.ok_or_else(|| missing.clone())?;
    let all = fork.accepted.iter().chain(&fork.others).copied();
    let (kept, abandon): (Vec<_>, Vec<_>) = all.partition(|hash| *hash == keep);
    if kept.is_empty() {
        return Err(missing);
    }
    let resolution = ForkResolution::new(fork.agent, (chain, seq), keep, abandon, reason);
    let resolution = resolution.map_err(|error| refused(error.into()))?;
    let document = document(unit, signer, resolution.clone(), recovery)?;
    keep_whole(connection, &chain, seq)?;
    let draft = Draft::record(RecordKind::ForkResolution, document);
    let appended = unit.append(signer, &[draft])?;
    let record = appended
        .first()
        .map(|place| place.index)
        .ok_or(StoreError::Bug("a record that was appended nowhere"))?;
    let abandoned = branches::abandoned(unit.connection(), &chain)?.len();
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
    let keys = key_chain(unit.connection(), &agent)?.ok_or(StoreError::ForkDecision {
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

/// Content that follows from the chain is made whole before the chain goes another way.
pub(crate) fn keep_whole(
    connection: &Connection,
    chain: &ChainId,
    seq: u64,
) -> Result<(), StoreError> {
    // Capsules that lie in an archive would come back into a chain that has gone on without them.
    let archived: Option<u64> = connection.find(
        "SELECT chain.idx FROM chain JOIN stub USING (idx)
             WHERE chain.chain = ?1 AND chain.seq >= ?2 ORDER BY chain.seq LIMIT 1",
        params![chain.as_bytes(), seq],
    )?;
    if let Some(index) = archived {
        // To read it is refused with the name of its segment.
        rows::capsule(connection, index)?;
    }
    let rows: Vec<u64> = connection.list(
        "SELECT chain.idx FROM chain JOIN body USING (idx)
             WHERE chain = ?1 AND seq >= ?2 AND payload IS NULL AND salt IS NOT NULL
             ORDER BY seq",
        params![chain.as_bytes(), seq],
    )?;
    rows.into_iter()
        .try_for_each(|index| crate::bodies::keep_whole(connection, index))
}

/// The capsules of kept branches that follow the end of the chain, and are not in it yet.
pub(crate) fn to_continue(
    connection: &Connection,
    chain: &ChainId,
) -> Result<Vec<Branch>, StoreError> {
    let mut branches = branches::of_chain(connection, chain)?;
    let head = rows::chain_head(connection, chain)?;
    let mut last = head.map(|head| head.capsule);
    let mut next = Vec::new();
    // At a place that a resolution speaks about, only the capsule that it keeps.
    let may_follow = |branch: &Branch| {
        let settled = branches::settled_branch(connection, branch.header());
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
