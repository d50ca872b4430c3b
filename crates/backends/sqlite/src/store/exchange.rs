//! The store as an [`ExchangeStore`]: what is written shares transactions, what is read goes to the readers.

use std::sync::Arc;

use async_trait::async_trait;
use counterfoil_capsule::Signer;
use counterfoil_exchange::answering::{SeenQuotas, Sighting};
use counterfoil_exchange::documents::{ClaimHash, DocumentHash, RequestId};
use counterfoil_exchange::machine::Transition;
use counterfoil_life::{Backend as _, Unit, journal, trust};
use counterfoil_store::exchange_limits as limits;
use counterfoil_store::{
    BegunExchange, ExchangeStore, RequestState, StoreError, StoreLocation, StoredExchange,
    StoredItem,
};
use counterfoil_types::{DidKey, Sha256Hash, WorldId};
use rusqlite::{Connection, params};

use super::SqliteStore;
use crate::exchange::{rows, seen};
use crate::port::Tables;
use crate::sealed::insertion;
use crate::statement::Statements;

#[async_trait]
impl ExchangeStore for SqliteStore {
    async fn add_records(
        &self,
        signer: Arc<dyn Signer>,
        documents: Vec<Vec<u8>>,
    ) -> Result<usize, StoreError> {
        let entries = documents.len();
        let add = move |unit: &mut Unit<'_>, _: &Connection| trust::add(unit, &*signer, &documents);
        let (new, _) = self.writer()?.share(entries, add).await?;
        Ok(new)
    }

    async fn records(&self, known: u64) -> Result<Option<Vec<(Vec<u8>, u64)>>, StoreError> {
        self.read(move |txn| trust::documents(txn, known)).await
    }

    async fn begin_exchange(
        &self,
        begun: BegunExchange,
        first: Transition,
    ) -> Result<(), StoreError> {
        limits::check_begun(&begun, &first)?;
        self.beside(move |connection| {
            if rows::number_of(connection, &begun.id)?.is_some() {
                return Err(limits::conflict(&begun.id, "it was begun already"));
            }
            let number: i64 =
                connection.get("SELECT coalesce(max(number) + 1, 0) FROM exchange", [])?;
            let columns = ["number", "id", "request", "peer", "address", "terms", "at"];
            connection.run(
                &insertion(connection, "exchange", &columns),
                params![
                    number,
                    begun.id.as_str(),
                    begun.request,
                    begun.peer.as_ref().map(DidKey::public_key),
                    begun.address,
                    begun.terms,
                    begun.begun_us
                ],
            )?;
            link(connection, "exchange", &[number])?;
            add(connection, number, &first)
        })
        .await
    }

    async fn add_transition(&self, id: &RequestId, row: Transition) -> Result<(), StoreError> {
        let id = id.clone();
        self.beside(move |connection| {
            let exchange = rows::known(connection, &id)?;
            let next = connection.get(
                "SELECT coalesce(max(number) + 1, 0) FROM exchange_transition WHERE exchange = ?1",
                [exchange],
            )?;
            limits::check_transition(&id, row.number, next)?;
            add(connection, exchange, &row)
        })
        .await
    }

    async fn keep_answer(
        &self,
        id: &RequestId,
        hash: DocumentHash,
        bytes: Vec<u8>,
    ) -> Result<(), StoreError> {
        limits::check_answer(&hash, &bytes)?;
        let id = id.clone();
        self.beside(move |connection| {
            let exchange = rows::known(connection, &id)?;
            let hash = hash.digest().as_bytes();
            let (kept, here): (usize, bool) = connection.get(
                "SELECT count(*), coalesce(max(hash = ?2), 0) FROM exchange_answer
                 WHERE exchange = ?1",
                params![exchange, hash],
            )?;
            if here {
                return Ok(());
            }
            limits::check_answers(&id, kept)?;
            let columns = ["exchange", "number", "hash", "document"];
            let insert = insertion(connection, "exchange_answer", &columns);
            connection.run(&insert, params![exchange, kept, hash, bytes])?;
            link(connection, "exchange_answer", &[exchange, key(kept)])
        })
        .await
    }

    async fn answer(
        &self,
        id: &RequestId,
        hash: &DocumentHash,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let (id, hash) = (id.clone(), *hash);
        self.query(move |connection| {
            let Some(exchange) = rows::number_of(connection, &id)? else {
                return Ok(None);
            };
            journal::check(&Tables::new(connection), "exchange_answer", exchange)?;
            let found: Option<Option<Vec<u8>>> = connection.find_with(
                "SELECT document FROM exchange_answer WHERE exchange = ?1 AND hash = ?2",
                params![exchange, hash.digest().as_bytes()],
                |row| row.get(0),
            )?;
            Ok(found.flatten())
        })
        .await
    }

    async fn set_item(&self, id: &RequestId, item: StoredItem) -> Result<(), StoreError> {
        let id = id.clone();
        self.beside(move |connection| {
            let exchange = rows::known(connection, &id)?;
            let kept: usize = connection.get(
                "SELECT count(*) FROM exchange_item WHERE exchange = ?1 AND item = ?2",
                params![exchange, item.number],
            )?;
            limits::check_item(&item, kept)?;
            let columns = [
                "exchange", "item", "number", "state", "world", "claim", "report", "at",
            ];
            connection.run(
                &insertion(connection, "exchange_item", &columns),
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
            )?;
            let key = [exchange, item.number.into(), key(kept)];
            link(connection, "exchange_item", &key)
        })
        .await
    }

    async fn exchange(&self, id: &RequestId) -> Result<Option<StoredExchange>, StoreError> {
        let id = id.clone();
        self.query(move |connection| {
            let number = rows::number_of(connection, &id)?;
            number.map(|number| whole(connection, number)).transpose()
        })
        .await
    }

    async fn exchanges(
        &self,
        before_us: Option<u64>,
        limit: usize,
    ) -> Result<Vec<StoredExchange>, StoreError> {
        let limit = limit.clamp(1, limits::MAX_LISTED);
        let before = before_us.and_then(|before| i64::try_from(before).ok());
        self.query(move |connection| {
            let newest: Vec<i64> = connection.list(
                "SELECT number FROM exchange WHERE at < coalesce(?1, 9223372036854775807)
                 ORDER BY at DESC, number DESC LIMIT ?2",
                params![before, limit],
            )?;
            let (mut found, mut bytes) = (Vec::new(), 0);
            for number in newest {
                if bytes >= limits::MAX_LISTED_BYTES {
                    break;
                }
                let exchange = whole(connection, number)?;
                bytes += limits::bytes_of(&exchange);
                found.push(exchange);
            }
            Ok(found)
        })
        .await
    }

    async fn heard(&self, claim: &ClaimHash) -> Result<Option<(WorldId, u64)>, StoreError> {
        let claim = *claim;
        self.query(move |connection| {
            let found: Option<(Option<String>, u64)> = connection.find(
                "SELECT world, times FROM claim_heard WHERE claim = ?1",
                [claim.digest().as_bytes()],
            )?;
            let Some((Some(world), times)) = found else {
                return Ok(None);
            };
            let damaged = |error| StoreError::corrupt(StoreLocation::table("claim_heard"), error);
            Ok(Some((WorldId::new(world).map_err(damaged)?, times)))
        })
        .await
    }

    async fn note_heard(
        &self,
        claim: ClaimHash,
        world: Option<WorldId>,
        at_us: u64,
    ) -> Result<u64, StoreError> {
        let world = world.as_ref().map(WorldId::to_string);
        self.beside(move |connection| {
            connection.get(
                "INSERT INTO claim_heard (claim, world, first, last, times)
                 VALUES (?1, ?2, ?3, ?3, 1)
                 ON CONFLICT (claim) DO UPDATE SET
                     world = coalesce(world, excluded.world),
                     last = max(last, excluded.last), times = times + 1
                 RETURNING times",
                params![claim.digest().as_bytes(), world, at_us],
            )
        })
        .await
    }

    async fn seen(
        &self,
        key: &DidKey,
        id: &RequestId,
        hash: &Sha256Hash,
    ) -> Result<RequestState, StoreError> {
        let (key, id, hash) = (*key, id.clone(), *hash);
        self.query(move |connection| seen::seen(connection, &key, &id, &hash))
            .await
    }

    async fn see(
        &self,
        sighting: Sighting,
        now_us: u64,
        quotas: SeenQuotas,
    ) -> Result<RequestState, StoreError> {
        self.beside(move |connection| seen::see(connection, &sighting, now_us, quotas))
            .await
    }

    async fn exchange_secret(&self, drawn: [u8; 32]) -> Result<[u8; 32], StoreError> {
        if let Some(secret) = self.query(secret).await? {
            return Ok(secret);
        }
        self.beside(move |connection| {
            if let Some(secret) = secret(connection)? {
                return Ok(secret);
            }
            let insert = insertion(connection, "exchange_secret", &["id", "secret"]);
            connection.run(&insert, params![0, drawn])?;
            Ok(drawn)
        })
        .await
    }
}

/// Adds a transition.
fn add(connection: &Connection, exchange: i64, row: &Transition) -> Result<(), StoreError> {
    rows::add(connection, exchange, row)?;
    link(
        connection,
        "exchange_transition",
        &[exchange, row.number.into()],
    )
}

/// Adds the row of the journal of a row that was added.
fn link(connection: &Connection, table: &str, key: &[i64]) -> Result<(), StoreError> {
    journal::link(&Tables::new(connection), table, key)
}

/// Number of a row as a part of its key.
fn key(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Returns an exchange with its rows as they are linked.
fn whole(connection: &Connection, number: i64) -> Result<StoredExchange, StoreError> {
    for table in ["exchange", "exchange_transition", "exchange_item"] {
        journal::check(&Tables::new(connection), table, number)?;
    }
    rows::whole(connection, number)
}

/// The secret of the store, if there is one.
fn secret(connection: &Connection) -> Result<Option<[u8; 32]>, StoreError> {
    connection.find("SELECT secret FROM exchange_secret", [])
}
