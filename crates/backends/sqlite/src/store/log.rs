//! The log of the store: capsules appended, read, and proven to be in it.

use std::ops::RangeInclusive;
use std::sync::Arc;

use async_trait::async_trait;
use counterfoil_capsule::delta::Delta;
use counterfoil_capsule::{ChainId, Signer, Timestamp};
use counterfoil_life::versions::{delta, recorded_at};
use counterfoil_life::{Backend, Txn, entries, map};
use counterfoil_store::log::{consistency, inclusion};
use counterfoil_store::{
    AppendReport, CapsuleLog, Draft, Head, Standings, StoreError, StoredCapsule, TrustEntries,
    VersionRow,
};
use counterfoil_types::{DidKey, Sha256Hash, WorldId};

use super::SqliteStore;

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
        self.write(move |unit| unit.receive(&source, &mut capsules))
            .await
    }

    async fn recorded_at(&self, index: u64) -> Result<Option<Timestamp>, StoreError> {
        self.read(move |txn| {
            let is_there = index < txn.head()?.0;
            is_there.then(|| recorded_at(txn, index)).transpose()
        })
        .await
    }

    async fn chain(&self, chain: &ChainId) -> Result<Vec<VersionRow>, StoreError> {
        let chain = *chain;
        self.read(move |txn| entries::versions(txn, &chain)).await
    }

    async fn chain_of(&self, world_id: &WorldId) -> Result<Option<(ChainId, u64)>, StoreError> {
        let world_id = world_id.clone();
        self.read(move |txn| entries::place(txn, &world_id)).await
    }

    async fn version(
        &self,
        chain: &ChainId,
        seq: u64,
    ) -> Result<Option<StoredCapsule>, StoreError> {
        let chain = *chain;
        self.read(move |txn| entries::version(txn, &chain, seq))
            .await
    }

    async fn deltas(
        &self,
        chain: &ChainId,
        versions: RangeInclusive<u64>,
    ) -> Result<Option<Vec<Delta>>, StoreError> {
        let chain = *chain;
        self.read(move |txn| {
            let deltas = versions.rev().map(|seq| delta(txn, &chain, seq));
            deltas
                .map(Result::transpose)
                .collect::<Option<_>>()
                .transpose()
        })
        .await
    }

    async fn head(&self, chain: &ChainId) -> Result<Option<Head>, StoreError> {
        let chain = *chain;
        self.read(move |txn| entries::chain_head(txn, &chain)).await
    }

    async fn checkpoint(&self) -> Result<Option<String>, StoreError> {
        let (size, checkpoint) = self.read(|txn| txn.head()).await?;
        Ok((size > 0).then_some(checkpoint))
    }

    async fn size(&self) -> Result<u64, StoreError> {
        Ok(self.read(|txn| txn.head()).await?.0)
    }

    async fn capsule(&self, index: u64) -> Result<Option<StoredCapsule>, StoreError> {
        self.read(move |txn| match index < txn.head()?.0 {
            true => entries::capsule(txn, index),
            false => Ok(None),
        })
        .await
    }

    async fn index_of(&self, world_id: &WorldId) -> Result<Option<u64>, StoreError> {
        let world_id = world_id.clone();
        self.read(move |txn| entries::index_of(txn, &world_id))
            .await
    }

    async fn inclusion(&self, index: u64, size: u64) -> Result<Vec<Sha256Hash>, StoreError> {
        self.read(move |txn| {
            require_size(txn, size)?;
            inclusion(txn, index, size)
        })
        .await
    }

    async fn consistency(&self, from: u64, to: u64) -> Result<Vec<Sha256Hash>, StoreError> {
        self.read(move |txn| {
            require_size(txn, to)?;
            consistency(txn, from, to)
        })
        .await
    }

    async fn standings(&self, worlds: &[WorldId]) -> Result<Option<Standings>, StoreError> {
        let worlds = worlds.to_vec();
        self.read(move |txn| map::standings(txn, &worlds)).await
    }

    async fn trust_entries(&self, agent: DidKey) -> Result<Option<TrustEntries>, StoreError> {
        self.read(move |txn| map::trust_entries(txn, &agent)).await
    }

    async fn latest_world(&self) -> Result<Option<WorldId>, StoreError> {
        self.read(|txn| entries::latest_world(txn)).await
    }
}

fn require_size(txn: &dyn Txn, asked: u64) -> Result<(), StoreError> {
    let size = txn.head()?.0;
    if asked > size {
        return Err(StoreError::OutOfRange {
            what: "size",
            asked,
            size,
        });
    }
    Ok(())
}
