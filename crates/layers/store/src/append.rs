//! The one write path, for backends: seal drafts in order, inside the backend's transaction
//! (capsules C17, 4.4). A backend brings a [`AppendTxn`] and keeps the capsules that [`Frontier::append_drafts`] hands it.

pub(crate) mod claims;
pub(crate) mod keys;
mod new_capsule;
mod placing;
mod random;
mod receiving;
mod sealing;

use counterfoil_capsule::keys::KeyHistory;
use counterfoil_capsule::{ChainId, LastTimes, Signer, World};
use counterfoil_types::{Blake3Hash, DidKey, WorldId};

use crate::capsule_log::{AppendReport, Draft, Head, MAX_DRAFTS, StoredCapsule, Subject};
use crate::delta::is_whole;
use crate::log::Frontier;
use crate::{Clock, Entropy, StoreError};
pub use new_capsule::{NewCapsule, PackedTexts, Packer};
use placing::{Order, Unsealed};
use random::Random;
use sealing::{Sealed, Sealing, with_helpers};

/// Log tables inside of one transaction: the questions of an append about them, and its writes. All calls of one append
/// see the rows that its earlier calls inserted.
pub trait AppendTxn {
    /// Reserves `index` for the World, unless it has an index already: then returns that one.
    /// [`AppendTxn::insert`] follows for each index that was reserved, in the order of the
    /// reservations, unless the whole append fails.
    ///
    /// # Errors
    /// When it cannot be read or written.
    fn reserve(&mut self, world_id: &WorldId, index: u64) -> Result<Option<u64>, StoreError>;

    /// The capsule at an index that [`AppendTxn::reserve`] or [`AppendTxn::head`] gave.
    ///
    /// # Errors
    /// When it cannot be read, or is not there.
    fn capsule(&mut self, index: u64) -> Result<StoredCapsule, StoreError>;

    /// The last capsule of a chain.
    ///
    /// # Errors
    /// When it cannot be read.
    fn head(&mut self, chain: &ChainId) -> Result<Option<Head>, StoreError>;

    /// The times of the last capsule of `agent`, over all its chains.
    ///
    /// # Errors
    /// When it cannot be read.
    fn last_recorded(&mut self, agent: &DidKey) -> Result<Option<LastTimes>, StoreError>;

    /// The key that signs for `agent` now, with its number: its own name and 0 unless it has
    /// rotated.
    ///
    /// # Errors
    /// When it cannot be read.
    fn current_key(&mut self, agent: &DidKey) -> Result<(u64, DidKey), StoreError> {
        let history = self.key_history(agent)?;
        Ok(history.map_or((0, *agent), |history| {
            (history.current_number(), history.current())
        }))
    }

    /// The agent's key chain as far as the log has it.
    ///
    /// # Errors
    /// When it cannot be read, or does not hold.
    fn key_history(&mut self, agent: &DidKey) -> Result<Option<KeyHistory>, StoreError>;

    /// Returns the number from which on a chain takes nothing more, because it forked there and is not
    /// resolved. A backend that keeps no branches has none: its caller has to keep a forked chain from growing.
    ///
    /// # Errors
    /// When it cannot be read.
    fn forked_at(&mut self, _chain: &ChainId) -> Result<Option<u64>, StoreError> {
        Ok(None)
    }

    /// Index and hash of the capsule of that number in a chain.
    ///
    /// # Errors
    /// When it cannot be read.
    fn in_chain(
        &mut self,
        chain: &ChainId,
        seq: u64,
    ) -> Result<Option<(u64, Blake3Hash)>, StoreError>;

    /// Returns number of rows and last link of the journal beside the log, where no entry has named them yet: the next one
    /// that is sealed does. A backend that keeps nothing beside its log has none.
    ///
    /// # Errors
    /// When it cannot be read.
    fn unnamed_journal(&mut self) -> Result<Option<(u64, Blake3Hash)>, StoreError> {
        Ok(None)
    }

    /// Returns secret, next number and last capsule of the feed of `agent` (docs/format/feed.md), of which `entropy` begins one
    /// where there is none. Asked once for an append, before its first insert. A backend that keeps no feeds has none.
    ///
    /// # Errors
    /// When it cannot be read or written.
    fn feed(
        &mut self,
        _agent: &DidKey,
        _entropy: &dyn Entropy,
    ) -> Result<Option<NextInFeed>, StoreError> {
        Ok(None)
    }

    /// Returns the function that packs texts. Called on the threads that seal.
    fn packer(&self) -> Packer {
        |_| (None, None)
    }

    /// Keeps a capsule at the end of the log.
    ///
    /// # Errors
    /// When it cannot be written; the backend then undoes the whole append.
    fn insert(&mut self, new: &NewCapsule<'_>) -> Result<(), StoreError>;
}

/// Secret, next number and last capsule of an agent's feed.
pub type NextInFeed = ([u8; 32], u64, Option<Blake3Hash>);

impl Frontier {
    /// Seals the drafts and inserts them. After an error nothing of this append counts: this
    /// value is as before, and the backend undoes the inserts.
    ///
    /// `tree_size` of the answers is the size after this append. A backend that commits several
    /// appends at once sets it to the size it signs.
    ///
    /// # Errors
    /// Those of [`CapsuleLog::append`](crate::CapsuleLog::append).
    pub fn append_drafts(
        &mut self,
        txn: &mut dyn AppendTxn,
        context: AppendContext<'_>,
        drafts: &[Draft],
    ) -> Result<Vec<AppendReport>, StoreError> {
        claims::none_unjudged(drafts)?;
        self.seal_drafts(txn, context, drafts)
    }

    fn seal_drafts(
        &mut self,
        txn: &mut dyn AppendTxn,
        context: AppendContext<'_>,
        drafts: &[Draft],
    ) -> Result<Vec<AppendReport>, StoreError> {
        self.all_or_none(drafts.len(), |frontier| {
            let random = Random::new(context.entropy, drafts.len());
            let mut order = Order::new(random, txn.unnamed_journal()?);
            let mut appended = Vec::with_capacity(drafts.len());
            // One that follows a capsule is sealed alone.
            let together = drafts.iter().filter(|draft| draft.expected.is_none());
            let (count, pack) = (together.count(), txn.packer());
            with_helpers(count, context.signer, pack, |sealing| {
                for draft in drafts {
                    // The predecessor of this draft has to be written first.
                    if draft.expected.is_some() {
                        frontier.write(txn, sealing, &mut appended)?;
                    }
                    let index = frontier.size() + sealing.len();
                    if let Some(world) = draft.world()
                        && let Some(existing) = txn.reserve(world.world_id(), index)?
                    {
                        frontier.write(txn, sealing, &mut appended)?;
                        appended.push(existing_place(txn, (draft, world), existing)?);
                        continue;
                    }
                    if sealing.len() == 0 {
                        context.signs_now(txn)?;
                    }
                    sealing.push(context.unsealed(txn, draft, index, &mut order)?);
                    // Who may sign the next one depends on it.
                    if keys::is_about_keys(&draft.subject) {
                        frontier.write(txn, sealing, &mut appended)?;
                    }
                }
                frontier.write(txn, sealing, &mut appended)
            })?;
            Ok(appended)
        })
    }

    /// Runs `append` for `count` entries. After an error this value is as before.
    fn all_or_none(
        &mut self,
        count: usize,
        append: impl FnOnce(&mut Self) -> Result<Vec<AppendReport>, StoreError>,
    ) -> Result<Vec<AppendReport>, StoreError> {
        if count > MAX_DRAFTS {
            return Err(StoreError::TooManyDrafts {
                drafts: count,
                limit: MAX_DRAFTS,
            });
        }
        let before = self.clone();
        let mut appended = append(self).inspect_err(|_| *self = before)?;
        for place in &mut appended {
            place.tree_size = self.size();
        }
        Ok(appended)
    }

    /// Inserts the drafts that are there to be sealed, in their order.
    fn write(
        &mut self,
        txn: &mut dyn AppendTxn,
        sealing: &mut Sealing<'_, '_>,
        appended: &mut Vec<AppendReport>,
    ) -> Result<(), StoreError> {
        sealing.keep_each(|unsealed, sealed| {
            let Sealed {
                capsule: stored,
                leaf,
                packed,
            } = sealed
                .as_ref()
                .map_err(|source| unsealed.draft.refused(source.clone()))?;
            if let Subject::Record { kind, document } = &unsealed.draft.subject {
                keys::extends_the_key_chain(txn, &stored.header, *kind, document)?;
            }
            let new = NewCapsule {
                stored,
                follows: !is_whole(&stored.header),
                packed: Some(packed),
                received: None,
                hashes: &self.append(*leaf),
            };
            txn.insert(&new)?;
            appended.push(AppendReport::of(stored, true));
            Ok(())
        })
    }
}

/// The place of a World that is there already with the same content.
fn existing_place(
    txn: &mut dyn AppendTxn,
    (draft, world): (&Draft, &World),
    index: u64,
) -> Result<AppendReport, StoreError> {
    let stored = txn.capsule(index)?;
    let content = draft.content()?;
    match &stored.payload {
        Some(payload) if payload.text == content => Ok(AppendReport::of(&stored, false)),
        _ => Err(StoreError::WorldConflict {
            world_id: world.world_id().clone(),
            index,
        }),
    }
}

/// Signer, clock and random source of one append.
#[derive(Clone, Copy)]
pub struct AppendContext<'a> {
    /// The agent in whose name the capsules are sealed.
    pub signer: &'a dyn Signer,
    /// The present time.
    pub clock: &'a dyn Clock,
    /// Salts and ids.
    pub entropy: &'a dyn Entropy,
}
