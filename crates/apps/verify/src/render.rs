//! A report for people: aligned, short, and free of anything that a terminal would act on.

use std::fmt::Write;

use counterfoil_authority::trace::MemoryTrace;
use counterfoil_authority::types::json::Value;
use counterfoil_authority::types::{UnixMillis, VerificationMethod};
use counterfoil_authority::verifier::Strength;
use counterfoil_authority::{Departure, MemoryOrigin, MemoryOutcome, MemoryReport, ReviewReport};

use crate::terminal::{plain, plain_json};
use crate::time;

/// Characters shown of an identifier; a did:key of Ed25519 has 56.
const ID_LIMIT: usize = 64;
/// Characters shown of a query or of the selector's reason.
const TEXT_LIMIT: usize = 60;
/// Characters shown of a summary or of one field of a memory.
const WORDS_LIMIT: usize = 2000;
/// Fields shown of one memory.
const FIELD_LIMIT: usize = 40;
/// Begin of the paths of a memory's data.
const DATA: &str = "/data";
/// Characters shown of a reason of ours; it may quote the proposal.
const REASON_LIMIT: usize = 400;

/// The report as one JSON document, indented, with a newline at the end.
///
/// # Errors
/// [`serde_json::Error`] if it can't be serialised, which no report is known to cause.
pub fn to_json(report: &ReviewReport) -> Result<String, serde_json::Error> {
    Ok(plain_json(&serde_json::to_string_pretty(report)?) + "\n")
}

/// The report as a short table.
pub fn render(report: &ReviewReport) -> String {
    let mut out = String::new();
    line(&mut out, "proposal", &proposal(report));
    if let Some(summary) = &report.summary {
        line(&mut out, "summary", &quoted(summary));
    }
    if let Some(envelope) = &report.envelope {
        line(&mut out, "signed", &format!("by {}", envelope.signer));
    }
    if let Some(trace) = &report.trace {
        line(&mut out, "recalled", &recalled(trace));
    }
    if !report.withheld.is_empty() {
        let paths = report.withheld.iter().map(|path| plain(path, ID_LIMIT));
        line(&mut out, "withheld", &paths.collect::<Vec<_>>().join(", "));
    }
    for (memory, row) in report.memories.iter().zip(aligned(&report.memories)) {
        line(&mut out, "memory", &row);
        words(&mut out, memory);
        written(&mut out, memory);
        standing(&mut out, memory);
    }
    let verdict = report.decision().verdict().name().to_uppercase();
    line(&mut out, "decision", &verdict);
    for reason in report.decision().reasons() {
        line(&mut out, "", &plain(&reason.to_string(), REASON_LIMIT));
    }
    out
}

/// One line behind its label; writing to a `String` can't fail.
pub(crate) fn line(out: &mut String, label: &str, text: &str) {
    let _ = writeln!(out, "{label:<9} {text}");
}

fn proposal(report: &ReviewReport) -> String {
    let risk = if report.high_risk { ", high-risk" } else { "" };
    let id = plain(&report.proposal_id, ID_LIMIT);
    format!("{id} ({}{risk})", plain(&report.intent_type, ID_LIMIT))
}

fn recalled(trace: &MemoryTrace) -> String {
    let selector = plain(trace.selector().actor_id(), ID_LIMIT);
    let query = plain(trace.query().as_str(), TEXT_LIMIT);
    format!("by {selector} for: {query}")
}

/// Disclosed data of a memory, a line a field; then how much is shown, and by whom and of when it says that it is.
fn words(out: &mut String, memory: &MemoryReport) {
    let Some((fields, count)) = memory.words() else {
        return;
    };
    let data = fields.iter().filter(|(path, _)| path.starts_with(DATA));
    for (path, value) in data.clone().take(FIELD_LIMIT) {
        let value = value.as_str().map_or_else(|| value.to_string(), quoted);
        line(out, "", &format!("{}: {value}", plain(path, ID_LIMIT)));
    }
    if let more @ 1.. = data.count().saturating_sub(FIELD_LIMIT) {
        line(out, "", &format!("and {more} more, which --json lists"));
    }
    let of = |path: &str| {
        let found = fields.iter().find(|(own, _)| own == path);
        found.map(|(_, value)| value)
    };
    let who = of("/data/speaker").and_then(Value::as_str);
    let who = who.map(|who| format!("by {}", quoted(who)));
    let when = of("/createdAt").and_then(Value::as_u64);
    let when = when.and_then(|at| UnixMillis::new(at).ok());
    let when = when.map(|at| format!("of {}", time::shown(at)));
    let said: Vec<String> = who.into_iter().chain(when).collect();
    let said = match said.is_empty() {
        true => String::new(),
        false => format!("; {}, as the memory itself says", said.join(" ")),
    };
    let shown = fields.len();
    line(
        out,
        "",
        &format!("{shown} of {count} fields are shown{said}"),
    );
}

/// Author and origin of a memory, as far as signatures and words show them.
fn written(out: &mut String, memory: &MemoryReport) {
    let author = memory.author().map(|author| match author.key_number {
        0 => format!("written by {}", author.agent),
        number => format!("written by {} with its key {number}", author.agent),
    });
    let origin = memory.origin().map(|origin| match origin {
        MemoryOrigin::Own => "who signed the proposal".into(),
        MemoryOrigin::Imported => "who did not sign the proposal".into(),
        MemoryOrigin::Peer { agent, level } => {
            let agent = agent.map_or_else(|| "an agent without name".into(), |it| it.to_string());
            let level = level.map(|level| format!(", level {level} when it was received"));
            format!("on the word of {agent}{}", level.unwrap_or_default())
        }
    });
    let said: Vec<String> = author.into_iter().chain(origin).collect();
    if !said.is_empty() {
        line(out, "", &said.join(", "));
    }
}

/// Standing of a memory at the checkpoint of its proof, where it is shown.
fn standing(out: &mut String, memory: &MemoryReport) {
    let Some(departures) = memory.departures() else {
        return;
    };
    let departures = departures.into_iter().map(|(departure, entry)| {
        let successor = memory.successor();
        let successor = successor.filter(|_| departure == Departure::Superseded);
        let successor = successor.map(|it| format!(", {}", plain(&it.to_string(), ID_LIMIT)));
        let word = departure.name();
        format!("{word} (entry {entry}{})", successor.unwrap_or_default())
    });
    let claim = memory
        .claim()
        .map(|claim| format!("a claim that is {}", claim.name().replace('-', " ")));
    let said: Vec<_> = departures.chain(claim).collect();
    let said = match said.is_empty() {
        true => "current".into(),
        false => said.join(", "),
    };
    line(out, "", &format!("standing: {said}"));
}

/// A text in quotation marks; a longer one is cut, which is said behind them.
fn quoted(text: &str) -> String {
    let shown = plain(text, WORDS_LIMIT).replace('"', "\\\"");
    let cut = text
        .chars()
        .nth(WORDS_LIMIT)
        .map(|_| " (cut, --json has all of it)");
    format!("\"{shown}\"{}", cut.unwrap_or_default())
}

/// One row for each memory: world, outcome, method, and what there is to say.
fn aligned(memories: &[MemoryReport]) -> Vec<String> {
    let columns = |memory: &MemoryReport| {
        let method = memory.method.as_ref();
        [
            plain(&memory.world_id.to_string(), ID_LIMIT),
            memory.outcome.name().to_string(),
            plain(method.map_or("-", VerificationMethod::as_str), ID_LIMIT),
        ]
    };
    let rows: Vec<[String; 3]> = memories.iter().map(columns).collect();
    let widths = [0, 1, 2].map(|column| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    });
    let line = |(memory, row): (&MemoryReport, &[String; 3])| {
        let cells = row.iter().zip(widths);
        let cells = cells.map(|(cell, width)| format!("{cell:<width$}  "));
        cells.collect::<String>() + &remark(memory)
    };
    memories.iter().zip(&rows).map(line).collect()
}

fn remark(memory: &MemoryReport) -> String {
    match &memory.outcome {
        MemoryOutcome::Proven(proven) => {
            let log = proven.checkpoint().map(|checkpoint| {
                let origin = plain(checkpoint.origin(), ID_LIMIT);
                format!("in {origin} at size {}; ", checkpoint.size())
            });
            // Last in its line and without quotes around it, for it has quotes of its own.
            let reason = plain(&memory.reason.to_string(), TEXT_LIMIT);
            format!("{}reason given: {reason}", log.unwrap_or_default())
        }
        MemoryOutcome::Accepted(Strength::Hash) => {
            "it agrees with itself; no log and no agent shows it".into()
        }
        MemoryOutcome::Accepted(_) => "nothing about this World is shown".into(),
        MemoryOutcome::Unproven(why) => plain(&why.to_string(), REASON_LIMIT),
        MemoryOutcome::Refused(why) => plain(&why.to_string(), REASON_LIMIT),
    }
}
