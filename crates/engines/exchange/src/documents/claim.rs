//! `claim`: a memory in words, and as a fact (docs/format/exchange.md §4).

use alloc::string::String;
use alloc::vec::Vec;

use counterfoil_claims::time::Boundary;
use counterfoil_claims::{FactValue, Identifier};
use counterfoil_types::document::Text;
use counterfoil_types::json::canonical;
use counterfoil_types::words;
use serde::{Deserialize, Serialize};

use super::ClaimHash;
use super::document::{hashed, written};
use super::member::{Fact, Items};

/// Prefix of the text of a claim that is hashed.
const CLAIM: &str = "counterfoil/exchange/v1 claim\n";

words! {
    /// Kind of a memory.
    #[derive(PartialOrd, Ord, Hash)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    pub enum ClaimKind {
        /// An event.
        Event = "event",
        /// A state of things.
        Fact = "fact",
        /// An observation.
        Observation = "observation",
        /// A conclusion.
        Insight = "insight",
        /// A relation of two subjects.
        Relationship = "relationship",
    }
}

/// A memory, without the agent that attests it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "ClaimJson", into = "ClaimJson")]
pub struct Claim {
    /// Kind of the memory.
    pub kind: ClaimKind,
    /// The memory in words: data, never instructions (R18).
    pub content: Text<65536>,
    /// Circumstances under which it holds.
    pub context: Option<Text<4096>>,
    /// Other things that it speaks of, at most 16.
    pub references: Vec<Text<1024>>,
    /// The memory as a fact.
    pub structured: Option<StructuredClaim>,
}

/// A fact that can be compared with a belief.
#[derive(Debug, Clone, PartialEq)]
pub struct StructuredClaim {
    /// Subject.
    pub subject: Identifier,
    /// Predicate.
    pub predicate: Identifier,
    /// Value.
    pub value: FactValue,
    /// Begin of its validity.
    pub valid_from: Option<Boundary>,
    /// End of its validity.
    pub valid_until: Option<Boundary>,
}

/// A claim in JSON, where a fact has no object of its own. The claim hash is over its canonical form.
#[derive(Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Claim", extend("dependentRequired" = {
        "subject": ["predicate", "value"], "predicate": ["subject", "value"],
        "value": ["subject", "predicate"], "valid_from": ["subject"], "valid_until": ["subject"],
    }))
)]
#[serde(deny_unknown_fields)]
struct ClaimJson {
    r#type: ClaimKind,
    content: Text<65536>,
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<Text<4096>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[serde(with = "Items::<Text<1024>, 1, 16>")]
    references: Vec<Text<1024>>,
    #[cfg_attr(
        feature = "schema",
        schemars(with = "Option<super::forms::Identifier>")
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<Identifier>,
    #[cfg_attr(
        feature = "schema",
        schemars(with = "Option<super::forms::Identifier>")
    )]
    #[serde(skip_serializing_if = "Option::is_none")]
    predicate: Option<Identifier>,
    #[serde(default, skip_serializing_if = "Option::is_none", with = "Fact")]
    value: Option<FactValue>,
    #[cfg_attr(feature = "schema", schemars(with = "Option<super::forms::Boundary>"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    valid_from: Option<Boundary>,
    #[cfg_attr(feature = "schema", schemars(with = "Option<super::forms::Boundary>"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    valid_until: Option<Boundary>,
}

impl From<Claim> for ClaimJson {
    fn from(claim: Claim) -> Self {
        let fact = claim.structured;
        Self {
            r#type: claim.kind,
            content: claim.content,
            context: claim.context,
            references: claim.references,
            valid_from: fact.as_ref().and_then(|fact| fact.valid_from),
            valid_until: fact.as_ref().and_then(|fact| fact.valid_until),
            subject: fact.as_ref().map(|fact| fact.subject.clone()),
            predicate: fact.as_ref().map(|fact| fact.predicate.clone()),
            value: fact.map(|fact| fact.value),
        }
    }
}

impl TryFrom<ClaimJson> for Claim {
    type Error = &'static str;

    fn try_from(json: ClaimJson) -> Result<Self, &'static str> {
        let structured = match (json.subject, json.predicate, json.value) {
            (Some(subject), Some(predicate), Some(value)) => Some(StructuredClaim {
                subject,
                predicate,
                value,
                valid_from: json.valid_from,
                valid_until: json.valid_until,
            }),
            (None, None, None) if json.valid_from.is_none() && json.valid_until.is_none() => None,
            _ => return Err("a claim with subject, predicate and value, or with none of these"),
        };
        Ok(Self {
            kind: json.r#type,
            content: json.content,
            context: json.context,
            references: json.references,
            structured,
        })
    }
}

impl Claim {
    /// The claim of a text of which nothing more is known.
    pub const fn of_text(content: Text<65536>) -> Self {
        Self {
            kind: ClaimKind::Observation,
            content,
            context: None,
            references: Vec::new(),
            structured: None,
        }
    }

    /// The canonical form, which is hashed. The limits of a claim ensure that it has one.
    pub fn canonical(&self) -> String {
        let value = written(self).ok();
        value
            .and_then(|value| canonical(&value).ok())
            .unwrap_or_default()
    }

    /// Hash of the claim, equal for all agents that attest it.
    pub fn hash(&self) -> ClaimHash {
        ClaimHash::from_digest(hashed(CLAIM, &self.canonical()))
    }
}
