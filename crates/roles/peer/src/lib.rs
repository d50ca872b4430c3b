//! Actor among other agents: asks them for memories, keeps what policy allows, and answers their questions (MRP; R1-R22).
//!
//! The protocol itself is in `counterfoil-exchange`, which has no IO; this crate carries out its effects on a store, a clock and a
//! [`Transport`]. HTTP and folders are drivers of [`Host::ask`] and [`Answering`] in crates of their own.

pub mod answering;
pub mod asking;

mod behind;
mod error;
mod given;
mod host;
mod rates;
mod transport;

pub use answering::Answering;
pub use asking::{ExchangeQuestion, ExchangeReport};
pub use behind::attestation_behind;
pub use error::PeerError;
pub use given::{ReadingAgent, claim_readers};
pub use host::{ClaimSettings, Host, Timer};
pub use rates::{RateTable, party};
pub use transport::Transport;
