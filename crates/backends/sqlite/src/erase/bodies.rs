//! Takes bodies away without taking more than was asked: what follows is made whole first (4.6).

use counterfoil_capsule::Header;
use counterfoil_store::{ContentState, StoreError, StoreLocation};
use rusqlite::Connection;

use crate::bodies::{keep_whole, take_delta};
use crate::error::at;
use crate::statement::Statements;
use crate::{rows, stubs};

/// Returns the storage state of the capsule at `index`, by the log tables alone.
pub(crate) fn state(connection: &Connection, index: u64) -> Result<ContentState, StoreError> {
    let (header, salt): (bool, bool) = connection
        .get(
            "SELECT header IS NOT NULL, salt IS NOT NULL FROM capsule
             LEFT JOIN body USING (idx) WHERE capsule.idx = ?1",
            [index],
        )
        .map_err(at(StoreLocation::entry("capsule", index)))?;
    Ok(match (header, salt) {
        (false, _) => ContentState::Archived,
        (true, false) => ContentState::Erased,
        (true, true) => ContentState::Present,
    })
}

/// Tests whether there is something to erase.
///
/// # Errors
/// [`StoreError::Archived`] when it is not here.
pub(super) fn erasable(connection: &Connection, index: u64) -> Result<bool, StoreError> {
    match state(connection, index)? {
        ContentState::Present => Ok(true),
        ContentState::Erased => Ok(false),
        ContentState::Archived if super::redaction_of(connection, index)?.is_some() => Ok(false),
        _ => match stubs::read(connection, index)? {
            Some(stub) => Err(stubs::archived(connection, &stub)?),
            None => Err(StoreError::corrupt(
                StoreLocation::entry("capsule", index),
                "there is neither a header nor a stub",
            )),
        },
    }
}

/// The log indices of all versions of the World at `index`, ascending.
pub(super) fn versions(connection: &Connection, index: u64) -> Result<Vec<u64>, StoreError> {
    let chain = rows::state(connection, index)?.chain;
    connection.list(
        "SELECT idx FROM chain WHERE chain = ?1 ORDER BY seq",
        [chain.as_bytes()],
    )
}

/// Makes the version after `header` independent of it: its content is written out, and its delta,
/// which holds what it replaced, is taken away. Whether there was one to take.
pub(super) fn make_next_independent(
    connection: &Connection,
    header: &Header,
) -> Result<bool, StoreError> {
    let chain = header.chain();
    let Some(next) = rows::in_chain(connection, &chain, header.seq() + 1)? else {
        return Ok(false);
    };
    if state(connection, next)? == ContentState::Archived {
        return Ok(false);
    }
    // In an abandoned branch the number is another capsule's.
    if rows::present_header(connection, next)?.previous() != Some(header.hash()) {
        return Ok(false);
    }
    keep_whole(connection, next)?;
    take_delta(connection, next)
}
