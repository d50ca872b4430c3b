//! The beginning of a log: its key, and the checkpoint of nothing.

use std::sync::Arc;

use counterfoil_life::{Guard, Txn};
use counterfoil_store::StoreError;
use counterfoil_store::log::{NodeReader, NoteSigner};
use counterfoil_types::Sha256Hash;
use counterfoil_verifier::merkle;
use rusqlite::{Connection, params};

use crate::error::from_sqlite;
use crate::options::{Access, Options};
use crate::port::Tables;
use crate::statement::Statements;

/// The log's signer and guard of a store that is opened for writing.
pub(crate) fn signer_of(options: &Options) -> Result<(Arc<NoteSigner>, Guard), StoreError> {
    match &options.access {
        Access::ReadWrite { signer, guard } => Ok((
            Arc::clone(signer),
            Guard::new(guard.clone(), Arc::clone(signer))
                .with_outside(options.outside.clone(), options.heads.clone()),
        )),
        Access::ReadOnly { .. } => Err(StoreError::ReadOnly {
            reason: "a store is made with a log key: open it for writing".to_owned(),
        }),
    }
}

/// Writes the log's key and its first checkpoint, unless they are there. So a creation that was
/// interrupted between the tables and this row is completed when the store is opened.
pub(crate) fn found(connection: &mut Connection, signer: &NoteSigner) -> Result<(), StoreError> {
    let checkpoint = signer.checkpoint(0, merkle::EMPTY_ROOT)?;
    found_as(connection, &signer.verifier_key().to_string(), &checkpoint).map(drop)
}

/// Sets a key and a checkpoint, as [`found`] does. Returns true if they were not there.
pub(crate) fn found_as(
    connection: &mut Connection,
    key: &str,
    checkpoint: &str,
) -> Result<bool, StoreError> {
    let transaction = connection.begin()?;
    if transaction.has("SELECT 1 FROM origin", [])? {
        return Ok(false);
    }
    let sql = "INSERT INTO origin (id, verifier_key) VALUES (0, ?1)";
    transaction.run(sql, params![key])?;
    let sql = "INSERT INTO head (id, size, checkpoint) VALUES (0, 0, ?1)";
    transaction.run(sql, params![checkpoint])?;
    transaction.commit().map(|()| true).map_err(from_sqlite)
}

/// Refuses a signer that is not the log's own.
pub(crate) fn require(connection: &Connection, signer: &NoteSigner) -> Result<(), StoreError> {
    let stored = Tables::new(connection).verifier_key()?;
    let given = signer.verifier_key().to_string();
    if stored == given {
        Ok(())
    } else {
        Err(StoreError::WrongLogKey { stored, given })
    }
}

/// A log without entries.
pub(crate) struct EmptyLog;

impl NodeReader for EmptyLog {
    fn node(&self, _level: u32, _index: u64) -> Result<Sha256Hash, StoreError> {
        Err(StoreError::Bug("a node of a log without entries"))
    }
}
