//! Takes in capsules that were sealed elsewhere: under their own header and signature, at the end of
//! this log (capsules 4.5, 4.8).

use counterfoil_types::json::{Limits, parse};

use super::{AppendTxn, NewCapsule, claims, keys};
use crate::capsule_log::{AppendReport, StoredCapsule};
use crate::delta::is_whole;
use crate::log::Frontier;
use crate::{StoreError, StoreLocation};

impl Frontier {
    /// Appends capsules that the caller has judged valid, each after its predecessor, and sets the `index` of each. `received`
    /// is source and time, as [`NewCapsule::received`]. After an error nothing of it counts, as with
    /// [`append_drafts`](Self::append_drafts).
    ///
    /// # Errors
    /// Those of [`CapsuleLog::receive`](crate::CapsuleLog::receive).
    pub fn receive(
        &mut self,
        txn: &mut dyn AppendTxn,
        received: Option<(&str, u64)>,
        capsules: &mut [StoredCapsule],
    ) -> Result<Vec<AppendReport>, StoreError> {
        self.all_or_none(capsules.len(), |frontier| {
            let capsules = capsules.iter_mut();
            capsules
                .map(|capsule| frontier.receive_one(txn, received, capsule))
                .collect()
        })
    }

    fn receive_one(
        &mut self,
        txn: &mut dyn AppendTxn,
        received: Option<(&str, u64)>,
        capsule: &mut StoredCapsule,
    ) -> Result<AppendReport, StoreError> {
        let (seq, hash, chain) = (
            capsule.header.seq(),
            capsule.header.hash(),
            capsule.header.chain(),
        );
        if let Some((index, there)) = txn.in_chain(&chain, seq)?
            && there == hash
        {
            capsule.index = index;
            return Ok(AppendReport::of(capsule, false));
        }
        let content_before = follows_its_chain(txn, capsule)?;
        capsule.index = self.size();
        if let Some(world_id) = capsule.entry.world()
            && let Some(index) = txn.reserve(world_id, capsule.index)?
        {
            let world_id = world_id.clone();
            return Err(StoreError::WorldConflict { world_id, index });
        }
        if let Some(kind) = capsule.entry.record()
            && let Some(payload) = &capsule.payload
        {
            let place = || StoreLocation::entry("received", capsule.index);
            let document = parse(payload.text.as_bytes(), Limits::CONTENT)
                .map_err(|error| StoreError::corrupt(place(), error))?;
            keys::extends_the_key_chain(txn, &capsule.header, kind, &document)?;
        }
        txn.insert(&NewCapsule {
            stored: capsule,
            follows: !is_whole(&capsule.header) && capsule.delta.is_some() && content_before,
            packed: None,
            received,
            hashes: &self.append(capsule.entry.leaf_hash()),
        })?;
        Ok(AppendReport::of(capsule, true))
    }
}

/// Checks that a capsule follows the end of its chain. Returns true if the content before it is there to rebuild its own
/// content from.
fn follows_its_chain(txn: &mut dyn AppendTxn, capsule: &StoredCapsule) -> Result<bool, StoreError> {
    let (header, chain) = (&capsule.header, capsule.header.chain());
    let head = txn.head(&chain)?;
    let expected = header.previous();
    let actual = head.as_ref().map(|head| head.capsule);
    if actual != expected {
        return Err(StoreError::HeadMoved {
            chain,
            expected: expected.unwrap_or_else(|| header.hash()),
            actual,
        });
    }
    let Some(head) = head else {
        return Ok(false);
    };
    if head.agent != header.agent() {
        return Err(StoreError::ForeignChain { chain });
    }
    if let Some(at) = txn.forked_at(&chain)? {
        return Err(StoreError::ChainForked { chain, at });
    }
    match txn.capsule(head.index) {
        Ok(before) => {
            claims::none_before(&before.header)?;
            Ok(before.payload.is_some())
        }
        Err(StoreError::Archived { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}
