//! Errors of starting the server.

use std::net::SocketAddr;

/// Reason for which the server cannot be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// The address cannot be listened on.
    #[error("nothing can listen on {address} ({source}); {cure}")]
    Listen {
        /// Address of the settings.
        address: SocketAddr,
        /// Error of the system.
        source: std::io::Error,
        /// Advice to the operator.
        cure: &'static str,
    },
    /// The certificate chain cannot be read.
    #[error("the certificate cannot be used ({0}); give the chain in PEM, the server's own first")]
    Certificate(String),
    /// The key cannot be read, or belongs to another certificate.
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
