//! The rules of a memory's life: taken in, forked, forgotten, erased, archived, brought back, collected, checked
//! (capsules 4.3 to 4.8). They know no database: a backend runs them inside of one transaction, through [`Txn`].
//!
//! - [`port`] is the contract of a backend: log tables as typed entries, all other tables as rows.
//! - [`entries`] reads capsules, chains and keys. [`index`] derives the tables of the index from the log.
//! - [`commit`] is a change of the ground as a value: made, kept in files, applied to a store that follows.
//! - [`ground`] is the contract of an engine that holds the ground of logs for many nodes.
//! - [`journal`] links the rows that strangers cause, so that none is changed or goes unseen.
//! - [`sealing`] seals content under keys that can be destroyed.
//! - [`trust`] adds and reads records of what the agent decided about others.
//! - [`Unit`] is the inside of a transaction that appends.

pub mod commit;
pub mod entries;
pub mod forks;
pub mod ground;
pub mod index;
pub mod journal;
pub mod map;
pub mod port;
pub mod sealing;
pub mod trust;
pub mod versions;

mod archive;
mod aside;
mod backend;
mod bodies;
mod check;
mod collect;
mod contents;
mod did_text;
mod erase;
mod events;
mod export;
mod files;
mod forget;
mod fork_records;
mod guard;
mod held;
mod keys;
mod life;
mod read_check;
mod receive;
mod reconcile;
mod records;
mod report;
mod resolve;
mod stubs;
mod unit;

pub use archive::{SegmentReport, read_manifest, read_segment};
pub use backend::Backend;
pub use did_text::did_text;
pub use erase::{
    Certificate, DerivedKind, DerivedMemory, DerivedPolicy, ErasedCapsule, ErasureScope,
};
pub use export::{Feed, Selection};
pub use files::{beside, io_error, make_folder};
pub use forks::{Fork, ResolveReport};
pub use guard::{Guard, KnownHead, require_heads, signed_in};
pub use keys::{KeyChain, key_chain};
pub use life::Life;
pub use port::Txn;
pub use read_check::ReadCheck;
pub use receive::{LineReport, ReceiveReport};
pub use reconcile::reconcile;
pub use report::AuditReport;
pub use unit::Unit;
