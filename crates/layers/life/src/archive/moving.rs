//! Steps 6 and 7, in one transaction: the receipt is appended, and stubs take the place of rows (4.6).

use counterfoil_capsule::documents::ArchiveReceipt;
use counterfoil_capsule::{Document, RecordKind, Signer};
use counterfoil_store::{Draft, StoreError};

use super::files::SegmentFile;
use super::plan::SegmentReport;
use super::segment::refused;
use crate::Unit;
use crate::bodies::keep_whole;
use crate::entries::{Sides, header, present_header, slot};
use crate::port::Txn;
use crate::port::rows::StubRow;

/// Moves what the segments hold out of the database.
pub(crate) fn move_all(
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
        replace(unit.txn(), segment, receipt)?;
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
    unit.derive_again()?;
    Ok(moved)
}

/// Makes the successors of archived versions whole; then each row becomes a stub, if it is still
/// that of the capsule in the segment.
fn replace(txn: &dyn Txn, segment: &SegmentFile, receipt: u64) -> Result<(), StoreError> {
    let lines = &segment.lines;
    for (index, bodies) in lines {
        let body = txn.body(*index)?;
        let now = body.map(|body| (body.salt.is_some(), body.delta.is_some()));
        let header = header(txn, *index)?.filter(|_| now == Some(*bodies));
        let header = header.ok_or_else(|| {
            refused(
                segment.manifest.name.as_str(),
                "what it holds was erased or moved meanwhile: archive again",
            )
        })?;
        let next = slot(Sides::both(txn), &header.chain(), header.seq() + 1)?;
        if let Some(next) = next.filter(|next| next.header.is_some())
            && lines
                .binary_search_by_key(&next.index, |line| line.0)
                .is_err()
        {
            keep_whole(txn, next.index)?;
        }
    }
    for (index, _) in lines {
        let header = present_header(txn, *index)?;
        StubRow::of(*index, &header, receipt).put(txn, &header)?;
    }
    Ok(())
}
