//! Limits of exchanges, and the checks that each backend makes before it writes (docs/format/exchange.md §9, §10).

use counterfoil_exchange::documents::{DocumentHash, RequestId};
use counterfoil_exchange::machine::Transition;

use crate::{BegunExchange, StoreError, StoredExchange, StoredItem};

/// The most documents about others.
pub const MAX_RECORDS: usize = 200_000;
/// The most bytes of a request, of an answer, of the terms and of a report.
pub const MAX_BYTES: usize = 1 << 20;
/// The most bytes of an address.
pub const MAX_ADDRESS_BYTES: usize = 4096;
/// The most answers of one exchange.
pub const MAX_ANSWERS: usize = 4;
/// The most rows of one exchange.
pub const MAX_TRANSITIONS: u32 = 10_000;
/// Numbers of memories of one exchange are below this.
pub const MAX_ITEMS: u32 = 1_000;
/// So often something may become of one memory.
pub const MAX_ITEM_ROWS: usize = 256;
/// The most exchanges that are read at once.
pub const MAX_LISTED: usize = 1_000;
/// A list of exchanges ends with the one that brings it above so many bytes.
pub const MAX_LISTED_BYTES: usize = 64 << 20;

/// Returns the SHA-256 of a document about others, by which it is known.
pub fn document_hash(bytes: &[u8]) -> [u8; 32] {
    *DocumentHash::of(bytes).digest().as_bytes()
}

/// Checks that so many documents about others may be kept.
///
/// # Errors
/// [`StoreError::ExchangeLimit`].
pub fn check_records(documents: usize) -> Result<(), StoreError> {
    let what = "the number of documents about others";
    at_most(what, documents, MAX_RECORDS)
}

/// Checks an exchange before it begins.
///
/// # Errors
/// [`StoreError::ExchangeLimit`]; [`StoreError::ExchangeConflict`] when the row is not the first.
pub fn check_begun(begun: &BegunExchange, first: &Transition) -> Result<(), StoreError> {
    let address = begun.address.len();
    at_most("the bytes of a request", begun.request.len(), MAX_BYTES)?;
    at_most("the bytes of an address", address, MAX_ADDRESS_BYTES)?;
    at_most("the bytes of the terms", begun.terms.len(), MAX_BYTES)?;
    check_transition(&begun.id, first.number, 0)
}

/// Checks that the row with this number follows: `next` is the number that does.
///
/// # Errors
/// [`StoreError::ExchangeLimit`], [`StoreError::ExchangeConflict`].
pub fn check_transition(id: &RequestId, number: u32, next: u32) -> Result<(), StoreError> {
    if number != next {
        let what = "another process has gone on with it: read it again";
        return Err(conflict(id, what));
    }
    below("the rows of an exchange", next, MAX_TRANSITIONS)
}

/// Checks an answer before it is kept.
///
/// # Errors
/// [`StoreError::ExchangeLimit`]; [`StoreError::Bug`] when the hash is not that of the bytes.
pub fn check_answer(hash: &DocumentHash, bytes: &[u8]) -> Result<(), StoreError> {
    at_most("the bytes of an answer", bytes.len(), MAX_BYTES)?;
    match *hash == DocumentHash::of(bytes) {
        true => Ok(()),
        false => Err(StoreError::Bug("a document under the hash of another")),
    }
}

/// Checks that one answer more may be kept beside `kept`.
///
/// # Errors
/// [`StoreError::ExchangeConflict`].
pub fn check_answers(id: &RequestId, kept: usize) -> Result<(), StoreError> {
    match kept {
        ..MAX_ANSWERS => Ok(()),
        _ => Err(conflict(
            id,
            "it has 4 answers already, and no more are kept",
        )),
    }
}

/// Checks a state of a memory of which `kept` states are recorded.
///
/// # Errors
/// [`StoreError::ExchangeLimit`].
pub fn check_item(item: &StoredItem, kept: usize) -> Result<(), StoreError> {
    below("the memories of an answer", item.number, MAX_ITEMS)?;
    at_most("the bytes of a report", item.report.len(), MAX_BYTES)?;
    at_most(
        "the rows of one memory",
        kept.saturating_add(1),
        MAX_ITEM_ROWS,
    )
}

/// Returns the approximate size of an exchange in memory, in bytes.
pub fn bytes_of(exchange: &StoredExchange) -> usize {
    let begun = exchange.begun.request.len() + exchange.begun.terms.len();
    let rows = size_of_val(exchange.transitions.as_slice());
    let reports: usize = exchange.items.iter().map(|item| item.report.len()).sum();
    begun.saturating_add(rows).saturating_add(reports)
}

/// Returns the error for an exchange that another caller has continued, or that does not exist.
pub fn conflict(id: &RequestId, what: &'static str) -> StoreError {
    StoreError::ExchangeConflict {
        id: id.to_string(),
        what,
    }
}

/// Returns the error for an exchange that does not exist.
pub fn unknown(id: &RequestId) -> StoreError {
    conflict(id, "there is none of this id")
}

fn below(what: &'static str, number: u32, limit: u32) -> Result<(), StoreError> {
    match number < limit {
        true => Ok(()),
        false => Err(StoreError::ExchangeLimit {
            what,
            limit: u64::from(limit),
        }),
    }
}

fn at_most(what: &'static str, found: usize, limit: usize) -> Result<(), StoreError> {
    match found <= limit {
        true => Ok(()),
        false => Err(StoreError::ExchangeLimit {
            what,
            limit: u64::try_from(limit).unwrap_or(u64::MAX),
        }),
    }
}
