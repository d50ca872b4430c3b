//! Vectors of meaning beside the words: derived state, made by one sentence encoder (MR-03).

use async_trait::async_trait;
use counterfoil_types::BoxError;

use crate::StoreError;

/// The most dimensions of a vector.
pub const MAX_DIMENSIONS: usize = 4_096;

/// A sentence encoder: text becomes a vector, and texts of like meaning lie near each other.
///
/// It computes, and may take long: call it where blocking is allowed.
pub trait Embedder: Send + Sync {
    /// The model. Vectors of different models can't be compared.
    fn model(&self) -> &VectorModel;

    /// Vectors of unit length, one for each text, in their order. A text that is longer than the model reads counts with
    /// its beginning.
    ///
    /// # Errors
    /// When the model can't be run or reached.
    fn embed(&self, texts: &[String], side: TextSide) -> Result<Vec<Vec<f32>>, BoxError>;
}

/// Identity of a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VectorModel {
    /// Digest of everything that makes a vector: weights, vocabulary, pooling, prefixes.
    pub fingerprint: String,
    /// Number of elements of a vector, from 1 to [`MAX_DIMENSIONS`].
    pub dimensions: usize,
}

/// Place and name of a sentence encoder behind an endpoint that speaks the embeddings protocol of OpenAI. The key is no part of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EncoderEndpoint {
    /// Base of the endpoint, such as `https://api.example.org/v1`; `/embeddings` is added.
    pub url: String,
    /// Name of the model.
    pub model: String,
    /// Dimensions of its vectors, from 1 to [`MAX_DIMENSIONS`]; `None` if the first answer decides.
    pub dimensions: Option<usize>,
    /// Text put before a memory.
    pub memory_prefix: String,
    /// Text put before a question.
    pub question_prefix: String,
}

/// Side of a comparison that a text is on: some models are trained with a prefix for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextSide {
    /// A memory, to be found.
    Memory,
    /// A question, to find by.
    Question,
}

/// The most vectors that one batch may hold, and the most texts of one page.
pub const MAX_VECTORS: usize = 1_024;

/// Vectors of the Worlds of a store, one for each: all of one model.
///
/// A vector is derived state: it can be thrown away and made again from the World and the model. It goes in the transaction
/// that takes the content of its World away, by erasure or into an archive.
#[async_trait]
pub trait VectorIndex: Send + Sync {
    /// Returns the model of the vectors that are kept; `None` before the first one.
    ///
    /// # Errors
    /// When it can't be read.
    async fn vector_model(&self) -> Result<Option<VectorModel>, StoreError>;

    /// Returns the number of Worlds that have their vector, or no text to make one of, and the number of all Worlds with content.
    ///
    /// # Errors
    /// When they can't be counted.
    async fn vectors_done(&self) -> Result<(u64, u64), StoreError>;

    /// Returns one page of the Worlds without vector, in log order: each log index with the text that a search by words finds
    /// the World by, all of it in each version, and empty where there is none. At most `limit`, cut to [`MAX_VECTORS`], from the log
    /// index `from` on; a page without any is the last.
    ///
    /// # Errors
    /// When it can't be read. A World that is withheld is passed over.
    async fn without_vector(
        &self,
        from: u64,
        limit: usize,
    ) -> Result<Vec<(u64, String)>, StoreError>;

    /// Adds vectors of `model`, each with the log index of its World, in one transaction; an empty one marks a World
    /// without text. The first batch of all decides which model the vectors are of. Returns the number of those that were added: Worlds that are gone, or
    /// have their vector, are passed over.
    ///
    /// # Errors
    /// [`StoreError::OtherModel`] when the vectors that are kept are of another model, [`StoreError::VectorForm`] with a
    /// vector of another length, or one that isn't finite or all zeros; [`StoreError::TooManyVectors`]. Nothing is written then.
    async fn add_vectors(
        &self,
        model: &VectorModel,
        vectors: Vec<(u64, Vec<f32>)>,
    ) -> Result<usize, StoreError>;

    /// Drops all vectors and begins with those of `model`, in one transaction.
    ///
    /// # Errors
    /// [`StoreError::VectorForm`] for a model of 0 or more than [`MAX_DIMENSIONS`] dimensions; when it can't be written.
    async fn migrate_vectors(&self, model: &VectorModel) -> Result<(), StoreError>;
}
