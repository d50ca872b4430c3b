//! Exchanges and what happened to them, row by row.

use std::str::FromStr;

use counterfoil_exchange::documents::{ClaimHash, DocumentHash, RequestId};
use counterfoil_exchange::machine::Transition;
use counterfoil_store::exchange_limits as limits;
use counterfoil_store::{BegunExchange, StoreError, StoreLocation, StoredExchange, StoredItem};
use counterfoil_types::{DidKey, Sha256Hash, WorldId};
use rusqlite::{Connection, params};

use crate::error::at;
use crate::statement::Statements;

/// The number of the exchange; `None` when there is none.
pub(crate) fn number_of(
    connection: &Connection,
    id: &RequestId,
) -> Result<Option<i64>, StoreError> {
    connection.find("SELECT number FROM exchange WHERE id = ?1", [id.as_str()])
}

/// The number of the exchange, which has to be there.
pub(crate) fn known(connection: &Connection, id: &RequestId) -> Result<i64, StoreError> {
    number_of(connection, id)?.ok_or_else(|| limits::unknown(id))
}

/// Adds a row to an exchange.
pub(crate) fn add(
    connection: &Connection,
    exchange: i64,
    row: &Transition,
) -> Result<(), StoreError> {
    let evidence = row.evidence.as_ref().map(|hash| hash.digest().as_bytes());
    connection.run(
        "INSERT INTO exchange_transition
             (exchange, number, before, event, after, at, evidence, deadline)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        params![
            exchange,
            row.number,
            row.from.name(),
            row.event.name(),
            row.to.name(),
            row.at_us,
            evidence,
            row.deadline_us
        ],
    )
}

/// Columns of an exchange: id, request, peer, address, terms, and time in microseconds since 1970.
type ExchangeRow = (String, Vec<u8>, Option<[u8; 32]>, String, String, u64);

/// An exchange with all that happened.
pub(crate) fn whole(connection: &Connection, number: i64) -> Result<StoredExchange, StoreError> {
    let (id, request, peer, address, terms, begun_us): ExchangeRow = connection
        .get(
            "SELECT id, request, peer, address, terms, at FROM exchange WHERE number = ?1",
            [number],
        )
        .map_err(at(place("exchange", number)))?;
    Ok(StoredExchange {
        begun: BegunExchange {
            id: RequestId::from_str(&id)
                .map_err(|error| StoreError::corrupt(place("exchange", number), error))?,
            request,
            peer: peer.map(DidKey::from_public_key),
            address,
            terms,
            begun_us,
        },
        transitions: transitions(connection, number)?,
        items: items(connection, number)?,
    })
}

/// Columns of a transition: number, state before, event, state after, time in microseconds since 1970, evidence, deadline.
type TransitionRow = (
    u32,
    String,
    String,
    String,
    u64,
    Option<[u8; 32]>,
    Option<u64>,
);

/// The rows of an exchange.
fn transitions(connection: &Connection, exchange: i64) -> Result<Vec<Transition>, StoreError> {
    let place = || place("exchange_transition", exchange);
    let unknown = |_| StoreError::corrupt(place(), "a state or an event that no machine knows");
    let rows: Vec<TransitionRow> = connection
        .list(
            "SELECT number, before, event, after, at, evidence, deadline
             FROM exchange_transition WHERE exchange = ?1 ORDER BY number",
            [exchange],
        )
        .map_err(at(place()))?;
    let transition = |(number, from, event, to, at_us, evidence, deadline_us): TransitionRow| {
        Ok(Transition {
            number,
            from: from.parse().map_err(unknown)?,
            event: event.parse().map_err(unknown)?,
            to: to.parse().map_err(unknown)?,
            at_us,
            evidence: evidence
                .map(|bytes| DocumentHash::from_digest(Sha256Hash::from_bytes(bytes))),
            deadline_us,
        })
    };
    rows.into_iter().map(transition).collect()
}

/// Columns of an item: number, state, World, claim, report, and time in microseconds since 1970.
type ItemRow = (u32, String, Option<String>, [u8; 32], String, u64);

/// The last row of each memory of an exchange (R7; case 102).
fn items(connection: &Connection, exchange: i64) -> Result<Vec<StoredItem>, StoreError> {
    let place = || place("exchange_item", exchange);
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
    let item = |(number, state, world, claim, report, at_us): ItemRow| {
        let world = world.map(WorldId::new).transpose();
        Ok(StoredItem {
            number,
            state: state
                .parse()
                .map_err(|_| StoreError::corrupt(place(), "a state that no machine knows"))?,
            world: world.map_err(|error| StoreError::corrupt(place(), error))?,
            claim: ClaimHash::from_digest(Sha256Hash::from_bytes(claim)),
            report,
            at_us,
        })
    };
    rows.into_iter().map(item).collect()
}

/// Location of a row of an exchange.
fn place(table: &str, number: i64) -> StoreLocation {
    match u64::try_from(number) {
        Ok(number) => StoreLocation::entry(table, number),
        Err(_) => StoreLocation::table(table),
    }
}
