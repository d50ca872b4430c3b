//! Fetches evidence that memories point to, from public addresses only; off unless the host turns it on (R11, MRP-45;
//! docs/format/exchange.md §8.3; cases 107 to 112).
//!
//! What a peer points to is an order to send packets somewhere. So a URL is looked at after it was parsed, its name is
//! resolved once, each of its addresses is tested against the table in [`address`], and the connection goes to exactly these
//! addresses. A redirect begins anew. Nothing is sent along: no cookies, no referer, no proxy. What is there counts only if its
//! SHA-256 is the one that the evidence names.

pub mod address;

mod budget;
mod client;
mod fetcher;
mod target;

pub use budget::Limits;
pub use client::{Resolve, SystemResolver};
pub use fetcher::{FetchSetup, Fetcher};
