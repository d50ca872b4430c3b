//! Records of forks that nobody has decided: the other branch lies beside the log, so without a record its map does not know of
//! them (docs/format/standing.md §6).

use counterfoil_capsule::documents::{Observation, Source};
use counterfoil_capsule::{ChainId, RecordKind, Signer};
use counterfoil_store::{Draft, StoreError, StoredCapsule};

use crate::entries::{Sides, capsule_here, slot};
use crate::events::Observer;
use crate::forks::{self, frozen_at};
use crate::map;
use crate::port::Txn;
use crate::receive;
use crate::unit::Unit;

/// Appends one record for each of these forks, with the document of its event. Returns the number of records.
pub(crate) fn record(unit: &mut Unit<'_>, signer: &dyn Signer) -> Result<u64, StoreError> {
    let observer = Observer {
        detector: signer.agent(),
        now_micros: unit.now_micros(),
        entropy: unit.entropy(),
    };
    let seen = unrecorded(unit.txn())?.into_iter();
    let drafts = seen.map(|seen| {
        let document = observer.document(unit.txn(), seen)?;
        Ok(Draft::record(RecordKind::Contradiction, document))
    });
    let drafts = drafts.collect::<Result<Vec<_>, StoreError>>()?;
    let records = match drafts.is_empty() {
        true => 0,
        false => unit.append(signer, &drafts)?.len(),
    };
    Ok(u64::try_from(records).unwrap_or(u64::MAX))
}

/// Returns the first undecided fork of each chain, from which on all its entries are contested, unless the map of the log has
/// it. Cheap where nothing forked.
pub(crate) fn unrecorded(txn: &dyn Txn) -> Result<Vec<Observation>, StoreError> {
    let mut found = Vec::new();
    for chain in forks::chains(txn)? {
        let Some(seq) = frozen_at(txn, &chain)? else {
            continue;
        };
        if !map::names_fork(txn, &chain, seq)? {
            found.extend(observation(txn, &chain, seq)?);
        }
    }
    Ok(found)
}

/// The fork as it was seen first. `None` of a place that the chain does not have, and of contradictions themselves, which nothing
/// is recorded about.
fn observation(
    txn: &dyn Txn,
    chain: &ChainId,
    seq: u64,
) -> Result<Option<Observation>, StoreError> {
    let branches = forks::at(txn, chain, seq)?.into_iter();
    let first = branches.min_by_key(|branch| (branch.at, branch.header().hash()));
    let Some((first, slot)) = first.zip(slot(Sides::both(txn), chain, seq)?) else {
        return Ok(None);
    };
    let accepted = capsule_here(txn, slot.index)?;
    let accepted = accepted.as_ref().map(StoredCapsule::document);
    let source = Source::way(&first.source);
    let seen = receive::fork(&slot, accepted.as_ref(), &first.document, &source);
    Ok(Some(seen).filter(|seen| !seen.is_about_itself()))
}
