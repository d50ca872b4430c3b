//! Actor among other agents: asks them for memories, keeps what policy allows, and answers their questions (MRP; R1-R22).
//!
//! The protocol itself is in `counterfoil-exchange`, which has no IO; this crate carries out its effects on a store, a clock and a
//! [`Transport`]. HTTP and folders are drivers of [`Asking`] and [`Answering`] in crates of their own.

pub mod answering;
pub mod asking;
pub mod transport;

mod error;
mod host;
mod rates;

pub use answering::{Answering, Origin};
pub use asking::{Asking, ExchangeQuestion, ExchangeReport};
pub use error::PeerError;
pub use host::{Host, Store, Timer};
pub use rates::RateTable;
pub use transport::{Transport, TransportError};
