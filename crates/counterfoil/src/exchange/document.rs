//! An exchange as a JSON document: its seven checks by name, and each memory (docs/format/exchange-json.md).

use std::path::Path;

use counterfoil_exchange::checks::{CheckKind, CheckResult, Flag};
use counterfoil_exchange::documents::{Format, Request, ResultParts};
use counterfoil_exchange::machine::{ExchangeState, ItemState, Notice, Transition};
use counterfoil_exchange::trust::Records;
use counterfoil_peer::ExchangeReport;
use counterfoil_peer::asking::ReceivedMemory;
use counterfoil_store::BegunExchange;
use counterfoil_types::json::{Limits, Value, parse};
use counterfoil_types::{DidKey, terminal};
use serde::Serialize;
use serde_json::json;

use crate::report::{object, some};
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
    let request = begun.and_then(|begun| Request::parse(&begun.request).ok());
    let question = request.map(|request| request.parts().query.natural.to_string());
    let asked = begun.and_then(|begun| begun.peer);
    let parts = report.response.as_ref().map(|response| response.parts());
    let status = parts.map(|parts| {
        object()
            .with("code", parts.status.code)
            .with_some("message", parts.status.message.as_ref())
            .with_some("problem", parts.status.problem.as_ref())
    });
    let memories = report.memories.iter().map(|memory| {
        let at = usize::try_from(memory.number).ok();
        let result = at.and_then(|at| parts?.results.get(at));
        of_memory(memory, result, records)
    });
    let notices = report.notices.iter();
    let notices = notices.map(|(notice, count)| (notice.name().to_owned(), (*count).into()));
    let address = begun.map(|begun| begun.address.as_str());
    let mut next = next(report, address.unwrap_or_default());
    let goes_on = begun.and_then(|begun| follow_up(report, begun, records));
    next.extend(goes_on.map(|command| format!("what follows: {command}")));
    let document = object()
        .with("exchange", &report.id)
        .with("state", report.state.name())
        .with_some("address", address)
        .with_some("begunAt", begun.map(|begun| rfc3339(begun.begun_us)))
        .with_some("question", question)
        .with_some("asked", asked.map(|peer| agent(&peer, records)))
        .with_some(
            "responder",
            report.responder.map(|key| agent(&key, records)),
        )
        .with("level", report.level.number())
        .with_some("status", status)
        .with_some(
            "totalMatches",
            parts.and_then(|parts| parts.meta.total_matches),
        )
        .with_some("cursor", parts.and_then(|parts| parts.meta.cursor.as_ref()))
        .with("memories", memories.collect::<Vec<_>>())
        .with_some(
            "retractions",
            parts.and_then(|parts| some(&parts.meta.retractions)),
        )
        .with("notices", Value::Object(notices.collect()))
        .with_some("failure", report.failure.as_ref())
        .with("next", next);
    serde_json::to_value(document).unwrap_or_default()
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

fn of_memory(
    memory: &ReceivedMemory,
    result: Option<&ResultParts>,
    records: &Records,
) -> impl Serialize {
    let judged = &memory.judged;
    let claim = result.map(|result| &result.attestation.parts().claim);
    let structured = claim.and_then(|claim| claim.structured.as_ref());
    let checks = CheckKind::ALL.map(|kind| (kind.name().to_owned(), check(judged.checks.of(kind))));
    let flags: Vec<_> = judged.flags.iter().map(|flag| flag.name()).collect();
    let relays = judged.relays.iter().map(|relay| agent(relay, records));
    let relays: Vec<_> = relays.collect();
    let sides = judged.flags.contains(&Flag::Contested).then(|| {
        let sides = memory.sides.iter();
        let sides = sides.map(|side| parse(side.as_bytes(), Limits::CONTENT));
        sides.map(Result::unwrap_or_default).collect::<Vec<Value>>()
    });
    object()
        .with("item", memory.number)
        .with_some(
            "memoryId",
            result.map(|result| result.memory_id.to_string()),
        )
        .with_some("content", claim.map(|claim| claim.content.to_string()))
        .with_some("type", claim.map(|claim| claim.kind.name()))
        .with_some("subject", structured.map(|claim| claim.subject.to_string()))
        .with_some(
            "predicate",
            structured.map(|claim| claim.predicate.to_string()),
        )
        .with_some("value", structured.map(|claim| claim.value.to_json()))
        .with_some("relevance", result.and_then(|result| result.relevance))
        .with_some("context", result.and_then(|result| result.context.as_ref()))
        .with("checks", Value::Object(checks.into_iter().collect()))
        .with("disposition", judged.disposition.name())
        .with("level", judged.level().number())
        .with("flags", flags)
        .with_some(
            "source",
            judged.source.map(|source| agent(&source, records)),
        )
        .with_some("via", (!relays.is_empty()).then_some(relays))
        .with("state", memory.state.name())
        .with_some("stored", memory.stored.as_ref())
        .with_some("gate", memory.gate.as_ref())
        .with_some("unchanged", memory.gate.as_ref().map(|_| memory.unchanged))
        .with_some("contradicts", sides)
        .with_some("supersedes", some(&memory.supersedes))
        .with("heard", memory.heard)
        .with("next", next_of(memory, result))
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

pub(super) fn agent(key: &DidKey, records: &Records) -> impl Serialize + use<> {
    let name = records.of_key(key).and_then(|known| known.name);
    object().with("key", *key).with_some("name", name)
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
