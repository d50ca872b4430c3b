//! A change of the ground as a value (docs/format/commit.md): made from a store, kept as files, and applied to another
//! store, which then has the same ground and derives the same index.

mod apply;
mod cells;
mod destinations;
mod files;
mod ground_keys;
mod lines;
mod sealed;
mod sharing;
mod ship;

use counterfoil_capsule::CapsuleDocument;
use counterfoil_store::StoreError;
use counterfoil_types::Sha256Hash;
use serde::{Deserialize, Serialize};

use crate::port::rows::{
    EXCHANGE, EXCHANGE_ANSWER, EXCHANGE_ITEM, EXCHANGE_SECRET, EXCHANGE_TRANSITION,
    EarlierTrustRow, ErasedUnitRow, EventCountRow, EventRow, FeedSecretRow, ForkRow, HeldRow,
    JournalRow, ReceivedRow, StubRow, table,
};
use crate::port::{Row, Table, Value};

pub use crate::port::rows::ENTRY;
pub use apply::{apply, followed, own_agent, unopened};
pub use destinations::destroy_keys;
pub use files::{CommitFiles, Shipped, files};
pub use ground_keys::GroundKeys;
pub use sharing::{forward, leave, pending};
pub use ship::{end, ship};

/// One part of a commit: a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Commit {
    /// Place and claims of the part.
    pub head: CommitHead,
    /// Its changes, in the order in which they are applied.
    pub changes: Vec<Change>,
}

/// Place and claims of one part of a commit: its head line.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CommitHead {
    /// Time of writing, in microseconds since 1970.
    pub at: u64,
    /// Signed checkpoint of the log with the commit.
    pub checkpoint: String,
    /// Format of the lines.
    pub format: String,
    /// Size and root of the log that it follows.
    pub from: (u64, Sha256Hash),
    /// Verifier key of the log.
    pub key: String,
    /// True in the last part.
    pub last: bool,
    /// Number of the file.
    pub number: u64,
    /// Number of the part.
    pub part: u64,
    /// Random name of the sequence of files.
    pub stream: String,
}

/// Change of the ground.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// State of an entry, new or changed.
    Entry {
        /// Log index.
        index: u64,
        /// The capsule with the bodies that are kept.
        document: Box<CapsuleDocument>,
        /// Salt of a content that follows from its chain.
        follows: Option<[u8; 32]>,
        /// True where the key of a sealed body was destroyed.
        is_lost: bool,
    },
    /// Entry that lies in an archive.
    Stub {
        /// Log index.
        index: u64,
        /// Hash of its leaf.
        leaf: Sha256Hash,
    },
    /// Row that is new or changed.
    Row {
        /// Table beside the log.
        table: &'static Table,
        /// Values of all columns.
        row: Vec<Value>,
        /// True where the key of a sealed column was destroyed.
        is_lost: bool,
    },
    /// Row that is gone, by its key.
    Gone(&'static Table, Vec<Value>),
}

const FORMAT: &str = "counterfoil/commit/1";
const SEALED_FORMAT: &str = "counterfoil/sealed-commit/1";

const REQUEST_SEEN: &Table = table!("request_seen": "agent", "id"; "hash", "until");

/// Tables beside the log, each after those that its rows point to. The counts of `request_seen` follow from its rows.
pub const BESIDE: [&Table; 18] = [
    StubRow::TABLE,
    ReceivedRow::TABLE,
    HeldRow::TABLE,
    // A document may be collected several times.
    table!("collected": "rowid"; "hash", "code", "at"),
    ForkRow::TABLE,
    EventRow::TABLE,
    EventCountRow::TABLE,
    ErasedUnitRow::TABLE,
    EarlierTrustRow::TABLE,
    EXCHANGE,
    EXCHANGE_TRANSITION,
    EXCHANGE_ANSWER,
    EXCHANGE_ITEM,
    table!("claim_heard": "claim"; "world", "first", "last", "times"),
    REQUEST_SEEN,
    EXCHANGE_SECRET,
    JournalRow::TABLE,
    FeedSecretRow::TABLE,
];

fn table(name: &str) -> Option<&'static Table> {
    BESIDE.into_iter().find(|table| table.name == name)
}

fn refused(why: impl std::fmt::Display) -> StoreError {
    StoreError::Commit {
        detail: why.to_string(),
    }
}
