//! The document `counterfoil/belief/v1`, read strictly (docs/format/belief.md 1).

use counterfoil_authority::types::DidKey;
use counterfoil_authority::types::json::{Limits, Map, Value, parse};
use counterfoil_authority::verifier::opened::OpenedCapsule;
use counterfoil_claims::belief::Question;
use counterfoil_claims::{CurrencyLimits, Identifier, Line};

use super::error::BeliefDocumentError;

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
const MEMBERS: [&str; 5] = ["belief", "checkpoints", "format", "question", "units"];
const QUESTION: [&str; 7] = [
    "agent",
    "agingDays",
    "asOf",
    "freshDays",
    "predicate",
    "subject",
    "validAt",
];
/// Cosigned checkpoints beside the proofs.
const MAX_CHECKPOINTS: usize = 16;

/// A proof of belief as it was handed in: well-formed, and nothing in it is checked.
#[derive(Debug, Clone, PartialEq)]
pub struct BeliefDocument {
    pub(super) line: Line,
    pub(super) question: Question,
    pub(super) limits: CurrencyLimits,
    pub(super) stated: Value,
    pub(super) units: Vec<OpenedCapsule>,
    pub(super) checkpoints: Vec<String>,
}

impl BeliefDocument {
    /// Reads a document of at most 64 MiB with 1 to 4,096 units.
    ///
    /// # Errors
    /// [`BeliefDocumentError`] for JSON that is not strict, another format, a member that is not known or not what it
    /// must be.
    pub fn from_json(bytes: &[u8]) -> Result<Self, BeliefDocumentError> {
        let value = parse(bytes, LIMITS)?;
        let other = BeliefDocumentError::Format;
        match value.get("format").and_then(Value::as_str) {
            Some(BELIEF_FORMAT) => {}
            _ => return Err(other),
        }
        let members = closed("the document", &value, &MEMBERS)?;
        let (line, question, limits) = asked(required(members, "question")?)?;
        Ok(Self {
            line,
            question,
            limits,
            stated: required(members, "belief")?.clone(),
            units: units(required(members, "units")?)?,
            checkpoints: checkpoints(members.get("checkpoints"))?,
        })
    }

    /// The line that it is about, by its own word.
    #[must_use]
    pub const fn line(&self) -> &Line {
        &self.line
    }

    /// What was asked.
    #[must_use]
    pub const fn question(&self) -> Question {
        self.question
    }

    /// The limits of currency that the question was asked with.
    #[must_use]
    pub const fn limits(&self) -> CurrencyLimits {
        self.limits
    }
}

fn units(value: &Value) -> Result<Vec<OpenedCapsule>, BeliefDocumentError> {
    let units = value.as_array().filter(|units| !units.is_empty());
    let units = units.ok_or(wrong("units", "an array of at least one unit"))?;
    if units.len() > MAX_BELIEF_UNITS {
        return Err(wrong("units", "at most 4,096 units"));
    }
    (0..)
        .zip(units)
        .map(|(position, unit)| {
            OpenedCapsule::from_value(unit)
                .map_err(|cause| BeliefDocumentError::Unit { position, cause })
        })
        .collect()
}

fn checkpoints(value: Option<&Value>) -> Result<Vec<String>, BeliefDocumentError> {
    let Some(value) = value else {
        return Ok(Vec::new());
    };
    let must = wrong("checkpoints", "an array of at most 16 signed notes");
    let notes = value
        .as_array()
        .filter(|notes| notes.len() <= MAX_CHECKPOINTS)
        .ok_or_else(|| must.clone())?;
    let notes = notes.iter().map(|note| note.as_str().map(String::from));
    notes.collect::<Option<_>>().ok_or(must)
}

fn asked(value: &Value) -> Result<(Line, Question, CurrencyLimits), BeliefDocumentError> {
    let members = closed("question", value, &QUESTION)?;
    let agent: DidKey = text(members, "agent")?
        .parse()
        .map_err(|_| wrong("agent", "did:key of an Ed25519 key"))?;
    let line = Line {
        agent,
        subject: identifier(members, "subject")?,
        predicate: identifier(members, "predicate")?,
    };
    let question = Question {
        valid_at: decimal(members, "validAt")?,
        as_of_us: decimal(members, "asOf")?,
    };
    let limits = CurrencyLimits {
        fresh_days: decimal(members, "freshDays")?,
        aging_days: decimal(members, "agingDays")?,
    };
    Ok((line, question, limits))
}

/// A name in its normal form, as units have it.
fn identifier(members: &Map, name: &'static str) -> Result<Identifier, BeliefDocumentError> {
    let written = text(members, name)?;
    let identifier = Identifier::new(name, written).ok();
    identifier
        .filter(|identifier| identifier.as_str() == written)
        .ok_or(wrong(name, "an identifier in Unicode normal form C"))
}

/// A whole number in its one spelling.
fn decimal<T: core::str::FromStr + ToString>(
    members: &Map,
    name: &'static str,
) -> Result<T, BeliefDocumentError> {
    let written = text(members, name)?;
    let number = written.parse().ok();
    number
        .filter(|number: &T| number.to_string() == written)
        .ok_or(wrong(
            name,
            "a whole number in a string, in its one spelling",
        ))
}

fn closed<'a>(
    place: &'static str,
    value: &'a Value,
    names: &[&str],
) -> Result<&'a Map, BeliefDocumentError> {
    let members = value.as_object().ok_or(wrong(place, "an object"))?;
    match members.keys().find(|name| !names.contains(&name.as_str())) {
        Some(name) => Err(BeliefDocumentError::Unknown {
            place,
            member: name.chars().take(64).collect(),
        }),
        None => Ok(members),
    }
}

fn required<'a>(members: &'a Map, name: &'static str) -> Result<&'a Value, BeliefDocumentError> {
    members.get(name).ok_or(wrong(name, "there"))
}

fn text<'a>(members: &'a Map, name: &'static str) -> Result<&'a str, BeliefDocumentError> {
    let value = members.get(name).and_then(Value::as_str);
    value.ok_or(wrong(name, "a string"))
}

const fn wrong(member: &'static str, must: &'static str) -> BeliefDocumentError {
    BeliefDocumentError::Member { member, must }
}
