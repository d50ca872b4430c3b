//! Steps 6 and 7, in one transaction: the receipt is appended, and stubs take the place of rows (4.6).

use counterfoil_capsule::documents::ArchiveReceipt;
use counterfoil_capsule::{Document, RecordKind, Signer};
use counterfoil_store::{Draft, StoreError};
use rusqlite::{Connection, params};

use super::SegmentReport;
use super::files::SegmentFile;
use super::segment::refused;
use crate::bodies::keep_whole;
use crate::statement::Statements;
use crate::stubs::Stub;
use crate::unit::Unit;
use crate::{rebuild, rows};

/// Moves what the segments hold out of the database.
pub(super) fn move_all(
    unit: &mut Unit<'_>,
    signer: &dyn Signer,
    segments: &[SegmentFile],
) -> Result<Vec<SegmentReport>, StoreError> {
    let mut moved = Vec::with_capacity(segments.len());
    for segment in segments {
        let (Some((from, _)), Some((to, _))) = (segment.lines.first(), segment.lines.last()) else {
            return Err(StoreError::Bug("a segment without a line"));
        };
        let (from, to) = (*from, *to);
        let receipt = ArchiveReceipt::new(&segment.manifest, (from, to));
        let draft = Draft::record(RecordKind::ArchiveReceipt, receipt.to_value());
        let placed = unit.append(signer, &[draft])?;
        let placed = placed.first().map(|placed| placed.index);
        let receipt = placed.ok_or(StoreError::Bug("an append without an answer"))?;
        replace(unit.transaction(), segment, receipt)?;
        moved.push(SegmentReport {
            name: segment.manifest.name.to_string(),
            receipt: Some(receipt),
            capsules: segment.manifest.count,
            archived: segment.manifest.count,
            entries: (from, to),
            bytes: segment.bytes,
            ..SegmentReport::default()
        });
    }
    rebuild::again(unit.transaction())?;
    Ok(moved)
}

/// Makes the successors of archived versions whole; then each row becomes a stub, if it is still
/// what the segment holds.
fn replace(connection: &Connection, segment: &SegmentFile, receipt: u64) -> Result<(), StoreError> {
    let lines = &segment.lines;
    for (index, bodies) in lines {
        let now: Option<(bool, bool)> = connection.find(
            "SELECT salt IS NOT NULL, delta IS NOT NULL FROM capsule JOIN body USING (idx)
             WHERE idx = ?1 AND header IS NOT NULL",
            [index],
        )?;
        if now != Some(*bodies) {
            return Err(refused(
                segment.manifest.name.as_str(),
                "what it holds was erased or moved meanwhile: archive again",
            ));
        }
        let header = rows::present_header(connection, *index)?;
        let next: Option<u64> = connection.find(
            "SELECT chain.idx FROM chain JOIN capsule USING (idx)
             WHERE chain = ?1 AND seq = ?2 AND header IS NOT NULL",
            params![header.chain().as_bytes(), header.seq() + 1],
        )?;
        if let Some(next) = next
            && lines.binary_search_by_key(&next, |line| line.0).is_err()
        {
            keep_whole(connection, next)?;
        }
    }
    for (index, _) in lines {
        let header = rows::present_header(connection, *index)?;
        Stub::of(*index, &header, receipt).put(connection, &header)?;
    }
    Ok(())
}
