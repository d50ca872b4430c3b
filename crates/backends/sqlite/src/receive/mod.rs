//! Capsules that come from elsewhere: judged, then accepted, held or refused (capsules 4.5, 4.6, 4.8).
//! What comes first does not matter: what waits is judged again when what it waits for is here.

mod batch;
mod entrance;
mod events;
mod here;
mod judge;
mod keeping;
mod key_chain;
mod receiver;
mod redactions;

pub use batch::{ExportLine, LineReport, ReceiveReport};
pub(crate) use receiver::{ReceiveContext, continue_chain};
