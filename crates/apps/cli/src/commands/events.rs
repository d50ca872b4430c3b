//! `events`: the contradictions that were seen here (capsules 4.8, C11).

use std::io::Write;
use std::thread;
use std::time::Duration;

use counterfoil_types::json::Value;
use counterfoil_verify::{Form, terminal};

use crate::args::EventsArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{count, items, number, table, text, write_table};

/// Time between two looks for new events.
const PERIOD: Duration = Duration::from_millis(500);
/// The most characters of a line for a person.
const LIMIT: usize = 400;

pub(crate) async fn run(context: &Context, args: EventsArgs) -> Result<(), Failure> {
    if args.follow {
        return follow(context, args).await;
    }
    let seen = context.memory.events(args.kind, 0).await?;
    context.out.report(&seen, |out| {
        let events = items(seen.value(), "events");
        if events.is_empty() {
            return writeln!(out, "No contradiction was seen.");
        }
        let mut rows = table(&["#", "seen", "times", "kind", "code", "blames", "from"]);
        for event in events {
            rows.add_row(row(event));
        }
        write_table(out, &rows)
    })
}

/// Until the output is closed.
async fn follow(context: &Context, args: EventsArgs) -> Result<(), Failure> {
    let mut after = 0;
    loop {
        let seen = context.memory.events(args.kind, after).await?;
        let lines = seen.detail("lines").as_array().into_iter().flatten();
        for (event, json) in items(seen.value(), "events").iter().zip(lines) {
            after = number(event, "number");
            let line = match context.out.form() {
                Form::Json => terminal::plain_json(json.as_str().unwrap_or_default()),
                Form::Human => terminal::plain(&row(event).join("  "), LIMIT),
            };
            let mut out = std::io::stdout().lock();
            writeln!(out, "{line}")?;
            out.flush()?;
        }
        thread::sleep(PERIOD);
    }
}

fn row(event: &Value) -> Vec<String> {
    let plain = |name| terminal::plain(&text(event, name), LIMIT);
    let blamed = event.get("attributable") == Some(&Value::Bool(true));
    let blames = match (blamed, plain("/subject/agent")) {
        (false, _) => "the sender".to_owned(),
        (true, agent) if agent.is_empty() => plain("/subject/log"),
        (true, agent) => agent,
    };
    vec![
        text(event, "number"),
        plain("detected_at"),
        count(number(event, "count"), "time", "times"),
        plain("kind"),
        plain("code"),
        blames,
        plain("/source/transport"),
    ]
}
