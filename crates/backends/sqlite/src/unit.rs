//! One unit of work of the writer: rows are changed and capsules appended together or not at all
//! (capsules 4.6: a redaction and what it takes away are one transaction).

use counterfoil_capsule::{Kind, Signer, World};
use counterfoil_store::append::{AppendContext, Appender, CapsuleOrigin};
use counterfoil_store::log::Frontier;
use counterfoil_store::{
    AppendOutcome, AppendReport, Draft, ExpectedHead, ReceivedCapsule, StoreError,
};
use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::batch::{LogHeadState, follows, move_head};
use crate::claims;
use crate::error::from_sqlite;
use crate::ledger::Rows;
use crate::options::Options;
use crate::rows::{self, LogRows};
use crate::text::{self, IndexedWorld, Succession};

/// The inside of one transaction of the writer.
pub(crate) struct Unit<'t> {
    transaction: &'t Transaction<'t>,
    appender: Appender,
    options: &'t Options,
    new: Vec<(u64, World, Option<Succession>)>,
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
        let rim = AppendContext {
            signer,
            clock: &*self.options.clock,
            entropy: &*self.options.entropy,
        };
        let mut rows = Rows::new(self.transaction)?;
        let places = self.appender.append(&mut rows, rim, drafts)?;
        rows.finish()?;
        for (place, draft) in places.iter().zip(drafts) {
            let Some(world) = draft
                .world()
                .filter(|_| place.outcome == AppendOutcome::New)
            else {
                continue;
            };
            let follows = match draft.expected {
                ExpectedHead::NewChain => None,
                _ => Some(follows(self.transaction, place)?),
            };
            self.new.push((place.index, world.clone(), follows));
        }
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
        capsules: &[ReceivedCapsule],
    ) -> Result<Vec<AppendReport>, StoreError> {
        let origin = CapsuleOrigin::Received {
            source,
            at_us: self.now_micros(),
        };
        let mut rows = Rows::new(self.transaction)?;
        let places = self.appender.receive(&mut rows, origin, capsules)?;
        rows.finish()?;
        for (place, capsule) in places.iter().zip(capsules) {
            if place.outcome != AppendOutcome::New {
                continue;
            }
            if capsule.header.kind() == Kind::Claim {
                claims::received(self.transaction, place.index)?;
            }
            let Some(world) = world_of(capsule) else {
                continue;
            };
            let follows = match capsule.header.previous() {
                None => None,
                Some(_) => Some(follows(self.transaction, place)?),
            };
            self.new.push((place.index, world, follows));
        }
        Ok(places)
    }
}

/// The World that a received capsule holds, for the full text.
fn world_of(capsule: &ReceivedCapsule) -> Option<World> {
    capsule.entry.world()?;
    let payload = capsule.payload.as_ref()?;
    World::from_json(payload.text.as_bytes()).ok()
}

/// Runs `job` in one transaction and commits what it did, together with a new checkpoint if the
/// log has grown. After an error nothing of it is kept.
pub(crate) fn run<T>(
    connection: &mut Connection,
    head_state: &mut LogHeadState,
    options: &Options,
    job: impl FnOnce(&mut Unit<'_>) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(from_sqlite)?;
    let head = rows::log_head(&transaction)?;
    head_state.compare(&transaction, &head)?;
    let mut unit = Unit {
        appender: Appender::new(Frontier::load(&LogRows(&transaction), head.size)?),
        transaction: &transaction,
        options,
        new: Vec::new(),
    };
    let done = job(&mut unit)?;
    let Unit { appender, new, .. } = unit;
    let size = appender.frontier().size();
    if size == head.size {
        transaction.commit().map_err(from_sqlite)?;
        return Ok(done);
    }
    let new = new.iter().map(|(index, world, follows)| IndexedWorld {
        index: *index,
        world,
        follows: follows.clone(),
    });
    text::index_worlds(&transaction, new).map_err(from_sqlite)?;
    let moved = head_state.moved(appender.frontier())?;
    move_head(&transaction, &head, &moved)?;
    let committed = transaction.commit();
    head_state.publish(connection, committed, moved)?;
    Ok(done)
}
