//! The agent card of an address, and the signed capability in it (R8): a hint, which gives no trust.

use counterfoil_exchange::documents::{Capability, Signature};
use counterfoil_peer::TransportError;
use counterfoil_types::json::{Limits, Value, canonical, parse};

use super::error::plainly;
use super::reading::document;
use super::{Client, ClientError, ClientSettings};
use crate::EXTENSION;

/// How long a card may take.
const PATIENCE: core::time::Duration = core::time::Duration::from_secs(15);

/// What the agent at `address` says of itself, signed with the key that it names.
///
/// # Errors
/// [`ClientError`]; a card whose signature does not hold is none.
pub async fn agent_card(
    address: &str,
    settings: &ClientSettings,
) -> Result<Capability, ClientError> {
    Client::new(address, settings)?.agent_card().await
}

impl Client {
    /// What the agent says of itself, signed with the key that it names.
    ///
    /// # Errors
    /// [`ClientError::Unreachable`], [`ClientError::NoCard`].
    pub async fn agent_card(&self) -> Result<Capability, ClientError> {
        let url = self
            .url(".well-known/agent-card.json")
            .ok_or_else(|| no_card("the address has no such path"))?;
        let response = self.http.get(url).timeout(PATIENCE).send().await;
        let response = response.map_err(|error| {
            let cause = plainly(&error);
            ClientError::Unreachable(format!(
                "the agent cannot be reached ({cause}); check its address and that it runs"
            ))
        })?;
        let body = document(response).await.map_err(|error| match error {
            TransportError::Refused { detail, .. } => no_card(detail),
            other => ClientError::Unreachable(other.to_string()),
        })?;
        read(&body)
    }
}

fn read(card: &[u8]) -> Result<Capability, ClientError> {
    let card = parse(card, Limits::DOCUMENT)
        .map_err(|error| no_card(format!("its agent card is no JSON ({error})")))?;
    let params = params(&card)
        .ok_or_else(|| no_card(format!("its agent card does not name {EXTENSION}")))?;
    let bytes = canonical(params).map_err(|error| no_card(error.to_string()))?;
    let capability =
        Capability::parse(bytes.as_bytes()).map_err(|error| no_card(error.to_string()))?;
    match capability.signature() {
        Signature::Holds(key) if key == capability.parts().agent.1 => Ok(capability),
        _ => Err(no_card("the signature in its agent card does not hold")),
    }
}

fn params(card: &Value) -> Option<&Value> {
    let extensions = card.get("capabilities")?.get("extensions")?.as_array()?;
    let ours = extensions
        .iter()
        .find(|extension| extension.get("uri").and_then(Value::as_str) == Some(EXTENSION));
    ours?.get("params")
}

fn no_card(what: impl Into<String>) -> ClientError {
    ClientError::NoCard { what: what.into() }
}
