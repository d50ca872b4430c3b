//! What an agent says of itself at its URL: the key, the log, what it knows of.

use counterfoil_exchange::documents::Capability;
use counterfoil_http::client::{Client, ClientError, ClientSettings};

use crate::failure::{ErrorKind, Failure};

/// Returns true for a URL, false for a key.
pub(super) fn is_url(text: &str) -> bool {
    text.starts_with("https://") || text.starts_with("http://")
}

/// The agent card at `url`, signed with the key that it names.
pub(super) async fn fetch(url: &str, plain_http: bool) -> Result<Capability, Failure> {
    let settings = ClientSettings {
        plain_http,
        extra_ca_pem: None,
    };
    let failed = |error| match error {
        ClientError::Unreachable(_) => Failure::new(ErrorKind::Unproven, error.to_string()),
        error => Failure::new(ErrorKind::Input, error.to_string()),
    };
    let client = Client::new(url, &settings).map_err(failed)?;
    client.agent_card().await.map_err(failed)
}
