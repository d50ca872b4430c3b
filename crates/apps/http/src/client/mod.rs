//! Client for one address: carries the bytes of one exchange, and passes on what comes back unread.

mod card;
mod reading;
mod transport;
mod witness;

use std::io;
use std::net::SocketAddr;

use counterfoil_peer::Transport;
use counterfoil_web::pem::PemObject;
use counterfoil_web::{
    Bytes, CertificateDer, Request, Url, WebClient, WebResponse, header, is_loopback,
};

use transport::HttpTransport;

use crate::HttpError;

/// Value of `User-Agent`.
const USER_AGENT: &str = concat!("counterfoil/", env!("CARGO_PKG_VERSION"));

/// Connection settings of a [`Client`].
#[derive(Debug, Clone, Default)]
pub struct ClientSettings {
    /// Allows plain HTTP to other machines, which lets anyone on the way read the question. Default: false.
    pub plain_http: bool,
    /// Certificate authorities trusted beside the system's, in PEM.
    pub extra_ca_pem: Option<Vec<u8>>,
}

/// Client for one address.
#[derive(Clone)]
pub struct Client {
    web: WebClient,
    base: Url,
    /// Addresses to connect to; those of the host without any.
    addresses: Option<Vec<SocketAddr>>,
}

impl Client {
    /// Returns a client for `address`, such as `https://agent.example.org` or `http://127.0.0.1:8410`. Sends nothing.
    ///
    /// # Errors
    /// [`HttpError::Address`], [`HttpError::Certificates`], [`HttpError::Setup`].
    pub fn new(address: &str, settings: &ClientSettings) -> Result<Self, HttpError> {
        let base = base(address, settings.plain_http)?;
        let setup = |error: counterfoil_web::TlsError| HttpError::Setup(error.to_string());
        let web = match (&settings.extra_ca_pem, base.scheme()) {
            (Some(pem), _) => WebClient::new(certificates(pem)?).map_err(setup)?,
            // A machine without certificate authorities can still use plain HTTP.
            (None, "http") => WebClient::without_tls(),
            (None, _) => WebClient::new(Vec::new()).map_err(setup)?,
        };
        Ok(Self {
            web,
            base,
            addresses: None,
        })
    }

    /// Connects to these addresses, and does not resolve the host.
    #[must_use]
    pub fn connecting_to(self, addresses: Vec<SocketAddr>) -> Self {
        Self {
            addresses: Some(addresses),
            ..self
        }
    }

    /// Returns the transport of one `memory_request`.
    pub fn transport(&self) -> impl Transport + use<> {
        HttpTransport::new(self.clone(), "mrp/v1/request")
    }

    /// Returns the transport of one `memory_verify`.
    pub fn verify_transport(&self) -> impl Transport + use<> {
        HttpTransport::new(self.clone(), "mrp/v1/verify")
    }

    /// Returns the normalised address, without a final `/`.
    pub fn address(&self) -> &str {
        self.base.as_str().trim_end_matches('/')
    }

    /// Sends `request` to a path below the address.
    async fn send(&self, path: &str, mut request: Request<Bytes>) -> io::Result<WebResponse> {
        let agent = header::HeaderValue::from_static(USER_AGENT);
        request.headers_mut().insert(header::USER_AGENT, agent);
        let url = self.base.join(path).map_err(io::Error::other)?;
        let addresses = self.addresses.as_deref();
        self.web.send(&url, addresses, request).await
    }
}

fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, HttpError> {
    let certificates: Vec<_> = CertificateDer::pem_slice_iter(pem)
        .collect::<Result<_, _>>()
        .map_err(|_| HttpError::Certificates)?;
    if certificates.is_empty() {
        return Err(HttpError::Certificates);
    }
    Ok(certificates)
}

/// Checks an address and ends it with `/`, so that paths are appended.
fn base(address: &str, plain_http: bool) -> Result<Url, HttpError> {
    let wrong = |must| HttpError::Address { must };
    let joined = format!("{}/", address.trim_end_matches('/'));
    let url = Url::parse(&joined).map_err(|_| wrong("a URL such as https://agent.example.org"))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(wrong(
            "without a name or password: who asks is in the document",
        ));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(wrong("without `?` and `#`"));
    }
    match url.scheme() {
        "https" => Ok(url),
        "http" if plain_http || is_loopback(&url) => Ok(url),
        "http" => Err(wrong(
            "https, but for this machine; --plain-http sends what is asked in the clear",
        )),
        _ => Err(wrong("https or http")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_added_to_the_address() {
        for address in ["https://a.example/x", "https://a.example/x/"] {
            let client = Client::new(address, &ClientSettings::default()).unwrap();
            assert_eq!(
                client.base.join("mrp/v1/request").unwrap().as_str(),
                "https://a.example/x/mrp/v1/request"
            );
            assert_eq!(client.address(), "https://a.example/x");
        }
    }

    #[test]
    fn plain_http_is_for_this_machine_alone() {
        for address in [
            "http://127.0.0.1:1",
            "http://localhost:8410",
            "http://[::1]:1",
            "http://127.8.8.8",
        ] {
            assert!(base(address, false).is_ok(), "{address}");
        }
        for address in [
            "http://10.0.0.1",
            "http://example.org",
            "http://localhost.example.org",
            "http://0.0.0.0",
        ] {
            assert!(base(address, false).is_err(), "{address}");
            assert!(base(address, true).is_ok(), "{address}");
        }
        for address in [
            "ftp://127.0.0.1",
            "file:///etc",
            "127.0.0.1",
            "https://a:b@x",
            "https://x/?a=b",
            "",
            "https://x/#a",
        ] {
            assert!(base(address, true).is_err(), "{address}");
        }
    }

    #[test]
    fn certificates_that_are_none_are_refused() {
        for pem in [
            "",
            "x",
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
        ] {
            let settings = ClientSettings {
                extra_ca_pem: Some(pem.into()),
                ..Default::default()
            };
            assert!(
                Client::new("https://a.example", &settings).is_err(),
                "{pem:?}"
            );
        }
    }
}
