//! Answers of the gate for people.

use std::io::{self, Write};

use counterfoil::Report;
use counterfoil_claims::FactValue;
use counterfoil_types::json::Value;

use crate::context::Context;
use crate::failure::Failure;
use crate::output::{items, number, pairs, text};
use counterfoil::text as telling;

type Lines = Vec<(&'static str, String)>;

/// Prints the answer to a request. A claim that was not accepted is no failure.
pub(crate) fn answer(context: &Context, answer: &Report) -> Result<(), Failure> {
    context.out.report(answer, |out| human(out, answer.value()))
}

pub(crate) fn human(out: &mut dyn Write, answer: &Value) -> io::Result<()> {
    let mut lines = vec![
        ("claim", telling::name(text(answer, "ref"))),
        ("became", text(answer, "disposition").replace('_', " ")),
        ("why", text(answer, "why")),
    ];
    lines.extend(because(&answer["because"], &text(answer, "ref")));
    lines.push(match answer.get("unit") {
        Some(unit) => ("log index", text(unit, "index")),
        None => ("written", "nothing".to_owned()),
    });
    let next = items(answer, "next").iter().enumerate();
    lines.extend(next.map(|(at, line)| (if at == 0 { "next" } else { "" }, text(line, ""))));
    pairs(out, &lines)
}

/// Lines of the gate's reasons; the claim `known` is named elsewhere.
pub(crate) fn because(because: &Value, known: &str) -> Lines {
    let mut lines = Lines::new();
    let rivals = items(because, "rivals");
    for (at, rival) in rivals.iter().enumerate() {
        let name = if at == 0 { "against" } else { "" };
        let value = rival
            .get("value")
            .and_then(|value| FactValue::new(value).ok());
        let value = value
            .as_ref()
            .map_or_else(|| "(erased)".to_owned(), telling::value);
        lines.push((
            name,
            format!("{value}  {}", telling::name(text(rival, "ref"))),
        ));
    }
    let listed = u64::try_from(rivals.len()).unwrap_or(u64::MAX);
    let more = number(because, "rivalCount").saturating_sub(listed);
    if more > 0 {
        lines.push(("", format!("and {more} more")));
    }
    let equals = Some(text(because, "equals")).filter(|it| !it.is_empty() && it != known);
    lines.extend(equals.map(|it| ("equals", telling::name(it))));
    for (name, member) in [("depth", "depth"), ("line holds", "cardinality")] {
        let value = text(because, member);
        lines.extend(Some((name, value)).filter(|(_, value)| !value.is_empty()));
    }
    let ignored = items(because, "ignored").iter();
    lines.extend(ignored.map(|it| ("not superseded", telling::name(text(it, "")))));
    lines
}
