//! Records of the log, and their contents.

use counterfoil_capsule::{Header, Kind, RecordKind, SaltedBody};
use counterfoil_store::{StoreError, StoreLocation};
use counterfoil_types::json::{Limits, Value, parse};

use crate::entries::capsule;
use crate::port::Txn;
use crate::port::rows::ReceivedRow;

/// A record in the log.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Record<'a> {
    pub(crate) index: u64,
    pub(crate) header: &'a Header,
    /// True if it was sealed elsewhere.
    pub(crate) received: bool,
    /// Its payload.
    pub(crate) document: &'a Value,
}

/// Value of the column `actor` of memories that are forgotten for all.
pub(crate) const EVERYONE: &str = "";

/// Returns the record at `index`: its log index, its header, and its content read by `parse`.
///
/// # Errors
/// [`StoreError::Corrupt`] with `damaged` when there is none, or its content is of another kind.
pub(crate) fn record_at<D>(
    txn: &dyn Txn,
    index: u64,
    damaged: &str,
    parse: impl FnOnce(&Value) -> Option<D>,
) -> Result<(u64, Header, D), StoreError> {
    let damaged = || StoreError::corrupt(StoreLocation::entry("body", index), damaged);
    let stored = capsule(txn, index)?.ok_or_else(damaged)?;
    let payload = stored.payload.ok_or_else(damaged)?;
    let value: Value = serde_json::from_str(&payload.text).map_err(|_| damaged())?;
    let document = parse(&value).ok_or_else(damaged)?;
    Ok((index, stored.header, document))
}

/// Returns the content of a record of `kind`; `None` for another capsule, and where it is erased.
pub(crate) fn content_of(
    header: &Header,
    payload: Option<&SaltedBody>,
    kind: RecordKind,
) -> Option<Value> {
    let payload = payload.filter(|_| header.kind() == Kind::Record(kind))?;
    parse(payload.text.as_bytes(), Limits::CONTENT).ok()
}

/// Tests whether the entry was sealed elsewhere.
pub(crate) fn is_received(ground: &dyn Txn, index: u64) -> Result<bool, StoreError> {
    Ok(ground.find::<ReceivedRow>(&[&index])?.is_some())
}
