//! Where the server listens, and what bounds it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use rustls::ServerConfig;

/// How the server is reached.
#[derive(Debug, Clone)]
pub struct ServerSettings {
    /// Where it listens; port 0 is any free one.
    pub listen: SocketAddr,
    /// Certificate and key; `None`: plain HTTP, for this machine or a proxy on it.
    pub tls: Option<Arc<ServerConfig>>,
    /// The URL by which others reach it, for the agent card; `None`: where it listens.
    pub url: Option<String>,
    /// A proxy on this machine names the caller in the last `X-Forwarded-For`. From elsewhere that header counts for nothing.
    pub behind_proxy: bool,
    /// What bounds it.
    pub limits: ServerLimits,
}

impl ServerSettings {
    /// Plain HTTP at this address, with the limits that are set where nothing is said.
    #[must_use]
    pub fn at(listen: SocketAddr) -> Self {
        Self {
            listen,
            tls: None,
            url: None,
            behind_proxy: false,
            limits: ServerLimits::default(),
        }
    }
}

/// What bounds the server. Each limit holds for strangers; none needs their goodwill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerLimits {
    /// For the TLS handshake, and for the head of each request from the end of the one before it.
    pub head: Duration,
    /// For a whole body.
    pub body: Duration,
    /// For an answer, from the body on, its turn included.
    pub answer: Duration,
    /// For a connection: then it ends after the request that it is at.
    pub connection: Duration,
    /// For what is under way when the server, or a connection, ends.
    pub drain: Duration,
    /// Connections at once; further ones wait to be accepted.
    pub connections: usize,
    /// Connections at once of one address (IPv6: of one /64); further ones are closed. A proxy on this machine is exempt.
    pub connections_per_address: usize,
    /// Answers that are worked on at once.
    pub answers: usize,
    /// Bodies above 64 KiB that are held at once.
    pub large_bodies: usize,
    /// Requests of one address (IPv6: of one /64) a second, on average.
    pub requests_per_second: u32,
    /// Requests of one address that may come at once.
    pub burst: u32,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            head: Duration::from_secs(10),
            body: Duration::from_secs(15),
            answer: Duration::from_secs(30),
            connection: Duration::from_secs(300),
            drain: Duration::from_secs(10),
            connections: 512,
            connections_per_address: 64,
            answers: 256,
            large_bodies: 32,
            requests_per_second: 100,
            burst: 200,
        }
    }
}
