//! `claim add`: states a fact and prints the gate's answer.

use counterfoil_claims::time::ValidTime;
use counterfoil_claims::{Cardinality, FactValue, Identifier, Submission};
use counterfoil_types::Confidence;
use counterfoil_types::json::{Limits, Value, parse};

use crate::args::{CardinalityName, ClaimAddArgs};
use crate::claims::answer::answer;
use crate::claims::references;
use crate::context::Context;
use crate::failure::Failure;
use crate::input::standard_input;
use counterfoil::text::holds_nul;

pub(crate) async fn run(context: &Context, args: ClaimAddArgs) -> Result<(), Failure> {
    context.memory.must_exist()?;
    let superseding = references(&args.supersedes)?;
    let stated = context.memory.claim(submission(args)?, &superseding);
    answer(context, &stated.await?)
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
