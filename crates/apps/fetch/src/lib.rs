//! Fetcher of the evidence that memories point to, from public addresses only; off unless the host turns it on (R11, MRP-45;
//! docs/format/exchange.md §8.3; cases 107 to 112).
//!
//! A URL in a memory lets a peer choose where this machine sends packets. So the parsed URL is checked, its name is resolved
//! once, each address is tested against the table in `address.rs`, and the connection goes to exactly these addresses. A
//! redirect starts again from the beginning. Nothing is sent along: no cookies, no referer, no proxy. A body counts only if
//! its SHA-256 is the one that the evidence names.

mod address;
mod budget;
mod client;
mod fetcher;
mod target;

pub use client::public_addresses;
pub use fetcher::Fetcher;
