//! An exchange in words. What others wrote is quoted, escaped and cut: it is shown, and never acted on (R18; case 117).

use std::io::{self, Write};

use counterfoil::text;
use counterfoil_claims::FactValue;
use counterfoil_exchange::checks::CheckKind;
use counterfoil_exchange::trust::Level;
use counterfoil_types::json::Value;

use crate::output::{
    self, Lines, columns, count, filled, items, joined, number, one_line as plain, pairs, texts,
    under,
};

/// Most characters of the content of a memory.
pub(super) const CONTENT: usize = 400;
/// Most characters of a line.
const LINE: usize = 200;

/// Writes an exchange, its memories and its states; `results` is the number of memories in the answer.
pub(super) fn write(out: &mut dyn Write, exchange: &Value, results: &Value) -> io::Result<()> {
    pairs(out, &heading(exchange, number(results, "")))?;
    for memory in items(exchange, "memories") {
        let content = plain(&output::text(memory, "content"), CONTENT);
        writeln!(out, "\n{}. {content:?}", number(memory, "item") + 1)?;
        let mut lines = statement(memory);
        lines.extend(result(memory));
        pairs(out, &lines)?;
    }
    let states = items(exchange, "transitions");
    if states.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    let names = [
        ("at", "at"),
        ("event", "{event:words}"),
        ("state", "{to:words}"),
    ];
    columns(out, states, &names)
}

fn heading(exchange: &Value, results: u64) -> Lines {
    let of = |name: &str| exchange[name].as_str().map(|text| plain(text, LINE));
    let mut lines = vec![("exchange", output::text(exchange, "exchange"))];
    // The one who asks just now knows the question.
    let question = exchange.get("transitions").and_then(|_| of("question"));
    lines.extend(question.map(|question| ("question", format!("{question:?}"))));
    lines.extend(of("address").map(|address| ("asked at", address)));
    if let Some(responder) = exchange.get("responder") {
        let level = level(exchange);
        lines.push(("answered by", format!("{}, trust {level}", name(responder))));
    }
    if let Some(status) = exchange.get("status") {
        let code = output::text(status, "code").replace('_', " ");
        let mut answer = format!("{code}, {}", count(results, "memory", "memories"));
        if let Some(message) = status["message"].as_str() {
            answer = format!("{answer}: {:?}", plain(message, LINE));
        }
        lines.push(("answer", answer));
    }
    lines.push(("state", output::text(exchange, "state").replace('_', " ")));
    for taken_back in items(exchange, "retractions") {
        let said = filled(taken_back, "{id} ({act}) {reason}");
        lines.push(("taken back", plain(&said, LINE)));
    }
    for (notice, times) in exchange["notices"].as_object().into_iter().flatten() {
        lines.push(("noticed", format!("{} ({times})", noticed(notice))));
    }
    lines.extend(of("failure").map(|failure| ("failure", failure)));
    lines.extend(under("next", texts(exchange, "next")));
    lines
}

/// Lines for the claim, its author, and the results of the checks.
fn statement(memory: &Value) -> Lines {
    let mut lines = Lines::new();
    lines.extend(value(memory.get("value"), text::VALUE).map(|value| {
        let [subject, predicate] = ["subject", "predicate"].map(|name| output::text(memory, name));
        let claim = format!("{subject} · {predicate} · {value}");
        ("   claim", plain(&claim, LINE))
    }));
    if let Some(source) = memory.get("source") {
        let name = name(source);
        lines.push(match memory["disposition"].as_str() {
            // What is not stored has no level of its own.
            Some("reject") => ("   says", name),
            _ => {
                let level = level(memory);
                ("   says", format!("{name}, trust {level} at receipt"))
            }
        });
    }
    let relays = items(memory, "via").iter().map(name);
    lines.extend(relays.map(|relay| ("   through", relay)));
    for (at, kind) in CheckKind::ALL.into_iter().enumerate() {
        let label = if at == 0 { "   checks" } else { "" };
        let [mut found, code, reason] =
            ["result", "code", "reason"].map(|member| check(memory, kind, member));
        for why in [code, reason].iter().filter(|why| !why.is_empty()) {
            found = format!("{found} ({why})");
        }
        lines.push((label, format!("{:<12} {found}", kind.name())));
    }
    lines
}

/// Member of the result of a check.
fn check(memory: &Value, kind: CheckKind, member: &str) -> String {
    output::text(memory, &format!("/checks/{}/{member}", kind.name()))
}

/// Lines for the disposition, and the next commands.
fn result(memory: &Value) -> Lines {
    let rejected = memory["disposition"] == "reject";
    let mut became = match rejected {
        true => "rejected".to_owned(),
        false => filled(memory, "{disposition:words}"),
    };
    if !items(memory, "flags").is_empty() {
        became = format!("{became} ({})", joined(memory, "flags", ", "));
    }
    let mut lines = vec![("   became", became)];
    let failed = |kind: CheckKind| check(memory, kind, "result") == "fail";
    if rejected && !CheckKind::ALL.into_iter().any(failed) {
        let why = "nothing failed, but it is less than was demanded: level, vouches or evidence";
        lines.push(("   because", why.to_owned()));
    }
    if let Some(gate) = memory["gate"].as_str() {
        let gate = gate.replace('_', " ");
        // The value's presence is no support, unless another source was counted for it.
        lines.push(("   gate", match (gate.as_str(), memory["unchanged"] == true) {
            ("corroborated", true) => format!(
                "{gate}: known already, and nothing was added: an echo, a source that is counted, or one of too little trust"
            ),
            ("corroborated", false) => {
                format!("{gate}: known already, and another source says so")
            }
            _ => gate,
        }));
    }
    let stored = memory["stored"].as_str().map(|world| plain(world, LINE));
    lines.push(("   stored", stored.unwrap_or_else(|| "nothing".to_owned())));
    let heard = number(memory, "heard");
    if heard > 1 {
        lines.push(("   heard", count(heard, "time", "times")));
    }
    if memory.get("contradicts").is_some() {
        let theirs = value(memory.get("value"), text::VALUE).unwrap_or_default();
        let sides = items(memory, "contradicts").iter();
        let sides: Vec<_> = sides.filter_map(|side| value(Some(side), LINE)).collect();
        let ours = match sides.is_empty() {
            true => "something else".to_owned(),
            false => sides.join(" or "),
        };
        // A text, and a claim that the gate took for no side, contest nothing.
        let gate = memory.get("gate").and_then(Value::as_str);
        let label = match gate {
            Some("contested" | "queued_for_adjudication") => "   CONTESTED",
            _ => "   differs",
        };
        lines.push((label, format!("it says {theirs}; you believe {ours}")));
    }
    lines.extend(under("   next", texts(memory, "next")));
    lines
}

/// `1 (identified)`.
pub(crate) fn level(document: &Value) -> String {
    let level = u8::try_from(number(document, "level")).ok();
    let level = level.and_then(Level::of_number);
    level.map_or_else(String::new, |level| format!("{} ({level})", level.number()))
}

/// A notice in words.
fn noticed(notice: &str) -> &'static str {
    match notice {
        "ignored" => {
            "something came that the one who was asked has not signed for this: passed over"
        }
        "tooMuchNoise" => "too much came that was no answer: nothing more was read",
        "equivocation" => "a second answer, which says otherwise",
        "late" => "an answer came too late",
        "cannotAdopt" => "there is no late answer to take",
        _ => "something else",
    }
}

pub(super) fn value(document: Option<&Value>, limit: usize) -> Option<String> {
    let value = FactValue::new(document?).ok()?;
    Some(text::limited(&value, limit))
}

/// Local name of an agent, and its key.
pub(super) fn name(agent: &Value) -> String {
    let key = output::text(agent, "key").parse();
    let key = key.map_or_else(|_| String::new(), |key| text::brief(&key));
    match agent["name"].as_str() {
        Some(name) => format!("{} ({key})", plain(name, LINE)),
        None => key,
    }
}
