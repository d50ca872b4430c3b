//! Reranker over a folder of weights.

use std::path::Path;

use blake3::Hasher;
use counterfoil_store::Reranker;
use counterfoil_types::BoxError;

use crate::EncoderError;
use crate::config::Config;
use crate::folder::in_batches;
use crate::model::{Head, Model};
use crate::tokenizer::{Ends, Tokenizer, Tokens};
use crate::weights::Weights;

/// Beginnings of the names of the tensors that make a score; others are passed over.
const TENSORS: &[&str] = &["embeddings.", "encoder.", "pooler.", "classifier."];

/// Cross-encoder of the BERT or XLM-RoBERTa architecture with one label, in memory.
///
/// A question and a text go through the model as one pair of at most 512 tokens, or as many as the model has positions: the
/// question with its beginning in half of them, the text with its beginning in the rest. The score is the output of the
/// last layer; an activation behind it, which the folder may name, would change no order. Otherwise as
/// [`FolderEncoder`](crate::FolderEncoder).
pub struct FolderReranker {
    fingerprint: String,
    tokenizer: Tokenizer,
    ends: Ends,
    network: Model,
    head: Head,
    max_tokens: usize,
}

impl FolderReranker {
    /// Reads the folder: `config.json`, `tokenizer.json` and `model.safetensors`. Success says that the folder is complete and
    /// consistent, not that its scores are good.
    ///
    /// # Errors
    /// [`EncoderError`] names the file; [`EncoderError::NoReranker`] for a model that scores no pairs, such as a sentence encoder.
    pub fn open(folder: &Path) -> Result<Self, EncoderError> {
        let mut digest = Hasher::new_derive_key("counterfoil reranker folder v1");
        let config = Config::read(folder, &mut digest)?;
        let names = config.head.ok_or(EncoderError::NoReranker)?;
        let mut tokenizer = Tokenizer::read(folder, config.words, &mut digest)?;
        let ends = tokenizer.take_pair()?;
        let max_tokens = config.max_tokens;
        if max_tokens < ends.len() + 2 || ends.types() > config.types {
            let fault =
                "max_position_embeddings or type_vocab_size leaves no room for a pair of texts";
            return Err(EncoderError::malformed("config.json", fault));
        }
        let mut weights = Weights::read(folder, TENSORS, &mut digest)?;
        let head = Head::new(names, config.hidden, &mut weights)?;
        let network = Model::new(config, &mut weights)?;
        Ok(Self {
            fingerprint: digest.finalize().to_hex().to_string(),
            tokenizer,
            ends,
            network,
            head,
            max_tokens,
        })
    }
}

impl Reranker for FolderReranker {
    fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    fn score(&self, question: &str, texts: &[String]) -> Result<Vec<f32>, BoxError> {
        let pairs = texts.iter().map(|text| {
            let pair = (question, text.as_str());
            self.tokenizer
                .encode_pair(pair, &self.ends, self.max_tokens)
        });
        let run = |pairs: &[Tokens]| self.network.score(pairs, &self.head);
        Ok(in_batches(pairs, run)?)
    }
}
