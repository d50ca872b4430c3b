//! Exchanges and what happened to them, row by row.

use std::str::FromStr;

use counterfoil_exchange::documents::{DocumentHash, RequestId};
use counterfoil_exchange::machine::{EventKind, ExchangeState, Transition};
use counterfoil_store::exchange_limits as limits;
use counterfoil_store::{BegunExchange, StoreError, StoreLocation, StoredExchange};
use counterfoil_types::{DidKey, Sha256Hash};
use rusqlite::{Connection, Row, params};

use super::items;
use crate::error::{at, from_sqlite};
use crate::statement::Statements;

/// The number of the exchange; `None` when there is none.
pub(super) fn number_of(
    connection: &Connection,
    id: &RequestId,
) -> Result<Option<i64>, StoreError> {
    connection.find("SELECT number FROM exchange WHERE id = ?1", [id.as_str()])
}

/// The number of the exchange, which has to be there.
pub(super) fn known(connection: &Connection, id: &RequestId) -> Result<i64, StoreError> {
    number_of(connection, id)?.ok_or_else(|| limits::unknown(id))
}

/// Begins an exchange.
pub(super) fn begin(
    connection: &Connection,
    begun: &BegunExchange,
    first: &Transition,
) -> Result<(), StoreError> {
    if number_of(connection, &begun.id)?.is_some() {
        return Err(limits::conflict(&begun.id, "it was begun already"));
    }
    let peer = begun.peer.as_ref().map(DidKey::public_key);
    let number: i64 = connection
            .get("INSERT INTO exchange (number, id, request, peer, address, terms, at)
                 VALUES ((SELECT coalesce(max(number) + 1, 0) FROM exchange), ?1, ?2, ?3, ?4, ?5, ?6)
                 RETURNING number", params![
                    begun.id.as_str(),
                    begun.request,
                    peer,
                    begun.address,
                    begun.terms,
                    begun.begun_us
                ])?;
    write(connection, number, first)
}

/// Adds a row to an exchange.
pub(super) fn add(
    connection: &Connection,
    id: &RequestId,
    row: &Transition,
) -> Result<(), StoreError> {
    let exchange = known(connection, id)?;
    let next = connection.get(
        "SELECT coalesce(max(number) + 1, 0) FROM exchange_transition WHERE exchange = ?1",
        [exchange],
    )?;
    limits::check_transition(id, row.number, next)?;
    write(connection, exchange, row)
}

fn write(connection: &Connection, exchange: i64, row: &Transition) -> Result<(), StoreError> {
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

/// Keeps an answer.
pub(super) fn keep_answer(
    connection: &Connection,
    id: &RequestId,
    hash: &DocumentHash,
    bytes: &[u8],
) -> Result<(), StoreError> {
    let exchange = known(connection, id)?;
    let hash = hash.digest().as_bytes();
    let (kept, here): (usize, bool) = connection.get(
        "SELECT count(*), coalesce(max(hash = ?2), 0) FROM exchange_answer WHERE exchange = ?1",
        params![exchange, hash],
    )?;
    if here {
        return Ok(());
    }
    limits::check_answers(id, kept)?;
    connection.run(
        "INSERT INTO exchange_answer (exchange, number, hash, document) VALUES (?1, ?2, ?3, ?4)",
        params![exchange, kept, hash, bytes],
    )
}

/// An answer that is kept.
pub(super) fn answer(
    connection: &Connection,
    id: &RequestId,
    hash: &DocumentHash,
) -> Result<Option<Vec<u8>>, StoreError> {
    let Some(exchange) = number_of(connection, id)? else {
        return Ok(None);
    };
    connection
        .find_with(
            "SELECT document FROM exchange_answer WHERE exchange = ?1 AND hash = ?2",
            params![exchange, hash.digest().as_bytes()],
            |row| row.get(0),
        )
        .map(Option::flatten)
        .map_err(at(StoreLocation::table("exchange_answer")))
}

/// The numbers of the newest exchanges, the newest first.
pub(super) fn newest(
    connection: &Connection,
    before_us: Option<u64>,
    limit: usize,
) -> Result<Vec<i64>, StoreError> {
    let before = before_us.and_then(|before| i64::try_from(before).ok());
    connection
        .list(
            "SELECT number FROM exchange WHERE at < coalesce(?1, 9223372036854775807)
             ORDER BY at DESC, number DESC LIMIT ?2",
            params![before, limit],
        )
        .map_err(at(StoreLocation::table("exchange")))
}

/// An exchange with all that happened.
pub(super) fn whole(connection: &Connection, number: i64) -> Result<StoredExchange, StoreError> {
    let begun = connection
        .get_with(
            "SELECT id, request, peer, address, terms, at FROM exchange WHERE number = ?1",
            [number],
            |row| {
                let begun = (row.get(3)?, row.get(4)?, row.get(5)?);
                Ok((row.get::<_, String>(0)?, row.get(1)?, row.get(2)?, begun))
            },
        )
        .map_err(at(place("exchange", number)))?;
    let (id, request, peer, (address, terms, begun_us)) = begun;
    let id = RequestId::from_str(&id)
        .map_err(|error| StoreError::corrupt(place("exchange", number), error))?;
    let peer: Option<[u8; 32]> = peer;
    let peer = peer.map(DidKey::from_public_key);
    Ok(StoredExchange {
        begun: BegunExchange {
            id,
            request,
            peer,
            address,
            terms,
            begun_us,
        },
        transitions: transitions(connection, number)?,
        items: items::last_of(connection, number)?,
    })
}

/// The rows of an exchange.
pub(crate) fn transitions(
    connection: &Connection,
    exchange: i64,
) -> Result<Vec<Transition>, StoreError> {
    connection
        .prepare_cached(
            "SELECT number, before, event, after, at, evidence, deadline
             FROM exchange_transition WHERE exchange = ?1 ORDER BY number",
        )
        .and_then(|mut statement| {
            statement
                .query_map([exchange], |row| Ok(transition(row)))?
                .collect::<Result<Vec<_>, _>>()
        })
        .map_err(from_sqlite)?
        .into_iter()
        .map(|row| row.map_err(|error| error.within(exchange)))
        .collect()
}

/// Error for an inconsistent row.
enum Unreadable {
    Value(rusqlite::Error),
    Name,
}

impl Unreadable {
    fn within(self, exchange: i64) -> StoreError {
        let place = place("exchange_transition", exchange);
        match self {
            Self::Value(error) => at(place)(error),
            Self::Name => StoreError::corrupt(place, "a state or an event that no machine knows"),
        }
    }
}

fn transition(row: &Row<'_>) -> Result<Transition, Unreadable> {
    let name = |at| row.get::<_, String>(at).map_err(Unreadable::Value);
    let state = |at| {
        name(at)?
            .parse::<ExchangeState>()
            .map_err(|_| Unreadable::Name)
    };
    let evidence: Option<[u8; 32]> = row.get(5).map_err(Unreadable::Value)?;
    let hash = |bytes| DocumentHash::from_digest(Sha256Hash::from_bytes(bytes));
    Ok(Transition {
        number: row.get(0).map_err(Unreadable::Value)?,
        from: state(1)?,
        event: name(2)?
            .parse::<EventKind>()
            .map_err(|_| Unreadable::Name)?,
        to: state(3)?,
        at_us: row.get(4).map_err(Unreadable::Value)?,
        evidence: evidence.map(hash),
        deadline_us: row.get(6).map_err(Unreadable::Value)?,
    })
}

/// Location of a row of an exchange.
pub(super) fn place(table: &str, number: i64) -> StoreLocation {
    match u64::try_from(number) {
        Ok(number) => StoreLocation::entry(table, number),
        Err(_) => StoreLocation::table(table),
    }
}
