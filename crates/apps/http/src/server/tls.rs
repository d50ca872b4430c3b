//! TLS of the server (rustls with *ring*, docs/decisions/0014).

use std::sync::Arc;

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::HttpError;

/// Most certificates of a chain; further ones are ignored.
const MAX_CHAIN: usize = 16;

/// Returns the TLS settings for a certificate chain and its key, both in PEM.
///
/// # Errors
/// [`HttpError::Certificate`], [`HttpError::Key`].
pub fn server_config(chain_pem: &[u8], key_pem: &[u8]) -> Result<Arc<ServerConfig>, HttpError> {
    let chain = CertificateDer::pem_slice_iter(chain_pem)
        .take(MAX_CHAIN)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| HttpError::Certificate(error.to_string()))?;
    if chain.is_empty() {
        return Err(HttpError::Certificate(
            "there is none in the file".to_owned(),
        ));
    }
    let key = PrivateKeyDer::from_pem_slice(key_pem)
        .map_err(|error| HttpError::Key(error.to_string()))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| HttpError::Key(error.to_string()))?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(|error| HttpError::Key(error.to_string()))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made() -> (String, String) {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        (made.cert.pem(), made.signing_key.serialize_pem())
    }

    #[test]
    fn a_chain_goes_with_its_own_key_alone() {
        let ((cert, key), (_, other)) = (made(), made());
        assert!(server_config(cert.as_bytes(), key.as_bytes()).is_ok());
        assert!(matches!(
            server_config(cert.as_bytes(), other.as_bytes()),
            Err(HttpError::Key(_))
        ));
        assert!(matches!(
            server_config(b"", key.as_bytes()),
            Err(HttpError::Certificate(_))
        ));
        assert!(matches!(
            server_config(cert.as_bytes(), b"x"),
            Err(HttpError::Key(_))
        ));
    }
}
