//! Content that is not kept whole follows from the last one that is, by the deltas since (CAP-3,
//! capsules 4.3): at most 63 of them, as every 64th content of a chain is kept.

use std::collections::BTreeMap;

use counterfoil_capsule::delta::{self, Delta, DeltaError};
use counterfoil_capsule::{ChainId, Header, payload_hash};
use counterfoil_store::{SNAPSHOT_INTERVAL, StoreError, StoreLocation};
use counterfoil_types::json::{self, Limits, Value};
use rusqlite::{Connection, params};

use crate::error::at;
use crate::packed::{self, Packed};
use crate::rows;
use crate::statement::Statements;

/// Maximum number of contents that a scan caches.
const MAX_KEPT_BYTES: usize = 32 << 20;

/// Tests whether a redaction in the log names the capsule at `index`.
pub(crate) fn is_erased(connection: &Connection, index: u64) -> Result<bool, StoreError> {
    connection.has("SELECT 1 FROM redacted WHERE idx = ?1", [index])
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

/// Takes content, delta and their salts of a capsule away.
pub(crate) fn take_all(connection: &Connection, index: u64) -> Result<(), StoreError> {
    connection.run(
        "UPDATE body SET payload = NULL, salt = NULL, delta = NULL, delta_salt = NULL
             WHERE idx = ?1",
        [index],
    )
}

/// Writes the content of a capsule out, so that it does not follow from others any more. Content that is
/// erased stays erased.
///
/// # Errors
/// [`StoreError::Corrupt`] when the content that follows is not the one that was sealed: nothing
/// is taken away then.
pub(crate) fn keep_whole(connection: &Connection, index: u64) -> Result<(), StoreError> {
    let place = || StoreLocation::entry("body", index);
    let stored = rows::capsule(connection, index)?
        .ok_or_else(|| StoreError::corrupt(place(), "there is no capsule"))?;
    let Some(payload) = stored.payload else {
        return Ok(());
    };
    if payload_hash(&payload.salt, payload.text.as_bytes()) != stored.header.payload().hash() {
        return Err(StoreError::corrupt(
            place(),
            "the content that follows from its chain is not the one that was sealed",
        ));
    }
    let packed = Packed::of_content(stored.header.seq(), &payload.text);
    connection.run(
        "UPDATE body SET payload = ?2 WHERE idx = ?1 AND payload IS NULL",
        params![index, packed],
    )
}

/// The content at `index`, by the deltas since the last content of its chain that is kept whole. With `own`, the delta
/// of the capsule itself, its row in `chain` need not be there yet.
fn followed(
    connection: &Connection,
    index: u64,
    header: &Header,
    own: Option<&str>,
) -> Result<String, StoreError> {
    let (seq, chain) = (header.seq(), header.chain());
    let from = own.map_or(seq, |_| seq.saturating_sub(1));
    let (mut expected, mut last, mut base) = (from, index, None);
    // Log index and text, the newest first.
    let own = own.map(|delta| (index, delta.to_owned()));
    let mut deltas: Vec<(u64, String)> = own.into_iter().collect();
    connection.visit(
        "SELECT chain.seq, chain.idx, body.payload, body.delta
         FROM chain JOIN body ON body.idx = chain.idx
         WHERE chain.chain = ?1 AND chain.seq BETWEEN ?2 AND ?3
         ORDER BY chain.seq DESC",
        params![chain.as_bytes(), seq - seq % SNAPSHOT_INTERVAL, from],
        |row| {
            Ok((
                row.get(0)?,
                row.get(1)?,
                packed::text(row, 2),
                packed::text(row, 3),
            ))
        },
        |(found, found_at, payload, delta): (u64, u64, _, _)| {
            if found != expected || (found == seq && found_at != index) {
                return Ok(false);
            }
            let place = || StoreLocation::entry("body", found_at);
            (last, base) = (found_at, payload.map_err(at(place()))?);
            if base.is_some() {
                return Ok(false);
            }
            let delta = delta.map_err(at(place()))?;
            expected = found.saturating_sub(1);
            deltas.extend(delta.map(|delta| (found_at, delta)));
            Ok(deltas.last().is_some_and(|(newest, _)| *newest == found_at))
        },
    )?;
    let base = base.ok_or_else(|| {
        StoreError::corrupt(
            StoreLocation::entry("body", last),
            "neither content nor delta is there, and later contents follow from it",
        )
    })?;
    applied(&base, last, &deltas)
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
            _ => followed(connection, index, header, delta),
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
