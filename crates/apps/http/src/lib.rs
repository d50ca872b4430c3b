//! HTTP between agents: the server and the client of the request protocol (docs/format/transports.md §1; MRP-31, MRP-52).
//!
//! Neither reads memories: the client carries the bytes of one exchange for `Asking`, the server passes requests to a
//! [`server::Responder`] and returns its bytes or a problem. The documents authenticate the agents; TLS keeps them confidential.

pub mod client;
pub mod server;

mod digest;
mod problem;

/// Largest body in either direction, in bytes.
const MAX_BODY_BYTES: usize = counterfoil_exchange::documents::MAX_DOCUMENT_BYTES;
/// URI of the protocol's extension in agent cards.
const EXTENSION: &str = "https://counterfoil.dev/mrp/v1";
/// Headers of HTTP message signatures (RFC 9421): refused, not ignored (docs/decisions/0017).
const SIGNATURES: [&str; 2] = ["signature", "signature-input"];
