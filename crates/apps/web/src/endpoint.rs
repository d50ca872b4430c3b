//! Endpoint of a model: one POST of JSON at a time, with a time limit and a size limit, repeated while the endpoint is busy.

use std::io;
use std::thread::sleep;
use std::time::Duration;

use hyper::body::Bytes;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use hyper::{Request, StatusCode};
use tokio::runtime::{Builder, Runtime};
use tokio::time::{Instant, timeout_at};
use url::Url;
use zeroize::Zeroizing;

use crate::WebClient;

/// Longest `Retry-After` that is waited for.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// Length to which the body of an error is cut, in characters.
const MAX_QUOTED: usize = 200;

/// Client of one endpoint. It blocks, and must not be called in an async task; it may be dropped in one.
pub struct Endpoint {
    client: WebClient,
    url: Url,
    limits: EndpointLimits,
    key: Option<Zeroizing<String>>,
    authorization: Option<HeaderValue>,
}

/// Limits of a request.
#[derive(Debug, Clone, Copy)]
pub struct EndpointLimits {
    /// Time for one attempt, from the connection to the end of the answer.
    pub timeout: Duration,
    /// Most bytes of an answer.
    pub max_bytes: usize,
    /// Most repetitions after a 429 or 5xx.
    pub retries: u32,
    /// Wait before the first repetition; it doubles before each further one. An endpoint's `Retry-After` replaces it, up to
    /// 30 s.
    pub first_wait: Duration,
}

/// Failure to get an answer. No message holds the key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PostError {
    /// TLS or an event queue cannot be set up, or the key cannot be sent in a header.
    #[error("no connection can be made ({0}); check the key and the system's certificates")]
    Setup(String),
    /// The endpoint cannot be reached.
    #[error("the endpoint cannot be reached ({0}); check its url and that it runs")]
    Unreachable(io::Error),
    /// The endpoint did not answer in time.
    #[error("the endpoint did not answer within {seconds} s; try again")]
    Slow {
        /// Time limit, in seconds.
        seconds: u64,
    },
    /// The endpoint redirected to another place, to which nothing is sent.
    #[error("the endpoint points elsewhere ({status}); name the final url")]
    Redirected {
        /// HTTP status.
        status: u16,
    },
    /// The answer is above the limit.
    #[error("the endpoint's answer is above {limit} bytes; check its url")]
    TooLarge {
        /// Limit, in bytes.
        limit: usize,
    },
    /// The endpoint answered with an error, after all repetitions.
    #[error("the endpoint answered {status}: {said:?}; check model and key")]
    Status {
        /// HTTP status.
        status: u16,
        /// Beginning of its answer.
        said: String,
    },
}

/// Body of a success; or status, beginning of the body, and `Retry-After` of anything else.
type Attempt = Result<Vec<u8>, (StatusCode, String, Option<Duration>)>;

impl Endpoint {
    /// Returns the client of the endpoint at `url`. Sends nothing.
    ///
    /// # Errors
    /// [`PostError::Setup`].
    pub fn new(
        url: Url,
        key: Option<Zeroizing<String>>,
        limits: EndpointLimits,
    ) -> Result<Self, PostError> {
        let setup = |cause: &dyn core::fmt::Display| PostError::Setup(cause.to_string());
        let client = match url.scheme() {
            "http" => WebClient::without_tls(),
            _ => WebClient::new(Vec::new()).map_err(|error| setup(&error))?,
        };
        Ok(Self {
            client,
            url,
            limits,
            authorization: key.as_deref().map(|key| authorization(key)).transpose()?,
            key,
        })
    }

    /// Sets the wait before the first repetition.
    pub const fn set_first_wait(&mut self, first_wait: Duration) {
        self.limits.first_wait = first_wait;
    }

    /// Posts `body`, and returns the body of a success; after a 429 or 5xx it waits and tries again, as often as the limits
    /// allow.
    ///
    /// # Errors
    /// [`PostError`] if there is no such answer.
    pub fn post(&self, body: &str) -> Result<Vec<u8>, PostError> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| PostError::Setup(error.to_string()))?;
        let posted = self.post_in(&runtime, body);
        // A name that is still being resolved after its time is not waited for.
        runtime.shutdown_background();
        posted
    }

    fn post_in(&self, runtime: &Runtime, body: &str) -> Result<Vec<u8>, PostError> {
        let mut wait = self.limits.first_wait;
        let mut left = self.limits.retries;
        loop {
            let (status, said, asked) = match runtime.block_on(self.attempt(body))? {
                Ok(body) => return Ok(body),
                Err(status) => status,
            };
            if status.is_redirection() {
                let status = status.as_u16();
                return Err(PostError::Redirected { status });
            }
            let busy = status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error();
            if !busy || left == 0 {
                let status = status.as_u16();
                return Err(PostError::Status { status, said });
            }
            left -= 1;
            sleep(asked.unwrap_or(wait).min(LONGEST_WAIT));
            wait = wait.saturating_mul(2);
        }
    }

    async fn attempt(&self, body: &str) -> Result<Attempt, PostError> {
        let deadline = Instant::now() + self.limits.timeout;
        let slow = |_| PostError::Slow {
            seconds: self.limits.timeout.as_secs(),
        };
        let mut request = Request::post("/")
            .body(Bytes::from(body.to_owned()))
            .map_err(|error| PostError::Setup(error.to_string()))?;
        let json = HeaderValue::from_static("application/json");
        request.headers_mut().insert(CONTENT_TYPE, json);
        if let Some(authorization) = &self.authorization {
            let authorization = authorization.clone();
            request.headers_mut().insert(AUTHORIZATION, authorization);
        }
        let sending = self.client.send(&self.url, None, request);
        let response = timeout_at(deadline, sending).await.map_err(slow)?;
        let mut response = response.map_err(PostError::Unreachable)?;
        let status = response.status;
        let wait = response.headers.get(RETRY_AFTER);
        let wait = wait.and_then(|value| value.to_str().ok()?.parse().ok());
        let limit = self.limits.max_bytes;
        let reading = async {
            let body = response.body(limit).await.map_err(PostError::Unreachable)?;
            body.ok_or(PostError::TooLarge { limit })
        };
        let body = timeout_at(deadline, reading).await.map_err(slow).flatten();
        if status == StatusCode::OK {
            return Ok(Ok(body?));
        }
        // The body of an error is quoted if it can be read, without the key, which some servers repeat.
        let body = body.unwrap_or_default();
        let text = String::from_utf8_lossy(&body);
        let text = match &self.key {
            Some(key) => text.replace(key.as_str(), "(the key)"),
            None => text.into_owned(),
        };
        let said = text.chars().take(MAX_QUOTED).collect();
        Ok(Err((status, said, wait.map(Duration::from_secs))))
    }
}

/// Returns the URL of `path` below the base of an endpoint, without name, password, query and fragment. Whether it may be plain
/// HTTP is for the caller.
///
/// # Errors
/// The demand on a base that `base` does not meet, for a message.
pub fn endpoint_url(base: &str, path: &str) -> Result<Url, &'static str> {
    let joined = format!("{}/{path}", base.trim_end_matches('/'));
    let url = Url::parse(&joined).map_err(|_| "an address such as https://api.example.org/v1")?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err("without a name or password; use key-env or key-file");
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err("without `?` and `#`");
    }
    match url.scheme() {
        "https" | "http" => Ok(url),
        _ => Err("https or http"),
    }
}

fn authorization(key: &str) -> Result<HeaderValue, PostError> {
    let text = Zeroizing::new(format!("Bearer {key}"));
    let mut value = HeaderValue::from_str(&text).map_err(|_| {
        PostError::Setup("the key has characters that no header may have".to_owned())
    })?;
    value.set_sensitive(true);
    Ok(value)
}
