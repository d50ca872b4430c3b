//! One POST: with a deadline, a limit, and repetitions where the other side says that it is busy.

use std::io::Read;
use std::thread::sleep;
use std::time::{Duration, Instant};

use reqwest::blocking::{Client, Response};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{StatusCode, Url};
use zeroize::Zeroizing;

use super::config::EndpointConfig;
use super::error::EndpointError;

/// The longest that is waited because the other side says so.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// How much of an error's body is told, in characters.
const SAID: usize = 200;

pub(super) struct Http {
    client: Client,
    url: Url,
    key: Option<Zeroizing<String>>,
    authorization: Option<HeaderValue>,
    timeout: Duration,
    max_bytes: usize,
    retries: u32,
    first_wait: Duration,
}

/// What became of a request.
pub(super) enum Sent {
    /// The body of a success.
    Answered(Vec<u8>),
    /// The other side says that the request is wrong; another may not be.
    Refused(EndpointError),
}

/// One try.
enum Tried {
    Answered(Vec<u8>),
    Status {
        status: StatusCode,
        said: String,
        wait: Option<Duration>,
    },
}

impl Http {
    pub(super) fn new(
        config: &EndpointConfig,
        key: Option<Zeroizing<String>>,
        first_wait: Duration,
    ) -> Result<Self, EndpointError> {
        // Whoever was here first has chosen the provider of the process; either serves.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .redirect(Policy::none())
            .no_proxy()
            .timeout(config.timeout())
            .build()
            .map_err(|error| EndpointError::Setup(plainly(&error)))?;
        let authorization = key.as_deref().map(|key| authorization(key)).transpose()?;
        Ok(Self {
            client,
            url: config.url().clone(),
            key,
            authorization,
            timeout: config.timeout(),
            max_bytes: config.max_bytes(),
            retries: config.retries(),
            first_wait,
        })
    }

    pub(super) const fn wait(&mut self, first: Duration) {
        self.first_wait = first;
    }

    /// Posts `body`; where the answer is 429 or 5xx, again after a while.
    pub(super) fn post(&self, body: &str) -> Result<Sent, EndpointError> {
        let mut wait = self.first_wait;
        let mut left = self.retries;
        loop {
            let (status, said, asked) = match self.once(body)? {
                Tried::Answered(body) => return Ok(Sent::Answered(body)),
                Tried::Status { status, said, wait } => (status, said, wait),
            };
            if status.is_redirection() {
                let status = status.as_u16();
                return Err(EndpointError::Redirected { status });
            }
            let busy = status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error();
            if busy && left > 0 {
                left -= 1;
                sleep(asked.unwrap_or(wait).min(LONGEST_WAIT));
                wait = wait.saturating_mul(2);
                continue;
            }
            let wrong =
                [StatusCode::BAD_REQUEST, StatusCode::UNPROCESSABLE_ENTITY].contains(&status);
            let error = EndpointError::Status {
                status: status.as_u16(),
                said,
            };
            return if wrong {
                Ok(Sent::Refused(error))
            } else {
                Err(error)
            };
        }
    }

    fn once(&self, body: &str) -> Result<Tried, EndpointError> {
        let deadline = Instant::now() + self.timeout;
        let mut request = self
            .client
            .post(self.url.clone())
            .header(CONTENT_TYPE, "application/json")
            .body(body.to_owned());
        if let Some(authorization) = &self.authorization {
            request = request.header(AUTHORIZATION, authorization.clone());
        }
        let response = request.send().map_err(|error| self.failed(&error))?;
        let status = response.status();
        let wait = response.headers().get(RETRY_AFTER);
        let wait = wait.and_then(|value| value.to_str().ok()?.parse().ok());
        let wait = wait.map(Duration::from_secs);
        if status == StatusCode::OK {
            return Ok(Tried::Answered(self.body(response, deadline)?));
        }
        // What an error says is told where it can be read, and no matter otherwise.
        let said = self.body(response, deadline).unwrap_or_default();
        Ok(Tried::Status {
            status,
            said: self.quoted(&said),
            wait,
        })
    }

    /// The whole body, as long as there is time and room.
    fn body(&self, mut response: Response, deadline: Instant) -> Result<Vec<u8>, EndpointError> {
        let mut body = Vec::new();
        let mut chunk = [0_u8; 8192];
        loop {
            let read = response
                .read(&mut chunk)
                .map_err(|error| self.broke_off(&error))?;
            if read == 0 {
                return Ok(body);
            }
            if Instant::now() > deadline {
                return Err(self.slow());
            }
            if body.len() + read > self.max_bytes {
                let limit = self.max_bytes;
                return Err(EndpointError::TooLarge { limit });
            }
            body.extend_from_slice(chunk.get(..read).unwrap_or_default());
        }
    }

    fn failed(&self, error: &reqwest::Error) -> EndpointError {
        if error.is_timeout() {
            return self.slow();
        }
        EndpointError::Unreachable(plainly(error))
    }

    fn broke_off(&self, error: &std::io::Error) -> EndpointError {
        let inner = error
            .get_ref()
            .and_then(|inner| inner.downcast_ref::<reqwest::Error>());
        match inner {
            Some(inner) => self.failed(inner),
            None => EndpointError::Unreachable(error.to_string()),
        }
    }

    const fn slow(&self) -> EndpointError {
        EndpointError::Slow {
            seconds: self.timeout.as_secs(),
        }
    }

    /// How a body begins, without the key, which some servers repeat.
    fn quoted(&self, body: &[u8]) -> String {
        let text = String::from_utf8_lossy(body);
        let text = match &self.key {
            Some(key) => text.replace(key.as_str(), "(the key)"),
            None => text.into_owned(),
        };
        text.chars().take(SAID).collect()
    }
}

fn authorization(key: &str) -> Result<HeaderValue, EndpointError> {
    let text = Zeroizing::new(format!("Bearer {key}"));
    let mut value = HeaderValue::from_str(&text).map_err(|_| {
        EndpointError::Setup("the key has characters that no header may have".to_owned())
    })?;
    value.set_sensitive(true);
    Ok(value)
}

/// The innermost cause, without the address.
fn plainly(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}
