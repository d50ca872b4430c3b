//! Rows of derived state that a record of the log makes: one function for appends, rebuilds and
//! audits (capsules 4.5-4.7; MEM-MAINT-3).

use counterfoil_capsule::documents::{ArchiveReceipt, Redaction, Tombstone};
use counterfoil_capsule::keys::{KeyCompromise, KeyDocument};
use counterfoil_capsule::{Document, Header, Kind, RecordKind, SaltedBody};
use counterfoil_store::{StoreError, StoreLocation};
use counterfoil_types::DidKey;
use counterfoil_types::json::{Limits, Value, parse};
use rusqlite::{Connection, params};

use crate::derivation::{Record, Sealed, Sides};
use crate::rows::{self, id_text};
use crate::statement::Statements;
use crate::{forks, lookup};

/// In the column `actor`: forgotten for all.
pub(crate) const EVERYONE: &str = "";

/// Query for the log indices that a selection of `actor` leaves out: every version of Worlds that are forgotten
/// for it or for all. `?1` is the actor, or [`EVERYONE`].
pub(crate) const LEFT_OUT: &str = "
    SELECT chain.idx FROM forgotten
    JOIN world ON world.id = forgotten.world
    JOIN capsule ON capsule.idx = world.idx
    LEFT JOIN stub ON stub.idx = world.idx
    JOIN chain ON chain.chain = coalesce(stub.chain,
         unhex(replace(json_extract(whole_header(capsule.header, capsule.packed), '$.chain'), '-', '')))
    WHERE forgotten.actor IN ('', ?1)";

/// Returns the record at `index`: its log index, its header, and its content read by `parse`.
///
/// # Errors
/// [`StoreError::Corrupt`] with `damaged` when there is none, or its content is of another kind.
pub(crate) fn record_at<D>(
    connection: &Connection,
    index: u64,
    damaged: &str,
    parse: impl FnOnce(&Value) -> Option<D>,
) -> Result<(u64, Header, D), StoreError> {
    let damaged = || StoreError::corrupt(StoreLocation::entry("body", index), damaged);
    let stored = rows::capsule(connection, index)?.ok_or_else(damaged)?;
    let payload = stored.payload.ok_or_else(damaged)?;
    let value: Value = serde_json::from_str(&payload.text).map_err(|_| damaged())?;
    let document = parse(&value).ok_or_else(damaged)?;
    Ok((index, stored.header, document))
}

/// Returns the content of a record of `kind`; `None` for another capsule, and where it is erased.
pub(crate) fn content_of(
    header: &Header,
    payload: Option<&SaltedBody>,
    kind: RecordKind,
) -> Option<Value> {
    let payload = payload.filter(|_| header.kind() == Kind::Record(kind))?;
    parse(payload.text.as_bytes(), Limits::CONTENT).ok()
}

/// Writes what the record says. A document that is none of its kind says nothing: it is refused
/// where it is made, and a rebuild has to come out the same.
///
/// # Errors
/// When a table cannot be read or written.
pub(crate) fn derive(sides: Sides<'_>, record: Record<'_>) -> Result<(), StoreError> {
    let Kind::Record(kind) = record.header.kind() else {
        return Ok(());
    };
    let document = record.document;
    match kind {
        RecordKind::KeyInception | RecordKind::KeyRotation | RecordKind::KeyCompromise => {
            match KeyDocument::parse(kind, document) {
                Some(Ok(KeyDocument::Inception(it))) => key(sides.derived, &record, (0, it.agent)),
                Some(Ok(KeyDocument::Rotation(it))) => {
                    key(sides.derived, &record, (it.number, it.key))
                }
                Some(Ok(KeyDocument::Compromise(it))) => compromise(sides, &record, &it),
                _ => Ok(()),
            }
        }
        RecordKind::Redaction => Redaction::parse(document)
            .map_or(Ok(()), |redaction| redacted(sides, &record, &redaction)),
        RecordKind::Tombstone => Tombstone::parse(document)
            .map_or(Ok(()), |tombstone| forgotten(sides, &record, &tombstone)),
        RecordKind::ArchiveReceipt => {
            ArchiveReceipt::parse(document).map_or(Ok(()), |it| receipt(sides, &record, &it))
        }
        RecordKind::ForkResolution => forks::derive(sides, record),
        _ => Ok(()),
    }
}

fn key(
    derived: &Connection,
    record: &Record<'_>,
    (number, key): (u64, DidKey),
) -> Result<(), StoreError> {
    let agent = record.header.agent().to_string();
    derived.run(
        "INSERT INTO key (agent, number, public_key, idx) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (agent, number) DO NOTHING",
        params![agent, number, key.to_string(), record.index],
    )
}

/// Entries of another log say nothing of this one: there the time decides.
fn compromise(
    sides: Sides<'_>,
    record: &Record<'_>,
    mark: &KeyCompromise,
) -> Result<(), StoreError> {
    let agent = record.header.agent();
    // A verifier key begins with the name of its log, as checkpoints write it.
    let key = rows::origin(sides.ground)?;
    let from = match key.split('+').next() == Some(mark.log.as_str()) {
        true => mark.from,
        // The first entry of the agent at or after the time; the record when there is none before it. Canonical
        // headers begin with their agent, and times of one form compare as texts.
        false => {
            let begins = format!(r#"{{"agent":"{agent}","#);
            let first: Option<u64> = sides.ground.get(
                "SELECT min(idx) FROM capsule WHERE idx < ?3
                 AND substr(whole_header(header, packed), 1, length(?1)) = ?1
                 AND whole_header(header, packed) ->> '$.timestamp' >= ?2",
                params![begins, mark.from_time.to_string(), record.index],
            )?;
            first.unwrap_or(record.index)
        }
    };
    sides.derived.run(
        "INSERT INTO compromise (agent, number, from_idx, idx) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (agent, number, idx) DO NOTHING",
        params![agent.to_string(), mark.number, from, record.index],
    )
}

/// Marks an erased entry. Redactions of another store erase nothing here.
fn redacted(
    sides: Sides<'_>,
    record: &Record<'_>,
    redaction: &Redaction,
) -> Result<(), StoreError> {
    let index = redaction.index;
    if record.sealed == Sealed::Remote || index >= record.index {
        return Ok(());
    }
    if lookup::at_index(sides.ground, index)?.hash != redaction.capsule {
        return Ok(());
    }
    sides.derived.run(
        "INSERT INTO redacted (idx, record) VALUES (?1, ?2) ON CONFLICT (idx) DO NOTHING",
        params![index, record.index],
    )
}

/// An agent forgets for itself. For all it is forgotten by a decision that this store has seen, or
/// elsewhere by the agent who wrote it (MEM-MAINT-8, MEM-MAINT-9).
fn forgotten(
    sides: Sides<'_>,
    record: &Record<'_>,
    tombstone: &Tombstone,
) -> Result<(), StoreError> {
    let agent = record.header.agent();
    let actor = match &tombstone.decision {
        None if tombstone.actor.as_str() == agent.to_string() => agent.to_string(),
        None => return Ok(()),
        Some(_) => EVERYONE.to_owned(),
    };
    let world_id = &tombstone.world;
    if actor == EVERYONE && record.sealed == Sealed::Remote {
        let index = rows::index_of(sides.derived, world_id)?;
        let slot = index.map(|index| lookup::at_index(sides.ground, index));
        if slot.transpose()?.map(|slot| slot.agent) != Some(agent) {
            return Ok(());
        }
    }
    sides.derived.run(
        "INSERT INTO forgotten (world, actor, record) VALUES (?1, ?2, ?3)
             ON CONFLICT (world, actor) DO NOTHING",
        params![id_text(world_id), actor, record.index],
    )
}

/// Segments of another store are not this one's.
fn receipt(
    sides: Sides<'_>,
    record: &Record<'_>,
    receipt: &ArchiveReceipt,
) -> Result<(), StoreError> {
    if record.sealed == Sealed::Remote {
        return Ok(());
    }
    let (first, last) = receipt.entries().unzip();
    sides.derived.run(
        "INSERT INTO receipt (idx, name, manifest, count, first, last)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![
            record.index,
            receipt.name.as_str(),
            receipt.manifest.as_bytes(),
            receipt.count,
            first,
            last,
        ],
    )
}
