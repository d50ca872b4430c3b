//! The log of the store: capsules appended, read, and proven to be in it.

use std::sync::Arc;

use async_trait::async_trait;
use counterfoil_capsule::{ChainId, Signer};
use counterfoil_store::log::{consistency, inclusion};
use counterfoil_store::{
    AppendReport, CapsuleLog, Draft, Head, StoreError, StoreLocation, StoredCapsule, VersionRow,
};
use counterfoil_types::{Sha256Hash, WorldId};
use rusqlite::Connection;

use super::SqliteStore;
use crate::rows::{self, LogRows};

#[async_trait]
impl CapsuleLog for SqliteStore {
    async fn append(
        &self,
        signer: Arc<dyn Signer>,
        drafts: Vec<Draft>,
    ) -> Result<Vec<AppendReport>, StoreError> {
        self.writer()?.append(signer, drafts).await
    }

    async fn receive(
        &self,
        source: &str,
        mut capsules: Vec<StoredCapsule>,
    ) -> Result<Vec<AppendReport>, StoreError> {
        let source = source.to_owned();
        self.unit(move |unit| unit.receive(&source, &mut capsules))
            .await
    }

    async fn chain(&self, chain: &ChainId) -> Result<Vec<VersionRow>, StoreError> {
        let chain = *chain;
        self.read(move |connection| rows::versions(connection, &chain))
            .await
    }

    async fn chain_of(&self, world_id: &WorldId) -> Result<Option<(ChainId, u64)>, StoreError> {
        let world_id = world_id.clone();
        self.read(move |connection| {
            let Some(index) = rows::index_of(connection, &world_id)? else {
                return Ok(None);
            };
            let standing = rows::state(connection, index)?;
            Ok(Some((standing.chain, standing.version.seq)))
        })
        .await
    }

    async fn version(
        &self,
        chain: &ChainId,
        seq: u64,
    ) -> Result<Option<StoredCapsule>, StoreError> {
        let chain = *chain;
        self.read(move |connection| {
            let index = rows::in_chain(connection, &chain, seq)?;
            let stored = index.map(|index| rows::capsule(connection, index));
            Ok(stored.transpose()?.flatten())
        })
        .await
    }

    async fn head(&self, chain: &ChainId) -> Result<Option<Head>, StoreError> {
        let chain = *chain;
        self.read(move |connection| rows::chain_head(connection, &chain))
            .await
    }

    async fn checkpoint(&self) -> Result<Option<String>, StoreError> {
        let head = self.read(rows::log_head).await?;
        Ok((head.size > 0).then_some(head.checkpoint))
    }

    async fn size(&self) -> Result<u64, StoreError> {
        Ok(self.read(rows::log_head).await?.size)
    }

    async fn capsule(&self, index: u64) -> Result<Option<StoredCapsule>, StoreError> {
        self.read(move |connection| {
            if index >= rows::log_head(connection)?.size {
                return Ok(None);
            }
            rows::capsule(connection, index)?.map(Some).ok_or_else(|| {
                StoreError::corrupt(
                    StoreLocation::entry("capsule", index),
                    "there is no capsule",
                )
            })
        })
        .await
    }

    async fn index_of(&self, world_id: &WorldId) -> Result<Option<u64>, StoreError> {
        let world_id = world_id.clone();
        self.read(move |connection| rows::index_of(connection, &world_id))
            .await
    }

    async fn inclusion(&self, index: u64, size: u64) -> Result<Vec<Sha256Hash>, StoreError> {
        self.read(move |connection| {
            require_size(connection, size)?;
            inclusion(&LogRows(connection), index, size)
        })
        .await
    }

    async fn consistency(&self, from: u64, to: u64) -> Result<Vec<Sha256Hash>, StoreError> {
        self.read(move |connection| {
            require_size(connection, to)?;
            consistency(&LogRows(connection), from, to)
        })
        .await
    }

    async fn latest_world(&self) -> Result<Option<WorldId>, StoreError> {
        self.read(rows::latest_world).await
    }
}

fn require_size(connection: &Connection, asked: u64) -> Result<(), StoreError> {
    let size = rows::log_head(connection)?.size;
    if asked > size {
        return Err(StoreError::OutOfRange {
            what: "size",
            asked,
            size,
        });
    }
    Ok(())
}
