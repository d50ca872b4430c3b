//! Why the server cannot be started.

use std::net::SocketAddr;

/// Why the server cannot be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// Nobody can listen there.
    #[error("nothing can listen on {address} ({source}); {cure}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// What the system said.
        source: std::io::Error,
        /// What to do.
        cure: &'static str,
    },
    /// The certificate chain is none.
    #[error("the certificate cannot be used ({0}); give the chain in PEM, the server's own first")]
    Certificate(String),
    /// The key is none, or another certificate's.
    #[error("the key cannot be used ({0}); give the certificate's own private key in PEM")]
    Key(String),
}

impl ServerError {
    pub(super) fn listen(address: SocketAddr, source: std::io::Error) -> Self {
        let cure = match source.kind() {
            std::io::ErrorKind::AddrInUse => {
                "end the program that listens there, or choose another port with --listen"
            }
            std::io::ErrorKind::PermissionDenied => "choose a port above 1023 with --listen",
            std::io::ErrorKind::AddrNotAvailable => {
                "choose an address of this machine with --listen"
            }
            _ => "choose another address with --listen",
        };
        Self::Listen {
            address,
            source,
            cure,
        }
    }
}
