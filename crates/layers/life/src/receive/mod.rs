//! Capsules that come from elsewhere: judged, then accepted, held or refused (capsules 4.5, 4.6, 4.8).
//! The order does not matter: a waiting capsule is judged again when the thing that it waits for is here.

mod events;
mod judge;
mod keeping;
mod key_chain;
mod receiver;
mod redactions;

use counterfoil_store::StoreError;
use counterfoil_types::Blake3Hash;

pub(crate) use receiver::{ReceiveContext, continue_chain};

use crate::Unit;
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
    /// True if some that wait can be judged by now: call [`Life::settle`](crate::Life::settle).
    pub more: bool,
}

/// Takes capsules that were sealed elsewhere, each with the number of its line.
pub(crate) fn import(
    unit: &mut Unit<'_>,
    receiving: ReceiveContext,
    lines: &[(u64, Vec<u8>)],
) -> Result<ReceiveReport, StoreError> {
    let mut receiver = Receiver::new(unit, receiving)?;
    for (number, line) in lines {
        receiver.take(*number, line)?;
    }
    Ok(receiver.finish())
}

/// Judges waiting capsules again, where the verdict may be another by now.
pub(crate) fn settle(
    unit: &mut Unit<'_>,
    receiving: ReceiveContext,
) -> Result<ReceiveReport, StoreError> {
    let mut receiver = Receiver::new(unit, receiving)?;
    receiver.settle()?;
    Ok(receiver.finish())
}
