//! Takes in capsules that were sealed elsewhere: under their own header and signature, at the end of
//! this log (capsules 4.5, 4.8).

use counterfoil_types::json::{Limits, parse};

use super::{
    AppendTxn, Appender, CapsuleOrigin, ContentRef, EntryContent, NewCapsule, claims, keys,
};
use crate::capsule_log::{AppendOutcome, AppendReport, MAX_DRAFTS, ReceivedCapsule};
use crate::delta::is_whole;
use crate::{StoreError, StoreLocation};

impl Appender {
    /// Appends capsules that the caller has judged valid, each after its predecessor. After an
    /// error nothing of it counts, as with [`append`](Self::append).
    ///
    /// # Errors
    /// Those of [`CapsuleLog::receive`](crate::CapsuleLog::receive).
    pub fn receive(
        &mut self,
        txn: &mut dyn AppendTxn,
        origin: CapsuleOrigin<'_>,
        capsules: &[ReceivedCapsule],
    ) -> Result<Vec<AppendReport>, StoreError> {
        if capsules.len() > MAX_DRAFTS {
            return Err(StoreError::TooManyDrafts {
                drafts: capsules.len(),
                limit: MAX_DRAFTS,
            });
        }
        let before = self.frontier.clone();
        let places = capsules
            .iter()
            .map(|capsule| self.receive_one(txn, origin, capsule))
            .collect::<Result<Vec<_>, _>>();
        let Ok(mut places) = places else {
            self.frontier = before;
            return places;
        };
        let tree_size = self.frontier.size();
        places
            .iter_mut()
            .for_each(|place| place.tree_size = tree_size);
        Ok(places)
    }

    fn receive_one(
        &mut self,
        txn: &mut dyn AppendTxn,
        origin: CapsuleOrigin<'_>,
        capsule: &ReceivedCapsule,
    ) -> Result<AppendReport, StoreError> {
        let header = &capsule.header;
        let content_before = match standing(txn, capsule)? {
            Standing::Here(index) => return Ok(self.already_there(capsule, index)),
            Standing::After(content_before) => content_before,
        };
        let index = self.frontier.size();
        if let Some(world_id) = capsule.entry.world()
            && let Some(index) = txn.reserve(world_id, index)?
        {
            let world_id = world_id.clone();
            return Err(StoreError::WorldConflict { world_id, index });
        }
        self.check_record(txn, capsule)?;
        let content = capsule.payload.as_ref().map(|payload| ContentRef {
            text: &payload.text,
            salt: &payload.salt,
        });
        let follows = !is_whole(header) && capsule.delta.is_some() && content_before;
        self.keep(
            txn,
            NewCapsule {
                index,
                header,
                entry: &capsule.entry,
                key: capsule.key,
                signature: &capsule.signature,
                content: match content {
                    None => EntryContent::Absent,
                    Some(content) if follows => EntryContent::Follows(content),
                    Some(content) => EntryContent::Whole(content),
                },
                packed: None,
                delta: capsule.delta.as_ref(),
                origin,
                hashes: &[],
            },
            capsule.entry.leaf_hash(),
        )
    }

    fn already_there(&self, capsule: &ReceivedCapsule, index: u64) -> AppendReport {
        AppendReport {
            world_id: capsule.entry.world().cloned(),
            index,
            tree_size: self.frontier.size(),
            capsule: capsule.header.hash(),
            chain: capsule.header.chain(),
            recorded_at: capsule.header.timestamp(),
            outcome: AppendOutcome::AlreadyThere,
        }
    }

    /// Refuses a record of keys that does not extend the key chain of its agent, or cannot be read.
    fn check_record(
        &self,
        txn: &mut dyn AppendTxn,
        capsule: &ReceivedCapsule,
    ) -> Result<(), StoreError> {
        let Some(entry) = capsule.entry.as_record() else {
            return Ok(());
        };
        let Some(payload) = &capsule.payload else {
            return Ok(());
        };
        let document = parse(payload.text.as_bytes(), Limits::CONTENT).map_err(|error| {
            StoreError::corrupt(
                StoreLocation::entry("received", self.frontier.size()),
                error,
            )
        })?;
        keys::extends_the_key_chain(txn, &capsule.header, entry.kind(), &document)
    }
}

/// Position of a received capsule.
enum Standing {
    /// It is in the log already.
    Here(u64),
    /// At the end of its chain; whether the content before it is there to rebuild it from.
    After(bool),
}

fn standing(txn: &mut dyn AppendTxn, capsule: &ReceivedCapsule) -> Result<Standing, StoreError> {
    let (header, chain) = (&capsule.header, capsule.header.chain());
    if let Some((index, hash)) = txn.in_chain(&chain, header.seq())?
        && hash == header.hash()
    {
        return Ok(Standing::Here(index));
    }
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
        return Ok(Standing::After(false));
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
            Ok(Standing::After(before.payload.is_some()))
        }
        Err(StoreError::Archived { .. }) => Ok(Standing::After(false)),
        Err(error) => Err(error),
    }
}
