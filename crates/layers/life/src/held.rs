//! Capsules that are not accepted: not decidable yet, or refused (capsules 4.6, C10). Bounded, and the
//! only rows that are ever collected.

use std::collections::HashMap;

use counterfoil_store::StoreError;
use counterfoil_store::collect::HeldClass;
use counterfoil_types::Blake3Hash;

use crate::port::rows::{ChainRow, HeldRow, KeyRow, ResolutionRow};
use crate::port::{Select, Txn};

/// Number of rows, and bytes of their documents.
type Share = (u64, u64);

/// Share of the waiting room that one source or one agent may fill: a quarter.
const PART: u64 = 4;
/// Room for documents of each version or kind that this program does not know: 8 MiB.
const UNREAD_PART: u64 = 32;
/// Version of the program that judges: unknown documents are judged again only by another version.
pub(crate) const PROGRAM: &str = env!("CARGO_PKG_VERSION");
/// Code of a document whose predecessor is not here.
const PARENT: &str = "missing_parent";
/// Maximum number of waiting documents that one arrival wakes.
const MAX_WOKEN: usize = 10_000;

/// The most that is held of a class (D57).
const fn limit(class: HeldClass) -> Share {
    match class {
        HeldClass::Pending => (100_000, 256 << 20),
        HeldClass::Quarantine => (5_000, 32 << 20),
    }
}

/// The share with one more row of so many bytes, if that is within `limit`.
const fn with((rows, all): Share, bytes: u64, limit: Share) -> Option<Share> {
    let share = (rows + 1, all.saturating_add(bytes));
    if share.0 <= limit.0 && share.1 <= limit.1 {
        Some(share)
    } else {
        None
    }
}

/// Rows of a class.
pub(crate) fn of(class: HeldClass) -> Select {
    Select::of::<HeldRow>().with("class", class.name())
}

/// Room of a class. Of the waiting room, one source and one agent get a part each, so that
/// none fills the room of all; and documents that need no signature get a small part.
pub(crate) struct Room {
    class: HeldClass,
    /// Shares by column and value.
    shares: HashMap<(&'static str, String), Share>,
}

impl Room {
    pub(crate) fn of(class: HeldClass) -> Self {
        Self {
            class,
            shares: HashMap::new(),
        }
    }

    fn share(&mut self, txn: &dyn Txn, key: &(&'static str, String)) -> Result<Share, StoreError> {
        if let Some(share) = self.shares.get(key) {
            return Ok(*share);
        }
        let (column, value) = (key.0, key.1.as_str());
        let measure = |rows: &Select| txn.measure(rows, "document");
        let rows = of(self.class);
        let share = match column {
            "class" => measure(&rows)?,
            "agent" => {
                // Anyone may have written a capsule without a known key: it does not count for its agent.
                let rows = rows.with("agent", value);
                let all = measure(&rows)?;
                let unsigned = measure(&rows.with("code", "missing_key"))?;
                (
                    all.0.saturating_sub(unsigned.0),
                    all.1.saturating_sub(unsigned.1),
                )
            }
            _ => measure(&rows.with(column, value))?,
        };
        self.shares.insert(key.clone(), share);
        Ok(share)
    }

    /// Takes a place for a document, if there is one.
    pub(crate) fn take(&mut self, txn: &dyn Txn, held: &HeldRow) -> Result<bool, StoreError> {
        let whole = limit(self.class);
        let part = |of| (whole.0 / of, whole.1 / of);
        let mut needed = vec![("class", self.class.name(), whole)];
        if self.class == HeldClass::Pending {
            needed.push(("source", &held.source, part(PART)));
            match (held.code.as_str(), &held.agent) {
                (code @ ("unknown_version" | "unknown_kind" | "unknown"), _) => {
                    needed.push(("code", code, part(UNREAD_PART)));
                }
                (code @ "missing_key", _) => needed.push(("code", code, part(PART))),
                (_, Some(agent)) => needed.push(("agent", agent, part(PART))),
                (_, None) => {}
            }
        }
        let bytes = u64::try_from(held.document.len()).unwrap_or(u64::MAX);
        let mut taken = Vec::new();
        for (column, value, limit) in needed {
            let key = (column, value.to_owned());
            let Some(share) = with(self.share(txn, &key)?, bytes, limit) else {
                return Ok(false);
            };
            taken.push((key, share));
        }
        self.shares.extend(taken);
        Ok(true)
    }
}

/// Holds a document. One that is held already keeps its bytes and gets the new code.
pub(crate) fn insert(txn: &dyn Txn, held: HeldRow) -> Result<(), StoreError> {
    if txn.add(&held)? {
        return Ok(());
    }
    let Some(there) = txn.find::<HeldRow>(&[&held.hash])? else {
        return Ok(());
    };
    let changed = HeldRow {
        class: held.class,
        code: held.code,
        program: held.program,
        ..there.clone()
    };
    match changed == there {
        true => Ok(()),
        false => txn.put(&changed),
    }
}

/// Tests whether a document is held, by its hash.
pub(crate) fn is_held(txn: &dyn Txn, hash: &[u8; 32]) -> Result<bool, StoreError> {
    txn.has(Select::of::<HeldRow>().with("hash", *hash).only(&["hash"]))
}

/// Removes a capsule that was accepted, or that is kept with the forks.
pub(crate) fn release(txn: &dyn Txn, capsule: Blake3Hash) -> Result<(), StoreError> {
    let of_capsule = Select::of::<HeldRow>().with("capsule", capsule);
    for hash in txn.column::<[u8; 32], 1>(of_capsule, &["hash"])? {
        txn.remove::<HeldRow>(&[&hash])?;
    }
    Ok(())
}

/// Returns the waiting document under a hash, if it still waits.
pub(crate) fn waiting(txn: &dyn Txn, hash: &[u8; 32]) -> Result<Option<HeldRow>, StoreError> {
    txn.one(&of(HeldClass::Pending).with("hash", *hash))
}

/// Place of a waiting document in the order of judging, and its hash: first the children of absent parents, by chain.
type Waiting = (bool, Option<[u8; 16]>, Option<u64>, [u8; 32]);

fn in_order(mut found: Vec<Waiting>) -> Vec<[u8; 32]> {
    found.sort_unstable();
    found.into_iter().map(|(.., hash)| hash).collect()
}

/// Returns the hashes of the waiting documents among `rows`: they are read one by one.
pub(crate) fn woken(txn: &dyn Txn, rows: Select) -> Result<Vec<[u8; 32]>, StoreError> {
    let rows = rows.with("class", HeldClass::Pending.name());
    let found: Vec<(String, _, _, _)> = txn.column(rows, &["code", "chain", "seq", "hash"])?;
    let found = found
        .into_iter()
        .map(|(code, chain, seq, hash)| (code != PARENT, chain, seq, hash));
    let mut hashes = in_order(found.collect());
    hashes.truncate(MAX_WOKEN);
    Ok(hashes)
}

/// Returns the hashes of documents that may be decidable by now for another reason than an arrival: the time has come, the
/// program was updated, or an import ended between a parent and its children. At most `most`, beginning at
/// `from`: where there are more, another time another part of them has its turn.
pub(crate) fn ripe(
    txn: &dyn Txn,
    from: &[u8; 32],
    most: usize,
) -> Result<Vec<[u8; 32]>, StoreError> {
    type Row = (
        [u8; 32],
        String,
        Option<[u8; 16]>,
        Option<u64>,
        Option<String>,
        String,
    );
    let columns = &["hash", "code", "chain", "seq", "agent", "program"];
    let mut rows: Vec<Row> = txn.column(of(HeldClass::Pending), columns)?;
    let first = rows.partition_point(|(hash, ..)| hash < from);
    rows.rotate_left(first);
    let mut found = Vec::new();
    for (hash, code, chain, seq, agent, program) in rows {
        if found.len() == most {
            break;
        }
        let mut is_ripe = match (code.as_str(), agent, chain) {
            ("future_timestamp" | "body_erased", ..) | ("missing_key", None, _) => true,
            ("unknown_version" | "unknown_kind", ..) => program != PROGRAM,
            ("missing_key", Some(agent), _) => {
                txn.has(Select::of::<KeyRow>().with("agent", agent))?
            }
            ("forked", _, Some(chain)) => {
                txn.has(Select::of::<ResolutionRow>().with("chain", chain))?
            }
            _ => false,
        };
        let before = seq.and_then(|seq| seq.checked_sub(1));
        if let (false, Some((chain, before))) = (is_ripe, chain.zip(before)) {
            is_ripe = txn.find::<ChainRow>(&[&chain, &before])?.is_some();
        }
        if is_ripe {
            found.push((code != PARENT, chain, seq, hash));
        }
    }
    Ok(in_order(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_takes_so_many_rows_and_bytes_and_no_more() {
        let limit = (3, 100);
        let share = with((0, 0), 60, limit).unwrap();
        assert_eq!(with(share, 41, limit), None);
        let full = with(share, 40, limit).and_then(|share| with(share, 0, limit));
        assert_eq!(full, Some((3, 100)));
        assert_eq!(with((3, 0), 0, limit), None);
    }
}
