//! Memories that a caller names, as an index in which each of them answers every question.

use std::sync::Arc;

use async_trait::async_trait;
use counterfoil_life::Life as _;
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::text_index::{TextHit, TextIndex, TextQuery};
use counterfoil_store::{CapsuleLog, StoreError};
use counterfoil_types::{Scope, WorldId};

use crate::error::Error;
use crate::versions;

/// Score of each: all answer.
const SCORE: f64 = 1.0;

/// Index of named memories, in the order of their names.
pub(crate) struct NamedMemories {
    hits: Vec<TextHit>,
}

impl NamedMemories {
    /// Looks the memories up.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) for one that is not in the store and the scope, or that was forgotten.
    pub(crate) async fn find(
        store: &SqliteStore,
        ids: &[WorldId],
        scope: &Scope,
    ) -> Result<Self, Error> {
        let mut hits = Vec::with_capacity(ids.len());
        for id in ids {
            if !scope.is_empty() && !store.is_in_scope(id, scope).await? {
                return Err(versions::unknown(&id.to_string()));
            }
            let named = versions::locate(store, &id.to_string()).await?;
            if !store.tombstones(Some(id)).await?.is_empty() {
                return Err(Error::input(
                    format_args!("{id} is forgotten, so nothing rests on it any more"),
                    "leave it out",
                ));
            }
            let chain = store.chain(&named.chain).await?;
            let version = chain.iter().find(|version| version.seq == named.seq);
            let index = version.map(|version| version.index);
            let index = index.ok_or_else(|| versions::unknown(&id.to_string()))?;
            let next = chain.iter().find(|version| version.seq == named.seq + 1);
            let mut hit = TextHit::new(id.clone(), index, SCORE, Vec::new());
            hit.replaced = next.and_then(|next| Some((next.world_id.clone()?, next.recorded_at)));
            hit.contest = store.contested(index).await?;
            hits.push(hit);
        }
        Ok(Self { hits })
    }

    /// The index of a selection: that of the store, or that of the memories which are named.
    ///
    /// # Errors
    /// As [`find`](Self::find).
    pub(crate) async fn or_all(
        store: &Arc<SqliteStore>,
        ids: &[WorldId],
        scope: &Scope,
    ) -> Result<Arc<dyn TextIndex>, Error> {
        match ids {
            [] => Ok(store.clone()),
            ids => Ok(Arc::new(Self::find(store, ids, scope).await?)),
        }
    }
}

#[async_trait]
impl TextIndex for NamedMemories {
    async fn search(&self, query: &TextQuery) -> Result<Vec<TextHit>, StoreError> {
        let page = self.hits.iter().skip(query.offset()).take(query.limit());
        Ok(page.cloned().collect())
    }
}

#[cfg(test)]
mod tests {
    use crate::{ErrorKind, Memory, RecallOptions, WorldId};

    fn only(ids: &[&WorldId]) -> RecallOptions {
        RecallOptions {
            only: ids.iter().map(|id| (*id).clone()).collect(),
            ..RecallOptions::default()
        }
    }

    /// A proposal rested on the memories that a query found, and not on those that were meant.
    #[tokio::test]
    async fn named_memories_are_recalled_whatever_the_query_says() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::create(folder.path().join("memory")).await.unwrap();
        let kit = memory.remember("Kit must not eat sesame").await.unwrap();
        let key = memory.remember("The key hangs by the clock").await.unwrap();
        let (kit, key) = (&kit.id, &key.id);
        let recalled = memory.recall("a cake", &only(&[key])).await.unwrap();
        let hits: Vec<_> = recalled.hits().iter().map(|hit| &hit.id).collect();
        assert_eq!(hits, [key]);
        assert!(recalled.hits().iter().all(|hit| hit.verified));
        let both = memory.recall("a cake", &only(&[kit, key])).await.unwrap();
        assert_eq!(both.hits().len(), 2);
    }

    #[tokio::test]
    async fn a_forgotten_memory_and_an_unknown_one_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::create(folder.path().join("memory")).await.unwrap();
        let kit = memory.remember("Kit must not eat sesame").await.unwrap();
        let other = WorldId::new("world-other").unwrap();
        for named in [&other, &kit.id] {
            if named == &kit.id {
                memory.forget(&named.to_string(), "asked").await.unwrap();
            }
            let refused = memory.recall("a cake", &only(&[named])).await;
            assert_eq!(refused.unwrap_err().kind(), ErrorKind::Input, "{named}");
        }
    }
}
