//! Content that is not kept whole follows from the last one that is, by the deltas since (CAP-3,
//! capsules 4.3): at most 63 of them, as every 64th content of a chain is kept.

use std::collections::BTreeMap;

use counterfoil_capsule::delta::{self, Delta, DeltaError};
use counterfoil_capsule::{ChainId, Header};
use counterfoil_store::{SNAPSHOT_INTERVAL, StoreError, StoreLocation};
use counterfoil_types::json::{self, Limits, Value};

use crate::port::rows::{ChainRow, ENTRY, ReceivedRow, RedactedRow, UnopenedRow};
use crate::port::{BodyRow, Select, Txn};

/// Maximum bytes of contents that a scan caches.
const MAX_KEPT_BYTES: usize = 32 << 20;

/// Tests whether a redaction in the log names the capsule at `index`, or its content came with a key that was destroyed.
///
/// # Errors
/// When it cannot be read.
pub(crate) fn is_erased(txn: &dyn Txn, index: u64) -> Result<bool, StoreError> {
    Ok(txn.find::<RedactedRow>(&[&index])?.is_some()
        || txn.find::<UnopenedRow>(&[&ENTRY, &index])?.is_some())
}

/// Tests whether the content was erased: here, or elsewhere before it came.
///
/// # Errors
/// When it cannot be read.
pub(crate) fn is_accounted_for(txn: &dyn Txn, index: u64) -> Result<bool, StoreError> {
    Ok(is_erased(txn, index)? || txn.find::<ReceivedRow>(&[&index])?.is_some())
}

/// Selects the entries that cannot be opened.
pub(crate) fn unopened() -> Select {
    Select::of::<UnopenedRow>().with("part", ENTRY)
}

/// Returns the bodies of the capsule at `index`.
///
/// # Errors
/// [`StoreError::Corrupt`] when it has no row.
pub(crate) fn body(txn: &dyn Txn, index: u64) -> Result<BodyRow, StoreError> {
    let missing = || StoreError::corrupt(StoreLocation::entry("body", index), "there is no body");
    txn.body(index)?.ok_or_else(missing)
}

/// The content at `index`, by the deltas since the last content of its chain that is kept whole. With `own`, the delta
/// of the capsule itself, its place in its chain need not be known yet.
fn followed(
    txn: &dyn Txn,
    index: u64,
    header: &Header,
    own: Option<&str>,
) -> Result<String, StoreError> {
    let (seq, chain) = (header.seq(), header.chain());
    let mut next = match own {
        Some(_) => seq.checked_sub(1),
        None => Some(seq),
    };
    let (mut last, mut base) = (index, None);
    // Log index and text, the newest first.
    let mut deltas: Vec<(u64, Vec<u8>)> = own
        .map(|delta| (index, delta.as_bytes().to_vec()))
        .into_iter()
        .collect();
    let way = Select::of::<ChainRow>().with("chain", chain);
    let way = way.from("seq", seq - seq % SNAPSHOT_INTERVAL);
    let mut way: Vec<ChainRow> = txn.list(&way.first(SNAPSHOT_INTERVAL))?;
    way.retain(|place| Some(place.seq) <= next);
    for place in way.iter().rev() {
        if Some(place.seq) != next || (place.seq == seq && place.idx != index) {
            break;
        }
        let body = body(txn, place.idx)?;
        (last, base) = (place.idx, body.payload);
        next = place.seq.checked_sub(1);
        match (&base, body.delta) {
            (None, Some(delta)) => deltas.push((place.idx, delta)),
            _ => break,
        }
    }
    let base = base.ok_or_else(|| {
        StoreError::corrupt(
            StoreLocation::entry("body", last),
            "neither content nor delta is there, and later contents follow from it",
        )
    })?;
    applied(&base, last, &deltas)
}

/// Applies deltas, newest first, to `base`, the content at `base_index`.
fn applied(base: &[u8], base_index: u64, deltas: &[(u64, Vec<u8>)]) -> Result<String, StoreError> {
    let damaged = |index: u64, detail: &dyn std::fmt::Display| {
        StoreError::corrupt(StoreLocation::entry("body", index), detail)
    };
    let content =
        json::admit(base, Limits::CONTENT).map_err(|error| damaged(base_index, &error))?;
    let oldest_first = deltas.iter().rev();
    let read = oldest_first
        .map(|(index, text)| Delta::parse(text).map_err(|error| damaged(*index, &error)))
        .collect::<Result<Vec<_>, _>>()?;
    let content: Value = delta::apply_all(&content, &read).map_err(|error| {
        let place = match &error {
            DeltaError::Sequence { position, .. } => deltas.iter().rev().nth(*position),
            _ => None,
        };
        damaged(place.map_or(base_index, |(index, _)| *index), &error)
    })?;
    json::canonical(&content).map_err(|error| damaged(base_index, &error))
}

/// The last contents of chains, for a scan in log order: so each delta is applied once.
#[derive(Debug, Default)]
pub(crate) struct LastContents {
    by_chain: BTreeMap<ChainId, (u64, String)>,
    bytes: usize,
}

impl LastContents {
    /// The content of the capsule `header` at `index`, which is neither kept whole nor erased;
    /// `delta` is what it changes. It is not compared with the hash in the header: that is for a
    /// check.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] with the place of the part that is missing or does not fit.
    pub(crate) fn rebuilt(
        &mut self,
        txn: &dyn Txn,
        index: u64,
        header: &Header,
        delta: Option<&str>,
    ) -> Result<String, StoreError> {
        let before = header.seq().checked_sub(1);
        let known = self.by_chain.get(&header.chain());
        match (known, delta) {
            (Some((seq, content)), Some(delta)) if Some(*seq) == before => {
                let delta = (index, delta.as_bytes().to_vec());
                applied(content.as_bytes(), index, &[delta])
            }
            _ => followed(txn, index, header, delta),
        }
    }

    /// Keeps a content in mind for the one after it. A seed is not: most chains have no other.
    pub(crate) fn keep(&mut self, header: &Header, content: &str) {
        if header.seq() == 0 {
            return;
        }
        if self.bytes + content.len() > MAX_KEPT_BYTES {
            self.by_chain.clear();
            self.bytes = 0;
        }
        let kept = (header.seq(), content.to_owned());
        self.bytes += content.len();
        if let Some((_, gone)) = self.by_chain.insert(header.chain(), kept) {
            self.bytes = self.bytes.saturating_sub(gone.len());
        }
    }
}
