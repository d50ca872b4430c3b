//! `/.well-known/agent-card.json`: an A2A agent card (A2A 0.3), with the signed capability as an extension of ours.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::Response;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use counterfoil_exchange::documents::Capability;
use counterfoil_types::json::{Limits, parse};
use serde_json::{Value, json};
use tokio::sync::Mutex;

use super::app::App;
use crate::EXTENSION;
use crate::digest;
use crate::problem::Problem;

/// The version of A2A whose card this is.
const A2A: &str = "0.3.0";
/// How long a card is handed out before it is made again; what is in it is signed.
const FRESH: Duration = Duration::from_secs(60);

/// The card that was made last.
#[derive(Default)]
pub(super) struct CardCache(Mutex<Option<(Instant, Bytes)>>);

/// `GET /.well-known/agent-card.json`
pub(super) async fn card(State(app): State<Arc<App>>) -> Response<Body> {
    let mut cached = app.card.0.lock().await;
    let bytes = match &*cached {
        Some((made, bytes)) if made.elapsed() < FRESH => bytes.clone(),
        _ => match made(&app).await {
            Ok(bytes) => {
                *cached = Some((Instant::now(), bytes.clone()));
                bytes
            }
            Err(problem) => return problem.response(),
        },
    };
    drop(cached);
    let digest = digest::of(&bytes);
    let mut response = Response::new(Body::from(bytes));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(
        CACHE_CONTROL,
        HeaderValue::from_static("public, max-age=60"),
    );
    if let Some(digest) = digest {
        headers.insert(digest::CONTENT_DIGEST, digest);
    }
    response
}

async fn made(app: &App) -> Result<Bytes, Problem> {
    let capability = app
        .responder
        .capability(Some(&app.url))
        .await
        .map_err(|error| {
            tracing::error!(%error, "no agent card");
            Problem::internal()
        })?;
    let card = of(&capability, &app.url).ok_or_else(Problem::internal)?;
    Ok(card.to_string().into())
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
        "name": parts.agent.0.as_str(),
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
