//! Bodies of one capsule: its delta taken away, its content written out whole (CAP-3, capsules 4.6).

use counterfoil_capsule::payload_hash;
use counterfoil_store::{StoreError, StoreLocation};

use crate::contents::body;
use crate::entries::Scan;
use crate::port::{BodyRow, Txn};

/// Takes the delta of a capsule away. Returns false if there was none.
pub(crate) fn take_delta(txn: &dyn Txn, index: u64) -> Result<bool, StoreError> {
    let body = body(txn, index)?;
    let there = body.delta.is_some();
    if there {
        let left = BodyRow {
            delta: None,
            delta_salt: None,
            ..body
        };
        txn.set_body(index, &left)?;
    }
    Ok(there)
}

/// Writes the content of a capsule out, so that it does not follow from others any more. Content that is
/// erased stays erased.
///
/// # Errors
/// [`StoreError::Corrupt`] when the content that follows is not the one that was sealed: nothing
/// is taken away then.
pub(crate) fn keep_whole(txn: &dyn Txn, index: u64) -> Result<(), StoreError> {
    let stored = Scan::default().present(txn, index)?;
    let Some(payload) = stored.payload else {
        return Ok(());
    };
    if payload_hash(&payload.salt, payload.text.as_bytes()) != stored.header.payload().hash() {
        return Err(StoreError::corrupt(
            StoreLocation::entry("body", index),
            "the content that follows from its chain is not the one that was sealed",
        ));
    }
    let body = body(txn, index)?;
    if body.payload.is_some() {
        return Ok(());
    }
    let whole = BodyRow {
        payload: Some(payload.text.into_bytes()),
        ..body
    };
    txn.set_body(index, &whole)
}
