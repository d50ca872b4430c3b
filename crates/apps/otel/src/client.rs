//! Client that takes spans and metrics to the collector.

use std::io;
use std::time::Duration;

use async_trait::async_trait;
use counterfoil_web::{Bytes, Request, Url, WebClient};
use opentelemetry_http::{HttpClient, HttpError, Response};
use tokio::runtime::Builder;
use tokio::time::timeout;

/// Time for a request and its answer.
const SENDING: Duration = Duration::from_secs(5);
/// Longest answer that is read, in bytes.
const MAX_ANSWER: usize = 64 << 10;

/// HTTP client of the exporters, which call it on threads of their own. Each request has a runtime of its own: it then ends with the
/// server, whatever becomes of the runtime that serves.
#[derive(Debug)]
pub(crate) struct Client;

#[async_trait]
impl HttpClient for Client {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let sent = runtime.block_on(async { timeout(SENDING, send(request)).await });
        Ok(sent.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??)
    }
}

async fn send(request: Request<Bytes>) -> io::Result<Response<Bytes>> {
    let url = Url::parse(&request.uri().to_string()).map_err(io::Error::other)?;
    let client = match url.scheme() {
        "https" => WebClient::new(Vec::new()).map_err(io::Error::other)?,
        _ => WebClient::without_tls(),
    };
    let mut response = client.send(&url, None, request).await?;
    let body = response.body(MAX_ANSWER).await?.unwrap_or_default();
    let mut answer = Response::new(body.into());
    *answer.status_mut() = response.status;
    *answer.headers_mut() = response.headers;
    Ok(answer)
}
