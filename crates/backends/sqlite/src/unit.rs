//! One unit of work of the writer: rows are changed and capsules appended together or not at all
//! (capsules 4.6: a redaction and what it takes away are one transaction).

use counterfoil_capsule::{Signer, World};
use counterfoil_store::append::{Appender, Rim};
use counterfoil_store::log::Frontier;
use counterfoil_store::{AppendOutcome, Appended, Draft, StoreError};
use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::batch::{Desk, move_head, settle};
use crate::error::from_sqlite;
use crate::ledger::Rows;
use crate::options::Options;
use crate::rows::{self, LogHead, LogRows};
use crate::text;

/// The inside of one transaction of the writer.
pub(crate) struct Unit<'t> {
    transaction: &'t Transaction<'t>,
    appender: Appender,
    options: &'t Options,
    new: Vec<(u64, World)>,
}

impl Unit<'_> {
    /// The connection, inside of the transaction.
    pub(crate) fn connection(&self) -> &Connection {
        self.transaction
    }

    /// The present time of the store's clock, in microseconds.
    pub(crate) fn now_micros(&self) -> u64 {
        self.options.clock.now_micros()
    }

    /// How the store was opened.
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
    ) -> Result<Vec<Appended>, StoreError> {
        let rim = Rim {
            signer,
            clock: &*self.options.clock,
            entropy: &*self.options.entropy,
        };
        let mut rows = Rows::new(self.transaction)?;
        let places = self.appender.append(&mut rows, rim, drafts)?;
        rows.finish()?;
        let new = places.iter().zip(drafts).filter_map(|(place, draft)| {
            let new = place.outcome == AppendOutcome::New;
            Some((place.index, draft.world().filter(|_| new)?.clone()))
        });
        self.new.extend(new);
        Ok(places)
    }
}

/// Runs `job` in one transaction and commits what it did, together with a new checkpoint if the
/// log has grown. After an error nothing of it is kept.
pub(crate) fn run<T>(
    connection: &mut Connection,
    desk: &mut Desk,
    options: &Options,
    job: impl FnOnce(&mut Unit<'_>) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(from_sqlite)?;
    let head = rows::log_head(&transaction)?;
    desk.compare(&transaction, &head)?;
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
    let new = new.iter().map(|(index, world)| (*index, world));
    text::index_worlds(&transaction, new).map_err(from_sqlite)?;
    let checkpoint = desk.signer.checkpoint(size, appender.frontier().root())?;
    let moved = LogHead { size, checkpoint };
    move_head(&transaction, &head, &moved)?;
    if let Err(error) = transaction.commit() {
        settle(connection, error, &moved)?;
    }
    desk.guard_it(moved)?;
    Ok(done)
}
