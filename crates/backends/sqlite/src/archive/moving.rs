//! Steps 6 and 7, in one transaction: the receipt is appended, and stubs take the place of rows (4.6).

use counterfoil_capsule::documents::{ArchiveReceipt, Entries};
use counterfoil_capsule::{Document, RecordKind, Signer};
use counterfoil_store::{Draft, StoreError, StoreLocation};
use rusqlite::{Connection, OptionalExtension, params};

use super::NewSegment;
use super::files::{Line, SegmentFile};
use super::segment::refused;
use super::steps::{Faults, Step};
use crate::bodies::keep_whole;
use crate::error::at;
use crate::statement::Statements;
use crate::stubs::Stub;
use crate::unit::Unit;
use crate::{rebuild, rows};

/// Moves what the segments hold out of the database.
pub(super) fn move_all(
    unit: &mut Unit<'_>,
    signer: &dyn Signer,
    segments: &[SegmentFile],
    faults: &dyn Faults,
) -> Result<Vec<NewSegment>, StoreError> {
    let mut moved = Vec::with_capacity(segments.len());
    for segment in segments {
        faults.before(Step::Receipt)?;
        let entries = entries(&segment.lines)?;
        let receipt = ArchiveReceipt::new(&segment.manifest, Some(entries));
        let draft = Draft::record(RecordKind::ArchiveReceipt, receipt.to_value());
        let placed = unit.append(signer, &[draft])?;
        let placed = placed.first().map(|placed| placed.index);
        let receipt = placed.ok_or(StoreError::Bug("an append without an answer"))?;
        faults.before(Step::Replace)?;
        replace(unit.transaction(), segment, receipt)?;
        moved.push(NewSegment {
            name: segment.manifest.name.to_string(),
            capsules: segment.manifest.count,
            entries: (entries.from, entries.to),
            bytes: segment.bytes,
            receipt: Some(receipt),
        });
    }
    rebuild::again(unit.transaction())?;
    Ok(moved)
}

fn entries(lines: &[Line]) -> Result<Entries, StoreError> {
    let empty = || StoreError::Bug("a segment without a line");
    Ok(Entries {
        from: lines.first().ok_or_else(empty)?.index,
        to: lines.last().ok_or_else(empty)?.index,
    })
}

/// Makes the successors of archived versions whole; then each row becomes a stub, if it is still
/// what the segment holds.
fn replace(connection: &Connection, segment: &SegmentFile, receipt: u64) -> Result<(), StoreError> {
    let within = |index: &u64| {
        let found = segment.lines.binary_search_by_key(index, |line| line.index);
        found.is_ok()
    };
    for line in &segment.lines {
        if is(connection, line.index)? != Some(*line) {
            return Err(refused(
                segment.manifest.name.as_str(),
                "what it holds was erased or moved meanwhile: archive again",
            ));
        }
        if let Some(next) = next_here(connection, line.index)?.filter(|next| !within(next)) {
            keep_whole(connection, next)?;
        }
    }
    for line in &segment.lines {
        let header = rows::header(connection, line.index)?.ok_or_else(|| {
            StoreError::corrupt(
                StoreLocation::entry("capsule", line.index),
                "there is no capsule",
            )
        })?;
        Stub::of(line.index, &header, receipt).put(connection, &header)?;
    }
    Ok(())
}

/// The line of a capsule as it is stored now; `None` when it is archived.
fn is(connection: &Connection, index: u64) -> Result<Option<Line>, StoreError> {
    connection
        .prepare_cached(
            "SELECT salt IS NOT NULL, delta IS NOT NULL FROM capsule JOIN body USING (idx)
             WHERE idx = ?1 AND header IS NOT NULL",
        )
        .and_then(|mut statement| {
            let line = |row: &rusqlite::Row<'_>| {
                Ok(Line {
                    index,
                    payload: row.get(0)?,
                    delta: row.get(1)?,
                })
            };
            statement.query_row([index], line).optional()
        })
        .map_err(at(StoreLocation::entry("body", index)))
}

/// The capsule after this one in its chain, unless it is archived.
fn next_here(connection: &Connection, index: u64) -> Result<Option<u64>, StoreError> {
    let Some(header) = rows::header(connection, index)? else {
        return Ok(None);
    };
    connection
        .find(
            "SELECT chain.idx FROM chain JOIN capsule USING (idx)
             WHERE chain = ?1 AND seq = ?2 AND header IS NOT NULL",
            params![header.chain().as_bytes(), header.seq() + 1],
        )
        .map_err(at(StoreLocation::table("chain")))
}
