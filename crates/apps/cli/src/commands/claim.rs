//! `claim`: stating facts, assertions about them, and the gate's answers.

use std::io::{self, Write};

use counterfoil::text::{self as telling, holds_nul};
use counterfoil::{Memory, Report};
use counterfoil_claims::time::ValidTime;
use counterfoil_claims::{Assertion, Cardinality, FactValue, Identifier, Submission, Target};
use counterfoil_types::json::{Limits, Value, parse};
use counterfoil_types::{Confidence, WorldId};

use crate::args::{CardinalityName, ClaimAddArgs, ClaimCommand, SaidArgs};
use crate::commands::extract;
use crate::context::Context;
use crate::failure::Failure;
use crate::input::standard_input;
use crate::output::{items, number, pairs, rows, text};

pub(crate) async fn run(context: &Context, command: ClaimCommand) -> Result<(), Failure> {
    let memory = &context.memory;
    match command {
        ClaimCommand::Add(args) => {
            memory.must_exist()?;
            let superseding = references(&args.supersedes)?;
            let stated = memory.claim(submission(args)?, &superseding);
            answer(context, &stated.await?)
        }
        ClaimCommand::End(args) => {
            memory.must_exist()?;
            // With one name a claim, with two a line whose one live claim is meant.
            let target = match &args.predicate {
                None => Target::Claim(Memory::reference(&args.reference)?),
                Some(of) => Target::Line {
                    subject: Identifier::new("subject", &args.reference)?,
                    predicate: Identifier::new("predicate", of)?,
                },
            };
            let assertion = Assertion::end(&args.said.channel.channel(), target, args.at);
            assert(context, &args.said, assertion).await
        }
        ClaimCommand::Reopen(args) => {
            let target = claim(context, &args.reference)?;
            let assertion = Assertion::reopen(&args.said.channel.channel(), target);
            assert(context, &args.said, assertion).await
        }
        ClaimCommand::Release(args) => {
            let target = claim(context, &args.reference)?;
            let assertion = Assertion::release(&args.said.channel.channel(), target);
            assert(context, &args.said, assertion).await
        }
        ClaimCommand::Supersede(args) => {
            let target = claim(context, &args.reference)?;
            let by = Memory::reference(&args.by)?;
            let assertion = Assertion::supersede(&args.said.channel.channel(), target, by);
            assert(context, &args.said, assertion).await
        }
        ClaimCommand::Show(args) => show(context, &memory.claim_unit(&args.reference).await?),
        ClaimCommand::Ledger(args) => {
            let ledger = memory.claim_ledger(args.claim.as_deref(), args.before, args.max);
            let ledger = ledger.await?;
            context.out.report(&ledger, |out| {
                let headings = ["recorded", "about", "says", "said by", "became", "ref"];
                if !rows(out, &headings, ledger.detail("rows"))? {
                    return writeln!(out, "No claims.");
                }
                match ledger.number("/before") {
                    Some(before) => writeln!(out, "\nEarlier ones: --before {before}"),
                    None => Ok(()),
                }
            })
        }
        ClaimCommand::Did(args) => {
            let committed = memory.committed(&args.key).await?;
            context
                .out
                .report(&committed, |out| match committed.value().get("answer") {
                    Some(answer) => human(out, answer),
                    None => writeln!(out, "Nothing was written under this key."),
                })
        }
        ClaimCommand::Import(args) => extract::import(context, args).await,
    }
}

fn claim(context: &Context, text: &str) -> Result<WorldId, Failure> {
    context.memory.must_exist()?;
    Ok(Memory::reference(text)?)
}

/// Parses the references of claims or memories.
pub(super) fn references(texts: &[String]) -> Result<Vec<WorldId>, Failure> {
    let references = texts.iter().map(|text| Memory::reference(text));
    Ok(references.collect::<Result<_, _>>()?)
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
    context.out.report(unit, |out| {
        let listed = unit.detail("lines").as_array().into_iter().flatten();
        let listed: Vec<_> = listed
            .map(|line| (text(line, "/0"), text(line, "/1")))
            .collect();
        let lines = listed
            .iter()
            .map(|(name, value)| (name.as_str(), value.clone()));
        let mut lines: Vec<(&str, String)> = lines.collect();
        let became = unit.detail("became").as_str().unwrap_or_default();
        lines.push(("became", became.replace('_', " ")));
        lines.push(("why", text(unit.value(), "why")));
        lines.extend(because(unit.detail("because"), ""));
        lines.push(("log index", text(unit.value(), "index")));
        pairs(out, &lines)
    })
}

/// Checks the arguments before any key is opened.
fn submission(args: ClaimAddArgs) -> Result<Submission, Failure> {
    let subject = Identifier::new("subject", &args.subject)?;
    let predicate = Identifier::new("predicate", &args.predicate)?;
    let valid = valid(&args)?;
    let value = value(args.value, args.value_json)?;
    let mut made = Submission::new(&args.said.channel.channel(), subject, predicate, value)
        .citing(references(&args.source)?)?
        .superseding(references(&args.supersedes)?)?
        .derived_from(references(&args.derived_from)?)?;
    if let Some(cardinality) = args.cardinality {
        made = made.cardinality(match cardinality {
            CardinalityName::One => Cardinality::One,
            CardinalityName::Many => Cardinality::Many,
        });
    }
    if let Some(valid) = valid {
        made = made.valid(valid)?;
    }
    match &args.said.key {
        Some(key) => Ok(made.keyed(key)?),
        None => Ok(made),
    }
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

type Lines = Vec<(&'static str, String)>;

/// Prints the answer to a request. A claim that was not accepted is no failure.
fn answer(context: &Context, answer: &Report) -> Result<(), Failure> {
    context.out.report(answer, |out| human(out, answer.value()))
}

fn human(out: &mut dyn Write, answer: &Value) -> io::Result<()> {
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
fn because(because: &Value, known: &str) -> Lines {
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
