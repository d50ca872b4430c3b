//! Vectors of meaning beside the words: derived state, made by one sentence encoder (MR-03).

use counterfoil_types::BoxError;

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

/// Side of a comparison that a text is on: some models are trained with a prefix for each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextSide {
    /// A memory, to be found.
    Memory,
    /// A question, to find by.
    Question,
}
