//! Reader of a model's answer, member by member: unknown members are dropped, wrong ones reported.

use counterfoil_claims::ports::{Change, ClaimProposal};
use counterfoil_claims::time::{Boundary, TRUST_THRESHOLD, ValidTime};
use counterfoil_claims::{Cardinality, FactValue, Identifier};
use counterfoil_types::Confidence;
use counterfoil_types::json::{Limits, Map, Value, parse};

use crate::ExtractError;
use crate::limits::MAX_PROPOSALS;

/// Most skipped claims that are listed.
const MAX_SKIPPED: usize = 64;

/// Proposals without duplicates, and the indexes of claims that are no proposals, with the reason.
pub(super) type Proposed = (Vec<ClaimProposal>, Vec<(usize, String)>);

/// Reads the body of a chat completion about so many texts.
pub(super) fn read(
    body: &[u8],
    max_bytes: usize,
    texts: usize,
) -> Result<Vec<Proposed>, ExtractError> {
    let limits = Limits {
        bytes: max_bytes,
        depth: 64,
        nodes: 100_000,
    };
    let completion = parse(body, limits).map_err(|error| no_answer(error.to_string()))?;
    let content = content(&completion)?.trim();
    // Models put code fences around JSON.
    let unfenced = content
        .strip_prefix("```json")
        .or_else(|| content.strip_prefix("```"))
        .and_then(|content| content.strip_suffix("```"));
    let answer = parse(unfenced.unwrap_or(content).trim().as_bytes(), limits)
        .map_err(|error| no_answer(format!("its content: {error}")))?;
    let claims = answer.get("claims").and_then(Value::as_array);
    let claims = claims.ok_or_else(|| no_answer("it has no list `claims`".to_owned()))?;
    Ok(proposed(claims, texts))
}

fn no_answer(what: String) -> ExtractError {
    ExtractError::NoAnswer { what }
}

/// Returns the text that the model wrote.
fn content(completion: &Value) -> Result<&str, ExtractError> {
    let choice = completion.get("choices").and_then(|choices| choices.get(0));
    let choice = choice.ok_or_else(|| no_answer("it has no `choices`".to_owned()))?;
    if choice.get("finish_reason").and_then(Value::as_str) == Some("length") {
        return Err(ExtractError::CutOff);
    }
    let content = choice
        .get("message")
        .and_then(|message| message.get("content"));
    let content = content.and_then(Value::as_str);
    content.ok_or_else(|| no_answer("the model wrote nothing".to_owned()))
}

fn proposed(claims: &[Value], texts: usize) -> Vec<Proposed> {
    let mut found = vec![Proposed::default(); texts];
    for (at, claim) in claims.iter().enumerate() {
        let text = place(claim, texts);
        let Some((proposals, skipped)) = found.get_mut(text.unwrap_or_default()) else {
            break;
        };
        if text.is_none() {
            if skipped.len() < MAX_SKIPPED {
                skipped.push((at, "`turn` names none of the turns".to_owned()));
            }
            continue;
        }
        let read = if proposals.len() < MAX_PROPOSALS {
            proposal(claim)
        } else {
            Err(format!("more than {MAX_PROPOSALS} claims"))
        };
        match read {
            Ok(proposal) if proposals.contains(&proposal) => {}
            Ok(proposal) => proposals.push(proposal),
            Err(why) if skipped.len() < MAX_SKIPPED => skipped.push((at, why)),
            Err(_) => {}
        }
    }
    found
}

/// Place of the text that a claim was read in. It may be missing where there is one text alone.
fn place(claim: &Value, texts: usize) -> Option<usize> {
    match claim.get("turn") {
        None | Some(Value::Null) => (texts == 1).then_some(0),
        Some(turn) => {
            let turn = usize::try_from(turn.as_u64()?).ok()?;
            (turn < texts).then_some(turn)
        }
    }
}

fn proposal(claim: &Value) -> Result<ClaimProposal, String> {
    let Value::Object(members) = claim else {
        return Err("not an object".to_owned());
    };
    let change = match text(members, "change")? {
        None | Some("states") => Change::None,
        Some("replaces") => Change::Replaces,
        Some("ends") => Change::Ends,
        Some(_) => return Err("`change` is not states, replaces or ends".to_owned()),
    };
    let value = members.get("value").unwrap_or(&Value::Null);
    if value.is_null() && change != Change::Ends {
        return Err("`value` is missing".to_owned());
    }
    let value = FactValue::new(value).map_err(|error| error.to_string())?;
    Ok(ClaimProposal {
        subject: identifier(members, "subject")?,
        predicate: identifier(members, "predicate")?,
        value,
        valid: valid(members)?,
        cardinality: match text(members, "cardinality")? {
            None => Cardinality::Unknown,
            Some(name) => name
                .parse::<Cardinality>()
                .map_err(|_| "`cardinality` is not one, many or unknown")?,
        },
        change,
        span: None,
    })
}

fn identifier(members: &Map, name: &'static str) -> Result<Identifier, String> {
    let text = text(members, name)?.ok_or_else(|| format!("`{name}` is missing"))?;
    Identifier::new(name, text.trim()).map_err(|error| error.to_string())
}

/// Reads the valid time. Without a confidence it gets the threshold itself, so that it is kept and not used.
fn valid(members: &Map) -> Result<Option<ValidTime>, String> {
    let boundary = |name| {
        let text = text(members, name)?;
        let boundary = text.map(Boundary::parse).transpose();
        boundary.map_err(|error| format!("`{name}` is {error}"))
    };
    let (from, until) = (boundary("from")?, boundary("until")?);
    if from.is_none() && until.is_none() {
        return Ok(None);
    }
    let confidence = match members.get("confidence") {
        None | Some(Value::Null) => TRUST_THRESHOLD,
        Some(value) => value.as_f64().ok_or("`confidence` is not a number")?,
    };
    let confidence = Confidence::new(confidence).map_err(|error| error.to_string())?;
    Ok(Some(ValidTime {
        from,
        until,
        confidence,
    }))
}

fn text<'m>(members: &'m Map, name: &str) -> Result<Option<&'m str>, String> {
    match members.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(format!("`{name}` is not a text")),
    }
}
