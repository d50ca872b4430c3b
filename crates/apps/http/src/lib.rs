//! HTTP between agents: the server and the client of the request protocol (docs/format/transports.md §1; MRP-31, MRP-52).
//!
//! Neither reads memories: the client carries the bytes of one exchange, the server passes requests to a
//! [`server::Responder`] and returns its bytes or a problem. The documents authenticate the agents; TLS keeps them confidential.

pub mod client;
pub mod server;

mod digest;
mod error;
mod problem;
mod protocol;
mod witness;

pub use error::HttpError;
pub use witness::{AddCheckpoint, WitnessAnswer};
