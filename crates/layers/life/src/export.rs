//! Chains as they travel: one exported capsule a line, in log order (capsules, "The exported document").

use std::collections::HashSet;

use counterfoil_capsule::documents::{Redaction, Tombstone};
use counterfoil_capsule::keys::ForkResolution;
use counterfoil_capsule::{ChainId, Document, Header, Kind, RecordKind};
use counterfoil_store::{StoreError, StoredCapsule};
use counterfoil_types::{Blake3Hash, DidKey, WorldId};

use crate::entries::{Scan, Sides, capsule_here, each_header, owner, places, slot, slot_at};
use crate::forks::{self, abandoned};
use crate::keys::is_of_keys;
use crate::port::rows::{FeedSecretRow, StubRow};
use crate::port::{Select, Txn};
use crate::records::{content_of, is_received};

/// About how many bytes one read gives.
const CHUNK_BYTES: usize = 4 << 20;
/// Maximum number of entries of one read.
pub(crate) const CHUNK_ENTRIES: usize = 512;

/// Selection of capsules for an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Selection {
    /// The whole log.
    All,
    /// All that an agent signed.
    Agent(DidKey),
    /// A chain, and the records that it needs elsewhere: the keys of its agent, and records
    /// about it (resolutions, redactions, tombstones).
    Chain(ChainId),
}

/// Returns the log indices of `selection`, in their order.
pub(crate) fn plan(txn: &dyn Txn, selection: Selection) -> Result<Vec<u64>, StoreError> {
    let mut found: Vec<u64> = match selection {
        Selection::All => return Ok((0..txn.head()?.0).collect()),
        Selection::Agent(agent) => {
            let stubs = Select::of::<StubRow>().with("agent", agent);
            let mut found = txn.column(stubs, &["idx"])?;
            each_header(txn, &agent.to_string(), |index, header| {
                found.extend((header.agent() == agent).then_some(index));
                Ok(())
            })?;
            found
        }
        Selection::Chain(chain) => of_chain(txn, chain)?,
    };
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// Feed of an agent: its secret; the number of capsules from before it, and the last of them; and all capsules after these.
pub type Feed = ([u8; 32], (u64, Option<Blake3Hash>), Vec<Blake3Hash>);

/// Returns the feed of `agent` as far as it was sealed here, and the size of the log; `None` where it has none.
pub(crate) fn feed(txn: &dyn Txn, agent: DidKey) -> Result<Option<(Feed, u64)>, StoreError> {
    let Some(FeedSecretRow { secret, .. }) = txn.find(&[&agent])? else {
        return Ok(None);
    };
    let (mut first, mut capsules) = ((0, None), Vec::new());
    for index in plan(txn, Selection::Agent(agent))? {
        if is_received(txn, index)? {
            continue;
        }
        let slot = slot_at(txn, index)?;
        let is_earlier = |header: &Header| header.extensions().feed.is_none();
        if capsules.is_empty() && slot.header.as_ref().is_none_or(is_earlier) {
            first = (first.0 + 1, Some(slot.hash));
        } else {
            capsules.push(slot.hash);
        }
    }
    Ok(Some(((secret, first, capsules), txn.head()?.0)))
}

/// Returns the next lines of `indices`, the number of entries among them that lie in an archive, and the number of entries
/// that were read.
pub(crate) fn lines(
    txn: &dyn Txn,
    indices: &[u64],
) -> Result<((Vec<String>, u64), usize), StoreError> {
    let (mut lines, mut archived) = (Vec::new(), 0);
    let mut scan = Scan::default();
    let (mut bytes, mut taken) = (0, 0);
    for &index in indices {
        if bytes > CHUNK_BYTES {
            break;
        }
        taken += 1;
        match StoreError::skip_withheld(scan.checked(txn, index)) {
            Err(StoreError::Archived { .. }) => archived += 1,
            stored => {
                if let Some(stored) = stored? {
                    let text = stored.document().to_text();
                    bytes += text.len();
                    lines.push(text);
                }
            }
        }
    }
    Ok(((lines, archived), taken))
}

/// Returns the capsules of other branches of the exported chains.
pub(crate) fn branches(txn: &dyn Txn, selection: Selection) -> Result<Vec<String>, StoreError> {
    let mut lines = Vec::new();
    for chain in forks::chains(txn)? {
        if matches!(selection, Selection::Chain(selected) if selected != chain) {
            continue;
        }
        for branch in forks::of_chain(txn, &chain)? {
            let header = branch.header();
            if matches!(selection, Selection::Agent(agent) if agent != header.agent()) {
                continue;
            }
            let accepted = slot(Sides::both(txn), &chain, header.seq())?;
            if accepted.is_none_or(|slot| slot.hash != header.hash()) {
                lines.push(branch.document.to_text());
            }
        }
    }
    Ok(lines)
}

/// Returns the log indices of a chain, and of the records that it needs.
fn of_chain(txn: &dyn Txn, chain: ChainId) -> Result<Vec<u64>, StoreError> {
    let places = places(txn, &chain, 0)?;
    let mut found: Vec<u64> = places.iter().map(|place| place.idx).collect();
    found.extend(abandoned(txn, &chain)?);
    let Some(owner) = owner(Sides::both(txn), &chain)? else {
        return Ok(found);
    };
    let (mut hashes, mut worlds) = (HashSet::new(), HashSet::new());
    for &index in &found {
        if let Some(header) = slot_at(txn, index)?.header {
            hashes.insert(header.hash());
            worlds.extend(header.world().cloned());
        }
    }
    let about = About {
        chain,
        owner,
        hashes,
        worlds,
    };
    each_header(txn, "\"kind\":\"", |index, header| {
        if let Kind::Record(kind) = header.kind()
            && let Some(record) = capsule_here(txn, index)?
            && about.names(kind, &record)
        {
            found.push(index);
        }
        Ok(())
    })?;
    Ok(found)
}

/// Subjects of records of other chains that belong to an exported chain.
struct About {
    chain: ChainId,
    owner: DidKey,
    hashes: HashSet<Blake3Hash>,
    worlds: HashSet<WorldId>,
}

impl About {
    fn names(&self, kind: RecordKind, record: &StoredCapsule) -> bool {
        let content = content_of(&record.header, record.payload.as_ref(), kind);
        let Some(value) = content.filter(|_| !is_of_keys(kind)) else {
            return is_of_keys(kind) && record.header.agent() == self.owner;
        };
        match kind {
            RecordKind::ForkResolution => {
                ForkResolution::parse(&value).is_ok_and(|it| it.chain == self.chain)
            }
            RecordKind::Redaction => {
                Redaction::parse(&value).is_ok_and(|it| self.hashes.contains(&it.capsule))
            }
            RecordKind::Tombstone => {
                Tombstone::parse(&value).is_ok_and(|it| self.worlds.contains(&it.world))
            }
            _ => false,
        }
    }
}
