//! The embedded backend: one SQLite file, no server (specification 6.1; `docs/format/database.md`).
//!
//! [`SqliteStore`] implements the traits of `counterfoil-store`. Ground state is append-only and
//! signed; everything else is derived from it and can be thrown away ([`SqliteStore::rebuild`]).
//! Appends that wait together share one transaction, one fsync and one checkpoint.
//!
//! The store needs no executor: its futures can be polled by any.

mod audit;
mod batch;
mod connection;
mod derived;
mod error;
mod guard;
mod ledger;
mod options;
mod origin;
mod readers;
mod rebuild;
mod rim;
mod rows;
mod schema;
mod stats;
mod store;
mod text;
mod unit;
mod writer;

pub use audit::{AuditReport, Depth, Difference};
pub use options::{DEFAULT_PATIENCE, Options};
pub use rebuild::Rebuilt;
pub use rim::{SystemClock, SystemEntropy};
pub use stats::{Health, Stats, TableSize};
pub use store::SqliteStore;
