//! An exchange as a JSON document: its six checks by name, and each memory (docs/format/exchange-json.md).

use std::path::Path;

use counterfoil_exchange::checks::{CheckKind, CheckResult, Flag};
use counterfoil_exchange::documents::{Format, Request, ResultParts};
use counterfoil_exchange::machine::{ExchangeState, ItemState, Notice, Transition};
use counterfoil_exchange::trust::Records;
use counterfoil_peer::ExchangeReport;
use counterfoil_peer::asking::ReceivedMemory;
use counterfoil_store::BegunExchange;
use counterfoil_types::json::{Limits, Map, Value, parse};
use counterfoil_types::{DidKey, terminal};
use serde_json::json;

use crate::text::typed;
use crate::when::rfc3339;

/// Longest question or cursor of a command, in bytes.
const MOST: usize = 8_192;

/// The document of an exchange.
pub(crate) fn document(
    report: &ExchangeReport,
    begun: Option<&BegunExchange>,
    records: &Records,
) -> Value {
    let mut members = Map::new();
    let mut put = |name: &str, value: Value| members.insert(name.to_owned(), value);
    put("exchange", report.id.as_str().into());
    put("state", report.state.name().into());
    if let Some(begun) = begun {
        put("address", begun.address.as_str().into());
        put("begunAt", rfc3339(begun.begun_us).into());
        if let Ok(request) = Request::parse(&begun.request) {
            put("question", request.parts().query.natural.as_str().into());
        }
        if let Some(peer) = begun.peer {
            put("asked", agent(&peer, records));
        }
    }
    if let Some(responder) = report.responder {
        put("responder", agent(&responder, records));
    }
    put("level", report.level.number().into());
    if let Some(response) = &report.response {
        let parts = response.parts();
        let mut status = Map::new();
        status.insert("code".into(), parts.status.code.name().into());
        if let Some(message) = &parts.status.message {
            status.insert("message".into(), message.as_str().into());
        }
        if let Some(problem) = &parts.status.problem {
            status.insert("problem".into(), problem.as_str().into());
        }
        put("status", Value::Object(status));
        if let Some(total) = parts.meta.total_matches {
            put("totalMatches", total.into());
        }
        if let Some(cursor) = &parts.meta.cursor {
            put("cursor", cursor.as_str().into());
        }
    }
    let results = report
        .response
        .as_ref()
        .map(|response| response.parts().results.as_slice());
    let memories = report.memories.iter().map(|memory| {
        let at = usize::try_from(memory.number).ok();
        let result = at.and_then(|at| results.unwrap_or_default().get(at));
        of_memory(memory, result, records)
    });
    put("memories", memories.collect());
    let notices = report.notices.iter();
    let notices = notices.map(|(notice, count)| (notice.name().to_owned(), (*count).into()));
    put("notices", Value::Object(notices.collect()));
    if let Some(failure) = &report.failure {
        put("failure", failure.as_str().into());
    }
    let address = begun.map_or("", |begun| begun.address.as_str());
    let mut next = next(report, address);
    let goes_on = begun.and_then(|begun| follow_up(report, begun, records));
    next.extend(goes_on.map(|command| format!("what follows: {command}")));
    put("next", next.into());
    Value::Object(members)
}

/// Each state that an exchange was in, and what led to it.
pub(crate) fn transitions(rows: &[Transition]) -> Value {
    let rows = rows.iter().map(|row| {
        json!({
            "from": row.from.name(),
            "event": row.event.name(),
            "to": row.to.name(),
            "at": rfc3339(row.at_us),
        })
    });
    rows.collect()
}

fn of_memory(memory: &ReceivedMemory, result: Option<&ResultParts>, records: &Records) -> Value {
    let judged = &memory.judged;
    let mut members = Map::new();
    let mut put = |name: &str, value: Value| members.insert(name.to_owned(), value);
    put("item", memory.number.into());
    if let Some(result) = result {
        let claim = &result.attestation.parts().claim;
        put("memoryId", result.memory_id.as_str().into());
        put("content", claim.content.as_str().into());
        put("type", claim.kind.name().into());
        if let Some(structured) = &claim.structured {
            put("subject", structured.subject.as_str().into());
            put("predicate", structured.predicate.as_str().into());
            put("value", structured.value.to_json());
        }
        if let Some(relevance) = result.relevance {
            put("relevance", json!(relevance));
        }
        if let Some(context) = &result.context {
            put("context", context.as_str().into());
        }
    }
    let checks = CheckKind::ALL.map(|kind| (kind.name().to_owned(), check(judged.checks.of(kind))));
    put("checks", Value::Object(checks.into_iter().collect()));
    put("disposition", judged.disposition.name().into());
    put("level", judged.level().number().into());
    let flags = judged.flags.iter().map(|flag| Value::from(flag.name()));
    put("flags", flags.collect());
    if let Some(source) = &judged.source {
        put("source", agent(source, records));
    }
    put("state", memory.state.name().into());
    if let Some(stored) = &memory.stored {
        put("stored", stored.to_string().into());
    }
    if let Some(gate) = &memory.gate {
        put("gate", gate.as_str().into());
        put("unchanged", memory.unchanged.into());
    }
    if judged.flags.contains(&Flag::Contested) {
        let sides = memory.sides.iter();
        let sides =
            sides.map(|side| parse(side.as_bytes(), Limits::CONTENT).unwrap_or(Value::Null));
        put("contradicts", sides.collect());
    }
    if !memory.supersedes.is_empty() {
        let links = memory
            .supersedes
            .iter()
            .map(|world| Value::from(world.to_string()));
        put("supersedes", links.collect());
    }
    put("heard", memory.heard.into());
    put("next", next_of(memory, result).into());
    Value::Object(members)
}

/// Commands that apply to a memory.
fn next_of(memory: &ReceivedMemory, result: Option<&ResultParts>) -> Vec<String> {
    let mut next = Vec::new();
    let structured = result.and_then(|result| result.attestation.parts().claim.structured.as_ref());
    let is_contested = memory.judged.flags.contains(&Flag::Contested);
    if let (true, Some(claim)) = (is_contested, structured) {
        let (subject, predicate) = (typed(&claim.subject), typed(&claim.predicate));
        next.push(format!(
            "both sides, and who says so: counterfoil believe {subject} {predicate}"
        ));
        if let (Some(stored), ItemState::Stored) = (&memory.stored, memory.state) {
            next.push(format!(
                "settle it: counterfoil adjudicate {stored} affirm|deny --evidence WORLD"
            ));
        }
    } else if let (Some(stored), ItemState::Stored) = (&memory.stored, memory.state) {
        next.push(match structured {
            Some(_) => format!("look at it: counterfoil claim show {stored}"),
            None => format!("look at it: counterfoil show {stored}"),
        });
    }
    next
}

/// Commands that apply to an exchange that went on at `address`.
fn next(report: &ExchangeReport, address: &str) -> Vec<String> {
    let id = report.id.as_str();
    let mut next = Vec::new();
    match report.state {
        ExchangeState::Sent
        | ExchangeState::Received
        | ExchangeState::Verified
        | ExchangeState::PartiallyVerified => {
            next.push(format!("go on with it: counterfoil exchange resume {id}"));
        }
        ExchangeState::TimedOut | ExchangeState::Cancelled
            if report.notices.contains_key(&Notice::Late) =>
        {
            next.push(format!(
                "take the late answer: counterfoil exchange adopt {id}"
            ));
        }
        ExchangeState::TimedOut => {
            // What is answered over HTTP is answered there and then.
            if Path::new(address).is_absolute() {
                next.push(format!(
                    "look whether an answer came since: counterfoil exchange resume {id}"
                ));
            }
            next.push(
                "ask again; give it longer with --timeout, and check that the agent runs"
                    .to_owned(),
            );
        }
        _ => {}
    }
    if let (true, Some(key)) = (
        report.notices.contains_key(&Notice::Equivocation),
        report.responder,
    ) {
        next.push(format!(
            "it gave two answers to one question: counterfoil trust explain {key}"
        ));
    }
    next
}

fn check(result: CheckResult) -> Value {
    match result {
        CheckResult::Pass => json!({ "result": "pass" }),
        CheckResult::Fail(code) => json!({ "result": "fail", "code": code.name() }),
        CheckResult::Skip(reason) => json!({ "result": "skip", "reason": reason.name() }),
    }
}

fn agent(key: &DidKey, records: &Records) -> Value {
    let mut members = Map::new();
    members.insert("key".into(), key.to_string().into());
    if let Some(name) = records.of_key(key).and_then(|known| known.name) {
        members.insert("name".into(), name.as_str().into());
    }
    Value::Object(members)
}

/// `counterfoil ask …` with the same question and the cursor of the answer; a cursor is good for nothing else.
fn follow_up(report: &ExchangeReport, begun: &BegunExchange, records: &Records) -> Option<String> {
    let cursor = report.response.as_ref()?.parts().meta.cursor.as_ref()?;
    let request = Request::parse(&begun.request).ok()?;
    let parts = request.parts();
    let (query, wished) = (&parts.query, &parts.preferences);
    // The name, where that leads to the same agent at the same place.
    let name = begun.peer.and_then(|peer| records.of_key(&peer)?.name);
    let name = name.filter(|name| {
        records.named(name.as_str()).is_some_and(|known| {
            let first = known.addresses.first();
            Some(known.key) == begun.peer && first.is_some_and(|at| at.as_str() == begun.address)
        })
    });
    let target = name.map_or_else(|| begun.address.clone(), |name| name.to_string());
    let mut words = vec![
        "counterfoil ask".to_owned(),
        quoted(&target)?,
        quoted(query.natural.as_str())?,
        format!("--cursor={}", quoted(cursor.as_str())?),
        format!("--max {}", wished.max_results),
    ];
    let domain = query.domain.as_ref();
    words.extend(domain.map(|domain| format!("--domain {domain}")));
    let format = Some(wished.format).filter(|format| *format != Format::Attestation);
    words.extend(format.map(|format| format!("--format {format}")));
    let filters = query.filters;
    let demands = [
        (filters.require_evidence, "--require-evidence"),
        (filters.require_vouches, "--require-vouches"),
    ];
    let demands = demands.into_iter().filter(|(is_set, _)| *is_set);
    words.extend(demands.map(|(_, word)| word.to_owned()));
    let least = filters.min_trust_level;
    words.extend(least.map(|level| format!("--min-level {level}")));
    Some(words.join(" "))
}

/// A word as a shell takes it; `None` of what a terminal would not show as it is.
fn quoted(text: &str) -> Option<String> {
    if terminal::plain(text, MOST) != text {
        return None;
    }
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./:".contains(letter);
    if text.chars().all(plain) {
        return Some(text.to_owned());
    }
    Some(format!("'{}'", text.replace('\'', r"'\''")))
}
