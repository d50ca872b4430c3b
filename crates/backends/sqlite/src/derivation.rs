//! What a derivation is given: a record of the log, and the databases that are read and written.

use counterfoil_capsule::Header;
use counterfoil_types::json::Value;
use rusqlite::Connection;

/// Whose word a record is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stamped {
    /// It was sealed by this store.
    Here,
    /// It was sealed elsewhere and came in.
    Elsewhere,
}

/// A record in the log.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Record<'a> {
    pub(crate) index: u64,
    pub(crate) header: &'a Header,
    pub(crate) stamped: Stamped,
    /// Its payload.
    pub(crate) document: &'a Value,
}

/// The two sides of a derivation: the same connection, but for an audit.
#[derive(Clone, Copy)]
pub(crate) struct Sides<'c> {
    /// Where the ground is read.
    pub(crate) ground: &'c Connection,
    /// Where derived tables are read and written.
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
