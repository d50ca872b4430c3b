//! Vectors of the store's Worlds: which are missing, those that are added, and the change of the model.

use std::sync::Arc;

use async_trait::async_trait;
use counterfoil_store::StoreError;
use counterfoil_store::vectors::{VectorIndex, VectorModel};

use super::SqliteStore;
use super::versions::content;
use crate::port::Tables;
use crate::{text, vectors};

#[async_trait]
impl VectorIndex for SqliteStore {
    async fn vector_model(&self) -> Result<Option<VectorModel>, StoreError> {
        self.query(vectors::model).await
    }

    async fn vectors_done(&self) -> Result<(u64, u64), StoreError> {
        self.query(vectors::progress).await
    }

    async fn without_vector(
        &self,
        from: u64,
        limit: usize,
    ) -> Result<Vec<(u64, String)>, StoreError> {
        let check = Arc::clone(&self.options().check);
        self.query(move |connection| {
            let tables = Tables::checked(connection, &check);
            let mut from = from;
            loop {
                let mut texts = Vec::new();
                let page = vectors::missing(connection, from, limit)?;
                for index in &page {
                    if let Some(world) = content(&tables, *index)? {
                        texts.push((*index, text::searched(&world)));
                    }
                }
                match page.last() {
                    // All of this page are withheld.
                    Some(last) if texts.is_empty() => from = last + 1,
                    _ => return Ok(texts),
                }
            }
        })
        .await
    }

    async fn add_vectors(
        &self,
        model: &VectorModel,
        vectors: Vec<(u64, Vec<f32>)>,
    ) -> Result<usize, StoreError> {
        let model = model.clone();
        self.beside(move |connection| vectors::add(connection, &model, &vectors))
            .await
    }

    async fn migrate_vectors(&self, model: &VectorModel) -> Result<(), StoreError> {
        let model = model.clone();
        self.beside(move |connection| vectors::migrate(connection, &model))
            .await
    }
}
