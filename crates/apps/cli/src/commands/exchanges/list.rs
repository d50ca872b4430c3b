//! `exchange list`: the newest exchanges, from what was written down.

use counterfoil_exchange::documents::Request;
use counterfoil_store::{ExchangeStore, StoredExchange};
use serde::Serialize;

use crate::args::ExchangeListArgs;
use crate::claims::dates::rfc3339;
use crate::claims::telling::recorded;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{table, write_table};
use counterfoil_verify::terminal;

/// The most characters of a question or an address in a line.
const SHOWN: usize = 60;

#[derive(Serialize)]
struct Listed {
    exchanges: Vec<Line>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    exchange: String,
    state: &'static str,
    begun_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    asked: Option<String>,
    address: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<String>,
    memories: usize,
    #[serde(skip)]
    begun_us: u64,
}

pub(super) async fn run(context: &Context, args: &ExchangeListArgs) -> Result<(), Failure> {
    let store = context.home.reader()?;
    let newest = store.exchanges(None, usize::from(args.max)).await?;
    let listed = Listed {
        exchanges: newest.into_iter().map(line).collect(),
    };
    context.out.answer(&listed, |out| {
        if listed.exchanges.is_empty() {
            return writeln!(out, "Nobody was asked yet: counterfoil ask AGENT QUESTION");
        }
        let mut rows = table(&["exchange", "begun", "state", "asked at", "question"]);
        for line in &listed.exchanges {
            rows.add_row([
                line.exchange.clone(),
                recorded(line.begun_us),
                line.state.replace('_', " "),
                plain(&line.address),
                plain(line.question.as_deref().unwrap_or_default()),
            ]);
        }
        write_table(out, &rows)
    })
}

fn line(stored: StoredExchange) -> Line {
    let begun = stored.begun;
    let state = stored
        .transitions
        .last()
        .map_or("idle", |row| row.to.name());
    let request = Request::parse(&begun.request).ok();
    Line {
        exchange: begun.id.to_string(),
        state,
        begun_at: rfc3339(begun.begun_us),
        asked: begun.peer.map(|peer| peer.to_string()),
        address: begun.address,
        question: request.map(|request| request.parts().query.natural.to_string()),
        memories: stored.items.len(),
        begun_us: begun.begun_us,
    }
}

fn plain(text: &str) -> String {
    terminal::plain(&text.replace(['\n', '\t', '\r'], " "), SHOWN)
}
