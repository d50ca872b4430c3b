//! An exchange in words. What others wrote is quoted, escaped and cut: it is shown, and never acted on (R18; case 117).

use std::io::{self, Write};

use counterfoil_exchange::checks::{CheckKind, CheckResult, Disposition, Flag};
use counterfoil_exchange::documents::{ResultParts, StructuredClaim};
use counterfoil_exchange::machine::{Notice, Transition};
use counterfoil_peer::ExchangeReport;
use counterfoil_peer::asking::ReceivedMemory;
use counterfoil_types::DidKey;
use counterfoil_types::json::{Limits, Value, parse};
use counterfoil_verify::terminal;

use super::document::next_of;
use crate::claims::dates::rfc3339;
use crate::claims::telling::{brief, limited, value as told};
use crate::output::{count, pairs, table, write_table};

/// The most characters of what a memory says.
const CONTENT: usize = 400;
/// The most characters of a line.
const LINE: usize = 200;

/// Writes how it went; `shown` is its document, which names who is known.
pub(crate) fn human(out: &mut dyn Write, report: &ExchangeReport, shown: &Value) -> io::Result<()> {
    pairs(out, &heading(report, shown))?;
    let results = report
        .response
        .as_ref()
        .map(|response| response.parts().results.as_slice());
    for memory in &report.memories {
        let at = usize::try_from(memory.number).ok();
        let result = at.and_then(|at| results.unwrap_or_default().get(at));
        writeln!(out)?;
        of_memory(out, memory, result, shown)?;
    }
    Ok(())
}

fn heading(report: &ExchangeReport, shown: &Value) -> Vec<(&'static str, String)> {
    let mut lines = vec![("exchange", report.id.to_string())];
    // Whoever asks just now knows what; who looks at it later may not.
    let question = shown
        .get("transitions")
        .and(shown.get("question"))
        .and_then(Value::as_str);
    lines.extend(question.map(|question| ("question", format!("{:?}", plain(question)))));
    let address = shown.get("address").and_then(Value::as_str);
    lines.extend(address.map(|address| ("asked at", plain(address))));
    if let Some(responder) = report.responder {
        let name = name(shown.get("responder"), &responder);
        lines.push(("answered by", format!("{name}, trust {}", report.level)));
    }
    if let Some(response) = &report.response {
        let parts = response.parts();
        let memories = u64::try_from(parts.results.len()).unwrap_or(u64::MAX);
        let mut said = format!(
            "{}, {}",
            parts.status.code.name().replace('_', " "),
            count(memories, "memory", "memories")
        );
        if let Some(message) = &parts.status.message {
            said = format!("{said}: {:?}", plain(message.as_str()));
        }
        lines.push(("answer", said));
    }
    lines.push(("state", report.state.name().replace('_', " ")));
    for (notice, times) in &report.notices {
        lines.push(("noticed", format!("{} ({times})", noticed(*notice))));
    }
    lines.extend(
        report
            .failure
            .as_ref()
            .map(|failure| ("failure", plain(failure))),
    );
    let next = shown.get("next").and_then(Value::as_array);
    let next = next.into_iter().flatten().filter_map(Value::as_str);
    let next = next.enumerate();
    lines.extend(next.map(|(at, line)| (if at == 0 { "next" } else { "" }, line.to_owned())));
    lines
}

/// One line of a memory: its name, and what it says.
type Told = (&'static str, String);

fn of_memory(
    out: &mut dyn Write,
    memory: &ReceivedMemory,
    result: Option<&ResultParts>,
    shown: &Value,
) -> io::Result<()> {
    let content = result.map(|result| result.attestation.parts().claim.content.as_str());
    let content = content.unwrap_or_default().replace(['\n', '\t', '\r'], " ");
    let content = terminal::plain(&content, CONTENT);
    writeln!(out, "{}. {content:?}", memory.number + 1)?;
    let mut lines = said(memory, result, shown);
    lines.extend(became(memory, result));
    pairs(out, &lines)
}

/// Lines for the text, its author, and the findings of the checks.
fn said(memory: &ReceivedMemory, result: Option<&ResultParts>, shown: &Value) -> Vec<Told> {
    let (judged, mut lines) = (&memory.judged, Vec::new());
    lines.extend(structured(result).map(|claim| {
        let value = told(&claim.value);
        let line = format!("{} · {} · {value}", claim.subject, claim.predicate);
        ("   claim", plain(&line))
    }));
    if let Some(source) = &judged.source {
        let of = shown.pointer(&format!("/memories/{}/source", memory.number));
        let (name, level) = (name(of, source), judged.level());
        lines.push(match judged.disposition {
            // What is not stored has no level of its own.
            Disposition::Reject => ("   says", name),
            _ => ("   says", format!("{name}, trust {level} at receipt")),
        });
    }
    lines.extend(CheckKind::ALL.into_iter().enumerate().map(|(at, kind)| {
        let label = if at == 0 { "   checks" } else { "" };
        let found = judged.checks.of(kind);
        (label, format!("{:<12} {found}", kind.name()))
    }));
    lines
}

/// Lines for the result, and the next commands.
fn became(memory: &ReceivedMemory, result: Option<&ResultParts>) -> Vec<Told> {
    let checked = &memory.judged;
    let flags: Vec<_> = checked.flags.iter().map(|flag| flag.name()).collect();
    let mut became = match checked.disposition {
        Disposition::Reject => "rejected".to_owned(),
        other => other.name().replace('_', " "),
    };
    if !flags.is_empty() {
        became = format!("{became} ({})", flags.join(", "));
    }
    let mut lines = vec![("   became", became)];
    let kinds = CheckKind::ALL.into_iter();
    let has_failed = kinds
        .map(|kind| memory.judged.checks.of(kind))
        .any(|found| matches!(found, CheckResult::Fail(_)));
    if checked.disposition == Disposition::Reject && !has_failed {
        let why = "nothing failed, but it is less than was demanded: level, vouches or evidence";
        lines.push(("   because", why.to_owned()));
    }
    let gate = memory.gate.as_ref();
    lines.extend(gate.map(|gate| ("   gate", judged(gate, memory))));
    let stored = memory
        .stored
        .as_ref()
        .map(|world| plain(&world.to_string()));
    lines.push(("   stored", stored.unwrap_or_else(|| "nothing".to_owned())));
    if memory.heard > 1 {
        lines.push(("   heard", count(memory.heard, "time", "times")));
    }
    if checked.flags.contains(&Flag::Contested) {
        let theirs = structured(result).map_or_else(String::new, |claim| told(&claim.value));
        let contest = format!("it says {theirs}; you believe {}", sides(memory));
        lines.push(("   CONTESTED", contest));
    }
    let next = next_of(memory, result).into_iter().enumerate();
    lines.extend(next.map(|(at, line)| (if at == 0 { "   next" } else { "" }, line)));
    lines
}

/// Verdict of the gate. The value's presence is no support, unless another source was counted for it.
fn judged(gate: &str, memory: &ReceivedMemory) -> String {
    let said = gate.replace('_', " ");
    match (gate, memory.unchanged) {
        ("corroborated", true) => format!(
            "{said}: known already, and nothing was added: an echo, a source that is counted, or one of too little trust"
        ),
        ("corroborated", false) => {
            format!("{said}: known already, and another source says so")
        }
        _ => said,
    }
}

fn structured(result: Option<&ResultParts>) -> Option<&StructuredClaim> {
    result.and_then(|result| result.attestation.parts().claim.structured.as_ref())
}

/// Writes each state that it was in.
pub(super) fn states(out: &mut dyn Write, rows: &[Transition]) -> io::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    let mut states = table(&["at", "event", "state"]);
    for row in rows {
        let (event, to) = (row.event.name(), row.to.name());
        states.add_row([
            rfc3339(row.at_us),
            event.replace('_', " "),
            to.replace('_', " "),
        ]);
    }
    write_table(out, &states)
}

/// A notice in words.
const fn noticed(notice: Notice) -> &'static str {
    match notice {
        Notice::Ignored => {
            "something came that the one who was asked has not signed for this: passed over"
        }
        Notice::TooMuchNoise => "too much came that was no answer: nothing more was read",
        Notice::Equivocation => "a second answer, which says otherwise",
        Notice::Late => "an answer came too late",
        Notice::CannotAdopt => "there is no late answer to take",
        _ => "something else",
    }
}

/// The values that are believed instead.
fn sides(memory: &ReceivedMemory) -> String {
    let sides = memory.sides.iter().filter_map(|side| {
        let value = parse(side.as_bytes(), Limits::CONTENT).ok()?;
        let value = counterfoil_claims::FactValue::new(&value).ok()?;
        Some(limited(&value, LINE))
    });
    let sides: Vec<_> = sides.collect();
    if sides.is_empty() {
        "something else".to_owned()
    } else {
        sides.join(" or ")
    }
}

/// Name of an agent here, and its key.
fn name(of: Option<&Value>, key: &DidKey) -> String {
    let name = of.and_then(|of| of.get("name")).and_then(Value::as_str);
    name.map_or_else(
        || brief(key),
        |name| format!("{} ({})", plain(name), brief(key)),
    )
}

fn plain(text: &str) -> String {
    terminal::plain(&text.replace(['\n', '\t', '\r'], " "), LINE)
}
