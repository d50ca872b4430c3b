//! Capsules that come from elsewhere: judged, then accepted, held or refused (capsules 4.5, 4.6, 4.8).
//! What comes first does not matter: what waits is judged again when what it waits for is here.

mod events;
mod judge;
mod keeping;
mod key_chain;
mod receiver;
mod redactions;

use counterfoil_store::{StoreError, StoredCapsule};
use counterfoil_types::{Blake3Hash, DidKey};
use rusqlite::Connection;

pub(crate) use receiver::{ReceiveContext, continue_chain};

use crate::{SqliteStore, rows};
use receiver::Receiver;

/// Result of receiving a line.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LineReport {
    /// It is valid, and in the log now.
    Accepted,
    /// It was here before.
    AlreadyThere,
    /// It waits for something: `missing_parent`, `missing_key`, `future_timestamp`, ….
    Pending {
        /// Code of the missing thing.
        code: &'static str,
    },
    /// It is refused, and stays in quarantine.
    Refused {
        /// The check that failed.
        check: String,
        /// The code of the failure.
        code: String,
    },
    /// Its agent signed another capsule for the same place. Both are kept.
    Forked,
    /// It continues a branch beside the chain, and is kept there.
    Branch,
    /// It would have to wait or to be kept for evidence, and there is no room for more.
    NoRoom {
        /// Code of the missing thing, or of the failure.
        code: String,
    },
}

/// Result of receiving several lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReceiveReport {
    /// For each line its number, its outcome, and the hash of the capsule where there is one.
    pub outcomes: Vec<(u64, LineReport, Option<Blake3Hash>)>,
    /// Capsules that had waited and are kept now: accepted, or beside their chain.
    pub settled: Vec<Blake3Hash>,
    /// Capsules that had waited and are refused now, with the code of the failure.
    pub refused: Vec<(Blake3Hash, String)>,
    /// True if some that wait can be judged by now: call [`SqliteStore::settle`](crate::SqliteStore::settle).
    pub more: bool,
}

impl SqliteStore {
    /// Takes capsules that were sealed elsewhere, in one transaction. `detector` is who notices
    /// contradictions; `source` names where they come from.
    ///
    /// Each line has its number in the file and its bytes, without its line feed. The answer says what became of each. To take the same lines again changes nothing.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be written. A bad line is no error.
    pub async fn import_capsules(
        &self,
        detector: DidKey,
        source: &str,
        lines: Vec<(u64, Vec<u8>)>,
    ) -> Result<ReceiveReport, StoreError> {
        let receiving = ReceiveContext::from(detector, source);
        self.unit(move |unit| {
            let mut receiver = Receiver::new(unit, receiving)?;
            for (number, line) in &lines {
                receiver.take(*number, line)?;
            }
            Ok(receiver.finish())
        })
        .await
    }

    /// Judges again what waits, where that may come out otherwise by now. To be repeated while the
    /// answer says that there is more.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be written.
    pub async fn settle(
        &self,
        detector: DidKey,
        source: &str,
    ) -> Result<ReceiveReport, StoreError> {
        let receiving = ReceiveContext::from(detector, source);
        self.unit(move |unit| {
            let mut receiver = Receiver::new(unit, receiving)?;
            receiver.settle()?;
            Ok(receiver.finish())
        })
        .await
    }
}

/// The capsule at `index`; `None` when there is none, or when it lies in an archive.
fn capsule_here(connection: &Connection, index: u64) -> Result<Option<StoredCapsule>, StoreError> {
    match rows::capsule(connection, index) {
        Err(StoreError::Archived { .. }) => Ok(None),
        read => read,
    }
}
