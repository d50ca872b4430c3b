//! The extractor that asks a model over HTTP, by the chat protocol of OpenAI. What comes back is foreign: it is parsed
//! member by member, and whatever a text made the model say can at most become proposals (I5).

mod answer;
mod config;
mod error;
mod http;
mod request;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use counterfoil_claims::ports::{ClaimProposal, Extractor, Passage};
use zeroize::Zeroizing;

pub use answer::{Proposed, Skipped};
pub use config::{ConfigError, EndpointConfig, KeySource};
pub use error::EndpointError;

use self::http::{Http, Outcome};
use self::request::Format;
use crate::limits::{MAX_TEXT_BYTES, TooLong};

/// How long is waited before the first repetition; twice as long before each further one.
const FIRST_WAIT: Duration = Duration::from_millis(500);

/// Asks a model for claims. It blocks: call it where that is allowed, and not in an async task.
pub struct EndpointExtractor {
    http: Http,
    model: String,
    max_bytes: usize,
    /// The endpoint does not know schemas.
    plain: AtomicBool,
}

impl EndpointExtractor {
    /// Asks the endpoint of `config` with `key`, if it wants one. Nothing is sent yet.
    ///
    /// # Errors
    /// [`EndpointError::Setup`] when there is no TLS to be had, or the key cannot stand in a header.
    pub fn new(
        config: &EndpointConfig,
        key: Option<Zeroizing<String>>,
    ) -> Result<Self, EndpointError> {
        Ok(Self {
            http: Http::new(config, key, FIRST_WAIT)?,
            model: config.model().to_owned(),
            max_bytes: config.max_bytes(),
            plain: AtomicBool::new(false),
        })
    }

    /// With another time before the first repetition.
    #[must_use]
    pub fn waiting(mut self, first: Duration) -> Self {
        self.http.wait(first);
        self
    }

    /// What the model proposes for a text, and what of its answer was no proposal.
    ///
    /// # Errors
    /// When there is no answer, or it is no answer to this question; see [`EndpointError`].
    pub fn propose(&self, passage: &Passage) -> Result<Proposed, EndpointError> {
        let bytes = passage.text.len();
        if bytes > MAX_TEXT_BYTES {
            return Err(TooLong { bytes }.into());
        }
        let body = self.ask(passage)?;
        answer::read(&body, self.max_bytes)
    }

    /// With a schema, and without one where the endpoint says that the request is wrong.
    fn ask(&self, passage: &Passage) -> Result<Vec<u8>, EndpointError> {
        if !self.plain.load(Ordering::Relaxed) {
            let question = request::body(&self.model, passage, Format::Schema);
            match self.http.post(&question)? {
                Outcome::Answered(body) => return Ok(body),
                Outcome::Rejected(_) => {}
            }
        }
        let question = request::body(&self.model, passage, Format::Object);
        match self.http.post(&question)? {
            Outcome::Answered(body) => {
                self.plain.store(true, Ordering::Relaxed);
                Ok(body)
            }
            Outcome::Rejected(error) => Err(error),
        }
    }
}

impl Extractor for EndpointExtractor {
    type Error = EndpointError;

    fn extract(&self, passage: &Passage) -> Result<Vec<ClaimProposal>, EndpointError> {
        Ok(self.propose(passage)?.proposals)
    }
}

/// The key stays out of log lines.
impl core::fmt::Debug for EndpointExtractor {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("EndpointExtractor")
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}
