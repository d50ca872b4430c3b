//! Facts and beliefs: stated, believed, explained and proven.

use counterfoil_mcp::shared::{StatedFact, whole_ids};
use hyper::StatusCode;
use serde_json::Value;

use super::{Caller, VERSION, document, typed};
use crate::body;
use crate::keys::ApiChannel;
use crate::problem::{Problem, Reply};
use crate::requests::FactRequest;
use crate::views::{BeliefsView, FactView, RivalView};

/// Changes, claims or beliefs of an answer when its caller does not say.
const LISTED: usize = 100;
/// Most of them.
const MOST: usize = 1_000;
/// Most claims whose place a fact takes.
const MAX_SUPERSEDED: usize = 64;

/// `POST /v1/facts`: the channel of the key decides whose word it is.
pub(super) async fn state(caller: &Caller<'_>) -> Result<Reply, Problem> {
    let request: FactRequest = body::document(&caller.body)?;
    if request.supersedes.len() > MAX_SUPERSEDED {
        return Err(Problem::input(
            "`supersedes` has more than 64 ids",
            "name fewer",
        ));
    }
    let stated = StatedFact {
        subject: request.subject,
        predicate: request.predicate,
        value: request.value,
        from: request.from,
        until: request.until,
        source: request.source,
        key: caller.idempotency_key()?.map(str::to_owned),
    };
    let stated = stated.into_members();
    let memory = &caller.memory;
    let superseding = whole_ids(memory, &request.supersedes).await?;
    let report = match caller.key.channel() {
        ApiChannel::Model => memory.claim_of_model(&stated, &superseding).await?,
        ApiChannel::Tool => memory.claim_of_tool(&stated, &superseding).await?,
        ApiChannel::User => memory.claim_of_user(&stated, &superseding).await?,
    };
    let rivals = report
        .value()
        .pointer("/because/rivals")
        .and_then(Value::as_array);
    let text = |pointer| report.text(pointer).unwrap_or_default().to_owned();
    let view = FactView {
        kind: "counterfoil/fact",
        version: VERSION,
        id: text("/ref"),
        became: text("/disposition"),
        why: text("/why"),
        against: rivals.into_iter().flatten().map(rival).collect(),
    };
    let status = match report.value().get("unit") {
        Some(_) => StatusCode::CREATED,
        None => StatusCode::OK,
    };
    document(status, &view)
}

fn rival(rival: &Value) -> RivalView {
    let id = rival.get("ref").and_then(Value::as_str);
    RivalView {
        id: id.unwrap_or_default().to_owned(),
        value: rival.get("value").cloned().unwrap_or_default(),
    }
}

/// `GET /v1/beliefs/{subject}/{predicate}`: the belief in the scope of the key, and those in narrower ones.
pub(super) async fn believe(caller: &Caller<'_>) -> Result<Reply, Problem> {
    let query = caller.belief_query()?;
    let (subject, predicate) = (caller.open(0), caller.open(1));
    let own = caller.memory.believe(subject, predicate, &query).await?;
    let within = caller.memory.believe_within(subject, predicate, &query);
    let narrower = within.await?.beliefs.into_iter();
    let narrower = narrower.filter(|it| it.line.scope != own.line.scope);
    let narrower: Vec<Value> = narrower.map(|it| it.to_json()).collect();
    let mut belief = own.to_json();
    if let (Some(members), [_, ..]) = (belief.as_object_mut(), narrower.as_slice()) {
        members.insert("narrower".to_owned(), narrower.into());
    }
    typed("believe", &belief)
}

/// `GET /v1/beliefs/{subject}/{predicate}/why`.
pub(super) async fn why(caller: &Caller<'_>) -> Result<Reply, Problem> {
    let (query, max) = (
        caller.belief_query()?,
        caller.query.limit("limit", LISTED, MOST)?,
    );
    let why = caller
        .memory
        .why(caller.open(0), caller.open(1), &query, max);
    typed("why", &why.await?)
}

/// `GET /v1/beliefs/{subject}/{predicate}/history`.
pub(super) async fn history(caller: &Caller<'_>) -> Result<Reply, Problem> {
    let (query, max) = (
        caller.belief_query()?,
        caller.query.limit("limit", LISTED, MOST)?,
    );
    let (subject, predicate) = (caller.open(0), caller.open(1));
    let history = caller.memory.line_history(subject, predicate, &query, max);
    typed("history", &history.await?)
}

/// `GET /v1/beliefs/{subject}/{predicate}/proof`: the document that `counterfoil-verify` checks, which is closed.
pub(super) async fn proof(caller: &Caller<'_>) -> Result<Reply, Problem> {
    let query = caller.belief_query()?;
    let proof = caller
        .memory
        .prove(caller.open(0), caller.open(1), &query, None);
    document(StatusCode::OK, proof.await?.value())
}

/// `GET /v1/contested`.
pub(super) async fn contested(caller: &Caller<'_>) -> Result<Reply, Problem> {
    let (query, max) = (
        caller.belief_query()?,
        caller.query.limit("limit", LISTED, MOST)?,
    );
    let beliefs = caller.memory.contested(&query, max).await?;
    let view = BeliefsView {
        kind: "counterfoil/contested",
        version: VERSION,
        items: beliefs
            .beliefs
            .iter()
            .map(|belief| belief.to_json())
            .collect(),
        more: beliefs.more == Some(true),
    };
    document(StatusCode::OK, &view)
}
