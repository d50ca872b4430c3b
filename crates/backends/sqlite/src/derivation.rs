//! Inputs of a derivation: a record of the log, and the databases that are read and written.

use counterfoil_capsule::Header;
use counterfoil_types::json::Value;
use rusqlite::Connection;

/// Origin of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sealed {
    /// It was sealed by this store.
    Local,
    /// It was sealed elsewhere and came in.
    Remote,
}

/// A record in the log.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Record<'a> {
    pub(crate) index: u64,
    pub(crate) header: &'a Header,
    pub(crate) sealed: Sealed,
    /// Its payload.
    pub(crate) document: &'a Value,
}

/// The two sides of a derivation: the same connection, but for an audit.
#[derive(Clone, Copy)]
pub(crate) struct Sides<'c> {
    /// Connection that reads the log tables.
    pub(crate) ground: &'c Connection,
    /// Connection that reads and writes derived tables.
    pub(crate) derived: &'c Connection,
}

impl<'c> Sides<'c> {
    /// Derived tables where the ground is.
    pub(crate) const fn both(connection: &'c Connection) -> Self {
        Self {
            ground: connection,
            derived: connection,
        }
    }
}
