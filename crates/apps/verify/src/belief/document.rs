//! The document `counterfoil/belief/v1`, read strictly (docs/format/belief.md 1).

use std::str::FromStr;

use counterfoil_authority::types::document::{self, Fault, List};
use counterfoil_authority::types::json::{Limits, Value, parse};
use counterfoil_authority::types::{DidKey, Scope};
use counterfoil_authority::verifier::map::Lookup;
use counterfoil_authority::verifier::opened::OpenedCapsule;
use counterfoil_claims::belief::Question;
use counterfoil_claims::time::Micros;
use counterfoil_claims::{CurrencyLimits, Identifier, Line, Settings};
use serde::{Deserialize, Deserializer};

use super::error::BeliefError;
use super::trust::TrustDocument;

/// The member `format`.
pub const BELIEF_FORMAT: &str = "counterfoil/belief/v1";
/// The most bytes of a document: 64 MiB.
pub const MAX_BELIEF_BYTES: usize = 64 << 20;
/// The most units in it.
pub const MAX_BELIEF_UNITS: usize = 4096;

/// A unit is some thirty values; a consistency proof brings 65 more at most.
const LIMITS: Limits = Limits {
    bytes: MAX_BELIEF_BYTES,
    depth: 64,
    nodes: 1_000_000,
};
/// Members that are read apart from the others.
const ENVELOPE: [&str; 3] = ["belief", "format", "units"];

/// The other members, closed.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Members {
    question: QuestionDocument,
    /// Cosigned checkpoints beside the proofs.
    #[serde(default)]
    checkpoints: List<String, 0, 16>,
    /// Lookup of the line in the map of the log.
    line: Option<Lookup>,
    /// Records of trust of the agent.
    trust: Option<TrustDocument>,
}

/// The question; numbers are strings in their one spelling.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct QuestionDocument {
    agent: DidKey,
    #[serde(deserialize_with = "identifier")]
    subject: Identifier,
    #[serde(deserialize_with = "identifier")]
    predicate: Identifier,
    /// Absent where it is empty.
    scope: Option<Scope>,
    #[serde(deserialize_with = "number")]
    valid_at: Micros,
    #[serde(deserialize_with = "number")]
    as_of: u64,
    #[serde(deserialize_with = "number")]
    fresh_days: u32,
    #[serde(deserialize_with = "number")]
    aging_days: u32,
}

/// A proof of belief as presented: well-formed, and not verified.
#[derive(Debug, Clone, PartialEq)]
pub struct BeliefDocument {
    /// The line, as the document claims.
    pub line: Line,
    /// The question.
    pub question: Question,
    /// Limits of currency of the question.
    pub limits: CurrencyLimits,
    pub(super) stated: Value,
    pub(super) units: Vec<OpenedCapsule>,
    pub(super) checkpoints: Vec<String>,
    pub(super) lookup: Option<Lookup>,
    pub(super) trust: Option<TrustDocument>,
}

impl BeliefDocument {
    /// Reads a document of at most 64 MiB with 1 to 4,096 units.
    ///
    /// # Errors
    /// [`BeliefError`] for JSON that is not strict, another format, a member that is not known or not what it
    /// must be.
    pub fn from_json(bytes: &[u8]) -> Result<Self, BeliefError> {
        Self::from_value(&parse(bytes, LIMITS)?)
    }

    /// Settings of the fold.
    pub(super) fn settings(&self) -> Settings {
        Settings {
            currency: self.limits,
            ..Settings::default()
        }
    }

    /// Reads a document that was parsed.
    pub(super) fn from_value(value: &Value) -> Result<Self, BeliefError> {
        if value.get("format").and_then(Value::as_str) != Some(BELIEF_FORMAT) {
            return Err(BeliefError::Format);
        }
        let Members {
            question,
            checkpoints,
            line,
            trust,
        } = document::read_without(value, &ENVELOPE)?;
        let required = |name: &str| {
            let missing = || Fault::new(format!("/{name}"), "there");
            value.get(name).ok_or_else(missing)
        };
        let units = required("units")?.as_array();
        let units = units.filter(|units| (1..=MAX_BELIEF_UNITS).contains(&units.len()));
        let units = units.ok_or_else(|| Fault::new("/units", "an array of 1 to 4,096 units"))?;
        let scope = question.scope;
        if scope.as_ref().is_some_and(Scope::is_empty) {
            return Err(Fault::new("/question/scope", "a scope with a pair, or absent").into());
        }
        let unit = |(position, unit)| {
            let unit = OpenedCapsule::from_value(unit);
            unit.map_err(|cause| BeliefError::Unit { position, cause })
        };
        Ok(Self {
            line: Line {
                agent: question.agent,
                subject: question.subject,
                predicate: question.predicate,
                scope: scope.unwrap_or_default(),
            },
            question: Question {
                valid_at: question.valid_at,
                as_of_us: question.as_of,
            },
            limits: CurrencyLimits {
                fresh_days: question.fresh_days,
                aging_days: question.aging_days,
            },
            stated: required("belief")?.clone(),
            units: (0..).zip(units).map(unit).collect::<Result<_, _>>()?,
            checkpoints: checkpoints.into_vec(),
            lookup: line,
            trust,
        })
    }
}

/// A name in its normal form, as units have it.
fn identifier<'de, D: Deserializer<'de>>(from: D) -> Result<Identifier, D::Error> {
    let must = "an identifier in Unicode normal form C";
    document::from_text(from, &must, |text| {
        let identifier = Identifier::new("a name", text).ok()?;
        (identifier.as_str() == text).then_some(identifier)
    })
}

fn number<'de, D: Deserializer<'de>, T: FromStr + ToString>(from: D) -> Result<T, D::Error> {
    let must = "a whole number in a string, in its one spelling";
    document::from_text(from, &must, |text| {
        let number: T = text.parse().ok()?;
        (number.to_string() == text).then_some(number)
    })
}
