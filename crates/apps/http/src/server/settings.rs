//! Address and limits of the server.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use rustls::ServerConfig;

/// Tiles of the log that anyone may read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PublicTiles {
    /// None.
    #[default]
    Off,
    /// Hashes alone: enough to compare two states of the log, and nothing of an entry.
    Hashes,
    /// Hashes and entries. An entry names its World and tells length and number of fields of its content, private or not.
    All,
}

/// Address, TLS and limits of the server; no limit relies on the goodwill of a stranger.
#[derive(Debug, Clone)]
pub struct ServerSettings {
    /// Address to listen on; port 0 is any free one.
    pub listen: SocketAddr,
    /// Certificate and key; `None` is plain HTTP, for this machine or a proxy on it.
    pub tls: Option<Arc<ServerConfig>>,
    /// URL by which others reach the server, for the agent card; `None` is the address it listens on.
    pub url: Option<String>,
    /// Takes the caller from the last `X-Forwarded-For` if a proxy on this machine connects; ignored from elsewhere.
    pub behind_proxy: bool,
    /// Tiles of the log that anyone may read (none).
    pub tiles: PublicTiles,
    /// Time for the TLS handshake, and for the head of each request from the end of the one before it (10 s).
    pub head: Duration,
    /// Time for a whole body (15 s).
    pub body: Duration,
    /// Time for an answer from the end of the body on, waiting for a permit included (30 s).
    pub answer: Duration,
    /// Time for a connection, which then ends after the current request (300 s).
    pub connection: Duration,
    /// Time for the requests under way when the server or a connection ends (10 s).
    pub drain: Duration,
    /// Connections at once; further ones wait to be accepted (512).
    pub connections: usize,
    /// Connections at once of one address (IPv6: of one /64); further ones are closed (64). A proxy on this machine is exempt.
    pub connections_per_address: usize,
    /// Answers computed at once (256).
    pub answers: usize,
    /// Bodies above 64 KiB in memory at once (32).
    pub large_bodies: usize,
    /// Requests of one address (IPv6: of one /64) a second, on average (100).
    pub requests_per_second: u32,
    /// Requests of one address that may come at once (200).
    pub burst: u32,
}

impl ServerSettings {
    /// Returns settings for plain HTTP at this address, with the default limits.
    pub const fn at(listen: SocketAddr) -> Self {
        Self {
            listen,
            tls: None,
            url: None,
            behind_proxy: false,
            tiles: PublicTiles::Off,
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
