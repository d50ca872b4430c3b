//! A small sentence encoder without weights, for tests: texts with the same letters lie near each other.

use counterfoil_types::BoxError;
use counterfoil_verifier::merkle;

use crate::vectors::{Embedder, TextSide, VectorModel};

/// Dimensions: one for each bit of a hash.
const DIMENSIONS: usize = 64;

/// Encoder by hashed trigrams: each run of three characters of a text, in lower case, adds 1 or -1 to each dimension.
/// Misspelled words are found, other words for the same thing are not.
#[derive(Debug)]
pub struct TrigramEncoder(VectorModel);

impl TrigramEncoder {
    /// Returns the encoder of this name. Those of different names have different vectors.
    pub fn new(name: &str) -> Self {
        Self(VectorModel {
            fingerprint: format!("trigrams:{name}"),
            dimensions: DIMENSIONS,
        })
    }

    fn encode(&self, text: &str) -> Vec<f32> {
        let letters: Vec<char> = format!("  {} ", text.to_lowercase()).chars().collect();
        let mut sums = [0.0_f32; DIMENSIONS];
        for trigram in letters.windows(3) {
            let trigram: String = trigram.iter().collect();
            let hash = hash_of(&self.0.fingerprint, &trigram);
            for (at, sum) in sums.iter_mut().enumerate() {
                *sum += if hash >> at & 1 == 1 { 1.0 } else { -1.0 };
            }
        }
        let length = sums.iter().map(|it| it * it).sum::<f32>().sqrt();
        sums.iter().map(|it| it / length.max(1.0)).collect()
    }
}

/// The first eight bytes of a hash of both texts.
fn hash_of(name: &str, text: &str) -> u64 {
    let hash = merkle::leaf_hash(format!("{name} {text}").as_bytes());
    let first = hash.as_bytes().first_chunk().copied();
    u64::from_le_bytes(first.unwrap_or_default())
}

impl Embedder for TrigramEncoder {
    fn model(&self) -> &VectorModel {
        &self.0
    }

    fn embed(&self, texts: &[String], _side: TextSide) -> Result<Vec<Vec<f32>>, BoxError> {
        Ok(texts.iter().map(|text| self.encode(text)).collect())
    }
}
