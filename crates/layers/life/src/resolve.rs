//! Choice of the branch of a forked chain that goes on: by its owner's recovery key, or for this store alone by
//! its operator (capsules 4.5). Nothing is deleted; the other branches stay, marked.

use counterfoil_capsule::keys::{ForkResolution, KeyError};
use counterfoil_capsule::{ChainId, RecordKind, Signer, Timestamp};
use counterfoil_store::{Draft, StoreError};
use counterfoil_types::Blake3Hash;
use counterfoil_types::json::Value;

use crate::entries::Sides;
use crate::forks::{self, ResolveReport};
use crate::keys::key_chain;
use crate::receive::{self, ReceiveContext};
use crate::unit::Unit;

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
    let seq = forks::frozen_at(txn, &chain)?.ok_or_else(|| missing.clone())?;
    let fork = forks::read::forks_of(txn, &chain)?
        .into_iter()
        .find(|fork| fork.seq == seq);
    let fork = fork.ok_or_else(|| missing.clone())?;
    let all = fork.accepted.iter().chain(&fork.others).copied();
    let (kept, abandon): (Vec<_>, Vec<_>) = all.partition(|hash| *hash == keep);
    if kept.is_empty() {
        return Err(missing);
    }
    let resolution = ForkResolution::new(fork.agent, (chain, seq), keep, abandon, reason);
    let resolution = resolution.map_err(|error| refused(error.into()))?;
    let document = document(unit, signer, resolution.clone(), recovery)?;
    forks::keep_whole(txn, &chain, seq)?;
    let draft = Draft::record(RecordKind::ForkResolution, document);
    let appended = unit.append(signer, &[draft])?;
    let record = appended
        .first()
        .map(|place| place.index)
        .ok_or(StoreError::Bug("a record that was appended nowhere"))?;
    let abandoned = forks::abandoned(txn, &chain)?.len();
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
