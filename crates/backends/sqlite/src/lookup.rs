//! Capsules by their place in a chain, archived ones included.

use counterfoil_capsule::{ChainId, Header};
use counterfoil_store::StoreError;
use counterfoil_types::{Blake3Hash, DidKey};
use rusqlite::Connection;

use crate::derivation::Sides;
use crate::statement::Statements;
use crate::{derived, rows, stubs};

/// The accepted capsule at a place of a chain.
#[derive(Debug, Clone)]
pub(crate) struct Slot {
    pub(crate) index: u64,
    pub(crate) hash: Blake3Hash,
    pub(crate) agent: DidKey,
    /// `None` while it is in an archive.
    pub(crate) header: Option<Header>,
}

/// The accepted capsule number `seq` of a chain.
pub(crate) fn slot(
    connection: &Connection,
    chain: &ChainId,
    seq: u64,
) -> Result<Option<Slot>, StoreError> {
    slot_in(Sides::both(connection), chain, seq)
}

/// As [`slot`], where derived tables may stand elsewhere.
pub(crate) fn slot_in(
    sides: Sides<'_>,
    chain: &ChainId,
    seq: u64,
) -> Result<Option<Slot>, StoreError> {
    let index = rows::in_chain(sides.derived, chain, seq)?;
    index.map(|index| at_index(sides.ground, index)).transpose()
}

/// The capsule, or the stub that is left of it.
pub(crate) fn at_index(connection: &Connection, index: u64) -> Result<Slot, StoreError> {
    if let Some(stub) = stubs::read(connection, index)? {
        return Ok(Slot {
            index,
            hash: stub.hash,
            agent: stub.agent,
            header: None,
        });
    }
    let header = rows::present_header(connection, index)?;
    Ok(Slot {
        index,
        hash: header.hash(),
        agent: header.agent(),
        header: Some(header),
    })
}

/// The owner of a chain: the agent of its first capsule that is here.
pub(crate) fn owner(sides: Sides<'_>, chain: &ChainId) -> Result<Option<DidKey>, StoreError> {
    let index: Option<u64> = sides.derived.find(
        "SELECT idx FROM chain WHERE chain = ?1 ORDER BY seq LIMIT 1",
        [chain.as_bytes()],
    )?;
    let slot = index
        .map(|index| at_index(sides.ground, index))
        .transpose()?;
    Ok(slot.map(|slot| slot.agent))
}

/// Tests whether a chain belongs to somebody else.
pub(crate) fn is_foreign(
    connection: &Connection,
    chain: &ChainId,
    agent: &DidKey,
) -> Result<bool, StoreError> {
    let owner = owner(Sides::both(connection), chain)?;
    Ok(owner.is_some_and(|owner| owner != *agent))
}

/// The log index of a capsule of a chain, by its hash.
pub(crate) fn in_chain(
    connection: &Connection,
    chain: &ChainId,
    hash: Blake3Hash,
) -> Result<Option<u64>, StoreError> {
    let found: Vec<u64> = connection.list(
        "SELECT idx FROM sealed WHERE tag = ?1",
        [derived::tag(hash)],
    )?;
    for index in found {
        let standing = rows::state(connection, index)?;
        if standing.capsule == hash
            && standing.chain == *chain
            && rows::in_chain(connection, chain, standing.version.seq)? == Some(index)
        {
            return Ok(Some(index));
        }
    }
    Ok(None)
}
