//! Which copies of something erased are known to remain (D58). Those that others made are not known.

use counterfoil_capsule::{CapsuleDocument, ChainId, World};
use counterfoil_store::{StoreError, StoreLocation, StoredCapsule};
use counterfoil_types::{Blake3Hash, WorldId};
use rusqlite::Connection;

use super::bodies::{BodyState, state};
use super::certificate::ErasedCapsule;
use crate::error::at;
use crate::rows::Scan;
use crate::statement::Statements;
use crate::{archive, packed, rows};

/// The most that are listed of each.
const LISTED: usize = 100;

/// RemainingCopies that remain, as far as this store knows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct RemainingCopies {
    /// Other versions of the World: unchanged parts are in them, and in some
    /// all of it.
    pub versions: Vec<VersionCopy>,
    /// File name and receipt (log index) of segments that were made with the content in them, whether or not their files
    /// are still there.
    pub segments: Vec<(String, u64)>,
    /// Hash and class (`pending` or `quarantine`) of documents that were not accepted and hold the content or a change from
    /// it, at most 100.
    pub held: Vec<(Blake3Hash, String)>,
    /// Other Worlds with the same data, at most 100. Only known when it is erased for the first
    /// time.
    pub same_data: Vec<WorldId>,
    /// Worlds that name the capsule as one that they were made from, at most 100.
    pub derived: Vec<WorldId>,
}

/// A version that is not erased.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionCopy {
    /// Its number in the chain.
    pub seq: u64,
    /// Its World.
    pub world_id: WorldId,
    /// True if it says just what is erased: it was rolled back to it, or has the same data.
    pub says_the_same: bool,
}

/// Copies of content that is about to be erased.
pub(super) struct Same {
    /// Other Worlds.
    pub(super) worlds: Vec<WorldId>,
    /// Log indices of other versions of the World.
    versions: Vec<u64>,
    /// The hashes of what it said.
    snapshots: Vec<String>,
}

/// Finds versions with the same data as one of `now`, except `indices`.
pub(super) fn same(
    connection: &Connection,
    indices: &[u64],
    now: &[u64],
) -> Result<Same, StoreError> {
    let mut snapshots = Vec::new();
    for &index in now {
        snapshots.extend(snapshot(rows::capsule(connection, index)?));
    }
    let mut found = Vec::new();
    for snapshot in &snapshots {
        // The member as it stands in canonical JSON, so that a text that quotes it does not count.
        let member = format!("\"snapshotHash\":\"{snapshot}\"");
        found.extend(contents_with(connection, &member)?);
    }
    let chain = match now.first() {
        Some(&first) => super::bodies::versions(connection, first)?,
        None => Vec::new(),
    };
    // Most versions are kept as what changed, and have to be made from it.
    let (mut scan, mut versions) = (Scan::default(), Vec::new());
    for index in chain.iter().copied().filter(|it| !indices.contains(it)) {
        if state(connection, index)? != BodyState::Whole {
            continue;
        }
        let snapshot = snapshot(scan.capsule(connection, index)?);
        if snapshot.is_some_and(|snapshot| snapshots.contains(&snapshot)) {
            versions.push(index);
        }
    }
    found.retain(|index| !indices.contains(index) && !chain.contains(index));
    Ok(Same {
        worlds: worlds(connection, found)?,
        versions,
        snapshots,
    })
}

/// The snapshot hash of a World, as its content has it.
fn snapshot(stored: Option<StoredCapsule>) -> Option<String> {
    let payload = stored?.payload?;
    let world = World::from_json(payload.text.as_bytes()).ok()?;
    Some(world.snapshot_hash().to_string())
}

/// The documents that are held, name an erased capsule or its content, and have a body.
pub(super) fn held(
    connection: &Connection,
    capsules: &[ErasedCapsule],
    same: &Same,
) -> Result<Vec<(Blake3Hash, String)>, StoreError> {
    let mut found = Vec::new();
    let names = capsules
        .iter()
        .flat_map(|it| [it.capsule.to_string(), it.payload.to_string()]);
    for name in names.chain(same.snapshots.iter().cloned()) {
        for (hash, class, document) in held_with(connection, &name)? {
            let copy = (Blake3Hash::from_bytes(hash), class);
            if !found.contains(&copy) && may_tell(&document, capsules) && found.len() < LISTED {
                found.push(copy);
            }
        }
    }
    Ok(found)
}

/// Tests whether a held document may hold erased content. One that cannot be read may.
fn may_tell(document: &str, erased: &[ErasedCapsule]) -> bool {
    let Ok(document) = CapsuleDocument::parse(document.as_bytes()) else {
        return true;
    };
    let header = document.header();
    let follows = header.previous();
    let is_after = erased.iter().any(|it| Some(it.capsule) == follows);
    let is_of = erased
        .iter()
        .any(|it| it.payload == header.payload().hash());
    match (document.payload(), document.delta()) {
        (None, None) => false,
        // A version after it, whose change from it was taken away.
        (Some(_), None) => is_of || !is_after,
        _ => true,
    }
}

type HeldRow = ([u8; 32], String, String);

fn held_with(connection: &Connection, text: &str) -> Result<Vec<HeldRow>, StoreError> {
    connection
        .list(
            "SELECT hash, class, document FROM held WHERE instr(document, ?1) > 0 ORDER BY hash",
            [text],
        )
        .map_err(at(StoreLocation::table("held")))
}

/// The Worlds whose header names a capsule of `hashes` as a source.
pub(super) fn derived(
    connection: &Connection,
    hashes: &[String],
) -> Result<Vec<WorldId>, StoreError> {
    let mut found = Vec::new();
    for hash in hashes {
        for index in headers_with(connection, hash)? {
            let Some(stored) = rows::capsule(connection, index)? else {
                continue;
            };
            let sources = stored.header.extensions().derived_from;
            if sources.iter().any(|source| source.to_string() == *hash) {
                found.push(index);
            }
        }
    }
    worlds(connection, found)
}

/// The versions of a chain that are not erased.
pub(super) fn versions(
    connection: &Connection,
    chain: ChainId,
    except: &[u64],
    same: &Same,
) -> Result<Vec<VersionCopy>, StoreError> {
    let mut versions = Vec::new();
    // Each version and the one whose state it has, by what the headers say.
    let mut states: Vec<(u64, Blake3Hash, Blake3Hash)> = Vec::new();
    let mut seq = 0;
    while let Some(index) = rows::in_chain(connection, &chain, seq)? {
        let state = state(connection, index)?;
        if state != BodyState::Archived {
            let header = rows::present_header(connection, index)?;
            let state = header.extensions().rollback_to.unwrap_or(header.hash());
            let before = states.iter().find(|(_, capsule, _)| *capsule == state);
            let state = before.map_or(state, |(_, _, state)| *state);
            states.push((index, header.hash(), state));
        }
        if !except.contains(&index) && state != BodyState::Erased {
            versions.push((index, seq));
        }
        seq += 1;
    }
    let state_of = |index: u64| states.iter().find(|it| it.0 == index).map(|it| it.2);
    let erased: Vec<Blake3Hash> = except.iter().filter_map(|&it| state_of(it)).collect();
    let versions = versions.into_iter().map(|(index, seq)| {
        let rolled_back = state_of(index).is_some_and(|state| erased.contains(&state));
        Ok(VersionCopy {
            seq,
            world_id: rows::world_at(connection, index)?,
            says_the_same: rolled_back || same.versions.contains(&index),
        })
    });
    versions.collect()
}

/// The segments that hold an entry or the one after it in its chain, whose delta tells of it.
pub(super) fn segments(
    connection: &Connection,
    chain: ChainId,
    seq: u64,
) -> Result<Vec<(String, u64)>, StoreError> {
    let mut segments = Vec::new();
    for seq in [seq, seq + 1] {
        let Some(index) = rows::in_chain(connection, &chain, seq)? else {
            continue;
        };
        for receipt in archive::receipts_over(connection, index)? {
            let copy = (receipt.name, receipt.index);
            if !segments.contains(&copy) {
                segments.push(copy);
            }
        }
    }
    Ok(segments)
}

/// The headers that contain `text`.
fn headers_with(connection: &Connection, text: &str) -> Result<Vec<u64>, StoreError> {
    let sql =
        "SELECT idx FROM capsule WHERE instr(whole_header(header, packed), ?1) > 0 ORDER BY idx";
    let found = connection.list(sql, [text]);
    found.map_err(at(StoreLocation::table("capsule")))
}

/// The contents that are kept whole and contain `text`.
fn contents_with(connection: &Connection, text: &str) -> Result<Vec<u64>, StoreError> {
    let found: Vec<Option<u64>> = connection
        .list_with(
            "SELECT idx, payload FROM body
             WHERE typeof(payload) = 'blob' OR instr(payload, ?1) > 0 ORDER BY idx",
            [text],
            |row| {
                let content = packed::text(row, 1)?;
                let holds = content.is_some_and(|content| content.contains(text));
                holds.then(|| row.get(0)).transpose()
            },
        )
        .map_err(at(StoreLocation::table("body")))?;
    Ok(found.into_iter().flatten().collect())
}

fn worlds(connection: &Connection, mut indices: Vec<u64>) -> Result<Vec<WorldId>, StoreError> {
    indices.sort_unstable();
    indices.dedup();
    indices.truncate(LISTED);
    let worlds = indices.into_iter();
    worlds
        .map(|index| rows::world_at(connection, index))
        .collect()
}
