//! The embedded backend: one SQLite file, no server (specification 6.1; `docs/format/database.md`).
//!
//! [`SqliteStore`] implements the traits of `counterfoil-store`. Ground state is append-only and
//! signed; everything else is derived from it and can be thrown away ([`SqliteStore::rebuild`]).
//! Appends that wait together share one transaction, one fsync and one checkpoint.
//!
//! A command opens a store once. What is read costs one open, one connection and one thread as long as reads follow each
//! other, and no fsync: open it with [`Options::read_only`] or [`Options::read_only_guarded`]. The thread that writes starts with [`Options::writable`] alone.
//!
//! The store needs no executor: its futures can be polled by any.

mod archive;
mod aside;
mod audit;
mod batch;
mod bodies;
mod claims;
mod clock_lead;
mod collect;
mod connection;
mod derivation;
mod derived;
mod did_text;
mod erase;
mod error;
mod events;
mod exchange;
mod export;
mod forget;
mod forks;
mod guard;
mod held;
mod keys;
mod ledger;
mod lookup;
mod options;
mod origin;
mod packed;
mod readers;
mod rebuild;
mod receive;
mod reconcile;
mod records;
#[cfg(test)]
mod rig;
mod rows;
mod schema;
mod scrub;
mod statement;
mod store;
mod stubs;
mod text;
mod unit;
mod upkeep;
mod validate;
mod versions;
mod writer;

pub use archive::SegmentReport;
pub use audit::AuditReport;
pub use clock_lead::ClockLead;
pub use erase::{Certificate, ErasedCapsule};
pub use export::Selection;
pub use forks::{Fork, ResolveReport};
pub use options::{DEFAULT_PATIENCE, Options, System};
pub use receive::{LineReport, ReceiveReport};
pub use reconcile::reconcile;
pub use store::SqliteStore;
pub use upkeep::{Health, Stats};
