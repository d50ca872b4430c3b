//! A memory for AI agents that comes with receipts: the folder of a store, its keys, and all that an actor may do.

#[doc(hidden)]
pub mod anchors;
#[doc(hidden)]
pub mod authorities;
#[doc(hidden)]
pub mod begin;
#[doc(hidden)]
pub mod claims;
#[doc(hidden)]
pub mod create;
mod error;
#[doc(hidden)]
pub mod exchange;
#[doc(hidden)]
pub mod files;
#[doc(hidden)]
pub mod floor;
#[doc(hidden)]
pub mod home;
#[doc(hidden)]
pub mod import;
#[doc(hidden)]
pub mod keys;
#[doc(hidden)]
pub mod recovery;
#[doc(hidden)]
pub mod rotation;
#[doc(hidden)]
pub mod selecting;
#[doc(hidden)]
pub mod settings_file;
#[doc(hidden)]
pub mod versions;
#[doc(hidden)]
pub mod when;

pub use error::{Error, ErrorKind};

/// Parts that the command line still uses directly. They become private with the commands that move here.
#[doc(hidden)]
pub mod internal {
    pub use crate::{
        anchors, authorities, begin, claims, create, exchange, files, floor, home, import, keys,
        recovery, rotation, selecting, versions, when,
    };
}
