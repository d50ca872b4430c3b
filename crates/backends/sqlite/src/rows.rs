//! Reads the ground: capsules, tree nodes and the head, on any connection or transaction.

use std::borrow::Cow;

use counterfoil_capsule::{ChainId, Header, LogEntry, SaltedBody, Timestamp};
use counterfoil_store::log::{NodeReader, row_of};
use counterfoil_store::{ContentState, Head, StoreError, StoreLocation, StoredCapsule, VersionRow};
use counterfoil_types::{Blake3Hash, DidKey, Sha256Hash, WorldId};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row, params};

use crate::bodies::LastContents;
use crate::did_text::did_text;
use crate::error::at;
use crate::statement::Statements;
use crate::{packed, stubs};

/// The only row that changes: how long the log is, and the checkpoint signed at that size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LogHead {
    pub(crate) size: u64,
    pub(crate) checkpoint: String,
}

/// A WorldId as the text that it was made from.
pub(crate) fn id_text(world_id: &WorldId) -> Cow<'_, str> {
    String::from_utf8_lossy(world_id.opaque_bytes())
}

/// The head of the log.
pub(crate) fn log_head(connection: &Connection) -> Result<LogHead, StoreError> {
    let (size, checkpoint) =
        connection.get("SELECT size, checkpoint FROM head WHERE id = 0", [])?;
    Ok(LogHead { size, checkpoint })
}

/// The verifier key that the log was made with.
pub(crate) fn origin(connection: &Connection) -> Result<String, StoreError> {
    connection.get("SELECT verifier_key FROM origin WHERE id = 0", [])
}

/// The log index of a World.
pub(crate) fn index_of(
    connection: &Connection,
    world_id: &WorldId,
) -> Result<Option<u64>, StoreError> {
    connection.find("SELECT idx FROM world WHERE id = ?1", [id_text(world_id)])
}

/// The World at a log index.
pub(crate) fn world_at(connection: &Connection, index: u64) -> Result<WorldId, StoreError> {
    let place = || StoreLocation::entry("world", index);
    let id: String = connection
        .get("SELECT id FROM world WHERE idx = ?1", [index])
        .map_err(at(place()))?;
    WorldId::new(id).map_err(|error| StoreError::corrupt(place(), error))
}

/// The World that was appended last; `None` while there is none.
pub(crate) fn latest_world(connection: &Connection) -> Result<Option<WorldId>, StoreError> {
    let last: Option<u64> = connection.get("SELECT max(idx) FROM world", [])?;
    last.map(|last| world_at(connection, last)).transpose()
}

/// The columns that [`Scan::stored_capsule`] reads, in its order.
pub(crate) const CAPSULE_COLUMNS: &str = "capsule.idx, whole_header(header, packed), signature, field_root, field_count, payload, salt, delta, delta_salt";

/// The capsule at `index`; `None` when there is none. Content that is not kept whole is rebuilt.
pub(crate) fn capsule(
    connection: &Connection,
    index: u64,
) -> Result<Option<StoredCapsule>, StoreError> {
    Scan::default().capsule(connection, index)
}

/// The header at `index`; `None` when there is none, or only a stub.
pub(crate) fn header(connection: &Connection, index: u64) -> Result<Option<Header>, StoreError> {
    let sql = "SELECT whole_header(header, packed) FROM capsule
         WHERE idx = ?1 AND header IS NOT NULL";
    connection
        .find_with(sql, [index], |row| Ok(parsed_header(index, row, 0)))
        .map_err(at(StoreLocation::entry("capsule", index)))?
        .transpose()
}

/// The header of a capsule that is here.
///
/// # Errors
/// [`StoreError::Corrupt`] when there is none, or only the stub that is left of it.
pub(crate) fn present_header(connection: &Connection, index: u64) -> Result<Header, StoreError> {
    header(connection, index)?.ok_or_else(|| {
        StoreError::corrupt(StoreLocation::entry("capsule", index), "there is no header")
    })
}

/// The delta of the capsule at `index`; `None` where there is none, or none any more.
pub(crate) fn delta(connection: &Connection, index: u64) -> Result<Option<String>, StoreError> {
    connection
        .get_with("SELECT delta FROM body WHERE idx = ?1", [index], |row| {
            packed::text(row, 0)
        })
        .map_err(at(StoreLocation::entry("body", index)))
}

/// Reads capsules in log order: as [`capsule`] does each, and each delta is applied once.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    contents: LastContents,
}

impl Scan {
    /// The capsule at `index`; `None` when there is none.
    pub(crate) fn capsule(
        &mut self,
        connection: &Connection,
        index: u64,
    ) -> Result<Option<StoredCapsule>, StoreError> {
        let sql = format!(
            "SELECT {CAPSULE_COLUMNS} FROM capsule LEFT JOIN body USING (idx)
             WHERE capsule.idx = ?1"
        );
        connection
            .find_with(&sql, [index], |row| {
                Ok(self.stored_capsule(connection, index, row))
            })
            .map_err(at(StoreLocation::entry("capsule", index)))?
            .transpose()
    }

    /// The capsule at `index`, where there has to be one.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] when there is none.
    pub(crate) fn present(
        &mut self,
        connection: &Connection,
        index: u64,
    ) -> Result<StoredCapsule, StoreError> {
        self.capsule(connection, index)?.ok_or_else(|| {
            StoreError::corrupt(
                StoreLocation::entry("capsule", index),
                "there is no capsule",
            )
        })
    }

    /// A row of [`CAPSULE_COLUMNS`] as a capsule. The header is parsed strictly; nothing is
    /// verified.
    pub(crate) fn stored_capsule(
        &mut self,
        connection: &Connection,
        index: u64,
        row: &Row<'_>,
    ) -> Result<StoredCapsule, StoreError> {
        let place = || StoreLocation::entry("capsule", index);
        if row.get_ref(1).map_err(at(place()))? == ValueRef::Null
            && let Some(stub) = stubs::read(connection, index)?
        {
            return Err(stubs::archived(connection, &stub)?);
        }
        let header = parsed_header(index, row, 1)?;
        let bodies = || -> rusqlite::Result<_> {
            let delta = packed::text(row, 7)?;
            Ok((packed::text(row, 5)?, row.get(6)?, body(delta, row.get(8)?)))
        };
        let (text, salt, delta) = bodies().map_err(at(StoreLocation::entry("body", index)))?;
        let text = match (text, salt) {
            // It is not kept whole.
            (None, Some(_)) => {
                let delta = delta.as_ref().map(|delta| delta.text.as_str());
                let contents = &mut self.contents;
                Some(contents.rebuilt(connection, index, &header, delta)?)
            }
            (text, _) => text,
        };
        let payload = body(text, salt);
        if let Some(payload) = &payload {
            self.contents.keep(&header, &payload.text);
        }
        Ok(StoredCapsule {
            index,
            key: key_of(connection, &header)?,
            entry: entry_of(index, &header, row, 3)?,
            signature: row.get(2).map_err(at(place()))?,
            header,
            payload,
            delta,
        })
    }
}

/// The header in column `column`.
fn parsed_header(index: u64, row: &Row<'_>, column: usize) -> Result<Header, StoreError> {
    let place = || StoreLocation::entry("capsule", index);
    let bytes = row
        .get_ref(column)
        .and_then(|value| Ok(value.as_bytes()?))
        .map_err(at(place()))?;
    Header::parse(bytes).map_err(|error| StoreError::corrupt(place(), error))
}

/// The entry of a header, with the field tree in the columns `first` and `first + 1`.
fn entry_of(
    index: u64,
    header: &Header,
    row: &Row<'_>,
    first: usize,
) -> Result<LogEntry, StoreError> {
    let place = || StoreLocation::entry("capsule", index);
    let field_root = row
        .get(first)
        .map(Sha256Hash::from_bytes)
        .map_err(at(place()))?;
    let field_count = row.get(first + 1).map_err(at(place()))?;
    LogEntry::of(header, field_root, field_count)
        .map_err(|error| StoreError::corrupt(place(), error))
}

/// The key that signs what names it by its number: the agent's own, or one of its key chain.
pub(crate) fn key_of(connection: &Connection, header: &Header) -> Result<DidKey, StoreError> {
    let (agent, number) = (header.agent(), header.key_number());
    if number == 0 {
        return Ok(agent);
    }
    let place = || StoreLocation::table("key");
    let key: String = connection.get(
        "SELECT public_key FROM key WHERE agent = ?1 AND number = ?2",
        params![agent.to_string(), number],
    )?;
    key.parse()
        .map_err(|error| StoreError::corrupt(place(), format!("{error}")))
}

fn body(text: Option<String>, salt: Option<[u8; 32]>) -> Option<SaltedBody> {
    text.zip(salt).map(|(text, salt)| SaltedBody { text, salt })
}

/// The last capsule of a chain, which may be in an archive.
pub(crate) fn chain_head(
    connection: &Connection,
    chain: &ChainId,
) -> Result<Option<Head>, StoreError> {
    let last = "SELECT idx FROM chain WHERE chain = ?1 ORDER BY seq DESC LIMIT 1";
    let Some(index) = connection.find(last, [chain.as_bytes()])? else {
        return Ok(None);
    };
    let state = state(connection, index)?;
    if state.chain != *chain {
        return Err(no_capsule());
    }
    Ok(Some(Head {
        agent: state.agent,
        seq: state.version.seq,
        capsule: state.capsule,
        index,
    }))
}

fn no_capsule() -> StoreError {
    StoreError::corrupt(StoreLocation::table("chain"), "a row points to no capsule")
}

/// The log index of a capsule by its place in a chain.
pub(crate) fn in_chain(
    connection: &Connection,
    chain: &ChainId,
    seq: u64,
) -> Result<Option<u64>, StoreError> {
    connection.find(
        "SELECT idx FROM chain WHERE chain = ?1 AND seq = ?2",
        params![chain.as_bytes(), seq],
    )
}

/// Data of a capsule that is available even while it is in an archive.
pub(crate) struct CapsuleState {
    pub(crate) agent: DidKey,
    pub(crate) chain: ChainId,
    pub(crate) capsule: Blake3Hash,
    pub(crate) version: VersionRow,
}

/// Returns the data of the capsule at `index`, or of the stub that is left of it.
pub(crate) fn state(connection: &Connection, index: u64) -> Result<CapsuleState, StoreError> {
    let erased: bool = connection
        .find(
            "SELECT payload IS NULL AND salt IS NULL FROM body WHERE idx = ?1",
            [index],
        )
        .map_err(at(StoreLocation::entry("body", index)))?
        .unwrap_or(true);
    let content = match erased {
        true => ContentState::Erased,
        false => ContentState::Present,
    };
    let Some(header) = header(connection, index)? else {
        let stub = stubs::read(connection, index)?.ok_or_else(no_capsule)?;
        return Ok(CapsuleState {
            agent: stub.agent,
            chain: stub.chain,
            capsule: stub.hash,
            version: VersionRow::archived(index, stub.seq, stub.world, stub.timestamp, stub.hash),
        });
    };
    Ok(CapsuleState {
        agent: header.agent(),
        chain: header.chain(),
        capsule: header.hash(),
        version: VersionRow::of(index, &header, content),
    })
}

/// The capsules of a chain, in its order.
pub(crate) fn versions(
    connection: &Connection,
    chain: &ChainId,
) -> Result<Vec<VersionRow>, StoreError> {
    let sql = "SELECT idx FROM chain WHERE chain = ?1 ORDER BY seq";
    let indices: Vec<u64> = connection.list(sql, [chain.as_bytes()])?;
    let version = |index| state(connection, index).map(|state| state.version);
    indices.into_iter().map(version).collect()
}

/// The key that signs for `agent` now, with its number.
pub(crate) fn current_key(
    connection: &Connection,
    agent: &DidKey,
) -> Result<(u64, DidKey), StoreError> {
    let place = || StoreLocation::table("key");
    let last: Option<(u64, String)> = connection.find(
        "SELECT number, public_key FROM key WHERE agent = ?1 ORDER BY number DESC LIMIT 1",
        [did_text(agent)],
    )?;
    let Some((number, key)) = last else {
        return Ok((0, *agent));
    };
    let key = key
        .parse()
        .map_err(|error| StoreError::corrupt(place(), format!("{error}")))?;
    Ok((number, key))
}

/// The time of an agent's last record.
pub(crate) fn last_recorded(
    connection: &Connection,
    agent: &DidKey,
) -> Result<Option<Timestamp>, StoreError> {
    let sql = "SELECT recorded_at FROM agent WHERE did = ?1";
    let micros: Option<u64> = connection.find(sql, [did_text(agent)])?;
    micros
        .map(Timestamp::from_micros)
        .transpose()
        .map_err(|error| StoreError::corrupt(StoreLocation::table("agent"), error))
}

/// The tree and the entries of the log.
pub(crate) struct LogRows<'c>(pub(crate) &'c Connection);

impl NodeReader for LogRows<'_> {
    fn node(&self, level: u32, index: u64) -> Result<Sha256Hash, StoreError> {
        let leaf = row_of(level, index)?;
        let sql = "SELECT substr(hashes, ?2, 32) FROM log WHERE idx = ?1";
        self.0
            .get(sql, params![leaf, level * 32 + 1])
            .map(Sha256Hash::from_bytes)
            .map_err(at(StoreLocation::entry("log", leaf)))
    }
}

impl LogRows<'_> {
    /// The text of the entry at `index`.
    pub(crate) fn entry(&self, index: u64) -> Result<String, StoreError> {
        let place = || StoreLocation::entry("capsule", index);
        let sql = "SELECT whole_header(header, packed), field_root, field_count FROM capsule
             WHERE idx = ?1";
        let read = |row: &Row<'_>| {
            let header = parsed_header(index, row, 0)?;
            Ok(entry_of(index, &header, row, 1)?.to_text())
        };
        let found = self.0.find_with(sql, [index], |row| Ok(read(row)));
        let found = found.map_err(at(place()))?;
        found.ok_or_else(|| StoreError::corrupt(place(), "there is no capsule"))?
    }
}
