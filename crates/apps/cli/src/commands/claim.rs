//! `claim`: stating facts, assertions about them, and the gate's answers.

use std::io::{self, Write};
use std::slice;

use clap::{Args, Subcommand};
use counterfoil::text::{self as telling, holds_nul};
use counterfoil::{BeliefQuery, Memory, Report};
use counterfoil_claims::time::{Boundary, Micros, ValidTime};
use counterfoil_claims::{Assertion, Cardinality, FactValue, Identifier, Submission, Target};
use counterfoil_types::json::{Limits, Value, parse};
use counterfoil_types::{Confidence, DidKey, WorldId};

use crate::commands::alias::{self, AliasCommand};
use crate::commands::extract::{self, ClaimImportArgs};
use crate::commands::predicate::{self, PredicateCommand};
use crate::context::Context;
use crate::dates;
use crate::failure::Failure;
use crate::input::{ChannelName, Choice, confidence, one_of, standard_input};
use crate::output::{Lines, filled, items, lines_of, number, pairs, rows, text, texts, under};

#[derive(Debug, Subcommand)]
pub(crate) enum ClaimCommand {
    /// State a fact; the gate says what becomes of it
    Add(ClaimAddArgs),
    /// State what holds now, in the place of what was said before
    Set(ClaimSetArgs),
    /// Say a claim again: its source confirms it, at most once a day, and another one supports it
    Confirm(ClaimRefArgs),
    /// Put another value in the place of a claim's, for its whole time: what it says never held
    Correct {
        /// The claim
        #[arg(value_name = "REF")]
        reference: String,
        /// The right value: a text, or with --value-json any JSON; `-` reads it from standard input
        #[arg(allow_hyphen_values = true)]
        value: String,
        /// The value is JSON
        #[arg(long)]
        value_json: bool,
        #[command(flatten)]
        said: SaidArgs,
    },
    #[command(flatten)]
    Change(ChangeCommand),
    /// Show one claim or assertion: what it does, and why the gate let it in
    Show {
        /// A claim or an assertion
        #[arg(value_name = "REF")]
        reference: String,
    },
    /// Show who said a claim first, in what capacity, and each agent that handed it on
    Why {
        /// The claim
        #[arg(value_name = "REF")]
        reference: String,
    },
    /// List the decisions and the disclosures, the newest last
    Ledger {
        /// Only records about this claim
        #[arg(long, value_name = "REF")]
        claim: Option<String>,
        /// Only records before this log index [default: the newest]
        #[arg(long, value_name = "N")]
        before: Option<u64>,
        /// At most so many, 1 to 1000
        #[arg(long, value_name = "N", default_value_t = 100)]
        max: usize,
    },
    /// Say whether something was committed under a key
    Did {
        /// The key of the request
        #[arg(allow_hyphen_values = true)]
        key: String,
    },
    /// Import claims: JSON Lines, or a mempill database
    Import(ClaimImportArgs),
    #[command(flatten)]
    Predicate(PredicateCommand),
    #[command(flatten)]
    Alias(AliasCommand),
}

/// Assertions about a claim.
#[derive(Debug, Subcommand)]
pub(crate) enum ChangeCommand {
    /// Say that a claim no longer holds
    End {
        /// The claim; or a subject, whose one live claim of PREDICATE is meant
        #[arg(value_name = "REF", allow_hyphen_values = true)]
        reference: String,
        /// With a subject: the predicate
        #[arg(allow_hyphen_values = true)]
        predicate: Option<String>,
        /// From when on it no longer holds: 2020, 2020-03, 2020-03-15 or RFC 3339 [default: now]
        #[arg(long, value_name = "T", value_parser = dates::boundary)]
        at: Option<Boundary>,
        #[command(flatten)]
        said: SaidArgs,
    },
    /// Take a claim back that was said wrongly: it never held. The history keeps it
    Retract {
        /// The claim
        #[arg(value_name = "REF")]
        reference: String,
        /// Why, at most 512 bytes
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
        #[command(flatten)]
        said: SaidArgs,
    },
    /// Undo what ended or denied a claim, or took it back
    Reopen(ClaimRefArgs),
    /// Let a claim out of quarantine
    Release(ClaimRefArgs),
    /// Say that another claim has taken the place of one
    Supersede {
        /// The claim that loses its place
        #[arg(value_name = "REF")]
        reference: String,
        /// The claim that takes it
        #[arg(long, value_name = "REF")]
        by: String,
        #[command(flatten)]
        said: SaidArgs,
    },
}

/// Arguments of every write of a claim.
#[derive(Debug, Clone, Args)]
pub(crate) struct SaidArgs {
    /// Channel that the claim comes from
    #[arg(long, value_enum, value_name = "C", default_value_t = ChannelName::User)]
    pub(crate) channel: ChannelName,
    /// The name of this request: said again under it, it gives the first answer and writes nothing
    #[arg(long, value_name = "KEY")]
    pub(crate) key: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ClaimAddArgs {
    /// Of whom or what
    #[arg(allow_hyphen_values = true)]
    pub(crate) subject: String,
    /// Predicate: `lives_in`, `speaks`
    #[arg(allow_hyphen_values = true)]
    pub(crate) predicate: String,
    /// The value: a text, or with --value-json any JSON; `-` reads it from standard input
    #[arg(allow_hyphen_values = true)]
    pub(crate) value: String,
    /// The value is JSON
    #[arg(long)]
    pub(crate) value_json: bool,
    /// From when on it holds: 2020, 2020-03, 2020-03-15 or RFC 3339 [default: when it is recorded;
    /// with --until alone, ever]
    #[arg(long, value_name = "T", value_parser = dates::boundary)]
    pub(crate) from: Option<Boundary>,
    /// Until when it holds; a day, month or year is still part of it
    #[arg(long, value_name = "T", value_parser = dates::boundary)]
    pub(crate) until: Option<Boundary>,
    /// Confidence in the dates, 0 to 1: at 0.7 and below they are kept and not used [default: 1]
    #[arg(long, value_name = "C", value_parser = confidence)]
    pub(crate) valid_confidence: Option<Confidence>,
    /// Number of values that the line may hold at a time [default: not said]
    #[arg(long, value_name = "N", value_parser = one_of(&CARDINALITIES))]
    pub(crate) cardinality: Option<Cardinality>,
    /// A memory that it rests on: of what the memory holds already, a model says news only with one;
    /// to be given several times
    #[arg(long, value_name = "MEMORY")]
    pub(crate) source: Vec<String>,
    /// A claim whose place it takes; to be given several times
    #[arg(long, value_name = "REF")]
    pub(crate) supersedes: Vec<String>,
    /// A claim that it was derived from; to be given several times
    #[arg(long, value_name = "REF")]
    pub(crate) derived_from: Vec<String>,
    #[command(flatten)]
    pub(crate) said: SaidArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ClaimSetArgs {
    /// Of whom or what
    #[arg(allow_hyphen_values = true)]
    subject: String,
    /// Predicate: `lives_in`, `works_at`
    #[arg(allow_hyphen_values = true)]
    predicate: String,
    /// The value: a text, or with --value-json any JSON; `-` reads it from standard input
    #[arg(allow_hyphen_values = true)]
    value: String,
    /// The value is JSON
    #[arg(long)]
    value_json: bool,
    /// From when on it holds: 2020, 2020-03, 2020-03-15 or RFC 3339 [default: now]
    #[arg(long, value_name = "T", value_parser = dates::boundary)]
    from: Option<Boundary>,
    #[command(flatten)]
    said: SaidArgs,
}

const CARDINALITIES: [Choice<Cardinality>; 2] = [
    ("one", "One: a birthplace", Cardinality::One),
    ("many", "A set: languages", Cardinality::Many),
];

#[derive(Debug, Args)]
pub(crate) struct ClaimRefArgs {
    /// The claim
    #[arg(value_name = "REF")]
    pub(crate) reference: String,
    #[command(flatten)]
    pub(crate) said: SaidArgs,
}

/// About when, and as known when.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct WhenArgs {
    /// About when: 2020, 2020-03, 2020-03-15 (the first moment of it) or RFC 3339 [default: as --as-of]
    #[arg(long, value_name = "T", value_parser = dates::instant)]
    pub(crate) at: Option<Micros>,
    /// Time of knowledge, a date as for --at: later records do not count [default: now]
    #[arg(long, value_name = "T", value_parser = dates::recorded)]
    pub(crate) as_of: Option<u64>,
}

impl WhenArgs {
    /// The question about this agent, or about this memory's own.
    pub(crate) const fn of(self, agent: Option<DidKey>) -> BeliefQuery {
        BeliefQuery {
            at: self.at,
            as_of: self.as_of,
            agent,
        }
    }
}

pub(crate) async fn run(context: &Context, command: ClaimCommand) -> Result<(), Failure> {
    let memory = &context.memory;
    match command {
        ClaimCommand::Set(args) => {
            let said = args.said.clone();
            state(context, &said, replacing(args)?, &[]).await
        }
        ClaimCommand::Confirm(ClaimRefArgs { reference, said }) => {
            let claim = memory.own_claim(&reference).await?;
            let again = Submission::again(&said.channel.channel(), &claim)?;
            state(context, &said, again, &[]).await
        }
        ClaimCommand::Correct {
            reference,
            value: right,
            value_json,
            said,
        } => {
            let claim = memory.own_claim(&reference).await?;
            let right = value(right, value_json)?;
            let correct = Submission::correcting(&said.channel.channel(), &claim, right)?;
            state(context, &said, correct, slice::from_ref(claim.reference())).await
        }
        ClaimCommand::Add(args) => {
            let superseding = references(memory, &args.supersedes).await?;
            let said = args.said.clone();
            let cited = [
                references(memory, &args.source).await?,
                superseding.clone(),
                references(memory, &args.derived_from).await?,
            ];
            state(context, &said, submission(args, cited)?, &superseding).await
        }
        ClaimCommand::Show { reference } => show(context, &memory.claim_unit(&reference).await?),
        ClaimCommand::Why { reference } => context
            .out
            .report(&memory.claim_origin(&reference).await?, origin),
        ClaimCommand::Ledger { claim, before, max } => {
            let ledger = memory.claim_ledger(claim.as_deref(), before, max);
            list(context, &ledger.await?)
        }
        ClaimCommand::Did { key } => {
            let committed = memory.committed(&key).await?;
            let shown = |out: &mut dyn Write, value: &Value| match value.get("answer") {
                Some(answer) => human(out, answer),
                None => writeln!(out, "Nothing was written under this key."),
            };
            context.out.report(&committed, shown)
        }
        ClaimCommand::Import(args) => extract::import(context, args).await,
        ClaimCommand::Predicate(command) => predicate::run(context, command).await,
        ClaimCommand::Alias(command) => alias::run(context, command).await,
        ClaimCommand::Change(command) => change(context, command).await,
    }
}

async fn change(context: &Context, command: ChangeCommand) -> Result<(), Failure> {
    let (assertion, said) = match command {
        ChangeCommand::End {
            reference,
            predicate,
            at,
            said,
        } => (
            end(context, (&reference, predicate.as_deref()), at, &said).await?,
            said,
        ),
        ChangeCommand::Retract {
            reference,
            reason,
            said,
        } => {
            let target = context.memory.find_id(&reference).await?;
            (
                Assertion::retract(&said.channel.channel(), target, reason)?,
                said,
            )
        }
        ChangeCommand::Reopen(ClaimRefArgs { reference, said }) => {
            let target = context.memory.find_id(&reference).await?;
            (Assertion::reopen(&said.channel.channel(), target), said)
        }
        ChangeCommand::Release(ClaimRefArgs { reference, said }) => {
            let target = context.memory.find_id(&reference).await?;
            (Assertion::release(&said.channel.channel(), target), said)
        }
        ChangeCommand::Supersede {
            reference,
            by,
            said,
        } => {
            let target = context.memory.find_id(&reference).await?;
            let (by, channel) = (context.memory.find_id(&by).await?, said.channel.channel());
            (Assertion::supersede(&channel, target, by), said)
        }
    };
    assert(context, &said, assertion).await
}

/// The end of a claim, or with a predicate of the one live claim of a line.
async fn end(
    context: &Context,
    (named, predicate): (&str, Option<&str>),
    at: Option<Boundary>,
    said: &SaidArgs,
) -> Result<Assertion, Failure> {
    let target = match predicate {
        None => Target::Claim(context.memory.find_id(named).await?),
        Some(of) => Target::Line {
            subject: Identifier::new("subject", named)?,
            predicate: Identifier::new("predicate", of)?,
        },
    };
    Ok(Assertion::end(&said.channel.channel(), target, at))
}

/// A claim in the place of what its channel has said before.
fn replacing(args: ClaimSetArgs) -> Result<Submission, Failure> {
    let subject = Identifier::new("subject", &args.subject)?;
    let predicate = Identifier::new("predicate", &args.predicate)?;
    let value = value(args.value, args.value_json)?;
    let channel = args.said.channel.channel();
    let set = Submission::new(&channel, subject, predicate, value).replacing();
    match args.from {
        None => Ok(set),
        from => Ok(set.valid(ValidTime {
            from,
            until: None,
            confidence: Confidence::ONE,
        })?),
    }
}

fn list(context: &Context, ledger: &Report) -> Result<(), Failure> {
    context.out.report(ledger, |out, _| {
        let headings = ["recorded", "about", "says", "said by", "became", "ref"];
        match items(ledger.detail("rows"), "") {
            [] => return writeln!(out, "No claims."),
            listed => rows(out, &headings, listed.iter().map(cells))?,
        }
        match ledger.number("/before") {
            Some(before) => writeln!(out, "\nEarlier ones: --before {before}"),
            None => Ok(()),
        }
    })
}

/// The cells of a row of texts.
pub(super) fn cells(row: &Value) -> Vec<String> {
    texts(row, "").collect()
}

/// Finds the claims or memories of these ids or beginnings of ids.
pub(super) async fn references(memory: &Memory, texts: &[String]) -> Result<Vec<WorldId>, Failure> {
    let mut references = Vec::with_capacity(texts.len());
    for text in texts {
        references.push(memory.find_id(text).await?);
    }
    Ok(references)
}

/// Submits a claim under the key of the request and prints the gate's answer.
async fn state(
    context: &Context,
    said: &SaidArgs,
    submission: Submission,
    superseding: &[WorldId],
) -> Result<(), Failure> {
    let submission = match &said.key {
        Some(key) => submission.keyed(key)?,
        None => submission,
    };
    context.begin().await?;
    let stated = context.memory.claim(submission, superseding);
    answer(context, &stated.await?)
}

/// Submits an assertion under the key of the request and prints the gate's answer.
pub(super) async fn assert(
    context: &Context,
    said: &SaidArgs,
    assertion: Assertion,
) -> Result<(), Failure> {
    let assertion = match &said.key {
        Some(key) => assertion.keyed(key)?,
        None => assertion,
    };
    answer(context, &context.memory.assert(assertion).await?)
}

/// Prints one unit, its act, and the reason why the gate admitted it.
fn show(context: &Context, unit: &Report) -> Result<(), Failure> {
    context.out.report(unit, |out, value| {
        let listed = items(unit.detail("lines"), "").iter();
        let line = |line: &'_ Value| (text(line, "/0"), text(line, "/1"));
        let listed: Vec<_> = listed.map(line).collect();
        let lines = listed
            .iter()
            .map(|(name, value)| (name.as_str(), value.clone()));
        let mut lines: Vec<(&str, String)> = lines.collect();
        lines.push(("became", filled(unit.detail("became"), "{:words}")));
        lines.push(("why", text(value, "why")));
        lines.extend(because(unit.detail("because"), ""));
        lines.push(("log index", text(value, "index")));
        pairs(out, &lines)
    })
}

/// Prints who said a claim first, and the agents that handed it on in their order.
fn origin(out: &mut dyn Write, claim: &Value) -> io::Result<()> {
    let first = claim.get("origin").unwrap_or(&Value::Null);
    let class = match text(first, "class").as_str() {
        "user" => "the user",
        "first_hand" => "first hand",
        "tool" => "a tool",
        "model" => "a model",
        _ => "",
    };
    let is_own = first.get("level").is_none();
    let mut lines = vec![
        ("claim", filled(claim, "{subject} {predicate} {value}")),
        (
            "said by",
            match (is_own, class) {
                (true, class) => format!("{class}, here"),
                (false, "") => trusted(first),
                (false, class) => format!("{class} of {}", trusted(first)),
            },
        ),
    ];
    let readers = items(claim, "givenTo").iter();
    let readers = readers.map(|it| filled(it, "{:agent}{told?, told that it was taken back:}"));
    lines.extend(readers.map(|reader| ("given to", reader)));
    if !is_own {
        let signed = filled(
            first,
            "{signed?its own signature is here:its own signature is not here}",
        );
        lines.push(("signed", signed));
        lines.extend(
            items(claim, "hops")
                .iter()
                .map(|hop| ("through", trusted(hop))),
        );
        let counts = "{level} of {minimum} needed: {counts?it counts:it does not count}";
        lines.push(("trust", filled(claim, counts)));
    }
    pairs(out, &lines)
}

/// `alice (trust 3), 2026-11-27 09:00`.
fn trusted(agent: &Value) -> String {
    match agent.get("at") {
        Some(_) => filled(agent, "{:agent} (trust {level}), {at:minute}"),
        None => filled(agent, "{:agent} (trust {level})"),
    }
}

/// Checks the arguments before any key is opened. `cited` are the sources, the claims that it supersedes, and those that it is
/// derived from.
fn submission(args: ClaimAddArgs, cited: [Vec<WorldId>; 3]) -> Result<Submission, Failure> {
    let [sources, superseding, derived_from] = cited;
    let subject = Identifier::new("subject", &args.subject)?;
    let predicate = Identifier::new("predicate", &args.predicate)?;
    let valid = valid(&args)?;
    let value = value(args.value, args.value_json)?;
    let mut made = Submission::new(&args.said.channel.channel(), subject, predicate, value)
        .citing(sources)?
        .superseding(superseding)?
        .derived_from(derived_from)?;
    if let Some(cardinality) = args.cardinality {
        made = made.cardinality(cardinality);
    }
    if let Some(valid) = valid {
        made = made.valid(valid)?;
    }
    Ok(made)
}

fn valid(args: &ClaimAddArgs) -> Result<Option<ValidTime>, Failure> {
    if args.from.is_none() && args.until.is_none() {
        if args.valid_confidence.is_some() {
            return Err(Failure::input(
                "--valid-confidence says how sure the dates are, and there are none",
                "give --from or --until, or leave it out",
            ));
        }
        return Ok(None);
    }
    Ok(Some(ValidTime {
        from: args.from,
        until: args.until,
        confidence: args.valid_confidence.unwrap_or(Confidence::ONE),
    }))
}

fn value(text: String, is_json: bool) -> Result<FactValue, Failure> {
    let text = if text == "-" { standard_input()? } else { text };
    let json = if is_json {
        parse(text.as_bytes(), Limits::CONTENT)
            .map_err(|error| Failure::json("the value", &error))?
    } else {
        Value::String(text)
    };
    if holds_nul(&json) {
        return Err(Failure::input(
            "the value contains the character NUL",
            "remove it",
        ));
    }
    Ok(FactValue::new(&json)?)
}

/// Prints the answer to a request. A claim that was not accepted is no failure.
fn answer(context: &Context, answer: &Report) -> Result<(), Failure> {
    context.out.report(answer, human)
}

fn human(out: &mut dyn Write, answer: &Value) -> io::Result<()> {
    let mut lines = vec![("claim", telling::name(text(answer, "ref")))];
    let name = answer.get("name");
    lines.extend(name.map(|name| ("about", filled(name, "{main}, also named {given}"))));
    lines.extend([
        ("became", filled(answer, "{disposition:words}")),
        ("why", text(answer, "why")),
    ]);
    lines.extend(because(&answer["because"], &text(answer, "ref")));
    lines.push(match answer.get("unit") {
        Some(unit) => ("log index", text(unit, "index")),
        None => ("written", "nothing".to_owned()),
    });
    lines.extend(under("ended", texts(answer, "ended")));
    lines.extend(under("next", texts(answer, "next")));
    pairs(out, &lines)
}

/// Lines of the gate's reasons; the claim `known` is named elsewhere.
fn because(because: &Value, known: &str) -> Lines {
    let rivals = items(because, "rivals");
    let against = rivals.iter().map(|rival| {
        let value = rival.get("value");
        let value = value.and_then(|value| FactValue::new(value).ok());
        let value = value
            .as_ref()
            .map_or_else(|| "(erased)".to_owned(), telling::value);
        format!("{value}  {}", telling::name(text(rival, "ref")))
    });
    let mut lines: Lines = under("against", against).collect();
    let listed = u64::try_from(rivals.len()).unwrap_or(u64::MAX);
    let more = number(because, "rivalCount").saturating_sub(listed);
    if more > 0 {
        lines.push(("", format!("and {more} more")));
    }
    let equals = Some(text(because, "equals")).filter(|it| !it.is_empty() && it != known);
    lines.extend(equals.map(|it| ("equals", telling::name(it))));
    let members = [("depth", "?depth"), ("line holds", "?cardinality")];
    lines.extend(lines_of(because, &members));
    let ignored = texts(because, "ignored");
    lines.extend(ignored.map(|it| ("not superseded", telling::name(it))));
    lines
}
