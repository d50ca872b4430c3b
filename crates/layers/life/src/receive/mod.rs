//! Capsules that come from elsewhere: judged, then accepted, held or refused (capsules 4.5, 4.6, 4.8).
//! The order does not matter: a waiting capsule is judged again when the thing that it waits for is here.

mod events;
mod judge;
mod judgement;
mod keeping;
mod key_chain;
mod receiver;
mod redactions;
mod report;

use counterfoil_store::StoreError;

pub(crate) use events::fork;
pub(crate) use receiver::{ReceiveContext, continue_chain};
pub use report::{LineReport, ReceiveReport};

use crate::Unit;
use receiver::Receiver;

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
