//! The store as an [`ExchangeStore`]: what is written shares transactions, what is read goes to the readers.

use async_trait::async_trait;
use counterfoil_exchange::answering::{SeenQuotas, Sighting};
use counterfoil_exchange::documents::{ClaimHash, DocumentHash, RequestId};
use counterfoil_exchange::machine::Transition;
use counterfoil_store::exchange_limits as limits;
use counterfoil_store::{
    BegunExchange, ExchangeStore, RequestState, StoreError, StoredExchange, StoredItem,
    StoredRecord,
};
use counterfoil_types::{DidKey, Sha256Hash, WorldId};

use super::{items, records, rows, seen};
use crate::SqliteStore;

#[async_trait]
impl ExchangeStore for SqliteStore {
    async fn add_record(
        &self,
        hash: DocumentHash,
        record: StoredRecord,
    ) -> Result<bool, StoreError> {
        limits::check_record(&hash, &record)?;
        self.beside(move |connection| records::add(connection, &hash, &record))
            .await
    }

    async fn records(&self) -> Result<Vec<StoredRecord>, StoreError> {
        self.read(records::all).await
    }

    async fn begin_exchange(
        &self,
        begun: BegunExchange,
        first: Transition,
    ) -> Result<(), StoreError> {
        limits::check_begun(&begun, &first)?;
        self.beside(move |connection| rows::begin(connection, &begun, &first))
            .await
    }

    async fn add_transition(&self, id: &RequestId, row: Transition) -> Result<(), StoreError> {
        let id = id.clone();
        self.beside(move |connection| rows::add(connection, &id, &row))
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
        self.beside(move |connection| rows::keep_answer(connection, &id, &hash, &bytes))
            .await
    }

    async fn answer(
        &self,
        id: &RequestId,
        hash: &DocumentHash,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let (id, hash) = (id.clone(), *hash);
        self.read(move |connection| rows::answer(connection, &id, &hash))
            .await
    }

    async fn set_item(&self, id: &RequestId, item: StoredItem) -> Result<(), StoreError> {
        let id = id.clone();
        self.beside(move |connection| items::set(connection, &id, &item))
            .await
    }

    async fn exchange(&self, id: &RequestId) -> Result<Option<StoredExchange>, StoreError> {
        let id = id.clone();
        self.read(move |connection| {
            let number = rows::number_of(connection, &id)?;
            number
                .map(|number| rows::whole(connection, number))
                .transpose()
        })
        .await
    }

    async fn exchanges(
        &self,
        before_us: Option<u64>,
        limit: usize,
    ) -> Result<Vec<StoredExchange>, StoreError> {
        let limit = limit.clamp(1, limits::MAX_LISTED);
        self.read(move |connection| {
            let (mut found, mut bytes) = (Vec::new(), 0);
            for number in rows::newest(connection, before_us, limit)? {
                if bytes >= limits::MAX_LISTED_BYTES {
                    break;
                }
                let exchange = rows::whole(connection, number)?;
                bytes += limits::bytes_of(&exchange);
                found.push(exchange);
            }
            Ok(found)
        })
        .await
    }

    async fn heard(&self, claim: &ClaimHash) -> Result<Option<(WorldId, u64)>, StoreError> {
        let claim = *claim;
        self.read(move |connection| items::heard(connection, &claim))
            .await
    }

    async fn note_heard(
        &self,
        claim: ClaimHash,
        world: Option<WorldId>,
        at_us: u64,
    ) -> Result<u64, StoreError> {
        self.beside(move |connection| items::note_heard(connection, &claim, world.as_ref(), at_us))
            .await
    }

    async fn seen(
        &self,
        key: &DidKey,
        id: &RequestId,
        hash: &Sha256Hash,
    ) -> Result<RequestState, StoreError> {
        let (key, id, hash) = (*key, id.clone(), *hash);
        self.read(move |connection| seen::seen(connection, &key, &id, &hash))
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
        match self.read(records::secret).await? {
            Some(secret) => Ok(secret),
            None => {
                self.beside(move |connection| records::secret_or(connection, drawn))
                    .await
            }
        }
    }
}
