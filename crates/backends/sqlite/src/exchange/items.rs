//! What became of each memory of an answer, and how often its claim was heard (R7; case 102).

use counterfoil_exchange::documents::{ClaimHash, RequestId};
use counterfoil_exchange::machine::ItemState;
use counterfoil_store::exchange_limits as limits;
use counterfoil_store::{StoreError, StoreLocation, StoredItem};
use counterfoil_types::{Sha256Hash, WorldId};
use rusqlite::{Connection, params};

use super::rows;
use crate::error::at;
use crate::statement::Statements;

/// Adds a row about a memory.
pub(super) fn set(
    connection: &Connection,
    id: &RequestId,
    item: &StoredItem,
) -> Result<(), StoreError> {
    let exchange = rows::known(connection, id)?;
    let kept: usize = connection.get(
        "SELECT count(*) FROM exchange_item WHERE exchange = ?1 AND item = ?2",
        params![exchange, item.number],
    )?;
    limits::check_item(item, kept)?;
    connection.run(
        "INSERT INTO exchange_item (exchange, item, number, state, world, claim, report, at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        params![
            exchange,
            item.number,
            kept,
            item.state.name(),
            item.world.as_ref().map(WorldId::to_string),
            item.claim.digest().as_bytes(),
            item.report,
            item.at_us
        ],
    )
}

/// Columns of an item: number, state, World, claim, report, and time in microseconds since 1970.
type ItemRow = (u32, String, Option<String>, [u8; 32], String, u64);

/// The last row of each memory of an exchange.
pub(super) fn last_of(
    connection: &Connection,
    exchange: i64,
) -> Result<Vec<StoredItem>, StoreError> {
    let place = || rows::place("exchange_item", exchange);
    let rows: Vec<ItemRow> = connection
        .list(
            "SELECT item, state, world, claim, coalesce(report, ''), at FROM exchange_item AS row
             WHERE exchange = ?1 AND number =
                   (SELECT max(number) FROM exchange_item AS later
                    WHERE later.exchange = row.exchange AND later.item = row.item)
             ORDER BY item",
            [exchange],
        )
        .map_err(at(place()))?;
    let item =
        |(number, state, world, claim, report, at_us): (_, String, Option<String>, _, _, _)| {
            let state = state
                .parse::<ItemState>()
                .map_err(|_| StoreError::corrupt(place(), "a state that no machine knows"))?;
            let world = world.map(WorldId::new).transpose();
            Ok(StoredItem {
                number,
                state,
                world: world.map_err(|error| StoreError::corrupt(place(), error))?,
                claim: ClaimHash::from_digest(Sha256Hash::from_bytes(claim)),
                report,
                at_us,
            })
        };
    rows.into_iter().map(item).collect()
}

/// Returns the World of a heard claim, and how often it was heard.
pub(super) fn heard(
    connection: &Connection,
    claim: &ClaimHash,
) -> Result<Option<(WorldId, u64)>, StoreError> {
    let table = || StoreLocation::table("claim_heard");
    let found: Option<(Option<String>, u64)> = connection
        .find(
            "SELECT world, times FROM claim_heard WHERE claim = ?1",
            [claim.digest().as_bytes()],
        )
        .map_err(at(table()))?;
    let Some((Some(world), times)) = found else {
        return Ok(None);
    };
    let world = WorldId::new(world).map_err(|error| StoreError::corrupt(table(), error))?;
    Ok(Some((world, times)))
}

/// Counts that a claim was heard.
pub(super) fn note_heard(
    connection: &Connection,
    claim: &ClaimHash,
    world: Option<&WorldId>,
    at_us: u64,
) -> Result<u64, StoreError> {
    connection.get(
        "INSERT INTO claim_heard (claim, world, first, last, times) VALUES (?1, ?2, ?3, ?3, 1)
         ON CONFLICT (claim) DO UPDATE SET
             world = coalesce(world, excluded.world),
             last = max(last, excluded.last), times = times + 1
         RETURNING times",
        params![
            claim.digest().as_bytes(),
            world.map(WorldId::to_string),
            at_us
        ],
    )
}
