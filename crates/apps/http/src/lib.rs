//! HTTP between agents: the server and the client of the request protocol (docs/format/transports.md §1; MRP-31, MRP-52).
//!
//! Neither knows what a memory is: the client carries the bytes of one exchange for `Asking`, the server hands what comes to
//! a [`server::Responder`] and gives back its bytes or a problem. Who authenticates is in the documents; TLS hides them from others.

pub mod client;
pub mod server;

mod digest;
mod limits;
mod problem;

pub use limits::MAX_BODY_BYTES;
pub use problem::{EXTENSION, ProblemWord};
