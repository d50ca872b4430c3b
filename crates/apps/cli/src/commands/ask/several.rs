//! One answer of several agents in words, as [`human`](super::human) writes that of one.

use std::io::{self, Write};

use counterfoil::text;
use counterfoil_types::json::Value;

use super::human::{CONTENT, level, name, value};
use crate::output::{self, count, filled, items, number, one_line as plain, pairs, texts, under};

pub(super) fn write(out: &mut dyn Write, answer: &Value) -> io::Result<()> {
    let agents = items(answer, "agents");
    let is_silent = |agent: &&Value| agent.get("reason").is_some();
    let silent: Vec<_> = agents.iter().filter(is_silent).collect();
    let asked = u64::try_from(agents.len()).unwrap_or(u64::MAX);
    let answered = agents.len().saturating_sub(silent.len());
    let mut asked = format!(
        "{}, {answered} with an answer",
        count(asked, "agent", "agents")
    );
    let left = number(answer, "notAsked");
    if left > 0 {
        asked = format!("{asked}; {left} more may know, see --max-agents");
    }
    let question = format!("{:?}", plain(&output::text(answer, "question"), CONTENT));
    let mut lines = vec![("question", question), ("asked", asked)];
    let referred = agents
        .iter()
        .filter(|agent| agent.get("referredBy").is_some());
    lines.extend(under(
        "referred",
        referred.map(|agent| {
            let by = items(agent, "referredBy").iter();
            let by: Vec<_> = by
                .map(|by| filled(by, "{agent:agent} ({domain})"))
                .collect();
            format!("{} by {}", name(&agent["agent"]), by.join(", "))
        }),
    ));
    pairs(out, &lines)?;
    for line in items(answer, "claims") {
        let names = ["subject", "predicate"].map(|name| text::name(output::text(line, name)));
        writeln!(out, "\n{}", names.join(" · "))?;
        for side in items(line, "sides") {
            let value = value(side.get("value"), text::VALUE).unwrap_or_default();
            sayers(out, &value, side)?;
        }
        if let Some(belief) = line.get("belief") {
            let status = output::text(belief, "status").replace('_', " ");
            let believed = match value(belief.get("value"), text::VALUE) {
                Some(value) => format!("{value} ({status})"),
                None => status,
            };
            writeln!(out, "  you believe: {believed}")?;
        }
    }
    let said = items(answer, "texts");
    if !said.is_empty() {
        writeln!(out, "\ntexts")?;
    }
    for text in said {
        let content = plain(&output::text(text, "content"), CONTENT);
        sayers(out, &format!("{content:?}"), text)?;
    }
    if !silent.is_empty() {
        writeln!(out, "\nnothing from")?;
        for agent in silent {
            let reason = plain(&output::text(agent, "reason"), CONTENT);
            writeln!(out, "  {}: {reason}", name(&agent["agent"]))?;
        }
    }
    writeln!(out)?;
    let next: Vec<_> = under("next", texts(answer, "next")).collect();
    pairs(out, &next)
}

/// A value or text, and below it those that say so.
fn sayers(out: &mut dyn Write, what: &str, side: &Value) -> io::Result<()> {
    writeln!(out, "  {what}")?;
    for said in items(side, "saidBy") {
        let who = match (said.get("own"), said.get("agent")) {
            (Some(_), _) => "your own word".to_owned(),
            (None, Some(agent)) => format!("{}, trust {}", name(agent), level(said)),
            (None, None) => "somebody without a key".to_owned(),
        };
        let window = match (said.get("from"), said.get("until")) {
            (None, None) => String::new(),
            _ => filled(said, ", {from|…} to {until|…}"),
        };
        let via = said
            .get("via")
            .map(|via| format!(", through {}", name(via)));
        let marks = [
            ("stranger", "a stranger: it decides nothing"),
            ("inferred", "inferred"),
        ];
        let marks = marks.iter().filter(|(mark, _)| said.get(*mark).is_some());
        let marks: String = marks.map(|(_, words)| format!("; {words}")).collect();
        writeln!(out, "    {who}{}{window}{marks}", via.unwrap_or_default())?;
    }
    Ok(())
}
