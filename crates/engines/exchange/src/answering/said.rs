//! What a World says, as the claim of an attestation: whoever answers writes it, whoever checks a receipt compares it
//! (docs/format/exchange.md §10.1).

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use counterfoil_claims::time::Boundary;
use counterfoil_claims::{FactValue, Identifier, UNIT_FORMAT};
use counterfoil_types::json::{Map, Value, canonical};

use crate::documents::{Attestation, Claim, ClaimKind, StructuredClaim, Text};

/// Members of a World's data that are about who may have it, and are not said.
const OF_THE_HOST: [&str; 2] = ["share", "private"];

/// What the content of a World says; `None` when it says nothing that can be attested: an assertion about claims, or more
/// than 65,536 bytes. `content` is the World without its metadata.
#[must_use]
pub fn claim_of_world(content: &Value) -> Option<Claim> {
    let data = content.get("data")?;
    let Some(members) = data.as_object() else {
        return said(
            data.as_str()
                .map_or_else(|| canonical(data).ok(), |text| Some(text.into())),
        );
    };
    let text = |name: &str| {
        members
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    match text("kind") {
        "claim" if text("format") == UNIT_FORMAT => structured(members),
        "received" => received(members),
        kind => Some(Claim {
            kind: kind_named(kind),
            ..spoken(members)?
        }),
    }
}

/// The attestation inside of what was received from another agent, if there is one.
#[must_use]
pub fn attestation_of_received(content: &Value) -> Option<Attestation> {
    let members = content.get("data")?.as_object()?;
    let received = members.get("kind").and_then(Value::as_str) == Some("received");
    let attestation = members.get("attestation").filter(|_| received)?;
    Attestation::parse(canonical(attestation).ok()?.as_bytes()).ok()
}

fn received(members: &Map) -> Option<Claim> {
    let attestation = members
        .get("attestation")
        .and_then(|value| canonical(value).ok());
    let attestation = attestation.and_then(|text| Attestation::parse(text.as_bytes()).ok());
    match attestation {
        Some(attestation) => Some(attestation.parts().claim.clone()),
        None => {
            let text = |name: &str| members.get(name).and_then(Value::as_str);
            Some(Claim {
                kind: kind_named(text("type").unwrap_or_default()),
                context: text("context").and_then(|context| Text::new(context).ok()),
                ..said(text("text").map(Into::into))?
            })
        }
    }
}

/// The text, with the speaker before it where there is one; of anything else its canonical form.
fn spoken(members: &Map) -> Option<Claim> {
    let text = |name: &str| {
        members
            .get(name)
            .and_then(Value::as_str)
            .filter(|text| !text.is_empty())
    };
    said(match (text("text"), text("speaker")) {
        (Some(text), Some(speaker)) => Some(format!("{speaker}: {text}")),
        (Some(text), None) => Some(text.into()),
        (None, _) => {
            let kept = members
                .iter()
                .filter(|(name, _)| !OF_THE_HOST.contains(&name.as_str()));
            let kept: Map = kept
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect();
            canonical(&Value::Object(kept)).ok()
        }
    })
}

fn said(text: Option<String>) -> Option<Claim> {
    Text::new(text?).ok().map(Claim::of_text)
}

/// What bears no name of a sort is an observation.
fn kind_named(name: &str) -> ClaimKind {
    let mut kinds = ClaimKind::ALL.into_iter();
    kinds
        .find(|kind| kind.name() == name)
        .unwrap_or(ClaimKind::Observation)
}

/// A claim unit: its line, value and window. What became of it stands in other units.
fn structured(members: &Map) -> Option<Claim> {
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
        _ => structured.value.to_string(),
    };
    let words = [
        structured.subject.as_str(),
        structured.predicate.as_str(),
        value.as_str(),
    ];
    Some(Claim {
        kind: ClaimKind::Fact,
        content: Text::new(words.join(" ")).ok()?,
        context: None,
        references: Vec::new(),
        structured: Some(structured),
    })
}

#[cfg(test)]
mod tests {
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
