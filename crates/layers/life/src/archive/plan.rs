//! Segments as the log and a plan have them.

use counterfoil_capsule::documents::MAX_SEGMENT;
use counterfoil_capsule::{CapsuleDocument, Kind, Surroundings, Timestamp, Verdict};
use counterfoil_store::StoreError;

use crate::entries::{each_header, key_of};
use crate::port::rows::{ChainRow, ForkRow, ReceiptRow, StubRow};
use crate::port::{Select, Txn};

/// The most bytes of bodies in one segment: it is read as a whole.
const MAX_BYTES: u64 = 64 << 20;

/// One segment that the log has a receipt of, or that would be made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct SegmentReport {
    /// The name of its file; empty as long as it is not made.
    pub name: String,
    /// The log index of its receipt; `None` as long as there is none.
    pub receipt: Option<u64>,
    /// Number of capsules in it.
    pub capsules: u64,
    /// Number of them that are here as stubs alone because of this receipt; the others are back.
    pub archived: u64,
    /// The first and the last log index in it.
    pub entries: (u64, u64),
    /// The length of its file, in bytes; 0 unless this call made it.
    pub bytes: u64,
    /// Number of capsules that this call brought back.
    pub restored: u64,
    /// Number of capsules that were erased since they were archived and that this call leaves erased, although the
    /// segment still holds their bodies.
    pub erased: u64,
}

/// Returns the segments that the log has receipts of, oldest first.
pub(crate) fn segments(txn: &dyn Txn) -> Result<Vec<SegmentReport>, StoreError> {
    let receipts: Vec<ReceiptRow> = txn.list(&Select::of::<ReceiptRow>())?;
    let report = |receipt: ReceiptRow| {
        let stubs = Select::of::<StubRow>().with("receipt", receipt.idx);
        Ok(SegmentReport {
            name: receipt.name,
            receipt: Some(receipt.idx),
            capsules: receipt.count,
            archived: txn.measure(&stubs, "agent")?.0,
            entries: (
                receipt.first.unwrap_or(0),
                receipt.last.unwrap_or(receipt.idx),
            ),
            ..SegmentReport::default()
        })
    };
    receipts.into_iter().map(report).collect()
}

/// Returns the segments that would be made of a plan.
pub(crate) fn reports(segments: &[Vec<u64>]) -> Vec<SegmentReport> {
    let reports = segments.iter().filter_map(|indices| {
        Some(SegmentReport {
            capsules: u64::try_from(indices.len()).unwrap_or(u64::MAX),
            entries: (*indices.first()?, *indices.last()?),
            ..SegmentReport::default()
        })
    });
    reports.collect()
}

/// Log indices of everything that was recorded before `before` and may go, segment by segment, in log order; and the
/// number of capsules that are old enough but stay. What is current goes only before `current`.
pub(crate) fn plan(
    txn: &dyn Txn,
    before: Timestamp,
    current: Option<Timestamp>,
) -> Result<(Vec<Vec<u64>>, u64), StoreError> {
    let (mut segments, mut kept) = (Vec::new(), 0);
    let (mut segment, mut bytes) = (Vec::new(), 0);
    each_header(txn, "", |index, header| {
        if header.world().is_none() || header.timestamp() >= before {
            return Ok(());
        }
        let chain = header.chain();
        let last = Select::of::<ChainRow>().with("chain", chain).reversed();
        let is_last = |last: Option<ChainRow>| last.is_some_and(|last| last.seq == header.seq());
        // Beliefs are folded from claim units, the next version follows the current one, and a fork is proven with its
        // chain: these stay however old they are.
        let may_be_current =
            header.seq() == 0 && current.is_some_and(|before| header.timestamp() < before);
        if header.kind() == Kind::Claim
            || (!may_be_current && is_last(txn.one(&last.first(1))?))
            || txn.has(Select::of::<ForkRow>().with("chain", chain))?
        {
            kept += 1;
            return Ok(());
        }
        // The content, and at most as much of a delta again.
        let size = header.payload().size().saturating_mul(2);
        if segment.len() == MAX_SEGMENT || (bytes + size > MAX_BYTES && !segment.is_empty()) {
            segments.push(std::mem::take(&mut segment));
            bytes = 0;
        }
        segment.push(index);
        bytes += size;
        Ok(())
    })?;
    if !segment.is_empty() {
        segments.push(segment);
    }
    Ok((segments, kept))
}

/// The verdict on a capsule by itself, with the key that signs it.
pub(super) fn verdict(txn: &dyn Txn, document: &CapsuleDocument) -> Result<Verdict, StoreError> {
    Ok(document.check(&Surroundings {
        key: Some(key_of(txn, document.header())?),
        ..Surroundings::default()
    }))
}
