//! Known copies of erased content that remain (D58). Those that others made are not known.

use counterfoil_capsule::{CapsuleDocument, ChainId, Header, World};
use counterfoil_store::{ContentState, StoreError, StoredCapsule};
use counterfoil_types::{Blake3Hash, WorldId};
use rusqlite::Connection;

use super::bodies::state;
use super::certificate::ErasedCapsule;
use crate::rows::Scan;
use crate::statement::Statements;
use crate::{packed, rows};

/// The most that are listed of each.
const LISTED: usize = 100;

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
        connection.each(
            "SELECT idx, payload FROM body
             WHERE typeof(payload) = 'blob' OR instr(payload, ?1) > 0 ORDER BY idx",
            [&member],
            |row| {
                if packed::text(row, 1)?.is_some_and(|content| content.contains(&member)) {
                    found.push(row.get(0)?);
                }
                Ok(())
            },
        )?;
    }
    let chain = match now.first() {
        Some(&first) => super::bodies::versions(connection, first)?,
        None => Vec::new(),
    };
    // Most versions are kept as what changed, and have to be made from it.
    let (mut scan, mut versions) = (Scan::default(), Vec::new());
    for index in chain.iter().copied().filter(|it| !indices.contains(it)) {
        if state(connection, index)? != ContentState::Present {
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
    let headers = capsules.iter().map(|it| &it.header);
    let names = headers.flat_map(|it| [it.hash().to_string(), it.payload().hash().to_string()]);
    for name in names.chain(same.snapshots.iter().cloned()) {
        let rows: Vec<([u8; 32], String, String)> = connection.list(
            "SELECT hash, class, document FROM held WHERE instr(document, ?1) > 0 ORDER BY hash",
            [name],
        )?;
        for (hash, class, document) in rows {
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
    let (previous, payload) = (document.header().previous(), document.header().payload());
    let mut erased = erased.iter().map(|it| &it.header);
    let is_after = erased.clone().any(|it| Some(it.hash()) == previous);
    let is_of = erased.any(|it| it.payload().hash() == payload.hash());
    match (document.payload(), document.delta()) {
        (None, None) => false,
        // A version after it, whose change from it was taken away.
        (Some(_), None) => is_of || !is_after,
        _ => true,
    }
}

/// The Worlds whose header names an erased capsule as a source.
pub(super) fn derived(
    connection: &Connection,
    erased: &[ErasedCapsule],
) -> Result<Vec<WorldId>, StoreError> {
    let mut found = Vec::new();
    for hash in erased.iter().map(|it| it.header.hash().to_string()) {
        let named: Vec<u64> = connection.list(
            "SELECT idx FROM capsule WHERE instr(whole_header(header, packed), ?1) > 0 ORDER BY idx",
            [&hash],
        )?;
        for index in named {
            let sources = rows::present_header(connection, index)?
                .extensions()
                .derived_from;
            if sources.iter().any(|source| source.to_string() == hash) {
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
) -> Result<Vec<(u64, WorldId, bool)>, StoreError> {
    let mut versions = Vec::new();
    // Each version and the one whose state it has, by what the headers say.
    let mut states: Vec<(u64, Blake3Hash, Blake3Hash)> = Vec::new();
    let mut seq = 0;
    while let Some(index) = rows::in_chain(connection, &chain, seq)? {
        let state = state(connection, index)?;
        if state != ContentState::Archived {
            let header = rows::present_header(connection, index)?;
            let state = header.extensions().rollback_to.unwrap_or(header.hash());
            let before = states.iter().find(|(_, capsule, _)| *capsule == state);
            let state = before.map_or(state, |(_, _, state)| *state);
            states.push((index, header.hash(), state));
        }
        if !except.contains(&index) && state != ContentState::Erased {
            versions.push((index, seq));
        }
        seq += 1;
    }
    let state_of = |index: u64| states.iter().find(|it| it.0 == index).map(|it| it.2);
    let erased: Vec<Blake3Hash> = except.iter().filter_map(|&it| state_of(it)).collect();
    let versions = versions.into_iter().map(|(index, seq)| {
        let rolled_back = state_of(index).is_some_and(|state| erased.contains(&state));
        let says_the_same = rolled_back || same.versions.contains(&index);
        Ok((seq, rows::world_at(connection, index)?, says_the_same))
    });
    versions.collect()
}

/// The segments that hold a capsule or the one after it in its chain, whose delta holds what it replaced.
pub(super) fn segments(
    connection: &Connection,
    header: &Header,
) -> Result<Vec<(String, u64)>, StoreError> {
    let mut segments = Vec::new();
    for seq in [header.seq(), header.seq() + 1] {
        let Some(index) = rows::in_chain(connection, &header.chain(), seq)? else {
            continue;
        };
        let over: Vec<(String, u64)> = connection.list(
            "SELECT name, idx FROM receipt WHERE ?1 BETWEEN coalesce(first, 0)
                 AND coalesce(last, idx) ORDER BY idx",
            [index],
        )?;
        for segment in over {
            if !segments.contains(&segment) {
                segments.push(segment);
            }
        }
    }
    Ok(segments)
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
