//! MCP at `/mcp`: what the rights of a key mean for the tools. The channel of the key means nothing here: what a model calls is the
//! word of a model.

use counterfoil_mcp::{McpOptions, ToolUse};
use http_body_util::BodyExt;
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::AUTHORIZATION;
use hyper::http::request::Parts;
use hyper::{Method, Request};

use crate::app::App;
use crate::body;
use crate::keys::{ApiKey, Right};
use crate::problem::{Problem, Reply};

/// Answers a message, or opens or ends a stream or a session, under a key that is valid.
pub(crate) async fn answer(
    app: &App,
    key: &ApiKey,
    mut head: Parts,
    incoming: Incoming,
) -> Result<Reply, Problem> {
    let most = u64::try_from(body::MAX_BODY).unwrap_or(u64::MAX);
    // Only a proof needs a large body.
    let is_small = incoming.size_hint().upper().is_some_and(|it| it <= most);
    let _large = match is_small {
        true => None,
        false => Some(app.large.try_acquire().map_err(|_| Problem::busy())?),
    };
    let body = match head.method {
        Method::POST => {
            let bytes = body::read(&head.headers, incoming, body::MAX_PROOF).await?;
            body::must_be_strict(&bytes)?;
            bytes
        }
        _ => Bytes::new(),
    };
    // The token is needed no more.
    head.headers.remove(AUTHORIZATION);
    let request = Request::from_parts(head, body);
    let rights = key.can().iter().copied().filter(|right| key.may(*right));
    let uses = rights.flat_map(uses).copied();
    // The session of a key is bound to its scope, with the tools of its rights.
    let options = McpOptions {
        scope: key.scope().clone(),
        // As `POST /v1/verify`.
        uses: Some(uses.chain([ToolUse::CheckProof]).collect()),
        ..McpOptions::default()
    };
    let answered = app.mcp.answer(key.id(), options, request).await?;
    let answered = answered.ok_or_else(Problem::crowded)?;
    Ok(answered.map(|body| body.map_err(|never| match never {}).boxed()))
}

/// Uses of tools that a right grants.
const fn uses(right: Right) -> &'static [ToolUse] {
    match right {
        Right::Recall => &[ToolUse::Recall, ToolUse::WhyMemory, ToolUse::CheckMemories],
        Right::Remember => &[ToolUse::Remember, ToolUse::Correct],
        Right::Forget => &[ToolUse::Hide],
        Right::Erase => &[ToolUse::Erase],
        Right::Believe => &[ToolUse::Believe, ToolUse::WhyBelief],
        Right::State => &[ToolUse::StateFact],
        Right::Prove => &[ToolUse::Prove],
        Right::Export | Right::Import | Right::Metrics => &[],
    }
}
