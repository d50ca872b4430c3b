//! The embedded backend: one SQLite file, no server (specification 6.1; `docs/format/database.md`).
//!
//! [`SqliteStore`] implements the traits of `counterfoil-store`, and the port of `counterfoil-life`, which has the operations on
//! a memory's life. Ground state is append-only and
//! signed; everything else is derived from it and can be thrown away ([`Life::rebuild`](counterfoil_life::Life::rebuild)).
//! Appends that wait together share one transaction, one fsync and one checkpoint.
//!
//! A command opens a store once. Reads that follow each other cost one open, one connection and one thread,
//! and no fsync: open it with [`Options::read_only`] or [`Options::read_only_guarded`]. The thread that writes starts with [`Options::writable`] alone.
//!
//! The store needs no executor: its futures can be polled by any.

mod apart;
mod audit;
mod batch;
mod claims;
mod connection;
mod content_keys;
mod counts;
mod derived;
mod error;
mod exchange;
mod health;
#[cfg(test)]
mod life_tests;
mod options;
mod origin;
mod packed;
mod port;
mod readers;
#[cfg(test)]
mod rig;
mod row;
mod schema;
mod scopes;
mod scrub;
mod sealed;
mod shared;
mod standby;
mod statement;
mod store;
mod text;
mod vectors;
mod writer;

pub use content_keys::{content_keys, make_content_keys};
pub use health::{Health, Stats};
pub use options::{DEFAULT_PATIENCE, Options, System};
pub use shared::detach;
pub use standby::Standby;
pub use store::{SqliteStore, reconcile};
