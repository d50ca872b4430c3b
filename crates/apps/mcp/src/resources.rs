//! Resources: the last memories, contested beliefs, receipts by their handles, and the proofs of this session.

use std::time::{SystemTime, UNIX_EPOCH};

use counterfoil::text::meaning;
use counterfoil::{BeliefQuery, Memory, Timestamp};
use rmcp::ErrorData;
use rmcp::model::{
    ReadResourceResponse, ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
};
use serde_json::Value;

use crate::calls;
use crate::failure::Failure;
use crate::proofs::{PROOF, no_proof};
use crate::quoting::{QUOTED, quote_short};
use crate::session::Session;
use crate::tools::ToolUse;

const RECENT: &str = "counterfoil://recent";
const CONTESTED: &str = "counterfoil://contested";
const RECEIPT: &str = "counterfoil://receipt/";
/// Memories and beliefs that a resource lists.
const LISTED: usize = 20;
/// Entries of the log that are looked at for them.
const LOOKED_AT: usize = 100;
/// Characters of the uri in a failure.
const MAX_URI: usize = 1_000;
/// Characters of a memory in a list.
const LINE: usize = 200;

pub(crate) fn listed(session: &Session) -> Vec<Resource> {
    let recent = Resource::new(RECENT, "recent memories")
        .with_description("The memories that were recorded last, as quoted data")
        .with_mime_type("text/plain");
    let contested = Resource::new(CONTESTED, "contested beliefs")
        .with_description("Beliefs that have several sides, as quoted data")
        .with_mime_type("text/plain");
    let of_store = [(recent, ToolUse::Recall), (contested, ToolUse::Believe)];
    let of_store = of_store.into_iter();
    let granted = of_store.filter(|(_, used)| session.options.grants(*used));
    let mut listed: Vec<Resource> = granted.map(|(resource, _)| resource).collect();
    listed.extend(session.proofs.resources());
    listed
}

pub(crate) fn templates(session: &Session) -> Vec<ResourceTemplate> {
    if !session.options.grants(ToolUse::Recall) {
        return Vec::new();
    }
    let receipt = ResourceTemplate::new("counterfoil://receipt/{id}", "receipt")
        .with_description("Receipt of a memory by its id: inclusion proof and signed checkpoint")
        .with_mime_type("application/json");
    vec![receipt]
}

pub(crate) async fn read(session: &Session, uri: &str) -> Result<ReadResourceResponse, ErrorData> {
    let (text, kind) = text(session, uri).await.map_err(|failure| {
        let mut detail = failure.into_result().structured_content;
        if let Some(members) = detail.as_mut().and_then(Value::as_object_mut) {
            let shown: String = uri.chars().take(MAX_URI).collect();
            members.insert("uri".to_owned(), shown.into());
        }
        ErrorData::resource_not_found("the resource cannot be read", detail)
    })?;
    let contents = ResourceContents::text(text, uri).with_mime_type(kind);
    Ok(ReadResourceResult::new(vec![contents]).into())
}

/// The text of a resource, and its media type.
async fn text(session: &Session, uri: &str) -> Result<(String, &'static str), Failure> {
    let _turn = session.turn().await?;
    let memory = &session.memory;
    if let Some(id) = uri.strip_prefix(RECEIPT) {
        session.must_grant(ToolUse::Recall)?;
        return Ok((receipt(memory, id).await?, "application/json"));
    }
    match uri {
        RECENT => {
            session.must_grant(ToolUse::Recall)?;
            Ok((recent(memory, LISTED).await?, "text/plain"))
        }
        CONTESTED => {
            session.must_grant(ToolUse::Believe)?;
            Ok((contested(memory, LISTED).await?, "text/plain"))
        }
        uri if uri.starts_with(PROOF) => {
            let kept = session.proofs.find(uri).ok_or_else(no_proof)?;
            Ok((kept.json, "application/json"))
        }
        _ => Err(unknown()),
    }
}

fn unknown() -> Failure {
    Failure::arguments("there is no such resource", "list the resources")
}

/// The memories that were recorded last, the newest first, one a line.
pub(crate) async fn recent(memory: &Memory, most: usize) -> Result<String, Failure> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.ok().and_then(|now| u64::try_from(now.as_micros()).ok());
    let now = now.and_then(|now| Timestamp::from_micros(now).ok());
    let now = now.ok_or_else(|| Failure::new("place", "there is no time", "set the clock"))?;
    // An empty store has nothing that was recorded by now.
    let Ok(report) = memory.as_of(now, 0, LOOKED_AT).await else {
        return Ok("There are no memories yet.".to_owned());
    };
    let rows = report.value().get("listed").and_then(Value::as_array);
    let rows = rows.map(Vec::as_slice).unwrap_or_default();
    let mut text = QUOTED.to_owned();
    let mut count = 0;
    for row in rows {
        let said = row.pointer("/data/text").and_then(Value::as_str);
        let Some(said) = said.filter(|_| count < most) else {
            continue;
        };
        count += 1;
        let part = |pointer: &str| row.pointer(pointer).and_then(Value::as_str);
        let day: String = part("/recordedAt")
            .unwrap_or_default()
            .chars()
            .take(10)
            .collect();
        let id = part("/id").unwrap_or_default();
        let channel = part("/data/channel").map(|channel| format!(", {channel}"));
        text.push_str(&format!(
            "\n- {} ({day}{}, {id})",
            quote_short(said, LINE),
            channel.unwrap_or_default(),
        ));
    }
    match count {
        0 => Ok("There are no memories yet.".to_owned()),
        _ => Ok(text),
    }
}

/// Contested beliefs, one a line.
pub(crate) async fn contested(memory: &Memory, most: usize) -> Result<String, Failure> {
    let beliefs = memory.contested(&BeliefQuery::default(), most).await?;
    if beliefs.beliefs.is_empty() {
        return Ok("No belief is contested.".to_owned());
    }
    let lines = beliefs.beliefs.iter();
    let lines = lines.map(|belief| calls::belief_line(&belief.to_json(), meaning(belief)));
    let lines: Vec<String> = lines.collect();
    Ok(format!("{QUOTED}\n- {}", lines.join("\n- ")))
}

async fn receipt(memory: &Memory, id: &str) -> Result<String, Failure> {
    let shown = memory.show(id).await?;
    let receipt = shown.value().get("receipt").filter(|it| !it.is_null());
    let receipt = receipt.ok_or_else(unknown)?;
    serde_json::to_string_pretty(receipt)
        .map_err(|error| Failure::new("bug", error.to_string(), "please report it"))
}
