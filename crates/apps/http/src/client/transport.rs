//! Transport of one exchange: each attempt is one POST of the same bytes, and its answer is bound to it.

use std::future::{Future, pending};
use std::pin::Pin;
use std::time::Duration;

use async_trait::async_trait;
use counterfoil_peer::{PeerError, Transport};
use counterfoil_web::Request;
use counterfoil_web::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, HeaderValue};
use tokio::time::timeout;

use super::Client;
use super::reading::{broke_off, document};
use crate::digest;

/// Time limit of one attempt; the machine's own deadline is shorter.
const LONGEST: Duration = Duration::from_secs(600);

/// Attempt under way.
type Attempt = Pin<Box<dyn Future<Output = Result<Vec<u8>, PeerError>> + Send>>;

pub(super) struct HttpTransport {
    client: Client,
    path: &'static str,
    attempt: Option<Attempt>,
}

impl HttpTransport {
    pub(super) const fn new(client: Client, path: &'static str) -> Self {
        Self {
            client,
            path,
            attempt: None,
        }
    }
}

#[async_trait]
impl Transport for HttpTransport {
    /// Starts an attempt in place of the one before; [`receive`](Transport::receive) returns its outcome.
    async fn send(&mut self, request: &[u8]) -> Result<(), PeerError> {
        let attempt = attempt(self.client.clone(), self.path, request.to_vec());
        self.attempt = Some(Box::pin(attempt));
        Ok(())
    }

    async fn receive(&mut self) -> Result<Vec<u8>, PeerError> {
        let Some(attempt) = &mut self.attempt else {
            return pending().await;
        };
        let came = attempt.await;
        self.attempt = None;
        came
    }
}

async fn attempt(client: Client, path: &str, body: Vec<u8>) -> Result<Vec<u8>, PeerError> {
    let digest = digest::of(&body);
    let mut request = Request::post("/").body(body.into()).map_err(broke_off)?;
    let headers = request.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let accepted = HeaderValue::from_static("application/json, application/problem+json");
    headers.insert(ACCEPT, accepted);
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    if let Some(digest) = digest {
        headers.insert(digest::CONTENT_DIGEST, digest);
    }
    let unreachable = |cause: &dyn core::fmt::Display| {
        broke_off(format!(
            "the other side cannot be reached ({cause}); check its address and that it runs"
        ))
    };
    let exchange = async {
        let response = client.send(path, request).await;
        document(response.map_err(|error| unreachable(&error))?).await
    };
    timeout(LONGEST, exchange)
        .await
        .unwrap_or_else(|_| Err(unreachable(&"operation timed out")))
}
