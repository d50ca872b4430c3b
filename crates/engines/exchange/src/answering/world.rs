//! The claim of an attestation that a World holds: responders write it, and receipt checks compare it
//! (docs/format/exchange.md §10.1).

use alloc::format;
use alloc::vec::Vec;

use counterfoil_claims::time::Boundary;
use counterfoil_claims::{FactValue, Identifier, UNIT_FORMAT};
use counterfoil_types::json::{Map, Value, canonical};

use crate::documents::{Attestation, Claim, ClaimKind, StructuredClaim, Text};

/// Members of a World's data that control its sharing, and are left out of its claim.
const OF_THE_HOST: [&str; 2] = ["share", "private"];

/// Returns the claim of a World's content. `None`: it has no claim that can be attested, as it is an assertion about claims or
/// has more than 65,536 bytes. `content` is the World without its metadata.
pub fn claim_of_world(content: &Value) -> Option<Claim> {
    let data = content.get("data")?;
    let Some(members) = data.as_object() else {
        return match data {
            Value::String(text) => claim_of_text(text),
            other => claim_of_text(&canonical(other).ok()?),
        };
    };
    let text = |name: &str| members.get(name).and_then(Value::as_str);
    let filled = |name: &str| text(name).filter(|text| !text.is_empty());
    match text("kind").unwrap_or_default() {
        "claim" if text("format") == Some(UNIT_FORMAT) => claim_of_unit(members),
        "received" => match attestation_of_received(content) {
            Some(attestation) => Some(attestation.parts().claim.clone()),
            None => Some(Claim {
                kind: kind_named(text("type").unwrap_or_default()),
                context: text("context").and_then(|context| Text::new(context).ok()),
                ..claim_of_text(text("text")?)?
            }),
        },
        kind => {
            let claim = match (filled("text"), filled("speaker")) {
                (Some(text), Some(speaker)) => claim_of_text(&format!("{speaker}: {text}")),
                (Some(text), None) => claim_of_text(text),
                (None, _) => {
                    let mut kept = members.clone();
                    kept.retain(|name, _| !OF_THE_HOST.contains(&name.as_str()));
                    claim_of_text(&canonical(&Value::Object(kept)).ok()?)
                }
            };
            Some(Claim {
                kind: kind_named(kind),
                ..claim?
            })
        }
    }
}

/// Returns the attestation in a World that was received from another agent.
pub fn attestation_of_received(content: &Value) -> Option<Attestation> {
    let members = content.get("data")?.as_object()?;
    let received = members.get("kind").and_then(Value::as_str) == Some("received");
    let attestation = members.get("attestation").filter(|_| received)?;
    Attestation::parse(canonical(attestation).ok()?.as_bytes()).ok()
}

fn claim_of_text(text: &str) -> Option<Claim> {
    Text::new(text).ok().map(Claim::of_text)
}

/// The kind of a memory, an observation unless its name is that of another.
fn kind_named(name: &str) -> ClaimKind {
    name.parse().unwrap_or(ClaimKind::Observation)
}

/// The fact of a claim unit. Later acts on it are in other units.
fn claim_of_unit(members: &Map) -> Option<Claim> {
    let text = |name: &str| members.get(name).and_then(Value::as_str);
    if text("act") != Some("claim") {
        return None;
    }
    let valid = members.get("valid").and_then(Value::as_object);
    let boundary = |name: &str| match valid.and_then(|valid| valid.get(name)) {
        Some(at) => Boundary::parse(at.as_str()?).ok().map(Some),
        None => Some(None),
    };
    let structured = StructuredClaim {
        subject: Identifier::new("subject", text("subject")?).ok()?,
        predicate: Identifier::new("predicate", text("predicate")?).ok()?,
        value: FactValue::new(members.get("value")?).ok()?,
        valid_from: boundary("from")?,
        valid_until: boundary("until")?,
    };
    let value = match members.get("value")? {
        Value::String(text) => text.clone(),
        _ => format!("{}", structured.value),
    };
    let content = format!("{} {} {value}", structured.subject, structured.predicate);
    Some(Claim {
        kind: ClaimKind::Fact,
        content: Text::new(content).ok()?,
        context: None,
        references: Vec::new(),
        structured: Some(structured),
    })
}

#[cfg(test)]
mod tests {
    use alloc::string::{String, ToString};

    use serde_json::json;

    use super::*;

    fn content_of(data: Value) -> Option<String> {
        claim_of_world(&json!({"worldId": "w", "data": data}))
            .map(|claim| claim.content.to_string())
    }

    #[test]
    fn a_text_is_said_as_it_is_and_anything_else_in_its_canonical_form() {
        for (data, said) in [
            (json!("tea"), Some("tea")),
            (
                json!({"kind": "note", "text": "tea", "share": "friends"}),
                Some("tea"),
            ),
            (
                json!({"kind": "turn", "speaker": "ann", "text": "tea"}),
                Some("ann: tea"),
            ),
            (
                json!({"b": 1, "a": 2, "share": ["friends"], "private": false}),
                Some(r#"{"a":2,"b":1}"#),
            ),
            (json!([1]), Some("[1]")),
            (json!(""), None),
            (json!("x".repeat(65_537)), None),
        ] {
            assert_eq!(content_of(data.clone()).as_deref(), said, "{data}");
        }
        assert_eq!(claim_of_world(&json!({"worldId": "w"})), None);
    }

    #[test]
    fn the_kind_of_a_memory_is_that_of_its_claim() {
        let kind = |kind| {
            claim_of_world(&json!({"data": {"kind": kind, "text": "x"}}))
                .unwrap()
                .kind
        };
        assert_eq!(kind("insight"), ClaimKind::Insight);
        assert_eq!(kind("event"), ClaimKind::Event);
        assert_eq!(kind("note"), ClaimKind::Observation);
    }

    #[test]
    fn a_claim_unit_is_said_as_a_fact_that_can_be_compared() {
        let unit = |act: &str| {
            json!({"data": {"kind": "claim", "format": UNIT_FORMAT, "act": act, "subject": "ann",
                "predicate": "lives in", "value": "Lisbon", "valid": {"from": "2020", "confidence": 1}}})
        };
        let claim = claim_of_world(&unit("claim")).unwrap();
        assert_eq!(claim.content.as_str(), "ann lives in Lisbon");
        let structured = claim.structured.unwrap();
        assert_eq!(structured.value.canonical(), "\"Lisbon\"");
        assert_eq!(structured.valid_from, Boundary::parse("2020").ok());
        assert_eq!(claim_of_world(&unit("deny")), None);
    }
}
