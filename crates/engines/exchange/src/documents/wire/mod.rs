//! Documents as they stand in bytes: closed shapes, from which the schemas are made as well (docs/format/exchange.md §1-§6).
//!
//! The structs here are only ever read into the public types, or written from them.

mod leaf;
mod list;
mod number;
mod reader;
#[cfg(feature = "schema")]
mod receipt;
#[cfg(feature = "schema")]
mod schema;

pub(super) mod attestation;
pub(super) mod capability;
pub(super) mod request;
pub(super) mod response;
pub(super) mod shared;
pub(super) mod verify;
pub(super) mod vouch;

pub(super) use leaf::{As, Spelled};
pub(super) use list::{List, items, list};
pub(super) use number::{Share, Whole};
pub(super) use reader::read;
