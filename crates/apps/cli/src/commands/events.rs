//! `events`: the contradictions that were seen here (capsules 4.8, C11).

use std::io::Write;
use std::thread;
use std::time::Duration;

use counterfoil_capsule::documents::ContradictionKind;
use counterfoil_sqlite::{EventRow, SqliteStore};
use counterfoil_verify::{Form, terminal};
use serde::Serialize;
use serde_json::Value;

use crate::args::EventsArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{self, table, write_table};

/// How often new events are looked for.
const PERIOD: Duration = Duration::from_millis(500);
/// The most characters of a line for a person.
const LIMIT: usize = 400;

#[derive(Serialize)]
struct Listed {
    events: Vec<Shown>,
}

#[derive(Serialize)]
struct Shown {
    number: u64,
    count: u64,
    #[serde(flatten)]
    document: Value,
}

impl From<EventRow> for Shown {
    fn from(event: EventRow) -> Self {
        Self {
            number: event.number,
            count: event.count,
            document: event.document,
        }
    }
}

pub(crate) async fn run(context: &Context, args: EventsArgs) -> Result<(), Failure> {
    let store = context.home.reader()?;
    if args.follow {
        return follow(context, &store, args.kind).await;
    }
    let mut events: Vec<Shown> = Vec::new();
    let mut after = 0;
    loop {
        let more = store.events(after, args.kind).await?;
        let Some(last) = more.last() else { break };
        after = last.number;
        events.extend(more.into_iter().map(Shown::from));
    }
    let listed = Listed { events };
    context.out.answer(&listed, |out| {
        if listed.events.is_empty() {
            return writeln!(out, "No contradiction was seen.");
        }
        let mut rows = table(&["#", "seen", "times", "kind", "code", "blames", "from"]);
        for event in &listed.events {
            rows.add_row(row(event));
        }
        write_table(out, &rows)
    })
}

/// Until nobody reads any more.
async fn follow(
    context: &Context,
    store: &SqliteStore,
    kind: Option<ContradictionKind>,
) -> Result<(), Failure> {
    let mut after = 0;
    loop {
        for event in store.events(after, kind).await? {
            after = event.number;
            let event = Shown::from(event);
            let line = match context.out.form() {
                Form::Json => serde_json::to_string(&event)
                    .map(|line| terminal::plain_json(&line))
                    .map_err(|_| Failure::bug("an event that is no JSON"))?,
                Form::Human => terminal::plain(&row(&event).join("  "), LIMIT),
            };
            let mut out = std::io::stdout().lock();
            writeln!(out, "{line}")?;
            out.flush()?;
        }
        thread::sleep(PERIOD);
    }
}

fn row(event: &Shown) -> Vec<String> {
    let text = |pointer: &str| match event.document.pointer(pointer) {
        Some(Value::String(text)) => terminal::plain(text, LIMIT),
        _ => String::new(),
    };
    let blamed = event.document.pointer("/attributable") == Some(&Value::Bool(true));
    let blames = match (blamed, text("/subject/agent")) {
        (false, _) => "the sender".to_owned(),
        (true, agent) if agent.is_empty() => text("/subject/log"),
        (true, agent) => agent,
    };
    vec![
        event.number.to_string(),
        text("/detected_at"),
        output::count(event.count, "time", "times"),
        text("/kind"),
        text("/code"),
        blames,
        text("/source/transport"),
    ]
}
