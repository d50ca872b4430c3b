//! Stubs: the data of a capsule that remains while a segment holds it, enough to check its chain (capsules 4.6, C9).

use counterfoil_capsule::{Header, Kind};
use counterfoil_store::StoreError;

use crate::port::rows::{ReceiptRow, StubRow};
use crate::port::{BodyRow, Txn};

impl StubRow {
    /// The stub of a capsule that goes into the segment of `receipt`.
    pub(crate) fn of(idx: u64, header: &Header, receipt: u64) -> Self {
        Self {
            idx,
            agent: header.agent(),
            chain: header.chain(),
            seq: header.seq(),
            hash: header.hash(),
            mutation: header.mutation(),
            timestamp: header.timestamp().micros(),
            kind: match header.kind() {
                Kind::Record(kind) => Some(kind.name().to_owned()),
                Kind::Claim => Some("claim".to_owned()),
                _ => None,
            },
            world: header.world().cloned(),
            receipt,
            observed: Some(header.recorded().micros())
                .filter(|recorded| *recorded < header.timestamp().micros()),
        }
    }

    /// Time of recording, in microseconds since 1970.
    pub(crate) fn recorded_us(&self) -> u64 {
        self.observed.unwrap_or(self.timestamp)
    }

    /// Tests whether it is the stub of that header.
    pub(crate) fn is_of(&self, header: &Header) -> bool {
        *self == Self::of(self.idx, header, self.receipt)
    }

    /// Puts it in the place of its capsule, which keeps its row.
    pub(crate) fn put(&self, txn: &dyn Txn, header: &Header) -> Result<(), StoreError> {
        if !matches!(header.kind(), Kind::World | Kind::Claim | Kind::Record(_)) {
            return Err(StoreError::Bug("a stub of an unknown kind"));
        }
        self.take_place(txn)
    }

    /// Puts the stub of a header that was checked elsewhere in its place, as [`put`](Self::put) does.
    pub(crate) fn take_place(&self, txn: &dyn Txn) -> Result<(), StoreError> {
        txn.add(self)?;
        txn.set_entry(self.idx, None)?;
        txn.set_body(self.idx, &BodyRow::default())
    }

    /// The error for reading a capsule of which only the stub is here.
    pub(crate) fn archived(&self, txn: &dyn Txn) -> Result<StoreError, StoreError> {
        let receipt: Option<ReceiptRow> = txn.find(&[&self.receipt])?;
        Ok(StoreError::Archived {
            index: self.idx,
            receipt: self.receipt,
            // A row of the index may be damaged; the error is still the right one.
            segment: receipt.map_or_else(|| "a segment".to_owned(), |receipt| receipt.name),
        })
    }
}

/// Returns the stub at `index`; `None` where the capsule itself is.
pub(crate) fn read(txn: &dyn Txn, index: u64) -> Result<Option<StubRow>, StoreError> {
    txn.find(&[&index])
}
