//! What goes into which segment: old capsules of Worlds, in log order (capsules 4.6).

use counterfoil_capsule::documents::MAX_SEGMENT;
use counterfoil_capsule::{ChainId, Kind, Timestamp};
use counterfoil_store::{StoreError, StoreLocation};
use rusqlite::{Connection, params};

use super::{ArchiveReport, NewSegment};
use crate::error::at;
use crate::rows;
use crate::statement::Statements;

/// The most bytes of bodies in one segment: it is read as a whole.
const MAX_BYTES: u64 = 64 << 20;

/// Log indices, segment by segment.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) segments: Vec<Vec<u64>>,
    /// Number of capsules that are old enough but stay.
    pub(super) kept: u64,
}

impl Plan {
    pub(super) fn as_planned(&self) -> ArchiveReport {
        let segments = self.segments.iter().filter_map(|indices| {
            Some(NewSegment {
                name: String::new(),
                capsules: u64::try_from(indices.len()).unwrap_or(u64::MAX),
                entries: (*indices.first()?, *indices.last()?),
                bytes: 0,
                receipt: None,
            })
        });
        ArchiveReport {
            segments: segments.collect(),
            kept: self.kept,
            scrubbed: None,
        }
    }
}

/// Everything that was recorded before `before` and may go.
pub(super) fn plan(connection: &Connection, before: Timestamp) -> Result<Plan, StoreError> {
    let mut plan = Plan::default();
    let (mut segment, mut bytes) = (Vec::new(), 0);
    // Timestamps of one form compare as text.
    let old: Vec<u64> = connection
        .list(
            "SELECT idx FROM capsule WHERE header IS NOT NULL
             AND json_extract(whole_header(header, packed), '$.world') IS NOT NULL
             AND json_extract(whole_header(header, packed), '$.timestamp') < ?1 ORDER BY idx",
            [before.to_string()],
        )
        .map_err(at(StoreLocation::table("capsule")))?;
    for index in old {
        let header = rows::header(connection, index)?.ok_or_else(|| {
            StoreError::corrupt(
                StoreLocation::entry("capsule", index),
                "there is no capsule",
            )
        })?;
        // What is believed is folded from claim units: they stay.
        if header.kind() == Kind::Claim || stays(connection, header.chain(), header.seq())? {
            plan.kept += 1;
            continue;
        }
        // The content, and at most as much of a delta again.
        let size = header.payload().size().saturating_mul(2);
        if segment.len() == MAX_SEGMENT || (bytes + size > MAX_BYTES && !segment.is_empty()) {
            plan.segments.push(std::mem::take(&mut segment));
            bytes = 0;
        }
        segment.push(index);
        bytes += size;
    }
    if !segment.is_empty() {
        plan.segments.push(segment);
    }
    Ok(plan)
}

/// Tests whether a capsule stays however old it is: the current version of an evolving World, as
/// the next one follows it, and what a fork is proven with.
fn stays(connection: &Connection, chain: ChainId, seq: u64) -> Result<bool, StoreError> {
    let stays = || -> Result<bool, StoreError> {
        let last: u64 = connection.get(
            "SELECT max(seq) FROM chain WHERE chain = ?1",
            [chain.as_bytes()],
        )?;
        if seq > 0 && seq == last {
            return Ok(true);
        }
        connection.has(
            "SELECT 1 FROM fork WHERE chain = ?1",
            params![chain.as_bytes()],
        )
    };
    stays()
}
