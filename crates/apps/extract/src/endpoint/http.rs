//! One POST with a time limit and a size limit, repeated while the endpoint is busy.

use std::thread::sleep;
use std::time::Duration;

use counterfoil_web::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use counterfoil_web::{Bytes, Request, StatusCode, WebClient};
use tokio::runtime::{Builder, Runtime};
use tokio::time::{Instant, timeout_at};
use zeroize::Zeroizing;

use super::config::EndpointConfig;
use crate::ExtractError;

/// Longest `Retry-After` that is waited for.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// Length to which the body of an error is cut, in characters.
const MAX_QUOTED: usize = 200;

pub(super) struct Http {
    client: WebClient,
    runtime: Runtime,
    config: EndpointConfig,
    key: Option<Zeroizing<String>>,
    authorization: Option<HeaderValue>,
    first_wait: Duration,
}

/// Body of a success; or status, beginning of the body, and `Retry-After` of anything else.
type Attempt = Result<Vec<u8>, (StatusCode, String, Option<Duration>)>;

impl Http {
    pub(super) fn new(
        config: &EndpointConfig,
        key: Option<Zeroizing<String>>,
        first_wait: Duration,
    ) -> Result<Self, ExtractError> {
        let setup = |cause: &dyn core::fmt::Display| ExtractError::Setup(cause.to_string());
        let client = match config.url.scheme() {
            "http" => WebClient::without_tls(),
            _ => WebClient::new(Vec::new()).map_err(|error| setup(&error))?,
        };
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| setup(&error))?;
        let authorization = key.as_deref().map(|key| authorization(key)).transpose()?;
        Ok(Self {
            client,
            runtime,
            config: config.clone(),
            key,
            authorization,
            first_wait,
        })
    }

    pub(super) const fn wait(&mut self, first: Duration) {
        self.first_wait = first;
    }

    /// Posts `body`, and returns the body of a success; after a 429 or 5xx it waits and tries again, as often as the
    /// configuration allows. The inner error is that of an endpoint that rejects the request and may accept another.
    pub(super) fn post(&self, body: &str) -> Result<Result<Vec<u8>, ExtractError>, ExtractError> {
        let mut wait = self.first_wait;
        let mut left = self.config.retries;
        loop {
            let (status, said, asked) = match self.runtime.block_on(self.attempt(body))? {
                Ok(body) => return Ok(Ok(body)),
                Err(status) => status,
            };
            if status.is_redirection() {
                let status = status.as_u16();
                return Err(ExtractError::Redirected { status });
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
            let error = ExtractError::Status {
                status: status.as_u16(),
                said,
            };
            return if wrong { Ok(Err(error)) } else { Err(error) };
        }
    }

    async fn attempt(&self, body: &str) -> Result<Attempt, ExtractError> {
        let deadline = Instant::now() + self.config.timeout;
        let slow = |_| ExtractError::Slow {
            seconds: self.config.timeout.as_secs(),
        };
        let unreachable = |error: std::io::Error| ExtractError::Unreachable(error.to_string());
        let mut request = Request::post("/")
            .body(Bytes::from(body.to_owned()))
            .map_err(|error| ExtractError::Setup(error.to_string()))?;
        let json = HeaderValue::from_static("application/json");
        request.headers_mut().insert(CONTENT_TYPE, json);
        if let Some(authorization) = &self.authorization {
            let authorization = authorization.clone();
            request.headers_mut().insert(AUTHORIZATION, authorization);
        }
        let sending = self.client.send(&self.config.url, None, request);
        let response = timeout_at(deadline, sending).await.map_err(slow)?;
        let mut response = response.map_err(unreachable)?;
        let status = response.status;
        let wait = response.headers.get(RETRY_AFTER);
        let wait = wait.and_then(|value| value.to_str().ok()?.parse().ok());
        let limit = self.config.max_bytes;
        let reading = async {
            let body = response.body(limit).await.map_err(unreachable)?;
            body.ok_or(ExtractError::TooLarge { limit })
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

fn authorization(key: &str) -> Result<HeaderValue, ExtractError> {
    let text = Zeroizing::new(format!("Bearer {key}"));
    let mut value = HeaderValue::from_str(&text).map_err(|_| {
        ExtractError::Setup("the key has characters that no header may have".to_owned())
    })?;
    value.set_sensitive(true);
    Ok(value)
}
