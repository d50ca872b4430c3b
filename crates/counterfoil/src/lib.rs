//! A memory for AI agents that comes with receipts: the folder of a store, its keys, and all that an actor may do.

#[doc(hidden)]
pub mod anchors;
mod as_of;
#[doc(hidden)]
pub mod authorities;
#[doc(hidden)]
pub mod begin;
pub mod blocking;
#[doc(hidden)]
pub mod care;
#[doc(hidden)]
pub mod claims;
#[doc(hidden)]
pub mod create;
mod error;
#[doc(hidden)]
pub mod exchange;
#[doc(hidden)]
pub mod export;
#[doc(hidden)]
pub mod files;
#[doc(hidden)]
pub mod floor;
mod history;
#[doc(hidden)]
pub mod home;
#[doc(hidden)]
pub mod import;
#[doc(hidden)]
pub mod import_capsules;
mod keyring;
#[doc(hidden)]
pub mod keys;
mod memory;
mod notices;
mod propose;
#[doc(hidden)]
pub mod recall;
#[doc(hidden)]
pub mod recovery;
#[doc(hidden)]
pub mod remember;
mod report;
#[doc(hidden)]
pub mod rotation;
#[doc(hidden)]
pub mod settings_file;
mod show;
mod update;
#[doc(hidden)]
pub mod versions;
#[doc(hidden)]
pub mod when;
#[doc(hidden)]
pub mod words;

pub use anchors::FloorChoice;
pub use care::Validating;
pub use claims::{BeliefQuery, Beliefs, LineHistory, Timeline, TimelineLine, WhyBelief};
pub use counterfoil_capsule::Timestamp;
pub use counterfoil_types::{Confidence, Proposal, UnixMillis, WorldId};
pub use error::{Error, ErrorKind};
pub use import::ImportFormat;
pub use import::turns::ImportOptions;
pub use memory::{Memory, MemoryBuilder};
pub use recall::{Hit, Method, RecallOptions, Recalled};
pub use remember::{Note, Remembered};
pub use report::Report;
pub use update::Edit;

/// Parts that the command line still uses directly. They become private with the commands that move here.
#[doc(hidden)]
pub mod internal {
    pub use crate::{
        anchors, authorities, begin, claims, create, exchange, files, floor, home, import, keys,
        recall, recovery, remember, rotation, versions, when,
    };
}
