//! The client: carries the bytes of one exchange to one address, and reads nothing into what comes back.

mod card;
mod error;
mod reading;
mod transport;

use std::net::IpAddr;
use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Certificate, Url};

pub use card::agent_card;
pub use error::ClientError;
pub use transport::HttpTransport;

use crate::digest;

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(10);
/// How long the other side may be silent, and how long an exchange may last: the machine has its own deadline within it.
const LONGEST: Duration = Duration::from_secs(600);
/// The most headers of an answer.
const MAX_HEADERS: usize = 64;

/// How an address may be asked.
#[derive(Debug, Clone, Default)]
pub struct ClientSettings {
    /// Plain HTTP elsewhere than on this machine: whoever carries it reads what is asked.
    pub plain_http: bool,
    /// Certificates that are trusted beside the system's, in PEM.
    pub extra_ca_pem: Option<Vec<u8>>,
}

/// A client for one address.
#[derive(Debug, Clone)]
pub struct Client {
    http: reqwest::Client,
    base: Url,
}

impl Client {
    /// A client for `address`, such as `https://agent.example.org` or `http://127.0.0.1:8410`. Nothing is sent yet.
    ///
    /// # Errors
    /// [`ClientError`]: the address is not one that is asked, or there is no TLS to be had.
    pub fn new(address: &str, settings: &ClientSettings) -> Result<Self, ClientError> {
        let base = base(address, settings.plain_http)?;
        // Whoever was here first has chosen the provider of the process; either serves.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = reqwest::Client::builder()
            .redirect(Policy::none())
            .no_proxy()
            .referer(false)
            .http1_only()
            .http1_max_headers(MAX_HEADERS)
            .retry(reqwest::retry::never())
            .connect_timeout(CONNECT)
            .read_timeout(LONGEST)
            .timeout(LONGEST)
            .user_agent(concat!("counterfoil/", env!("CARGO_PKG_VERSION")));
        let builder = match (&settings.extra_ca_pem, base.scheme()) {
            (Some(pem), _) => builder.tls_certs_merge(certificates(pem)?),
            // The system's certificates are of no use to plain HTTP, and a machine may have none.
            (None, "http") => builder.tls_certs_only([]),
            (None, _) => builder,
        };
        let http = builder
            .build()
            .map_err(|error| ClientError::Setup(error::plainly(&error)))?;
        Ok(Self { http, base })
    }

    /// The way there for one exchange.
    #[must_use]
    pub fn transport(&self) -> HttpTransport {
        HttpTransport::new(self.clone(), "mrp/v1/request")
    }

    /// The way there for one `memory_verify`.
    #[must_use]
    pub fn verify_transport(&self) -> HttpTransport {
        HttpTransport::new(self.clone(), "mrp/v1/verify")
    }

    /// The address, as it was understood.
    #[must_use]
    pub fn address(&self) -> &str {
        self.base.as_str().trim_end_matches('/')
    }

    fn url(&self, path: &str) -> Option<Url> {
        self.base.join(path).ok()
    }
}

fn certificates(pem: &[u8]) -> Result<Vec<Certificate>, ClientError> {
    let certificates = Certificate::from_pem_bundle(pem).map_err(|_| ClientError::Certificates)?;
    if certificates.is_empty() {
        Err(ClientError::Certificates)
    } else {
        Ok(certificates)
    }
}

/// The address with a last `/`, so that paths are added to it.
fn base(address: &str, plain_http: bool) -> Result<Url, ClientError> {
    let wrong = |must| ClientError::Address { must };
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

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost"
        || bare
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_added_to_the_address() {
        for address in ["https://a.example/x", "https://a.example/x/"] {
            let client = Client::new(address, &ClientSettings::default()).unwrap();
            assert_eq!(
                client.url("mrp/v1/request").unwrap().as_str(),
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
