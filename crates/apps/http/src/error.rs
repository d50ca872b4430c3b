//! Errors of starting a server and of asking an address.

use std::net::SocketAddr;

/// Reason for which a server cannot be started, or an address cannot be asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HttpError {
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
    /// The address is not a URL that this client accepts.
    #[error("an agent's address must be {must}")]
    Address {
        /// Rule that the address breaks.
        must: &'static str,
    },
    /// The extra certificates cannot be read.
    #[error(
        "these are no certificates in PEM; give the file that the agent's operator has handed out"
    )]
    Certificates,
    /// TLS cannot be set up.
    #[error(
        "no connection can be made ({0}); check the system's certificates, or give the agent's with --ca"
    )]
    Setup(String),
    /// The agent cannot be reached, or the connection broke off.
    #[error("{0}")]
    Unreachable(String),
    /// The answer is not an agent card of this protocol.
    #[error("{what}; ask the agent's operator for its address")]
    NoCard {
        /// Fault of the answer.
        what: String,
    },
}

impl HttpError {
    pub(crate) fn listen(address: SocketAddr, source: std::io::Error) -> Self {
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
