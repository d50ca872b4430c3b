//! Takes bodies away without taking more than was asked: what follows is made whole first (4.6).

use counterfoil_capsule::{ChainId, Header};
use counterfoil_store::{StoreError, StoreLocation};
use rusqlite::Connection;

use crate::bodies::{keep_whole, take_delta};
use crate::error::at;
use crate::statement::Statements;
use crate::{rows, stubs};

/// Storage state of a capsule's body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyState {
    /// Header and body are there.
    Whole,
    /// The body was erased.
    Erased,
    /// It lies in a segment.
    Archived,
}

/// Returns the storage state of the capsule at `index`, by the log tables alone.
pub(crate) fn state(connection: &Connection, index: u64) -> Result<BodyState, StoreError> {
    let (header, salt): (bool, bool) = connection
        .get(
            "SELECT header IS NOT NULL, salt IS NOT NULL FROM capsule
             LEFT JOIN body USING (idx) WHERE capsule.idx = ?1",
            [index],
        )
        .map_err(at(StoreLocation::entry("capsule", index)))?;
    Ok(match (header, salt) {
        (false, _) => BodyState::Archived,
        (true, false) => BodyState::Erased,
        (true, true) => BodyState::Whole,
    })
}

/// Tests whether there is something to erase.
///
/// # Errors
/// [`StoreError::Archived`] when it is not here.
pub(super) fn erasable(connection: &Connection, index: u64) -> Result<bool, StoreError> {
    match state(connection, index)? {
        BodyState::Whole => Ok(true),
        BodyState::Erased => Ok(false),
        BodyState::Archived => match super::redaction::redaction_of(connection, index)? {
            Some(_) => Ok(false),
            None => match stubs::read(connection, index)? {
                Some(stub) => Err(stubs::archived(connection, &stub)?),
                None => Err(StoreError::corrupt(
                    StoreLocation::entry("capsule", index),
                    "there is neither a header nor a stub",
                )),
            },
        },
    }
}

/// The log indices of all versions of the World at `index`, ascending.
pub(super) fn versions(connection: &Connection, index: u64) -> Result<Vec<u64>, StoreError> {
    let chain = chain_of(connection, index)?;
    connection
        .list(
            "SELECT idx FROM chain WHERE chain = ?1 ORDER BY seq",
            [chain.as_bytes()],
        )
        .map_err(at(StoreLocation::table("chain")))
}

/// The chain of the capsule at `index`, here or archived.
fn chain_of(connection: &Connection, index: u64) -> Result<ChainId, StoreError> {
    if state(connection, index)? != BodyState::Archived {
        return Ok(rows::present_header(connection, index)?.chain());
    }
    stubs::place_of(connection, index)?
        .map(|(chain, _)| chain)
        .ok_or_else(|| StoreError::corrupt(StoreLocation::entry("stub", index), "there is no stub"))
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
    if state(connection, next)? == BodyState::Archived {
        return Ok(false);
    }
    // In an abandoned branch the number is another capsule's.
    if rows::present_header(connection, next)?.previous() != Some(header.hash()) {
        return Ok(false);
    }
    keep_whole(connection, next)?;
    take_delta(connection, next)
}

/// Takes content, delta and salts away.
pub(super) fn take_away(connection: &Connection, index: u64) -> Result<(), StoreError> {
    connection.run(
        "UPDATE body SET payload = NULL, salt = NULL, delta = NULL, delta_salt = NULL
             WHERE idx = ?1",
        [index],
    )
}
