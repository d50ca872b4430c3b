//! A node of a shared ground: its writes are committed there before they are committed here, and those of others come in.

use std::path::Path;

use counterfoil_life::Guard;
use counterfoil_life::Txn as _;
use counterfoil_life::commit::{self, GroundKeys};
use counterfoil_life::ground::{Ground, GroundTxn, Outcome};
use counterfoil_store::StoreError;
use counterfoil_store::log::NoteSigner;
use rusqlite::Connection;

use crate::connection;
use crate::error::from_sqlite;
use crate::options::Options;
use crate::port::Tables;
use crate::scrub::scrub;
use crate::sealed;
use crate::statement::Statements;

/// Commits here all that this node lacks of the ground. Returns true where it lacked anything.
pub(crate) fn forward(
    (guard, signer): (&mut Guard, &NoteSigner),
    connection: &mut Connection,
    options: &Options,
    ground: &mut dyn GroundTxn,
) -> Result<bool, StoreError> {
    let transaction = connection.begin()?;
    let tables = Tables::new(&transaction);
    let keys = GroundKeys::new(signer, &*options.entropy);
    let is_new = commit::followed(&tables)?.is_none();
    if !commit::forward(&tables, ground, &keys)? {
        return Ok(false);
    }
    tables.flush_index()?;
    options.sync_keys()?;
    let (size, checkpoint) = tables.head()?;
    match is_new {
        true => drop(guard.check_first(&tables, (size, &checkpoint))?),
        false => guard.check(&tables, (size, &checkpoint))?,
    }
    transaction.commit().map_err(from_sqlite)?;
    guard.advance(size, &checkpoint)?;
    Ok(true)
}

/// Takes old bytes of erased content out of the file, and says so in the shared ground, if there is one. Returns the reason if it
/// could not be done: it is tried again the next time.
pub(crate) fn end_erasures(
    connection: &mut Connection,
    options: &Options,
) -> Result<Option<String>, StoreError> {
    let erased = commit::followed(&Tables::new(connection))?;
    let scrubbed = scrub(connection, &options.path);
    // The views went with the place of temporary tables.
    sealed::set_up(connection, &options.keys)?;
    let obstacle = scrubbed?;
    if let (Some(ground), Some((_, number)), None) = (&options.ground, erased, &obstacle) {
        ground.confirm(number)?;
    }
    Ok(obstacle)
}

/// Commits the changes of the transaction of `tables` in the ground; false where there are none.
pub(crate) fn commit(
    tables: &Tables<'_>,
    signer: &NoteSigner,
    options: &Options,
    (ground, mut locked): (&dyn Ground, Box<dyn GroundTxn + '_>),
) -> Result<bool, StoreError> {
    let keys = GroundKeys::new(signer, &*options.entropy);
    let Some(pending) = commit::pending(tables, &*options.entropy, &mut *locked, &keys)? else {
        return Ok(false);
    };
    let outcome = match locked.commit(&pending)? {
        Outcome::Unknown => match ground.settle(pending.after.number, &pending.after.id)? {
            true => Outcome::Committed,
            false => Outcome::Moved,
        },
        known => known,
    };
    match outcome {
        Outcome::Committed => Ok(true),
        _ => Err(StoreError::Unavailable {
            doing: "committing to the shared ground",
            detail: "nothing of it was kept: do it again".to_owned(),
        }),
    }
}

/// The error when the ground has a commit, and this node could not take it in.
pub(crate) fn behind(error: &StoreError) -> StoreError {
    StoreError::NotConfirmed {
        detail: format!("they are in the shared ground, and this node cannot keep them: {error}"),
    }
}

/// Makes a copy of a node a store of its own, which follows no ground.
///
/// # Errors
/// When it cannot be opened or written.
pub fn detach(path: &Path) -> Result<(), StoreError> {
    let mut connection = connection::writer(&Options::read_only(path))?;
    let transaction = connection.begin()?;
    commit::leave(&Tables::new(&transaction))?;
    transaction.commit().map_err(from_sqlite)
}
