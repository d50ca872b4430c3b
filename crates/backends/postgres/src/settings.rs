//! Address and limits of a ground.

use std::path::PathBuf;
use std::time::Duration;

/// Address and limits of a ground, with defaults for one data centre.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroundSettings {
    /// Address: `postgres://USER@HOST/DATABASE`. A password is better in `PGPASSWORD`.
    pub url: String,
    /// Address of the database that holds the keys of content; that of the ground by default.
    pub keys_url: Option<String>,
    /// File with the certificate (PEM) of the authority that signs for the server, in addition to those of the system.
    pub root_certificate: Option<PathBuf>,
    /// Most connections of this process; 8 by default.
    pub connections: usize,
    /// Time limit for a connection; 5 s by default.
    pub connect: Duration,
    /// Time limit for one statement (`statement_timeout`), and for a transaction that its node has left alone; 30 s by default.
    pub statement: Duration,
    /// Time limit to wait for the head, which another node holds (`lock_timeout`); 10 s by default.
    pub lock: Duration,
    /// Time for which a commit is looked for whose outcome is not known; 20 s by default.
    pub settle: Duration,
}

impl GroundSettings {
    /// The ground at `url`, with all defaults.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            keys_url: None,
            root_certificate: None,
            connections: 8,
            connect: Duration::from_secs(5),
            statement: Duration::from_secs(30),
            lock: Duration::from_secs(10),
            settle: Duration::from_secs(20),
        }
    }
}
