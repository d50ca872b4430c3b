//! Constants of the protocol that server and client share.

/// Largest body in either direction, in bytes.
pub(crate) const MAX_BODY_BYTES: usize = counterfoil_exchange::documents::MAX_DOCUMENT_BYTES;
/// URI of the protocol's extension in agent cards.
pub(crate) const EXTENSION: &str = "https://counterfoil.dev/mrp/v1";
/// Headers of HTTP message signatures (RFC 9421): refused, not ignored (docs/decisions/0017).
pub(crate) const SIGNATURES: [&str; 2] = ["signature", "signature-input"];
