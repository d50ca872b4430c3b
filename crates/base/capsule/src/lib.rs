//! Worlds sealed into signed capsules, and the field tree that lets a part of one be disclosed.
//!
//! A [`World`] is one memory. [`seal_world`] makes a capsule of its content: a canonical
//! [`Header`], an entry that commits to header and content, and the agent's signature over the
//! entry. [`check_capsule`] says whether stored bytes are such a capsule, and a [`Receipt`] is what
//! the store hands out beside the World so that `prove` needs neither store nor clock.
//!
//! Byte layouts: `docs/format/world.md` and `docs/format/capsule.md`. Pure: no clock, no
//! randomness, no IO; time, ids and salts are parameters.
//!
//! ```
//! use counterfoil_capsule::{
//!     AgentSigner, CapsuleId, Position, SecretKey, Stamp, StoredParts, Surroundings, Verdict,
//!     check_capsule, remember, seal_world,
//! };
//! use counterfoil_types::{UnixMillis, WorldId};
//!
//! let data = serde_json::json!({ "kind": "note", "text": "the key is under the blue pot" });
//! let world = remember(WorldId::new("world-1")?, UnixMillis::new(1_770_000_000_000)?, data)?;
//! let signer = AgentSigner::new(SecretKey::from_seed([7; 32]));
//! let stamp = Stamp::next(1_770_000_000_123_456, None)?;
//! let position = Position::seed(CapsuleId::from_parts(1_770_000_000_123, [1; 10]), stamp);
//! let sealed = seal_world(&world, &position, [9; 32], &signer)?;
//!
//! let entry = sealed.entry.to_text();
//! let stored = StoredParts {
//!     header: sealed.header.canonical().as_bytes(),
//!     entry: entry.as_bytes(),
//!     signature: Some(&sealed.signature),
//!     payload: Some(sealed.payload.as_bytes()),
//!     salt: Some(&sealed.salt),
//!     ..StoredParts::default()
//! };
//! assert_eq!(check_capsule(&stored, &Surroundings::default()), Verdict::Valid);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![no_std]

extern crate alloc;

pub mod dangerous;
pub mod delta;
pub mod documents;
pub mod integrity;
pub mod keys;

mod agent_keys;
mod check;
mod digest;
mod document;
mod equivocation;
mod error;
mod exported;
mod extensions;
mod feed;
mod field_tree;
mod header;
mod id;
mod key;
mod key_error;
mod line;
mod log_entry;
mod mutation;
mod receipt;
mod record;
mod remember;
mod seal;
mod stamp;
mod state;
mod timestamp;
mod verdict;

pub use agent_keys::key_of;
pub use check::{StoredParts, Surroundings, Tip, check_all, check_capsule};
pub use counterfoil_types::World;
pub use counterfoil_verifier::Consistency;
pub use digest::{delta_hash, header_hash, journal_link, mutation_hash, payload_hash};
pub use document::{Document, Signed};

pub use equivocation::Equivocation;
pub use error::CapsuleError;
pub use exported::CapsuleDocument;
pub use extensions::{Extensions, MAX_SOURCES};
pub use feed::{FeedCheck, FeedFault, FeedPart, MAX_FEED_PART, feed_commitment, feed_salt};
pub use field_tree::FieldTree;
pub use header::{BodyRef, Header, Kind, Position, SaltedBody};
pub use id::{CapsuleId, ChainId};
pub use key::{AgentSigner, SecretKey, Signer};
pub use line::{line_tag, trust_tag};
pub use log_entry::{LogEntry, RECORD_ENTRY};
pub use mutation::mutate_capsule;
pub use receipt::Receipt;
pub use record::RecordKind;
pub use remember::{MEMORY_SCHEMA, memory_schema_hash, memory_snapshot_hash, remember};
pub use seal::{SealedCapsule, record_content, seal_claim, seal_record, seal_world, sign_capsule};
pub use stamp::{LastTimes, Stamp};
pub use state::{state_of, with_identity};
pub use timestamp::Timestamp;
pub use verdict::{Check, Code, IndeterminateReason, Verdict};
