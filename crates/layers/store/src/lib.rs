//! Layer 1 of the memory protocol: where Worlds and their capsules are kept, and the log that
//! proves them (specification 6.1; proof.md 1). For the Actor only: an authority has no path here.
//!
//! - [`MemoryStore`] fetches Worlds, [`CapsuleLog`] appends and reads the log. A backend implements
//!   both, and has to pass [`conformance`], the suite for all backends.
//! - [`log`] generates roots, proofs, checkpoints and static tiles. Verification is elsewhere: in
//!   `counterfoil-verifier`, which knows nothing of stores.
//! - [`map`] generates the map beside the log: its root, and lookups.
//! - [`mutation`] changes Worlds: versions on a chain, rollbacks, derived chains.
//! - [`pool`] has the report about all capsules of a store.
//! - [`collect`] decides about garbage collection.
//! - [`text_index`] searches words, [`vectors`] meaning; a [`Reranker`] puts the best in order.
//! - [`append`] is the write path that backends share, [`claims`] that of claims, through the gate.

pub mod append;
pub mod claims;
pub mod collect;
pub mod conformance;
pub mod exchange_limits;
pub mod log;
pub mod map;
pub mod mutation;
pub mod pool;
pub mod receipt;
pub mod text_index;
pub mod vectors;

mod belief_pages;
mod capsule_log;
mod claim_store;
mod clock;
mod delta;
mod error;
mod exchange_store;
mod location;
mod plain_file;
mod reranker;

mod version;

pub use belief_pages::{all_contested, believe_whole_subject, units_of_names};
pub use capsule_log::{
    AppendReport, ApprovedClaim, CapsuleLog, Draft, Head, MAX_DRAFTS, Standings, StoredCapsule,
    Subject, TrustEntries,
};
pub use claim_store::{AsOf, ClaimRequest, ClaimStore, MAX_REQUESTS};
pub use clock::{Clock, Entropy, MAX_LEAP_MICROS, now_after};
pub use counterfoil_memory_store::MemoryStore;
pub use delta::{SNAPSHOT_INTERVAL, is_whole, reversible};
pub use error::StoreError;
pub use exchange_store::{BegunExchange, ExchangeStore, RequestState, StoredExchange, StoredItem};
pub use location::StoreLocation;
pub use plain_file::{check_plain, open_plain};
pub use reranker::Reranker;
pub use version::{ContentState, VersionRow};
