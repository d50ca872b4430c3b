//! Forks, contested capsules and unaccepted capsules beside the accepted chains (C8, C10), and entries without a source.

use std::collections::{BTreeMap, BTreeSet};

use counterfoil_capsule::ChainId;
use counterfoil_store::StoreError;
use counterfoil_store::collect::HeldClass;
use counterfoil_store::pool::PoolAnomalies;
use counterfoil_types::DidKey;

use crate::entries::places;
use crate::forks::{chains, contested, frozen_at};
use crate::held;
use crate::port::rows::{AbandonedRow, CompromiseRow, ReceivedRow, StubRow};
use crate::port::{Select, Txn, Value};

/// Returns the numbers of forks, contested and unaccepted capsules beside the accepted chains.
pub(crate) fn aside(txn: &dyn Txn) -> Result<PoolAnomalies, StoreError> {
    let held = |class| Ok::<u64, StoreError>(txn.measure(&held::of(class), "code")?.0);
    let open = frozen(txn)?;
    // Only forked chains, abandoned branches and entries of compromised keys can be contested.
    let abandoned: Vec<u64> = txn.column(Select::of::<AbandonedRow>(), &["idx"])?;
    let mut suspects: BTreeSet<u64> = abandoned.into_iter().collect();
    let marks: Vec<(String, u64)> =
        txn.column(Select::of::<CompromiseRow>(), &["agent", "from_idx"])?;
    if !marks.is_empty() {
        txn.each_header(&mut |index, header| {
            let agent = agent_of(header);
            let marked = |(of, from): &(String, u64)| Some(of.as_str()) == agent && *from <= index;
            if marks.iter().any(marked) {
                suspects.insert(index);
            }
            Ok(true)
        })?;
    }
    for (chain, from) in &open {
        suspects.extend(places(txn, chain, *from)?.iter().map(|place| place.idx));
    }
    let mut number_contested = 0;
    for index in suspects {
        match contested(txn, index) {
            Ok(found) => number_contested += u64::from(found.is_some()),
            Err(StoreError::Corrupt { .. }) => number_contested += 1,
            Err(other) => return Err(other),
        }
    }
    Ok(PoolAnomalies {
        open_forks: u64::try_from(open.len()).unwrap_or(u64::MAX),
        contested: number_contested,
        pending: held(HeldClass::Pending)?,
        quarantined: held(HeldClass::Quarantine)?,
    })
}

/// Returns the chains with an undecided fork, each with the first number of the fork.
pub(crate) fn frozen(txn: &dyn Txn) -> Result<BTreeMap<ChainId, u64>, StoreError> {
    let mut frozen = BTreeMap::new();
    for chain in chains(txn)? {
        if let Some(from) = frozen_at(txn, &chain)? {
            frozen.insert(chain, from);
        }
    }
    Ok(frozen)
}

/// Returns the first entry that another agent than `own` signed and that is not listed as received, and the number of
/// such entries.
pub(crate) fn unlisted(txn: &dyn Txn, own: &DidKey) -> Result<Option<(u64, u64)>, StoreError> {
    let own = own.to_string();
    let listed: Vec<u64> = txn.column(Select::of::<ReceivedRow>(), &["idx"])?;
    let mut found = BTreeSet::new();
    let mut check = |index: u64, agent: &str| {
        if agent != own && listed.binary_search(&index).is_err() {
            found.insert(index);
        }
    };
    txn.each_header(&mut |index, header| {
        if let Some(agent) = agent_of(header) {
            check(index, agent);
        }
        Ok(true)
    })?;
    let stubs = Select::of::<StubRow>().only(&["idx", "agent"]);
    txn.select(&stubs, &mut |values| {
        if let [Value::Integer(index), Value::Text(agent)] = values.as_slice() {
            check(u64::try_from(*index).unwrap_or(u64::MAX), agent);
        }
        Ok(true)
    })?;
    let number = u64::try_from(found.len()).unwrap_or(u64::MAX);
    Ok(found.first().map(|first| (*first, number)))
}

/// Returns the agent of a header: its canonical form begins with it.
fn agent_of(header: &[u8]) -> Option<&str> {
    let agent = header.strip_prefix(br#"{"agent":""#)?;
    let agent = agent.split(|byte| *byte == b'"').next()?;
    std::str::from_utf8(agent).ok()
}
