//! `/.well-known/agent-card.json`: A2A agent card (A2A 0.3) with the signed capability as its extension.

use std::time::{Duration, Instant};

use counterfoil_exchange::documents::Capability;
use counterfoil_types::json::{Limits, parse};
use hyper::body::Bytes;
use hyper::header::{CACHE_CONTROL, HeaderValue};
use serde_json::{Value, json};

use super::Reply;
use super::app::App;
use super::documents::document;
use crate::problem::Problem;
use crate::protocol::EXTENSION;

/// Version of A2A that the card follows.
const A2A: &str = "0.3.0";
/// Age up to which a card is served again; its content is signed.
const FRESH: Duration = Duration::from_secs(60);

/// Answers `GET /.well-known/agent-card.json`.
pub(super) async fn card(app: &App) -> Result<Reply, Problem> {
    let mut cached = app.card.lock().await;
    let bytes = match &*cached {
        Some((made, bytes)) if made.elapsed() < FRESH => bytes.clone(),
        _ => {
            let capability = app.responder.capability(Some(&app.url)).await;
            let capability = capability.map_err(|error| {
                tracing::error!(%error, "no agent card");
                Problem::internal()
            })?;
            let card = of(&capability, &app.url).ok_or_else(Problem::internal)?;
            let bytes = Bytes::from(card.to_string());
            *cached = Some((Instant::now(), bytes.clone()));
            bytes
        }
    };
    drop(cached);
    let mut reply = document(bytes);
    let cache_control = HeaderValue::from_static("public, max-age=60");
    reply.headers_mut().insert(CACHE_CONTROL, cache_control);
    Ok(reply)
}

fn of(capability: &Capability, url: &str) -> Option<Value> {
    let parts = capability.parts();
    let params = parse(capability.bytes(), Limits::DOCUMENT).ok()?;
    let description = parts
        .description
        .as_ref()
        .map_or("Shares memories with evidence.", |text| text.as_str());
    let tags: Vec<&str> = parts.domains.iter().map(|domain| domain.as_str()).collect();
    Some(json!({
        "protocolVersion": A2A,
        "name": parts.agent.agent_id.as_str(),
        "description": description,
        "url": url,
        "preferredTransport": EXTENSION,
        "version": env!("CARGO_PKG_VERSION"),
        "capabilities": {
            "streaming": false,
            "pushNotifications": false,
            "extensions": [{
                "uri": EXTENSION,
                "description": "Memory requests: POST /mrp/v1/request; params is this agent's signed capability.",
                "required": true,
                "params": params,
            }],
        },
        "defaultInputModes": ["application/json"],
        "defaultOutputModes": ["application/json"],
        "skills": [{
            "id": "memory-request",
            "name": "Answer memory requests",
            "description": "Answers what it remembers of a question, with receipts that verify against its log.",
            "tags": tags,
        }],
    }))
}
