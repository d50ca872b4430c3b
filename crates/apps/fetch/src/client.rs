//! One GET to one host at addresses that were tested, and nothing sent along (R11; case 108).

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use async_trait::async_trait;
use reqwest::header::{ACCEPT_ENCODING, CONTENT_ENCODING, LOCATION};
use reqwest::redirect::Policy;
use reqwest::{Certificate, Client, Response, StatusCode};
use sha2::{Digest, Sha256};

use crate::address::is_public;
use crate::target::Target;

/// Turns a name into addresses.
#[async_trait]
pub trait Resolve: Send + Sync {
    /// All addresses of `host`.
    ///
    /// # Errors
    /// When it has none, or nobody can be asked.
    async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>>;
}

/// The system's resolver.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

#[async_trait]
impl Resolve for SystemResolver {
    async fn resolve(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        let found = tokio::net::lookup_host((host, 443)).await?;
        Ok(found.map(|address| address.ip()).collect())
    }
}

/// What is at a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Found {
    /// A body with this hash.
    Body([u8; 32]),
    /// Somewhere else.
    Elsewhere(Target),
    /// Nothing any more: 404 or 410.
    Gone,
    /// It leads to where nobody looks.
    Forbidden,
    /// Not to be had just now.
    Unavailable,
}

/// Where tested addresses are dialled.
#[derive(Debug, Clone)]
pub(crate) struct Dial {
    /// Roots beside the system's.
    pub(crate) roots: Vec<Certificate>,
    /// In tests a public address stands for one of this machine.
    #[cfg(test)]
    pub(crate) instead: std::collections::HashMap<IpAddr, SocketAddr>,
}

impl Dial {
    pub(crate) fn trusting(roots: Vec<Certificate>) -> Self {
        Self {
            roots,
            #[cfg(test)]
            instead: std::collections::HashMap::new(),
        }
    }

    fn at(&self, address: IpAddr) -> SocketAddr {
        #[cfg(test)]
        if let Some(instead) = self.instead.get(&address) {
            return *instead;
        }
        SocketAddr::new(address, 443)
    }
}

/// Looks at one URL, once.
pub(crate) async fn get(
    target: &Target,
    resolver: &dyn Resolve,
    dial: &Dial,
    (bytes, time): (usize, Duration),
) -> Found {
    let Ok(addresses) = resolver.resolve(target.host()).await else {
        return Found::Unavailable;
    };
    if addresses.is_empty() {
        return Found::Unavailable;
    }
    if !addresses.iter().all(|address| is_public(*address)) {
        return Found::Forbidden;
    }
    let tested: Vec<SocketAddr> = addresses.iter().map(|address| dial.at(*address)).collect();
    let Ok(client) = client(target, &tested, dial, time) else {
        return Found::Unavailable;
    };
    let asked = client
        .get(target.url().clone())
        .header(ACCEPT_ENCODING, "identity");
    match asked.send().await {
        Ok(response) => read(target, response, bytes).await,
        Err(_) => Found::Unavailable,
    }
}

fn client(
    target: &Target,
    tested: &[SocketAddr],
    dial: &Dial,
    time: Duration,
) -> reqwest::Result<Client> {
    // Whoever was here first has chosen the provider of the process; either serves.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = Client::builder()
        .redirect(Policy::none())
        .no_proxy()
        .referer(false)
        .https_only(true)
        .timeout(time)
        .pool_max_idle_per_host(0)
        .resolve_to_addrs(target.host(), tested);
    dial.roots
        .iter()
        .fold(builder, |builder, root| {
            builder.add_root_certificate(root.clone())
        })
        .build()
}

async fn read(target: &Target, mut response: Response, limit: usize) -> Found {
    let status = response.status();
    if status.is_redirection() {
        let location = response
            .headers()
            .get(LOCATION)
            .and_then(|value| value.to_str().ok());
        let next = location.and_then(|location| target.redirected(location));
        return next.map_or(Found::Forbidden, Found::Elsewhere);
    }
    if [StatusCode::NOT_FOUND, StatusCode::GONE].contains(&status) {
        return Found::Gone;
    }
    if status != StatusCode::OK || response.headers().contains_key(CONTENT_ENCODING) {
        return Found::Unavailable;
    }
    let (mut hash, mut read) = (Sha256::new(), 0_usize);
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) => {
                read = read.saturating_add(chunk.len());
                if read > limit {
                    return Found::Unavailable;
                }
                hash.update(&chunk);
            }
            Ok(None) => return Found::Body(hash.finalize().into()),
            Err(_) => return Found::Unavailable,
        }
    }
}
