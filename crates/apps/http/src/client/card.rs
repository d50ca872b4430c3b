//! Agent card of an address, and the signed capability in it (R8): a hint, which gives no trust.

use std::time::Duration;

use counterfoil_exchange::documents::{Capability, Signature};
use counterfoil_peer::PeerError;
use counterfoil_types::json::{Limits, Value, canonical, parse};
use counterfoil_web::{Bytes, Request};
use tokio::time::timeout;

use super::Client;
use super::reading::document;
use crate::HttpError;
use crate::protocol::EXTENSION;

/// Time limit of reading a card.
const PATIENCE: Duration = Duration::from_secs(15);

impl Client {
    /// Returns the agent's description of itself, signed with the key that it names. The signature proves no more than that
    /// the agent holds the key.
    ///
    /// # Errors
    /// [`HttpError::Unreachable`] if there is no answer in 15 s, and [`HttpError::NoCard`] if it holds no such capability.
    pub async fn agent_card(&self) -> Result<Capability, HttpError> {
        let unreachable = |cause: &dyn core::fmt::Display| {
            HttpError::Unreachable(format!(
                "the agent cannot be reached ({cause}); check its address and that it runs"
            ))
        };
        let reading = async {
            let request = Request::new(Bytes::new());
            let response = self.send(".well-known/agent-card.json", request).await;
            let response = response.map_err(|error| unreachable(&error))?;
            document(response).await.map_err(|error| match error {
                PeerError::Refused { detail, .. } => no_card(detail),
                other => HttpError::Unreachable(other.to_string()),
            })
        };
        let body = timeout(PATIENCE, reading)
            .await
            .unwrap_or_else(|_| Err(unreachable(&"operation timed out")))?;
        let card = parse(&body, Limits::DOCUMENT)
            .map_err(|error| no_card(format!("its agent card is no JSON ({error})")))?;
        let params = params(&card)
            .ok_or_else(|| no_card(format!("its agent card does not name {EXTENSION}")))?;
        let bytes = canonical(params).map_err(|error| no_card(error.to_string()))?;
        let capability =
            Capability::parse(bytes.as_bytes()).map_err(|error| no_card(error.to_string()))?;
        match capability.signature() {
            Signature::Holds(key) if key == capability.parts().agent.public_key => Ok(capability),
            _ => Err(no_card("the signature in its agent card does not hold")),
        }
    }
}

fn params(card: &Value) -> Option<&Value> {
    let extensions = card.get("capabilities")?.get("extensions")?.as_array()?;
    let ours = extensions
        .iter()
        .find(|extension| extension.get("uri").and_then(Value::as_str) == Some(EXTENSION));
    ours?.get("params")
}

fn no_card(what: impl Into<String>) -> HttpError {
    HttpError::NoCard { what: what.into() }
}
