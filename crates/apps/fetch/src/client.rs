//! One GET to tested addresses of one host, with nothing sent along (R11; case 108).

use std::io;
use std::net::{IpAddr, SocketAddr};

use async_trait::async_trait;
use counterfoil_web::header::{ACCEPT_ENCODING, CONTENT_ENCODING, HeaderValue, LOCATION};
use counterfoil_web::{Bytes, Request, StatusCode, WebClient, WebResponse};
use sha2::{Digest, Sha256};

use crate::address::is_public;
use crate::target::Target;

/// Port of every request.
const PORT: u16 = 443;

/// Resolver of names.
#[async_trait]
pub(crate) trait Resolve: Send + Sync {
    /// Returns all addresses of `host`.
    async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>>;
}

/// Resolver of the system.
pub(crate) struct SystemResolver;

#[async_trait]
impl Resolve for SystemResolver {
    async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        let found = tokio::net::lookup_host((host, PORT)).await?;
        Ok(found.map(|address| address.ip()).collect())
    }
}

/// Resolves the host of a URL that another agent has named; `None` unless it may be fetched (`https` at port 443 of a name of the public DNS)
/// and each address of the host is public. The caller connects to these addresses, and resolves nothing again.
pub async fn public_addresses(url: &str) -> Option<Vec<SocketAddr>> {
    let target = Target::read(url)?;
    let found = SystemResolver.resolve(target.host()).await.ok()?;
    let is_public = !found.is_empty() && found.iter().all(|address| is_public(*address));
    let sockets = found
        .into_iter()
        .map(|address| SocketAddr::new(address, PORT));
    is_public.then(|| sockets.collect())
}

/// Outcome of one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fetched {
    /// A body with this SHA-256.
    Body([u8; 32]),
    /// A redirect to another target.
    Redirect(Target),
    /// Status 404 or 410.
    Gone,
    /// A private address, or a redirect to a forbidden target.
    Forbidden,
    /// No answer, another status, or a body that is too long.
    Unavailable,
}

/// Sends GET requests to public addresses.
pub(crate) struct PublicClient {
    pub(crate) resolver: Box<dyn Resolve>,
    /// `None` if TLS cannot be set up: then nothing can be fetched.
    pub(crate) web: Option<WebClient>,
    /// Addresses of this machine that stand for public ones in tests.
    #[cfg(test)]
    pub(crate) instead: std::collections::HashMap<IpAddr, SocketAddr>,
}

impl PublicClient {
    /// Requests `target` once, and reads at most `limit` bytes of the body.
    pub(crate) async fn get(&self, target: &Target, limit: usize) -> Fetched {
        let Ok(addresses) = self.resolver.resolve(target.host()).await else {
            return Fetched::Unavailable;
        };
        if addresses.is_empty() {
            return Fetched::Unavailable;
        }
        if !addresses.iter().all(|address| is_public(*address)) {
            return Fetched::Forbidden;
        }
        let tested: Vec<SocketAddr> = addresses.into_iter().map(|at| self.socket(at)).collect();
        let Some(web) = &self.web else {
            return Fetched::Unavailable;
        };
        let mut request = Request::new(Bytes::new());
        let plain = HeaderValue::from_static("identity");
        request.headers_mut().insert(ACCEPT_ENCODING, plain);
        match web.send(target.url(), Some(&tested), request).await {
            Ok(response) => read(target, response, limit).await,
            Err(_) => Fetched::Unavailable,
        }
    }

    fn socket(&self, address: IpAddr) -> SocketAddr {
        #[cfg(test)]
        if let Some(instead) = self.instead.get(&address) {
            return *instead;
        }
        SocketAddr::new(address, PORT)
    }
}

async fn read(target: &Target, mut response: WebResponse, limit: usize) -> Fetched {
    if response.status.is_redirection() {
        let location = response.headers.get(LOCATION);
        let location = location.and_then(|value| value.to_str().ok());
        let next = location.and_then(|location| target.redirected(location));
        return next.map_or(Fetched::Forbidden, Fetched::Redirect);
    }
    if [StatusCode::NOT_FOUND, StatusCode::GONE].contains(&response.status) {
        return Fetched::Gone;
    }
    if response.status != StatusCode::OK || response.headers.contains_key(CONTENT_ENCODING) {
        return Fetched::Unavailable;
    }
    match response.body(limit).await {
        Ok(Some(body)) => Fetched::Body(Sha256::digest(body).into()),
        Ok(None) | Err(_) => Fetched::Unavailable,
    }
}
