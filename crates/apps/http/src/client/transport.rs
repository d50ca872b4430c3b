//! The transport of one exchange: each attempt is one POST of the same bytes, and its answer is bound to it.

use std::future::{Future, pending};
use std::pin::Pin;

use async_trait::async_trait;
use axum::http::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE};
use counterfoil_peer::transport::{Arrival, Bound, Transport, TransportError};

use super::error::plainly;
use super::reading::{broke_off, document, refused};
use super::{Client, digest};

/// One attempt, on its way.
type Attempt = Pin<Box<dyn Future<Output = Result<Vec<u8>, TransportError>> + Send>>;

/// A way to one other agent over HTTP, for one exchange.
pub struct HttpTransport {
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

/// What is on its way stays out of log lines.
impl core::fmt::Debug for HttpTransport {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("HttpTransport")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl Transport for HttpTransport {
    /// Begins an attempt; the one before is given up. What becomes of it is for [`receive`](Transport::receive) to say.
    async fn send(&mut self, request: &[u8]) -> Result<(), TransportError> {
        self.attempt = Some(Box::pin(attempt(
            self.client.clone(),
            self.path,
            request.to_vec(),
        )));
        Ok(())
    }

    async fn receive(&mut self) -> Result<Arrival, TransportError> {
        let Some(attempt) = &mut self.attempt else {
            return pending().await;
        };
        let came = attempt.await;
        self.attempt = None;
        Ok(Arrival {
            bytes: came?,
            bound: Bound::SameWay,
        })
    }
}

async fn attempt(client: Client, path: &str, request: Vec<u8>) -> Result<Vec<u8>, TransportError> {
    let url = client
        .url(path)
        .ok_or_else(|| refused("the address has no such path".to_owned()))?;
    let mut sending = client
        .http
        .post(url)
        .header(CONTENT_TYPE, "application/json")
        .header(ACCEPT, "application/json, application/problem+json")
        .header(ACCEPT_ENCODING, "identity");
    if let Some(digest) = digest::of(&request) {
        sending = sending.header(digest::CONTENT_DIGEST, digest);
    }
    let response = sending.body(request).send().await;
    document(response.map_err(|error| {
        let cause = plainly(&error);
        broke_off(format!(
            "the other side cannot be reached ({cause}); check its address and that it runs"
        ))
    })?)
    .await
}
