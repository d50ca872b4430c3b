//! An exchange in words. What others wrote is quoted, escaped and cut: it is shown, and never acted on (R18; case 117).

use std::io::{self, Write};

use counterfoil::text;
use counterfoil_claims::FactValue;
use counterfoil_exchange::checks::CheckKind;
use counterfoil_exchange::trust::Level;
use counterfoil_types::json::Value;
use counterfoil_verify::terminal;

use crate::output::{self, count, items, number, pairs, table, write_table};

/// Most characters of the content of a memory.
const CONTENT: usize = 400;
/// Most characters of a line.
const LINE: usize = 200;

type Lines = Vec<(&'static str, String)>;

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
    let mut rows = table(&["at", "event", "state"]);
    for state in states {
        let [event, to] = ["event", "to"].map(|name| output::text(state, name).replace('_', " "));
        rows.add_row([output::text(state, "at"), event, to]);
    }
    write_table(out, &rows)
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
    for (notice, times) in exchange["notices"].as_object().into_iter().flatten() {
        lines.push(("noticed", format!("{} ({times})", noticed(notice))));
    }
    lines.extend(of("failure").map(|failure| ("failure", failure)));
    lines.extend(next(exchange, "next"));
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
    for (at, kind) in CheckKind::ALL.into_iter().enumerate() {
        let label = if at == 0 { "   checks" } else { "" };
        let check = check_of(memory, kind);
        let mut found = output::text(check, "result");
        for why in ["code", "reason"]
            .into_iter()
            .filter_map(|name| check[name].as_str())
        {
            found = format!("{found} ({why})");
        }
        lines.push((label, format!("{:<12} {found}", kind.name())));
    }
    lines
}

fn check_of(memory: &Value, kind: CheckKind) -> &Value {
    let checks = memory.get("checks");
    let check = checks.and_then(|checks| checks.get(kind.name()));
    check.unwrap_or(&Value::Null)
}

/// Lines for the disposition, and the next commands.
fn result(memory: &Value) -> Lines {
    let flags: Vec<_> = items(memory, "flags")
        .iter()
        .map(|flag| output::text(flag, ""))
        .collect();
    let rejected = memory["disposition"] == "reject";
    let mut became = match rejected {
        true => "rejected".to_owned(),
        false => output::text(memory, "disposition").replace('_', " "),
    };
    if !flags.is_empty() {
        became = format!("{became} ({})", flags.join(", "));
    }
    let mut lines = vec![("   became", became)];
    let mut checks = CheckKind::ALL
        .into_iter()
        .map(|kind| check_of(memory, kind));
    if rejected && !checks.any(|check| check["result"] == "fail") {
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
        lines.push((
            "   CONTESTED",
            format!("it says {theirs}; you believe {ours}"),
        ));
    }
    lines.extend(next(memory, "   next"));
    lines
}

/// Lines of the next commands, the first with this label.
fn next(document: &Value, label: &'static str) -> Lines {
    let next = items(document, "next").iter().enumerate();
    next.map(|(at, line)| (if at == 0 { label } else { "" }, output::text(line, "")))
        .collect()
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

fn value(document: Option<&Value>, limit: usize) -> Option<String> {
    let value = FactValue::new(document?).ok()?;
    Some(text::limited(&value, limit))
}

/// Local name of an agent, and its key.
fn name(agent: &Value) -> String {
    let key = output::text(agent, "key").parse();
    let key = key.map_or_else(|_| String::new(), |key| text::brief(&key));
    match agent["name"].as_str() {
        Some(name) => format!("{} ({key})", plain(name, LINE)),
        None => key,
    }
}

fn plain(text: &str, limit: usize) -> String {
    terminal::plain(&text.replace(['\n', '\t', '\r'], " "), limit)
}
