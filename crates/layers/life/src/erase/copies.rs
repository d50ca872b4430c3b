//! Known copies of erased content that remain (D58). Those that others made are not known.

use std::collections::{BTreeSet, HashMap, HashSet};

use counterfoil_capsule::{CapsuleDocument, ChainId, World};
use counterfoil_store::{ContentState, StoreError, StoredCapsule};
use counterfoil_types::{Blake3Hash, WorldId};

use super::certificate::ErasedCapsule;
use crate::entries::{self, Scan, in_chain, places, world_at};
use crate::port::rows::{EXCHANGE, EXCHANGE_ITEM, HeldRow, ReceiptRow};
use crate::port::{Select, Txn};

/// The most that are listed of each.
const LISTED: usize = 100;

/// Copies of content that is about to be erased.
pub(super) struct Same {
    /// Other memories.
    pub(super) worlds: Vec<WorldId>,
    /// Log indices of other versions of the memory.
    versions: Vec<u64>,
    /// The hashes of its data.
    snapshots: Vec<String>,
}

/// Finds versions with the same data as one of `now`, except `indices`. `roots` are of the memory that is named.
pub(super) fn same(
    txn: &dyn Txn,
    roots: &[u64],
    indices: &[u64],
    now: &[u64],
) -> Result<Same, StoreError> {
    let mut snapshots = Vec::new();
    for &index in now {
        snapshots.extend(snapshot(entries::unchecked(txn, index)?));
    }
    let chain = match roots.first().filter(|_| !now.is_empty()) {
        Some(&root) => version_indices(txn, root)?,
        None => Vec::new(),
    };
    // The member in canonical JSON, so that a text that quotes it does not count.
    let member = |snapshot| format!("\"snapshotHash\":\"{snapshot}\"");
    let members: Vec<String> = snapshots.iter().map(member).collect();
    let mut found = Vec::new();
    if !members.is_empty() {
        txn.each_payload(&mut |index, payload| {
            let text = std::str::from_utf8(payload).unwrap_or_default();
            if members.iter().any(|member| text.contains(member.as_str())) {
                found.push(index);
            }
            Ok(true)
        })?;
    }
    found.retain(|index| !indices.contains(index) && !chain.contains(index));
    // Most versions are kept as deltas, and have to be made from them.
    let (mut scan, mut versions) = (Scan::default(), Vec::new());
    for index in chain.iter().copied().filter(|it| !indices.contains(it)) {
        if content_of(txn, index)? != ContentState::Present {
            continue;
        }
        let snapshot = snapshot(scan.capsule(txn, index)?);
        if snapshot.is_some_and(|snapshot| snapshots.contains(&snapshot)) {
            versions.push(index);
        }
    }
    Ok(Same {
        worlds: worlds(txn, found)?,
        versions,
        snapshots,
    })
}

/// Returns the snapshot hash of a memory, as its content has it.
fn snapshot(stored: Option<StoredCapsule>) -> Option<String> {
    let payload = stored?.payload?;
    let world = World::from_json(payload.text.as_bytes()).ok()?;
    Some(world.snapshot_hash().to_string())
}

/// Returns the documents that are held, name an erased capsule or its content, and have a body.
pub(super) fn held(
    txn: &dyn Txn,
    capsules: &[ErasedCapsule],
    same: &Same,
) -> Result<Vec<(Blake3Hash, String)>, StoreError> {
    let headers = capsules.iter().map(|it| &it.header);
    let names = headers.flat_map(|it| [it.hash().to_string(), it.payload().hash().to_string()]);
    let names: Vec<String> = names.chain(same.snapshots.iter().cloned()).collect();
    let mut found = Vec::new();
    txn.each(&Select::of::<HeldRow>(), |row: HeldRow| {
        let is_named = names
            .iter()
            .any(|name| row.document.contains(name.as_str()));
        if is_named && may_tell(&row.document, capsules) {
            found.push((Blake3Hash::from_bytes(row.hash), row.class));
        }
        Ok(found.len() < LISTED)
    })?;
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

/// Returns the ids of the exchanges in which an erased memory came, also as one that was there already.
pub(super) fn exchanges(
    txn: &dyn Txn,
    capsules: &[ErasedCapsule],
) -> Result<Vec<String>, StoreError> {
    let items = || Select::all(EXCHANGE_ITEM);
    let mut claims: BTreeSet<[u8; 32]> = BTreeSet::new();
    for world in capsules.iter().filter_map(|it| it.header.world()) {
        claims.extend(txn.column::<[u8; 32], 1>(items().with("world", world.clone()), &["claim"])?);
    }
    let mut numbers: BTreeSet<u64> = BTreeSet::new();
    for claim in claims {
        numbers.extend(txn.column::<u64, 1>(items().with("claim", claim), &["exchange"])?);
    }
    let mut ids = Vec::new();
    for number in numbers {
        let exchange = Select::all(EXCHANGE).with("number", number);
        ids.extend(txn.column::<String, 1>(exchange, &["id"])?);
    }
    Ok(ids)
}

/// Returns the versions of a chain that are not erased, with true for those that hold all of the content of an erased one.
pub(super) fn versions(
    txn: &dyn Txn,
    chain: &ChainId,
    except: &[u64],
    same: &Same,
) -> Result<Vec<(u64, WorldId, bool)>, StoreError> {
    let versions = entries::versions(txn, chain)?;
    // Each version with the capsule whose state it has, by the headers.
    let mut states: HashMap<Blake3Hash, Blake3Hash> = HashMap::new();
    let present = versions.iter();
    for row in present.filter(|it| it.content != ContentState::Archived) {
        let restored = row.rollback_to.unwrap_or(row.capsule);
        let state = states.get(&restored).copied().unwrap_or(restored);
        states.insert(row.capsule, state);
    }
    let erased = versions.iter().filter(|row| except.contains(&row.index));
    let erased = erased.filter_map(|row| states.get(&row.capsule));
    let erased: HashSet<Blake3Hash> = erased.copied().collect();
    let mut left = Vec::new();
    for row in versions {
        if except.contains(&row.index) || row.content == ContentState::Erased {
            continue;
        }
        let state = states.get(&row.capsule);
        let rolled_back = state.is_some_and(|state| erased.contains(state));
        let says_the_same = rolled_back || same.versions.contains(&row.index);
        left.push((row.seq, world_at(txn, row.index)?, says_the_same));
    }
    Ok(left)
}

/// Returns the segments that hold a capsule, or the one after it in its chain, whose delta holds the content that it
/// replaced. A segment that was made after the erasure was made without it.
pub(super) fn segments(
    txn: &dyn Txn,
    capsules: &[ErasedCapsule],
) -> Result<Vec<(String, u64)>, StoreError> {
    let receipts: Vec<ReceiptRow> = txn.list(&Select::of::<ReceiptRow>())?;
    let mut segments = Vec::new();
    for ErasedCapsule {
        header, redaction, ..
    } in capsules
    {
        for seq in [header.seq(), header.seq() + 1] {
            let Some(index) = in_chain(txn, &header.chain(), seq)? else {
                continue;
            };
            for receipt in receipts.iter().filter(|it| it.idx < redaction.0) {
                let covered = receipt.first.unwrap_or(0)..=receipt.last.unwrap_or(receipt.idx);
                let segment = (receipt.name.clone(), receipt.idx);
                if covered.contains(&index) && !segments.contains(&segment) {
                    segments.push(segment);
                }
            }
        }
    }
    Ok(segments)
}

fn worlds(txn: &dyn Txn, mut indices: Vec<u64>) -> Result<Vec<WorldId>, StoreError> {
    indices.sort_unstable();
    indices.dedup();
    indices.truncate(LISTED);
    let worlds = indices.into_iter();
    worlds.map(|index| world_at(txn, index)).collect()
}

/// Returns the storage state of the capsule at `index`.
pub(super) fn content_of(txn: &dyn Txn, index: u64) -> Result<ContentState, StoreError> {
    Ok(entries::state(txn, index)?.version.content)
}

/// Returns the log indices of all versions of the memory at `index`, ascending.
pub(super) fn version_indices(txn: &dyn Txn, index: u64) -> Result<Vec<u64>, StoreError> {
    let chain = entries::state(txn, index)?.chain;
    let places = places(txn, &chain, 0)?.into_iter();
    Ok(places.map(|place| place.idx).collect())
}
