//! Extractor that asks a model over HTTP, by the chat protocol of OpenAI. The answer is foreign: it is parsed member by
//! member, and can become no more than proposals, whatever the text made the model write (I5).

mod answer;
mod config;
mod http;
mod request;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use counterfoil_claims::ports::{ClaimProposal, Extractor, Passage};
use zeroize::Zeroizing;

pub use config::{EndpointConfig, KeySource};

use self::answer::Proposed;
use self::http::Http;
use self::request::Format;
use crate::ExtractError;
use crate::limits::MAX_TEXT_BYTES;

/// Wait before the first repetition; it doubles before each further one.
const FIRST_WAIT: Duration = Duration::from_millis(500);

/// Extractor that asks a model. It blocks, and must not be called in an async task.
pub struct EndpointExtractor {
    http: Http,
    model: String,
    max_bytes: usize,
    /// True if the endpoint does not support schemas.
    plain: AtomicBool,
}

impl EndpointExtractor {
    /// Returns an extractor for the endpoint of `config`, with the key that it needs. Sends nothing.
    ///
    /// # Errors
    /// [`ExtractError::Setup`] if TLS cannot be set up, or the key cannot be sent in a header.
    pub fn new(
        config: &EndpointConfig,
        key: Option<Zeroizing<String>>,
    ) -> Result<Self, ExtractError> {
        Ok(Self {
            http: Http::new(config, key, FIRST_WAIT)?,
            model: config.model.clone(),
            max_bytes: config.max_bytes,
            plain: AtomicBool::new(false),
        })
    }

    /// Sets the wait before the first repetition (500 ms).
    #[must_use]
    pub fn waiting(mut self, first: Duration) -> Self {
        self.http.wait(first);
        self
    }

    /// Asks the model in one request for the claims of several texts, as of the turns of a conversation. Returns for each at
    /// most 256 proposals without duplicates, and the indexes of claims that are no proposals with the reason, at most 64; a
    /// claim that names none of the texts is reported with the first.
    ///
    /// # Errors
    /// [`ExtractError`] if there is no answer, or the answer does not follow the protocol.
    pub fn propose(&self, passages: &[Passage]) -> Result<Vec<Proposed>, ExtractError> {
        let bytes = passages.iter().map(|passage| passage.text.len()).sum();
        if bytes > MAX_TEXT_BYTES {
            return Err(ExtractError::TooLong { bytes });
        }
        let texts = passages.len();
        // With a schema, and without one if the endpoint rejects that.
        if !self.plain.load(Ordering::Relaxed) {
            let question = request::body(&self.model, passages, Format::Schema);
            if let Ok(body) = self.http.post(&question)? {
                return answer::read(&body, self.max_bytes, texts);
            }
        }
        let question = request::body(&self.model, passages, Format::Object);
        let body = self.http.post(&question)??;
        self.plain.store(true, Ordering::Relaxed);
        answer::read(&body, self.max_bytes, texts)
    }
}

impl Extractor for EndpointExtractor {
    type Error = ExtractError;

    fn extract(&self, passage: &Passage) -> Result<Vec<ClaimProposal>, ExtractError> {
        let proposed = self.propose(core::slice::from_ref(passage))?;
        Ok(proposed.into_iter().flat_map(|(found, _)| found).collect())
    }
}
