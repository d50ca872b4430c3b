//! What became of each memory of an answer, and how often its claim was heard (R7; case 102).

use counterfoil_exchange::documents::{ClaimHash, RequestId};
use counterfoil_exchange::machine::ItemState;
use counterfoil_store::exchange_limits as limits;
use counterfoil_store::{StoreError, StoreLocation, StoredItem};
use counterfoil_types::{Sha256Hash, WorldId};
use rusqlite::{Connection, Row, params};

use super::rows;
use crate::error::{at, from_sqlite};
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

/// The last row of each memory of an exchange.
pub(super) fn last_of(
    connection: &Connection,
    exchange: i64,
) -> Result<Vec<StoredItem>, StoreError> {
    connection
        .prepare_cached(
            "SELECT item, state, world, claim, coalesce(report, ''), at FROM exchange_item AS row
             WHERE exchange = ?1 AND number =
                   (SELECT max(number) FROM exchange_item AS later
                    WHERE later.exchange = row.exchange AND later.item = row.item)
             ORDER BY item",
        )
        .and_then(|mut statement| {
            statement
                .query_map([exchange], Raw::of)?
                .collect::<Result<Vec<_>, _>>()
        })
        .map_err(at(rows::place("exchange_item", exchange)))?
        .into_iter()
        .map(|raw| raw.read(exchange))
        .collect()
}

/// Current row of an item.
struct Raw {
    number: u32,
    state: String,
    world: Option<String>,
    claim: [u8; 32],
    report: String,
    at_us: u64,
}

impl Raw {
    fn of(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            number: row.get(0)?,
            state: row.get(1)?,
            world: row.get(2)?,
            claim: row.get(3)?,
            report: row.get(4)?,
            at_us: row.get(5)?,
        })
    }

    fn read(self, exchange: i64) -> Result<StoredItem, StoreError> {
        let place = || rows::place("exchange_item", exchange);
        let state = self
            .state
            .parse::<ItemState>()
            .map_err(|_| StoreError::corrupt(place(), "a state that no machine knows"))?;
        let world = self.world.map(WorldId::new).transpose();
        Ok(StoredItem {
            number: self.number,
            state,
            world: world.map_err(|error| StoreError::corrupt(place(), error))?,
            claim: ClaimHash::from_digest(Sha256Hash::from_bytes(self.claim)),
            report: self.report,
            at_us: self.at_us,
        })
    }
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
    connection
        .prepare_cached(
            "INSERT INTO claim_heard (claim, world, first, last, times) VALUES (?1, ?2, ?3, ?3, 1)
             ON CONFLICT (claim) DO UPDATE SET
                 world = coalesce(world, excluded.world),
                 last = max(last, excluded.last), times = times + 1
             RETURNING times",
        )
        .and_then(|mut statement| {
            let world = world.map(WorldId::to_string);
            let row = params![claim.digest().as_bytes(), world, at_us];
            statement.query_row(row, |row| row.get(0))
        })
        .map_err(from_sqlite)
}
