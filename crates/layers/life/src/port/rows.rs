//! Rows of the tables beside the log and of the index (docs/format/database.md): one row type a table.
//!
//! Field names are the names of the columns. Times are in microseconds since 1970.

use counterfoil_capsule::ChainId;
use counterfoil_types::{Blake3Hash, DidKey, WorldId};

use super::value::{Field, Row, Table, Value};

macro_rules! rows {
    ($($(#[$doc:meta])* $row:ident in $table:literal {
        $($key:ident: $key_type:ty),+; $($column:ident: $column_type:ty),* $(,)?
    })+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub(crate) struct $row {
            $(pub(crate) $key: $key_type,)+
            $(pub(crate) $column: $column_type,)*
        }

        impl Row for $row {
            const TABLE: &'static Table = &Table {
                name: $table,
                columns: &[$(stringify!($key),)+ $(stringify!($column)),*],
                key: [$(stringify!($key)),+].len(),
            };

            fn values(&self) -> Vec<Value> {
                vec![$(Field::value(&self.$key),)+ $(Field::value(&self.$column)),*]
            }

            fn read(values: Vec<Value>) -> Option<Self> {
                let mut values = values.into_iter();
                Some(Self {
                    $($key: Field::read(values.next()?)?,)+
                    $($column: Field::read(values.next()?)?,)*
                })
            }
        }
    )+};
}

/// Part that names entries of the log, in the outbox and among what cannot be opened.
pub const ENTRY: &str = "entry";

/// Table with the columns of its key, and the others.
macro_rules! table {
    ($name:literal: $($key:literal),+; $($column:literal),*) => {
        &Table {
            name: $name,
            columns: &[$($key,)+ $($column),*],
            key: [$($key),+].len(),
        }
    };
}
pub(crate) use table;

rows! {
    /// Ground: what remains of a capsule while a segment holds it.
    StubRow in "stub" {
        idx: u64;
        agent: DidKey, chain: ChainId, seq: u64, hash: Blake3Hash, mutation: Option<Blake3Hash>, timestamp: u64,
        kind: Option<String>, world: Option<WorldId>, receipt: u64, observed: Option<u64>,
    }

    /// Ground: secret of the feed of an agent that seals here.
    FeedSecretRow in "feed_secret" { agent: DidKey; secret: [u8; 32] }

    /// Ground: entry that was sealed elsewhere, its source, and the time of receipt.
    ReceivedRow in "received" { idx: u64; source: String, at: u64 }

    /// Ground: document that is not accepted. The place is the one that the document claims.
    HeldRow in "held" {
        hash: [u8; 32];
        capsule: Option<Blake3Hash>, class: String, agent: Option<String>, chain: Option<[u8; 16]>, seq: Option<u64>,
        document: String, code: String, source: String, at: u64, program: String,
    }

    /// Ground: held document that was collected.
    CollectedRow in "collected" { hash: [u8; 32]; code: String, at: u64 }

    /// Ground: capsule of another branch of a forked chain.
    ForkRow in "fork" {
        hash: Blake3Hash;
        agent: DidKey, chain: ChainId, seq: u64, previous: Option<Blake3Hash>, document: String, source: String, at: u64,
    }

    /// Ground: contradiction that was observed.
    EventRow in "event" { id: u64; dedupe: Blake3Hash, at: u64, kind: String, source: String, document: String }

    /// Ground: number of observations of an event, and the time of the last.
    EventCountRow in "event_count" { id: u64; count: u64, last: u64 }

    /// Ground: link of a row of evidence, by its table and key. Unused places of the key are 0.
    JournalRow in "journal" {
        number: u64;
        part: String, first: Value, second: Value, third: Value, words: Option<Blake3Hash>, link: Blake3Hash,
    }

    /// Ground: erased claim unit, its number, and another unit of its line.
    ErasedUnitRow in "claim_erased" { idx: u64; number: u64, beside: u64 }

    /// Destination of commits: its stream, its last file, and the log and the changes that were shipped.
    /// The folder of its keys, where it is sealed, and the size of the log as it was begun.
    ShipRow in "ship" {
        destination: String;
        stream: String, number: u64, size: u64, change: u64, keys: Option<String>, since: u64,
    }

    /// Ground row, or entry, that changed while there was a destination. Unused places of the key are 0.
    OutboxRow in "outbox" { number: u64; part: String, first: Value, second: Value, third: Value }

    /// Last file of the stream that a store follows.
    FollowedRow in "followed" { id: u64; stream: String, number: u64 }

    /// Entry, or row of a table by the first column of its key, of which a key was destroyed, before a commit that says that
    /// it is erased.
    UnopenedRow in "unopened" { part: String, number: u64; }

    /// Ground: document about others from before records of the log held them.
    EarlierTrustRow in "trust_record" { number: u64; hash: [u8; 32], at: u64, document: Vec<u8> }

    /// Index: record of the log that holds documents about others.
    TrustRow in "trust" { idx: u64; }

    /// Index: document about others and the record that was first to hold it.
    TrustDocumentRow in "trust_document" { hash: [u8; 32]; idx: u64 }

    /// Index: memory at a log index.
    WorldRow in "world" { idx: u64; id: WorldId }

    /// Index: accepted capsule at a place of a chain, and the first eight bytes of its hash.
    ChainRow in "chain" { chain: ChainId, seq: u64; idx: u64, tag: Option<i64> }

    /// Index: capsule after the first of its chain, by its id.
    VersionIdRow in "version_id" { id: [u8; 16], idx: u64; }

    /// Index: agent, the number of its capsules, the time of its last, and the time at which that was recorded, if its header
    /// has another time. Of those that were sealed here the number and the last. Number of those that hold a memory.
    AgentRow in "agent" {
        did: DidKey;
        capsules: u64, recorded_at: u64, observed: Option<u64>, sealed: u64, last: Option<Blake3Hash>, worlds: u64,
    }

    /// Index: correction of the clock that was sealed here.
    CorrectionRow in "correction" { idx: u64; agent: DidKey, observed: u64 }

    /// Index: key of an agent and the record that introduces it.
    KeyRow in "key" { agent: DidKey, number: u64; public_key: DidKey, idx: u64 }

    /// Index: key that is in other hands from an entry on.
    CompromiseRow in "compromise" { agent: DidKey, number: u64, idx: u64; from_idx: u64 }

    /// Index: erased entry and the record of its erasure.
    RedactedRow in "redacted" { idx: u64; record: u64 }

    /// Index: memory that an agent has forgotten, or all have; the actor is empty then.
    ForgottenRow in "forgotten" { world: WorldId, actor: String; record: u64 }

    /// Index: receipt of a segment, with its first and last entry.
    ReceiptRow in "receipt" {
        idx: u64;
        name: String, manifest: Blake3Hash, count: u64, first: Option<u64>, last: Option<u64>,
    }

    /// Index: head of the journal that an entry names.
    JournalHeadRow in "journal_head" { idx: u64; rows: u64, link: Blake3Hash }

    /// Index: decision about a fork.
    ResolutionRow in "resolution" { chain: ChainId, seq: u64; keep: Blake3Hash, record: u64 }

    /// Index: capsule that a resolution took out of its chain.
    AbandonedRow in "abandoned" { hash: Blake3Hash; chain: ChainId, idx: u64 }

    /// Index: node of the map, by its path from the root: a bit, and four for each step.
    MapNodeRow in "map_node" { place: u64; node: Vec<u8> }

    /// Index: other row of the map.
    MapRow in "map_row" { key: Vec<u8>; value: Vec<u8> }
}

/// Ground: tables of exchanges.
pub(crate) const EXCHANGE: &Table =
    table!("exchange": "number"; "id", "request", "peer", "address", "terms", "at");
pub(crate) const EXCHANGE_TRANSITION: &Table = table!("exchange_transition": "exchange", "number"; "before", "event", "after", "at", "evidence", "deadline");
pub(crate) const EXCHANGE_ANSWER: &Table =
    table!("exchange_answer": "exchange", "number"; "hash", "document");
pub(crate) const EXCHANGE_ITEM: &Table = table!("exchange_item": "exchange", "item", "number"; "state", "world", "claim", "report", "at");
pub(crate) const EXCHANGE_SECRET: &Table = table!("exchange_secret": "id"; "secret");
