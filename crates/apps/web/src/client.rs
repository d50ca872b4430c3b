//! Client and its answers.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper::header::{HOST, HeaderMap, HeaderValue};
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, Error as TlsError, crypto};
use rustls_platform_verifier::Verifier;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use url::{Host, Url};

/// Time limit of one connection: name resolution, TCP and TLS handshakes.
const CONNECT: Duration = Duration::from_secs(10);

/// Client with its trusted certificate authorities; cheap to clone.
#[derive(Clone)]
pub struct WebClient {
    tls: Option<TlsConnector>,
}

/// Answer whose body has not been read.
pub struct WebResponse {
    /// HTTP status.
    pub status: StatusCode,
    /// HTTP headers.
    pub headers: HeaderMap,
    body: Incoming,
    /// Task that drives the connection; dropped, and so ended, with the response.
    _connection: JoinSet<()>,
}

impl WebClient {
    /// Returns a client that trusts the certificate authorities of the system and `extra_roots`.
    ///
    /// # Errors
    /// An extra root is not a certificate, or no authority is found at all.
    pub fn new(extra_roots: Vec<CertificateDer<'static>>) -> Result<Self, TlsError> {
        let provider = Arc::new(crypto::ring::default_provider());
        let verifier = Verifier::new_with_extra_roots(extra_roots, Arc::clone(&provider))?;
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier))
            .with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self {
            tls: Some(TlsConnector::from(Arc::new(config))),
        })
    }

    /// Returns a client for plain HTTP, which needs no certificate authorities; it refuses `https` URLs.
    pub const fn without_tls() -> Self {
        Self { tls: None }
    }

    /// Sends `request` to `url`, whose path and `Host` it sets, and returns the head of the answer.
    ///
    /// The connection goes to one of `addresses` if there are any, and to those of the URL's host otherwise. Only connecting
    /// has a time limit (10 s): the caller limits the rest.
    ///
    /// # Errors
    /// The host cannot be reached or identified, or the connection ends before the head of an answer.
    pub async fn send(
        &self,
        url: &Url,
        addresses: Option<&[SocketAddr]>,
        mut request: Request<Bytes>,
    ) -> io::Result<WebResponse> {
        let authority = &url[url::Position::BeforeHost..url::Position::AfterPort];
        let host = HeaderValue::from_str(authority).map_err(io::Error::other)?;
        request.headers_mut().insert(HOST, host);
        let target = &url[url::Position::BeforePath..url::Position::AfterQuery];
        *request.uri_mut() = target.parse().map_err(io::Error::other)?;
        let request = request.map(Full::new);
        match (url.scheme(), &self.tls) {
            ("http", _) => exchange(limited(connect(url, addresses)).await?, request).await,
            ("https", Some(tls)) => {
                let name = match url.host() {
                    Some(Host::Domain(name)) => {
                        ServerName::try_from(name.to_owned()).map_err(io::Error::other)?
                    }
                    Some(Host::Ipv4(address)) => IpAddr::from(address).into(),
                    Some(Host::Ipv6(address)) => IpAddr::from(address).into(),
                    None => return Err(io::ErrorKind::InvalidInput.into()),
                };
                let connecting = async { tls.connect(name, connect(url, addresses).await?).await };
                exchange(limited(connecting).await?, request).await
            }
            _ => Err(io::ErrorKind::Unsupported.into()),
        }
    }
}

impl WebResponse {
    /// Returns the next piece of the body; `None` at its end.
    ///
    /// # Errors
    /// The connection ends before the body does.
    pub async fn chunk(&mut self) -> io::Result<Option<Bytes>> {
        while let Some(frame) = self.body.frame().await {
            if let Ok(data) = frame.map_err(|error| innermost(&error))?.into_data() {
                return Ok(Some(data));
            }
        }
        Ok(None)
    }

    /// Returns the whole body; `None` if it has more than `most` bytes.
    ///
    /// # Errors
    /// The connection ends before the body does.
    pub async fn body(&mut self, most: usize) -> io::Result<Option<Vec<u8>>> {
        let mut body = Vec::new();
        while let Some(chunk) = self.chunk().await? {
            if body.len() + chunk.len() > most {
                return Ok(None);
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Some(body))
    }
}

/// Returns true if the host of `url` is this machine by its name or address.
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

async fn limited<T>(connecting: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    let timed_out = || io::Error::new(io::ErrorKind::TimedOut, "operation timed out");
    timeout(CONNECT, connecting)
        .await
        .unwrap_or_else(|_| Err(timed_out()))
}

async fn connect(url: &Url, addresses: Option<&[SocketAddr]>) -> io::Result<TcpStream> {
    let stream = match addresses {
        Some(addresses) => TcpStream::connect(addresses).await?,
        None => {
            let host = url.host_str().unwrap_or_default();
            let bare = host.trim_start_matches('[').trim_end_matches(']');
            let port = url.port_or_known_default().unwrap_or_default();
            let found: Vec<SocketAddr> = lookup_host((bare, port)).await?.collect();
            TcpStream::connect(&*found).await?
        }
    };
    stream.set_nodelay(true)?;
    Ok(stream)
}

async fn exchange(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    request: Request<Full<Bytes>>,
) -> io::Result<WebResponse> {
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream))
        .await
        .map_err(|error| innermost(&error))?;
    let mut driver = JoinSet::new();
    driver.spawn(async move {
        // The request or the body reports how the connection ended.
        let _ = connection.await;
    });
    let response = sender.send_request(request).await;
    let (head, body) = response.map_err(|error| innermost(&error))?.into_parts();
    Ok(WebResponse {
        status: head.status,
        headers: head.headers,
        body,
        _connection: driver,
    })
}

/// Keeps the innermost cause of a failure: the outer ones say no more than that a request failed.
fn innermost(error: &hyper::Error) -> io::Error {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    io::Error::other(cause.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_client_without_tls_sends_nothing_to_https() {
        let url = Url::parse("https://127.0.0.1:9/").unwrap();
        let request = Request::new(Bytes::new());
        let sent = WebClient::without_tls().send(&url, None, request).await;
        assert_eq!(
            sent.err().map(|error| error.kind()),
            Some(io::ErrorKind::Unsupported)
        );
    }

    #[test]
    fn loopback_is_this_machine_by_name_or_address() {
        for (url, expected) in [
            ("http://localhost:1/", true),
            ("http://127.8.8.8/", true),
            ("http://[::1]:1/", true),
            ("http://localhost.example.org/", false),
            ("http://10.0.0.1/", false),
            ("http://0.0.0.0/", false),
            ("http://[::2]/", false),
        ] {
            assert_eq!(is_loopback(&Url::parse(url).unwrap()), expected, "{url}");
        }
    }
}
