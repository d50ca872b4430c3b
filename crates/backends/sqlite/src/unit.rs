//! One unit of work of the writer: rows are changed and capsules appended together or not at all
//! (capsules 4.6: a redaction and what it takes away are one transaction).

use std::borrow::Cow;

use counterfoil_capsule::{Kind, Signer, World};
use counterfoil_store::append::AppendContext;
use counterfoil_store::log::Frontier;
use counterfoil_store::{AppendReport, Draft, StoreError, StoredCapsule};
use rusqlite::{Connection, Transaction};

use crate::batch::{Committer, follows, new_worlds};
use crate::claims;
use crate::ledger::Rows;
use crate::options::Options;
use crate::text::{self, IndexedWorld};

/// The inside of one transaction of the writer.
pub(crate) struct Unit<'t> {
    transaction: &'t Transaction<'t>,
    frontier: &'t mut Frontier,
    options: &'t Options,
    new: Vec<IndexedWorld<'static>>,
}

impl Unit<'_> {
    /// The connection, inside of the transaction.
    pub(crate) fn connection(&self) -> &Connection {
        self.transaction
    }

    /// The transaction itself.
    pub(crate) const fn transaction(&self) -> &Transaction<'_> {
        self.transaction
    }

    /// The present time of the store's clock, in microseconds.
    pub(crate) fn now_micros(&self) -> u64 {
        self.options.clock.now_micros()
    }

    /// Options of the store.
    pub(crate) const fn options(&self) -> &Options {
        self.options
    }

    /// Seals the drafts and appends them. `tree_size` of the answers is the size after this call.
    ///
    /// # Errors
    /// As [`CapsuleLog::append`](counterfoil_store::CapsuleLog::append). After one the whole unit
    /// has to fail.
    pub(crate) fn append(
        &mut self,
        signer: &dyn Signer,
        drafts: &[Draft],
    ) -> Result<Vec<AppendReport>, StoreError> {
        let context = AppendContext {
            signer,
            clock: &*self.options.clock,
            entropy: &*self.options.entropy,
        };
        let mut rows = Rows::new(self.transaction);
        let places = self.frontier.append_drafts(&mut rows, context, drafts)?;
        rows.finish()?;
        let new = new_worlds(self.transaction, &places, drafts)?;
        self.new.extend(new.into_iter().map(|new| IndexedWorld {
            world: Cow::Owned(new.world.into_owned()),
            ..new
        }));
        Ok(places)
    }

    /// Appends capsules that were sealed elsewhere and judged valid, each after its predecessor.
    ///
    /// # Errors
    /// As [`CapsuleLog::receive`](counterfoil_store::CapsuleLog::receive). After one the whole unit
    /// has to fail.
    pub(crate) fn receive(
        &mut self,
        source: &str,
        capsules: &mut [StoredCapsule],
    ) -> Result<Vec<AppendReport>, StoreError> {
        let received = Some((source, self.now_micros()));
        let mut rows = Rows::new(self.transaction);
        let places = self.frontier.receive(&mut rows, received, capsules)?;
        rows.finish()?;
        for (place, capsule) in places.iter().zip(capsules) {
            if !place.is_new {
                continue;
            }
            if capsule.header.kind() == Kind::Claim {
                claims::received(self.transaction, place.index)?;
            }
            // The World that it holds, for full text.
            let payload = capsule
                .payload
                .as_ref()
                .filter(|_| capsule.entry.world().is_some());
            let world = payload.and_then(|body| World::from_json(body.text.as_bytes()).ok());
            let Some(world) = world else { continue };
            let follows = match capsule.header.previous() {
                None => None,
                Some(_) => Some(follows(self.transaction, place)?),
            };
            self.new.push(IndexedWorld {
                index: place.index,
                world: Cow::Owned(world),
                follows,
            });
        }
        Ok(places)
    }
}

impl Committer {
    /// Runs `job` in one transaction and commits what it did, together with a new checkpoint if the
    /// log has grown. After an error nothing of it is kept.
    pub(crate) fn unit<T>(
        &mut self,
        job: impl FnOnce(&mut Unit<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.require_running()?;
        let options = &self.options;
        let done = self
            .head_state
            .transact(&mut self.connection, |transaction, frontier| {
                let mut unit = Unit {
                    transaction,
                    frontier,
                    options,
                    new: Vec::new(),
                };
                let done = job(&mut unit)?;
                text::index_worlds(transaction, &unit.new)?;
                Ok(Some(done))
            });
        match done {
            Ok(Some((done, _))) => Ok(done),
            Ok(None) => Err(StoreError::Bug(
                "a unit that was taken back without an error",
            )),
            Err(error) => Err(self.failed(error)),
        }
    }
}
