//! Content that is not kept whole follows from the last one that is, by the deltas since (CAP-3,
//! capsules 4.3): at most 63 of them, as every 64th content of a chain is kept.

use std::collections::BTreeMap;

use counterfoil_capsule::delta::{self, Delta, DeltaError};
use counterfoil_capsule::{ChainId, Header};
use counterfoil_store::{SNAPSHOT_INTERVAL, StoreError, StoreLocation};
use counterfoil_types::json::{self, Limits, Value};
use rusqlite::{Connection, params};

use crate::error::{at, from_sqlite};
use crate::packed;
use crate::statement::Statements;

/// Maximum number of contents that a scan caches.
const MAX_KEPT_BYTES: usize = 32 << 20;

/// Tests whether a redaction in the log names the capsule at `index`.
pub(crate) fn is_erased(connection: &Connection, index: u64) -> Result<bool, StoreError> {
    connection
        .has("SELECT 1 FROM redacted WHERE idx = ?1", [index])
        .map_err(at(StoreLocation::table("redacted")))
}

/// Takes the delta of a capsule away. Whether there was one.
pub(crate) fn take_delta(connection: &Connection, index: u64) -> Result<bool, StoreError> {
    connection
        .change(
            "UPDATE body SET delta = NULL, delta_salt = NULL
             WHERE idx = ?1 AND delta IS NOT NULL",
            [index],
        )
        .map(|taken| taken > 0)
}

/// The content at the end of a path.
fn followed(path: Path) -> Result<String, StoreError> {
    let base = path.base.ok_or_else(|| {
        StoreError::corrupt(
            StoreLocation::entry("body", path.last),
            "neither content nor delta is there, and later contents follow from it",
        )
    })?;
    applied(&base, path.last, &path.deltas)
}

/// The way back from a content to the last one that is kept whole.
struct Path {
    base: Option<String>,
    /// The log index of the last capsule that was looked at: that of the base.
    last: u64,
    /// Log index and text of the deltas since, the newest first.
    deltas: Vec<(u64, String)>,
}

impl Path {
    /// With `own`, what the capsule itself changes, its row in `chain` need not be there yet.
    fn back(
        connection: &Connection,
        index: u64,
        header: &Header,
        own: Option<&str>,
    ) -> Result<Self, StoreError> {
        let mut statement = connection
            .prepare_cached(
                "SELECT chain.seq, chain.idx, body.payload, body.delta
                 FROM chain JOIN body ON body.idx = chain.idx
                 WHERE chain.chain = ?1 AND chain.seq BETWEEN ?2 AND ?3
                 ORDER BY chain.seq DESC",
            )
            .map_err(from_sqlite)?;
        let seq = header.seq();
        let first = seq - seq % SNAPSHOT_INTERVAL;
        let chain = header.chain();
        let mut expected = match own {
            Some(_) => seq.saturating_sub(1),
            None => seq,
        };
        let mut rows = statement
            .query(params![chain.as_bytes(), first, expected])
            .map_err(from_sqlite)?;
        let own = own.map(|delta| (index, delta.to_owned()));
        let mut path = Self {
            base: None,
            last: index,
            deltas: own.into_iter().collect(),
        };
        while let Some(row) = rows.next().map_err(at(StoreLocation::table("chain")))? {
            let found: u64 = row.get(0).map_err(at(StoreLocation::table("chain")))?;
            let at_index: u64 = row.get(1).map_err(at(StoreLocation::table("chain")))?;
            if found != expected || (found == seq && at_index != index) {
                break;
            }
            path.last = at_index;
            let place = || StoreLocation::entry("body", at_index);
            path.base = packed::text(row, 2).map_err(at(place()))?;
            if path.base.is_some() {
                break;
            }
            let Some(delta) = packed::text(row, 3).map_err(at(place()))? else {
                break;
            };
            path.deltas.push((at_index, delta));
            expected = found.saturating_sub(1);
        }
        Ok(path)
    }
}

/// Applies deltas, newest first, to `base`, the content at `base_index`.
fn applied(base: &str, base_index: u64, deltas: &[(u64, String)]) -> Result<String, StoreError> {
    let damaged = |index: u64, detail: &dyn std::fmt::Display| {
        StoreError::corrupt(StoreLocation::entry("body", index), detail)
    };
    let content = json::admit(base.as_bytes(), Limits::CONTENT)
        .map_err(|error| damaged(base_index, &error))?;
    let oldest_first = deltas.iter().rev();
    let read = oldest_first
        .map(|(index, text)| Delta::parse(text.as_bytes()).map_err(|error| damaged(*index, &error)))
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
    /// `delta` is what it changes. It is not compared with the hash in the header: that is for an
    /// audit.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] with the place of whatever is missing or does not fit.
    pub(crate) fn rebuilt(
        &mut self,
        connection: &Connection,
        index: u64,
        header: &Header,
        delta: Option<&str>,
    ) -> Result<String, StoreError> {
        let before = header.seq().checked_sub(1);
        let known = self.by_chain.get(&header.chain());
        match (known, delta) {
            (Some((seq, content)), Some(delta)) if Some(*seq) == before => {
                applied(content, index, &[(index, delta.to_owned())])
            }
            _ => followed(Path::back(connection, index, header, delta)?),
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
