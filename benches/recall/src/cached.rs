//! An encoder that remembers: the same memory in several stores is encoded once.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use counterfoil_store::vectors::{Embedder, TextSide, VectorModel};
use counterfoil_types::BoxError;

/// An encoder, with what it has encoded.
pub struct Cached<E> {
    encoder: E,
    vectors: Mutex<BTreeMap<(bool, String), Vec<f32>>>,
}

impl<E> Cached<E> {
    /// One that remembers nothing yet.
    pub const fn new(encoder: E) -> Self {
        Self {
            encoder,
            vectors: Mutex::new(BTreeMap::new()),
        }
    }
}

impl<E: Embedder> Embedder for Cached<E> {
    fn model(&self) -> &VectorModel {
        self.encoder.model()
    }

    fn embed(&self, texts: &[String], side: TextSide) -> Result<Vec<Vec<f32>>, BoxError> {
        let key = |text: &String| (side == TextSide::Question, text.clone());
        let known = || self.vectors.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = |text: &&String| !known().contains_key(&key(text));
        let new: Vec<String> = texts.iter().filter(is_new).cloned().collect();
        let made = self.encoder.embed(&new, side)?;
        known().extend(new.iter().map(key).zip(made));
        let known = known();
        let vectors = texts.iter().map(|text| known.get(&key(text)).cloned());
        let vectors: Option<Vec<Vec<f32>>> = vectors.collect();
        vectors.ok_or_else(|| "the encoder gave too few vectors".into())
    }
}
