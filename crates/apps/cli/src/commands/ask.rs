//! `ask`, `exchange` and `hear`: questions to other agents, and their messages.

pub(crate) mod human;
mod several;

use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, Subcommand};
use counterfoil::{AskOptions, Domain, Format, HearOptions, Report, StorePolicy};
use counterfoil_exchange::conversation::MAX_MESSAGE_BYTES;
use counterfoil_types::json::Value;
use counterfoil_verify::{Form, Verdict, read_file, terminal};

use crate::context::Context;
use crate::dates;
use crate::failure::{ErrorKind, Failure};
use crate::input::{Choice, one_of};
use crate::output::{self, items};

#[derive(Debug, Args)]
pub(crate) struct AskArgs {
    /// Whom: an agent by name or key, a URL, or a folder; none with --who-knows
    #[arg(
        value_name = "AGENT|URL|DIR",
        required_unless_present = "who_knows",
        default_value = "",
        hide_default_value = true
    )]
    pub(crate) target: String,
    /// Question; `?` fetches only notices of what the agent took back of the claims kept here
    #[arg(
        allow_hyphen_values = true,
        required_unless_present_any = ["verify", "who_knows"],
        default_value = "",
        hide_default_value = true
    )]
    pub(crate) question: String,
    /// Ask at once all known agents that may know of this domain or these words, for one answer; the one argument is then the question
    /// [default: what do you know about TOPIC?]
    #[arg(long, value_name = "TOPIC", conflicts_with_all = ["question", "verify", "as_text", "cursor"])]
    pub(crate) who_knows: Option<String>,
    /// With --who-knows: ask at most so many agents, 1 to 32, the most trusted first
    #[arg(long, value_name = "N", requires = "who_knows", default_value_t = 8, value_parser = clap::value_parser!(u8).range(1..=32))]
    pub(crate) max_agents: u8,
    /// With --who-knows: ask the agents to whom those refer, too, over at most 2 hops and at most as many; they learn the question
    #[arg(long, requires = "who_knows")]
    pub(crate) follow_referrals: bool,
    /// Ask them at private addresses and on this machine, too
    #[arg(long, requires = "follow_referrals")]
    pub(crate) private_addresses: bool,
    /// Ask instead what the agent states of this memory of its; shown, and not counted
    #[arg(long, value_name = "MEMORY_ID", conflicts_with_all = ["question", "as_text", "cursor", "anonymous"])]
    pub(crate) verify: Option<String>,
    /// Of which domain
    #[arg(long, value_name = "D")]
    pub(crate) domain: Option<Domain>,
    /// A word to search for beside those of the question, up to 16; can be repeated
    #[arg(long = "keyword", value_name = "WORD")]
    pub(crate) keywords: Vec<String>,
    /// Only memories from this time on: 2020, 2020-03, 2020-03-15 or RFC 3339
    #[arg(long, value_name = "T", value_parser = dates::recorded)]
    pub(crate) from: Option<u64>,
    /// Only memories from before this time
    #[arg(long, value_name = "T", value_parser = dates::recorded)]
    pub(crate) until: Option<u64>,
    /// Ask for evidence and receipts [default: with attestations]
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) include_evidence: Option<bool>,
    /// Ask for the vouches for the agent [default: with --require-vouches]
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(crate) include_vouches: Option<bool>,
    /// At most so many memories, 1 to 100
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u8).range(1..=100))]
    pub(crate) max: u8,
    /// Go on where an answer to the same question ended
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["anonymous", "as_text"])]
    pub(crate) cursor: Option<String>,
    /// In which form
    #[arg(long, default_value = "attestation", value_parser = one_of(&FORMATS))]
    pub(crate) format: Format,
    /// Wait so many seconds, 1 to 600
    #[arg(long, value_name = "S", default_value_t = 30, value_parser = clap::value_parser!(u16).range(1..=600))]
    pub(crate) timeout: u16,
    /// Check, and store nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Store the raw memories, too: as texts that somebody said
    #[arg(long, conflicts_with = "dry_run")]
    pub(crate) keep_raw: bool,
    /// Only memories with evidence that was checked
    #[arg(long)]
    pub(crate) require_evidence: bool,
    /// Only memories of agents that are vouched for
    #[arg(long)]
    pub(crate) require_vouches: bool,
    /// Only memories of agents of at least this level, 0 to 3
    #[arg(long, value_name = "L", value_parser = clap::value_parser!(u8).range(0..=3))]
    pub(crate) min_level: Option<u8>,
    /// Ask anonymously, without a signature
    #[arg(long)]
    pub(crate) anonymous: bool,
    /// Fetch evidence that memories point to, from public addresses
    #[arg(long)]
    pub(crate) fetch_evidence: bool,
    /// Ask plain HTTP elsewhere than on this machine
    #[arg(long)]
    pub(crate) plain_http: bool,
    /// Trust these certificates beside the system's, in PEM
    #[arg(long, value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,
    /// Print the question as text for a conversation, and send nothing
    #[arg(long)]
    pub(crate) as_text: bool,
}

const FORMATS: [Choice<Format>; 3] = [
    ("attestation", "Signed attestations", Format::Attestation),
    ("raw", "The memory alone", Format::Raw),
    (
        "summary",
        "The sentences of it that match best",
        Format::Summary,
    ),
];

#[derive(Debug, Subcommand)]
pub(crate) enum ExchangeCommand {
    /// List exchanges, the newest first
    List {
        /// At most so many
        #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1000))]
        max: u16,
    },
    /// Show one: the question, each state, each memory with its checks
    Show(ExchangeIdArgs),
    /// Give one up
    Cancel(ExchangeIdArgs),
    /// Take an answer that came too late, within 24 hours
    Adopt(ExchangeIdArgs),
    /// Go on with one that was interrupted
    Resume {
        #[command(flatten)]
        of: ExchangeIdArgs,
        /// Ask plain HTTP elsewhere than on this machine
        #[arg(long)]
        plain_http: bool,
        /// Trust these certificates beside the system's, in PEM
        #[arg(long, value_name = "FILE")]
        ca: Option<PathBuf>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ExchangeIdArgs {
    /// The id, or its beginning
    pub(crate) id: String,
}

#[derive(Debug, Args)]
pub(crate) struct HearArgs {
    /// The message; `-` is standard input
    #[arg(value_name = "FILE")]
    pub(crate) message: PathBuf,
    /// Speaker, as the conversation names it
    #[arg(long, value_name = "NAME")]
    pub(crate) from: Option<String>,
    /// Store the messages, as texts that somebody said
    #[arg(long)]
    pub(crate) keep: bool,
    /// Fetch the links in an answer, from public addresses; its author may see that it was read
    #[arg(long)]
    pub(crate) fetch_evidence: bool,
}

pub(crate) async fn run(context: &Context, args: AskArgs) -> Result<(), Failure> {
    let (target, question) = (&args.target, &args.question);
    let options = AskOptions {
        domain: args.domain,
        keywords: args.keywords,
        from_us: args.from,
        until_us: args.until,
        include_evidence: args.include_evidence,
        include_vouches: args.include_vouches,
        max: args.max,
        cursor: args.cursor,
        format: args.format,
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
        max_agents: args.max_agents,
        follow_referrals: args.follow_referrals,
        private_addresses: args.private_addresses,
    };
    let memory = &context.memory;
    if let Some(topic) = &args.who_knows {
        context.watch_for_interruption()?;
        // The only argument stands in the place of the agent.
        let question = Some(target.as_str()).filter(|question| !question.is_empty());
        let answer = memory.who_knows(topic, question, &options).await?;
        context.out.report(&answer, several::write)?;
        return end_of(
            items(answer.value(), "agents")
                .iter()
                .map(|agent| &agent["state"]),
        );
    }
    if let Some(id) = &args.verify {
        let report = memory.verify_memory(target, id, &options).await?;
        return context.out.report(&report, testimony);
    }
    if args.as_text {
        let text = memory.question_text(target, question, &options).await?;
        return context.out.text(&text);
    }
    context.watch_for_interruption()?;
    end(context, &memory.ask(target, question, &options).await?)
}

/// Writes what an agent states of its own memory.
fn testimony(out: &mut dyn Write, document: &Value) -> io::Result<()> {
    let name = document
        .pointer("/agent/name")
        .or(document.pointer("/agent/key"));
    let name = name.and_then(Value::as_str).unwrap_or_default();
    let line = |text: &str| terminal::plain(text, 200);
    let mut lines = vec![
        ("agent", line(name)),
        ("memory", line(&output::text(document, "memory"))),
    ];
    for (at, row) in items(document, "testimony").iter().enumerate() {
        let label = if at == 0 { "says" } else { "" };
        let check = output::text(row, "check").replace('_', " ");
        lines.push((label, format!("{check:<20} {}", output::text(row, "said"))));
    }
    lines.push((
        "note",
        "the agent's own word: no check counts it".to_owned(),
    ));
    output::pairs(out, &lines)
}

pub(crate) async fn exchange(context: &Context, command: ExchangeCommand) -> Result<(), Failure> {
    let memory = &context.memory;
    match command {
        ExchangeCommand::List { max } => {
            let exchanges = memory.exchanges(max.into()).await?;
            let nothing = "Nobody was asked yet: counterfoil ask AGENT QUESTION";
            let columns = [
                ("exchange", "exchange"),
                ("begun", "{begunAt:minute}"),
                ("state", "{state:words}"),
                ("asked at", "{address:line}"),
                ("question", "{question:line}"),
            ];
            let list = ("exchanges", nothing);
            context.out.list(&exchanges, list, &columns)
        }
        ExchangeCommand::Show(args) => show(context, &memory.exchange(&args.id).await?),
        ExchangeCommand::Cancel(args) => show(context, &memory.cancel_exchange(&args.id).await?),
        ExchangeCommand::Adopt(args) => end(context, &memory.adopt_exchange(&args.id).await?),
        ExchangeCommand::Resume { of, plain_http, ca } => {
            context.watch_for_interruption()?;
            let resumed = memory.resume_exchange(&of.id, plain_http, ca.as_deref());
            end(context, &resumed.await?)
        }
    }
}

fn show(context: &Context, exchange: &Report) -> Result<(), Failure> {
    let results = exchange.detail("results");
    let human = |out: &mut dyn Write, document: &Value| human::write(out, document, results);
    context.out.report(exchange, human)
}

/// Shows an exchange, and ends as it went.
fn end(context: &Context, exchange: &Report) -> Result<(), Failure> {
    show(context, exchange)?;
    end_of([&exchange.value()["state"]])
}

/// Ends as the best of several exchanges went, by their states.
fn end_of<'a>(states: impl IntoIterator<Item = &'a Value>) -> Result<(), Failure> {
    let verdicts = states.into_iter().map(|state| match state.as_str() {
        Some("no_match" | "verified" | "partially_verified" | "stored" | "discarded") => Ok(()),
        Some("rejected" | "declined") => Err(Verdict::Rejected),
        _ => Err(Verdict::Indeterminate),
    });
    let verdicts: Vec<_> = verdicts.collect();
    if verdicts.contains(&Ok(())) {
        return Ok(());
    }
    match verdicts.contains(&Err(Verdict::Rejected)) {
        true => Err(Failure::NotApproved(Verdict::Rejected)),
        false => Err(Failure::NotApproved(Verdict::Indeterminate)),
    }
}

pub(crate) async fn hear(context: &Context, args: HearArgs) -> Result<(), Failure> {
    context.memory.must_exist()?;
    let message = message(&args.message)?;
    let options = HearOptions {
        from: args.from,
        store: match args.keep {
            true => StorePolicy::All,
            false => StorePolicy::None,
        },
        fetch_evidence: args.fetch_evidence,
    };
    let heard = context.memory.hear(&message, &options);
    let heard = heard.await?;
    let parts = items(heard.value(), "heard");
    let is_watched = context.out.form() == Form::Human && io::stdout().is_terminal();
    context.out.report(&heard, |out, _| {
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
