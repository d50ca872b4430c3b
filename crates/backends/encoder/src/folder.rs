//! Encoder over a folder of weights.

use std::path::Path;

use blake3::Hasher;
use counterfoil_store::vectors::{Embedder, TextSide, VectorModel};
use counterfoil_types::BoxError;

use crate::EncoderError;
use crate::config::{Config, SentenceConfig};
use crate::model::Model;
use crate::tokenizer::{Tokenizer, Tokens};
use crate::weights::Weights;

/// Tokens that go through the model at once: enough for the product, and some ten megabytes of intermediate results.
const BATCH_TOKENS: usize = 1_024;
/// Beginnings of the names of the tensors that make a vector; others are passed over.
const TENSORS: &[&str] = &["embeddings.", "encoder."];

/// Sentence encoder of the BERT or XLM-RoBERTa architecture, in memory.
///
/// Single- and half-precision weights are read; the table of words stays in the precision that the file has, everything else
/// is computed in single precision. It runs on the thread that calls it, and several threads may call it at once. A text counts
/// with its first 512 tokens at most, or as many as the model names.
pub struct FolderEncoder {
    model: VectorModel,
    tokenizer: Tokenizer,
    network: Model,
    config: SentenceConfig,
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
        let sizes = Config::read(folder, &mut digest)?;
        let config = SentenceConfig::read(folder, &mut digest)?;
        let tokenizer = Tokenizer::read(folder, sizes.words, &mut digest)?;
        let max_tokens = sizes.max_tokens;
        let max_tokens = max_tokens.min(config.max_tokens.unwrap_or(max_tokens));
        if max_tokens <= tokenizer.single().len() {
            let fault = "max_position_embeddings leaves no room for a text";
            return Err(EncoderError::malformed("config.json", fault));
        }
        let mut weights = Weights::read(folder, TENSORS, &mut digest)?;
        let dimensions = sizes.hidden;
        let network = Model::new(sizes, &mut weights)?;
        let fingerprint = digest.finalize().to_hex().to_string();
        Ok(Self {
            model: VectorModel {
                fingerprint,
                dimensions,
            },
            tokenizer,
            network,
            config,
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
            TextSide::Memory => &self.config.prefixes.memory,
            TextSide::Question => &self.config.prefixes.question,
        };
        let texts = texts.iter().map(|text| {
            let text = format!("{prefix}{text}");
            self.tokenizer.encode(&text, self.max_tokens)
        });
        let run = |texts: &[Tokens]| self.network.embed(texts, self.config.pooling);
        Ok(in_batches(texts, run)?)
    }
}

/// Runs the model over so many texts at once as make a batch.
pub(crate) fn in_batches<T>(
    texts: impl Iterator<Item = Tokens>,
    run: impl Fn(&[Tokens]) -> Result<Vec<T>, EncoderError>,
) -> Result<Vec<T>, EncoderError> {
    let mut results = Vec::new();
    let (mut batch, mut tokens) = (Vec::new(), 0);
    for text in texts {
        if tokens + text.ids.len() > BATCH_TOKENS {
            results.extend(run(&batch)?);
            (batch, tokens) = (Vec::new(), 0);
        }
        tokens += text.ids.len();
        batch.push(text);
    }
    results.extend(run(&batch)?);
    Ok(results)
}
