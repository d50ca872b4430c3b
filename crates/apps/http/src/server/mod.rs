//! The server: routes over one [`Responder`], behind limits of size, time, rate and number (docs/format/transports.md §1; MRP-52).
//!
//! Trusted for: nothing about memories. It bounds what strangers can make this process do, and hands whole bodies on. What it
//! answers is either what the responder said, byte for byte, or a problem (RFC 9457).

mod addresses;
mod app;
mod body;
mod card;
mod cooling;
mod documents;
mod error;
mod guard;
mod listening;
mod log_files;
mod metrics;
mod openapi;
mod responder;
mod routes;
mod settings;
mod tls;

pub use error::ServerError;
pub use listening::{Drained, Server};
pub use log_files::LogFiles;
pub use openapi::openapi;
pub use responder::Responder;
pub use settings::{ServerLimits, ServerSettings};
pub use tls::server_config;

/// Headers of HTTP message signatures (RFC 9421): refused, not ignored (docs/decisions/0017).
pub(crate) const SIGNATURES: [&str; 2] = ["signature", "signature-input"];
