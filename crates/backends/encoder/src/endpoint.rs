//! Encoder behind an endpoint that speaks the embeddings protocol of OpenAI. The answer is foreign: each vector is checked
//! before it is one.

use std::time::Duration;

use blake3::Hasher;
use counterfoil_store::vectors::{
    Embedder, EncoderEndpoint, MAX_DIMENSIONS, TextSide, VectorModel,
};
use counterfoil_types::BoxError;
use counterfoil_web::{Endpoint, EndpointLimits, Position, endpoint_url, is_loopback};
use serde::Deserialize;
use zeroize::Zeroizing;

use crate::EncoderError;
use crate::unit::to_unit_length;

/// Most texts in a request.
const BATCH: usize = 64;
/// Characters of a text that are sent. Endpoints refuse a text of more tokens than the model reads, often 8,192.
const MAX_CHARACTERS: usize = 6_000;
/// Most bytes of an answer: a full batch of the longest vectors.
const MAX_ANSWER: usize = 8 << 20;
/// Limit of the name of a model and of a prefix, in bytes.
const MAX_NAME: usize = 1 << 10;
/// Hex digits of the digest in a fingerprint.
const DIGEST: usize = 32;
const TIMEOUT: Duration = Duration::from_secs(60);
const RETRIES: u32 = 3;
const FIRST_WAIT: Duration = Duration::from_millis(500);

/// Encoder that asks an endpoint. It blocks, and must not be called in an async task.
///
/// All texts are sent to the endpoint, at most 6,000 characters of each. A request has 60 s, and is repeated three times while
/// the endpoint is busy.
pub struct HttpEncoder {
    endpoint: Endpoint,
    config: EncoderEndpoint,
    model: VectorModel,
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    index: usize,
    embedding: Vec<f32>,
}

impl HttpEncoder {
    /// Returns the encoder, with the key that the endpoint needs. Sends one short text if the dimensions are not given, and
    /// nothing otherwise. Plain HTTP is for this machine.
    ///
    /// The fingerprint is `MODEL@HOST:DIGEST`, with a digest of host, model, dimensions and prefixes. It does not notice that the
    /// endpoint runs another model under the same name.
    ///
    /// # Errors
    /// [`EncoderError::Config`] names the wrong member; others if the first request fails.
    pub fn open(
        config: EncoderEndpoint,
        key: Option<Zeroizing<String>>,
    ) -> Result<Self, EncoderError> {
        let model = &config.model;
        if model.trim().is_empty() || model.len() > MAX_NAME || model.contains(char::is_control) {
            return Err(EncoderError::config("model", "the name of a model"));
        }
        if config.memory_prefix.len().max(config.question_prefix.len()) > MAX_NAME {
            return Err(EncoderError::config("prefix", "at most 1024 bytes"));
        }
        let url = endpoint_url(&config.url, "embeddings");
        let url = url.map_err(|must| EncoderError::config("url", must))?;
        if url.scheme() != "https" && !is_loopback(&url) {
            return Err(EncoderError::config("url", "https, but for this machine"));
        }
        let host = url[Position::BeforeHost..Position::AfterPort].to_owned();
        let limits = EndpointLimits {
            timeout: TIMEOUT,
            max_bytes: MAX_ANSWER,
            retries: RETRIES,
            first_wait: FIRST_WAIT,
        };
        let endpoint = Endpoint::new(url, key, limits)?;
        let dimensions = match config.dimensions {
            Some(dimensions) => dimensions,
            None => {
                let vectors = ask(&endpoint, &config.model, &["dimensions".to_owned()])?;
                vectors.first().map_or(0, Vec::len)
            }
        };
        if !(1..=MAX_DIMENSIONS).contains(&dimensions) {
            return Err(EncoderError::config("dimensions", "1 to 4096"));
        }
        let fingerprint = fingerprint(&host, &config, dimensions);
        let model = VectorModel {
            fingerprint,
            dimensions,
        };
        Ok(Self {
            endpoint,
            config,
            model,
        })
    }
}

impl Embedder for HttpEncoder {
    fn model(&self) -> &VectorModel {
        &self.model
    }

    fn embed(&self, texts: &[String], side: TextSide) -> Result<Vec<Vec<f32>>, BoxError> {
        let prefix = match side {
            TextSide::Memory => &self.config.memory_prefix,
            TextSide::Question => &self.config.question_prefix,
        };
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(BATCH) {
            let sent = batch.iter().map(|text| {
                let whole = prefix.chars().chain(text.chars());
                let whole: String = whole.take(MAX_CHARACTERS).collect();
                // Endpoints refuse a text without a character, but not a space.
                if whole.is_empty() { " ".into() } else { whole }
            });
            let batch: Vec<String> = sent.collect();
            for vector in ask(&self.endpoint, &self.config.model, &batch)? {
                if vector.len() != self.model.dimensions {
                    let (found, expected) = (vector.len(), self.model.dimensions);
                    let fault = format!("a vector of {found} dimensions in place of {expected}");
                    return Err(EncoderError::Answer { fault }.into());
                }
                vectors.push(vector);
            }
        }
        Ok(vectors)
    }
}

fn fingerprint(host: &str, config: &EncoderEndpoint, dimensions: usize) -> String {
    let mut digest = Hasher::new_derive_key("counterfoil encoder endpoint v1");
    let dimensions = dimensions.to_string();
    let prefixes = [&config.memory_prefix, &config.question_prefix];
    for part in [host, &config.model, &dimensions]
        .into_iter()
        .chain(prefixes.map(String::as_str))
    {
        digest.update(&u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes());
        digest.update(part.as_bytes());
    }
    let digest = digest.finalize().to_hex();
    let digest = digest.get(..DIGEST).unwrap_or_default();
    format!("{}@{host}:{digest}", config.model)
}

/// Asks for the vectors of `texts`; each is finite and of unit length.
fn ask(endpoint: &Endpoint, model: &str, texts: &[String]) -> Result<Vec<Vec<f32>>, EncoderError> {
    let question = serde_json::json!({"model": model, "input": texts, "encoding_format": "float"});
    let body = endpoint.post(&question.to_string())?;
    let fault = |fault: &str| EncoderError::Answer {
        fault: fault.to_owned(),
    };
    // The parser's message could quote the answer, which could repeat a text.
    let answer: Answer =
        serde_json::from_slice(&body).map_err(|_| fault("not the embeddings protocol"))?;
    if answer.data.len() != texts.len() {
        return Err(fault("another number of vectors than texts"));
    }
    let mut vectors = vec![Vec::new(); texts.len()];
    for Item {
        index,
        mut embedding,
    } in answer.data
    {
        let place = vectors.get_mut(index).filter(|vector| vector.is_empty());
        let place = place.ok_or_else(|| fault("a vector for no text, or two for one"))?;
        if embedding.len() > MAX_DIMENSIONS || !to_unit_length(&mut embedding) {
            return Err(fault(
                "a vector without direction, or with too many dimensions",
            ));
        }
        *place = embedding;
    }
    Ok(vectors)
}
