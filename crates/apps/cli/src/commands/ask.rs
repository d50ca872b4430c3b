//! `ask`, `exchange` and `hear`: questions to other agents, and their messages.

pub(crate) mod human;

use std::io::{self, IsTerminal, Read};
use std::path::Path;
use std::time::Duration;

use counterfoil::{AskOptions, Report, StorePolicy};
use counterfoil_exchange::conversation::MAX_MESSAGE_BYTES;
use counterfoil_types::json::Value;
use counterfoil_verify::{Form, Verdict, read_file, terminal};

use crate::args::{AskArgs, ExchangeCommand, HearArgs, named};
use crate::context::Context;
use crate::failure::{ErrorKind, Failure};
use crate::output::{self, items, table, write_table};

/// Most characters of a question or an address in a line.
const SHOWN: usize = 60;

pub(crate) async fn run(context: &Context, args: AskArgs) -> Result<(), Failure> {
    let (target, question) = (&args.target, &args.question);
    let options = AskOptions {
        domain: args.domain,
        max: args.max,
        cursor: args.cursor,
        format: named(args.format)?,
        timeout: Duration::from_secs(args.timeout.into()),
        store: match (args.dry_run, args.keep_raw) {
            (true, _) => StorePolicy::None,
            (false, true) => StorePolicy::All,
            (false, false) => StorePolicy::Attested,
        },
        require_evidence: args.require_evidence,
        require_vouches: args.require_vouches,
        min_level: args.min_level.unwrap_or_default(),
        anonymous: args.anonymous,
        fetch_evidence: args.fetch_evidence,
        plain_http: args.plain_http,
        ca: args.ca,
    };
    let memory = &context.memory;
    if args.as_text {
        let text = memory.question_text(target, question, &options).await?;
        return context.out.text(&text);
    }
    context.watch_for_interruption()?;
    end(context, &memory.ask(target, question, &options).await?)
}

pub(crate) async fn exchange(context: &Context, command: ExchangeCommand) -> Result<(), Failure> {
    let memory = &context.memory;
    match command {
        ExchangeCommand::List(args) => {
            let exchanges = memory.exchanges(args.max.into()).await?;
            context.out.report(&exchanges, |out| {
                let exchanges = items(exchanges.value(), "exchanges");
                if exchanges.is_empty() {
                    return writeln!(out, "Nobody was asked yet: counterfoil ask AGENT QUESTION");
                }
                let mut rows = table(&["exchange", "begun", "state", "asked at", "question"]);
                for exchange in exchanges {
                    let of = |name: &str| output::text(exchange, name);
                    let plain = |text: String| {
                        terminal::plain(&text.replace(['\n', '\t', '\r'], " "), SHOWN)
                    };
                    rows.add_row([
                        of("exchange"),
                        of("begunAt").replace('T', " ").chars().take(16).collect(),
                        of("state").replace('_', " "),
                        plain(of("address")),
                        plain(of("question")),
                    ]);
                }
                write_table(out, &rows)
            })
        }
        ExchangeCommand::Show(args) => show(context, &memory.exchange(&args.id).await?),
        ExchangeCommand::Cancel(args) => show(context, &memory.cancel_exchange(&args.id).await?),
        ExchangeCommand::Adopt(args) => end(context, &memory.adopt_exchange(&args.id).await?),
        ExchangeCommand::Resume(args) => {
            context.watch_for_interruption()?;
            let ca = args.ca.as_deref();
            let resumed = memory.resume_exchange(&args.id, args.plain_http, ca);
            end(context, &resumed.await?)
        }
    }
}

fn show(context: &Context, exchange: &Report) -> Result<(), Failure> {
    context.out.report(exchange, |out| {
        human::write(out, exchange.value(), exchange.detail("results"))
    })
}

/// Shows an exchange, and ends as it went.
fn end(context: &Context, exchange: &Report) -> Result<(), Failure> {
    show(context, exchange)?;
    match exchange.text("/state").unwrap_or_default() {
        "rejected" | "declined" => Err(Failure::NotApproved(Verdict::Rejected)),
        "no_match" | "verified" | "partially_verified" | "stored" | "discarded" => Ok(()),
        _ => Err(Failure::NotApproved(Verdict::Indeterminate)),
    }
}

pub(crate) async fn hear(context: &Context, args: HearArgs) -> Result<(), Failure> {
    context.memory.must_exist()?;
    let message = message(&args.message)?;
    let store_policy = match args.keep {
        true => StorePolicy::All,
        false => StorePolicy::None,
    };
    let heard = context
        .memory
        .hear(&message, args.from.as_deref(), store_policy);
    let heard = heard.await?;
    let parts = items(heard.value(), "heard");
    let is_watched = context.out.form() == Form::Human && io::stdout().is_terminal();
    context.out.report(&heard, |out| {
        for (number, part) in parts.iter().enumerate() {
            if number > 0 {
                writeln!(out)?;
            }
            if let Some(exchange) = part.get("exchange") {
                human::write(out, exchange, &heard.detail("results")[number])?;
            }
            match part["answer"].as_str() {
                Some(answer) if is_watched => answer.lines().try_for_each(|line| {
                    writeln!(out, "{}", terminal::plain(line, MAX_MESSAGE_BYTES))
                })?,
                Some(answer) => out.write_all(answer.as_bytes())?,
                None => {}
            }
        }
        Ok(())
    })?;
    // It ends as the first part that went wrong.
    for part in parts {
        if let Some(problem) = part["problem"].as_str() {
            let detail = output::text(part, "detail");
            let text = format!("the question is refused ({problem}): {detail}");
            return Err(Failure::new(ErrorKind::Refused, text));
        }
        if part.pointer("/exchange/state").and_then(Value::as_str) == Some("rejected") {
            return Err(Failure::NotApproved(Verdict::Rejected));
        }
    }
    Ok(())
}

/// Reads a message of at most 64 KiB.
fn message(path: &Path) -> Result<String, Failure> {
    let bytes = if path == Path::new("-") {
        let mut bytes = Vec::new();
        let limit = u64::try_from(MAX_MESSAGE_BYTES).unwrap_or(u64::MAX);
        let mut input = io::stdin().lock().take(limit.saturating_add(1));
        input.read_to_end(&mut bytes)?;
        bytes
    } else {
        read_file("message", path, MAX_MESSAGE_BYTES)
            .map_err(|error| Failure::new(ErrorKind::Input, error.to_string()))?
    };
    if bytes.len() > MAX_MESSAGE_BYTES {
        return Err(Failure::input(
            "the message has more than 64 KiB",
            "send it over HTTP or in a folder",
        ));
    }
    String::from_utf8(bytes)
        .map_err(|_| Failure::input("the message is no UTF-8 text", "save it as UTF-8"))
}
