//! Encoder over a folder of weights.

use std::path::Path;

use blake3::Hasher;
use counterfoil_store::vectors::{Embedder, TextSide, VectorModel};
use counterfoil_types::BoxError;

use crate::EncoderError;
use crate::config::{Config, Prefixes};
use crate::model::Model;
use crate::tokenizer::Tokenizer;
use crate::weights::Weights;

/// Tokens that go through the model at once: enough for the product, and some ten megabytes of intermediate results.
const BATCH_TOKENS: usize = 1_024;

/// Sentence encoder of the BERT or XLM-RoBERTa architecture, in memory.
///
/// Single- and half-precision weights are read; the table of words stays in the precision that the file has, everything else
/// is computed in single precision. It runs on the thread that calls it, and several threads may call it at once. A text counts
/// with its first 512 tokens at most, or as many as the model names.
pub struct FolderEncoder {
    model: VectorModel,
    tokenizer: Tokenizer,
    network: Model,
    prefixes: Prefixes,
    max_tokens: usize,
}

impl FolderEncoder {
    /// Reads the folder: `config.json`, `tokenizer.json`, `model.safetensors`, `1_Pooling/config.json`, and if they are there
    /// `modules.json`, `sentence_bert_config.json` and `config_sentence_transformers.json`, whose prompts `query` and `passage`
    /// or `document` are put before questions and memories. Success says that the folder is complete and consistent, not that
    /// its vectors are good.
    ///
    /// # Errors
    /// [`EncoderError`] names the file, and the model to take instead if this one needs something that is not implemented.
    pub fn open(folder: &Path) -> Result<Self, EncoderError> {
        let mut digest = Hasher::new_derive_key("counterfoil encoder folder v1");
        let mut config = Config::read(folder, &mut digest)?;
        let tokenizer = Tokenizer::read(folder, config.words, &mut digest)?;
        if config.max_tokens <= tokenizer.least() {
            let fault = "max_position_embeddings leaves no room for a text";
            return Err(EncoderError::malformed("config.json", fault));
        }
        let mut weights = Weights::read(folder, &mut digest)?;
        let prefixes = std::mem::take(&mut config.prefixes);
        let (dimensions, max_tokens) = (config.hidden, config.max_tokens);
        let network = Model::new(config, &mut weights)?;
        let fingerprint = digest.finalize().to_hex().to_string();
        Ok(Self {
            model: VectorModel {
                fingerprint,
                dimensions,
            },
            tokenizer,
            network,
            prefixes,
            max_tokens,
        })
    }
}

impl Embedder for FolderEncoder {
    fn model(&self) -> &VectorModel {
        &self.model
    }

    fn embed(&self, texts: &[String], side: TextSide) -> Result<Vec<Vec<f32>>, BoxError> {
        let prefix = match side {
            TextSide::Memory => &self.prefixes.memory,
            TextSide::Question => &self.prefixes.question,
        };
        let mut vectors = Vec::with_capacity(texts.len());
        let (mut batch, mut tokens) = (Vec::new(), 0);
        for text in texts {
            let text = self
                .tokenizer
                .encode(&format!("{prefix}{text}"), self.max_tokens);
            if tokens + text.len() > BATCH_TOKENS {
                vectors.extend(self.network.embed(&batch)?);
                (batch, tokens) = (Vec::new(), 0);
            }
            tokens += text.len();
            batch.push(text);
        }
        vectors.extend(self.network.embed(&batch)?);
        Ok(vectors)
    }
}
