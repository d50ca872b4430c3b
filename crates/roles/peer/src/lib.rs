//! An actor among others: asks other agents for memories, keeps what it may, and answers what it is asked (MRP; R1-R22).
//!
//! The protocol itself is in `counterfoil-exchange`, which has no IO; this crate carries out its effects on a store, a clock and a
//! [`Transport`]. HTTP and folders are elsewhere, each a thin driver of [`Asking`] and [`Answering`].

pub mod answering;
pub mod asking;
pub mod transport;

mod error;
mod host;
mod rates;
mod rim;

pub use answering::{Answering, Origin};
pub use asking::{Asking, Question, Report};
pub use error::PeerError;
pub use host::{Host, Store};
pub use rates::RateTable;
pub use rim::Timer;
pub use transport::{Arrival, Transport, TransportError};
