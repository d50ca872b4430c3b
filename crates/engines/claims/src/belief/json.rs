//! Beliefs as JSON: one shape for the command line, MCP and HTTP (docs/format/belief-json.md).

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use counterfoil_types::json::{Map, Value};

use super::{
    Belief, BeliefChange, BeliefSide, HistoryEntry, Marker, Outline, Question, Segment, SideClaim,
};
use crate::effective::instant_of;
use crate::time::{Boundary, Micros, ValidTime, Window};
use crate::{Act, ClaimRef, FactValue, Line, Provenance, ProvenanceClass, Unit};

impl Belief {
    /// The belief with its evidence.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut members = line(&self.line);
        put_question(&mut members, self.question);
        put(&mut members, "status", self.status.name());
        if let Some(support) = self.support {
            put(&mut members, "support", support.name());
        }
        if let Some(value) = self.primary() {
            put(&mut members, "value", value.to_json());
        }
        put(
            &mut members,
            "sides",
            list(&self.sides, BeliefSide::to_json),
        );
        put_count(&mut members, "sideCount", self.side_count, &self.sides);
        put(
            &mut members,
            "alternatives",
            list(&self.alternatives, BeliefSide::to_json),
        );
        put_count(
            &mut members,
            "alternativeCount",
            self.alternative_count,
            &self.alternatives,
        );
        put(&mut members, "markers", markers(&self.markers));
        Value::Object(members)
    }
}

impl BeliefSide {
    /// The value with what speaks for it.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut members = Map::new();
        put(&mut members, "value", self.value.to_json());
        put(
            &mut members,
            "claims",
            list(&self.claims, SideClaim::to_json),
        );
        put_count(&mut members, "claimCount", self.claim_count, &self.claims);
        put(&mut members, "corroborations", self.corroborations);
        put(&mut members, "confirmed", instant(self.confirmed.micros()));
        put(&mut members, "currency", self.currency.name());
        put(&mut members, "markers", markers(&self.markers));
        Value::Object(members)
    }
}

impl SideClaim {
    /// The claim, in short.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut members = Map::new();
        put(&mut members, "ref", reference(&self.reference));
        put(&mut members, "index", self.index);
        put(&mut members, "provenance", provenance(self.provenance));
        put(&mut members, "recordedAt", instant(self.stamp.micros()));
        put_valid(&mut members, self.valid.as_ref());
        put(&mut members, "window", window(self.window));
        put(&mut members, "corroborations", self.corroborations);
        Value::Object(members)
    }
}

impl HistoryEntry {
    /// The claim with what became of it.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut members = summary(&self.claim);
        put(&mut members, "state", self.state.name());
        put(&mut members, "window", window(self.window));
        if let Some(because_of) = &self.because_of {
            put(&mut members, "becauseOf", reference(because_of));
        }
        put(&mut members, "corroborations", self.corroborations);
        put(&mut members, "currency", self.currency.name());
        Value::Object(members)
    }
}

impl Outline {
    /// Writes the belief in short.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut members = Map::new();
        put(&mut members, "status", self.status.name());
        if let Some(support) = self.support {
            put(&mut members, "support", support.name());
        }
        put(
            &mut members,
            "values",
            list(&self.values, FactValue::to_json),
        );
        put(&mut members, "valueCount", self.value_count);
        put(&mut members, "claims", list(&self.claims, reference));
        put(&mut members, "claimCount", self.claim_count);
        Value::Object(members)
    }
}

impl Segment {
    /// Writes the segment with its belief.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut members = Map::new();
        put(&mut members, "window", window(self.window));
        put(&mut members, "belief", self.belief.to_json());
        Value::Object(members)
    }
}

impl BeliefChange {
    /// Writes the unit with the beliefs before and after it.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut members = Map::new();
        put(&mut members, "unit", unit_to_json(&self.unit));
        put(&mut members, "before", self.before.to_json());
        put(&mut members, "after", self.after.to_json());
        Value::Object(members)
    }
}

/// A unit with its line.
#[must_use]
pub fn unit_to_json(unit: &Unit) -> Value {
    let mut members = line(unit.line());
    members.append(&mut summary(unit));
    Value::Object(members)
}

/// A unit without its line.
fn summary(unit: &Unit) -> Map {
    let mut members = Map::new();
    put(&mut members, "ref", reference(unit.reference()));
    put(&mut members, "index", unit.index());
    put(&mut members, "number", unit.number());
    put(&mut members, "recordedAt", instant(unit.stamp().micros()));
    put(&mut members, "act", unit.act().kind().name());
    put(&mut members, "provenance", provenance(unit.provenance()));
    put(&mut members, "disposition", unit.disposition().name());
    put(&mut members, "row", unit.row().number());
    if let Some(target) = unit.act().target() {
        put(&mut members, "target", reference(target));
    }
    put_act(&mut members, unit.act());
    if !unit.anchors().is_empty() {
        let worlds = list(unit.anchors(), |anchor| reference(&anchor.world));
        put(&mut members, "anchors", worlds);
    }
    if !unit.derived_from().is_empty() {
        put(
            &mut members,
            "derivedFrom",
            list(unit.derived_from(), reference),
        );
    }
    members
}

fn put_act(members: &mut Map, act: &Act) {
    match act {
        Act::Claim(body) => {
            put(members, "value", body.value.to_json());
            put_valid(members, body.valid.as_ref());
            put(members, "cardinality", body.cardinality.name());
            if let Some(registered) = body.registered {
                put(members, "registered", registered.name());
            }
            if !body.supersedes.is_empty() {
                put(members, "supersedes", list(&body.supersedes, reference));
            }
        }
        Act::Bound { at, .. } => put(members, "at", at.to_string()),
        Act::Reopen { undoes, .. } => put(members, "undoes", list(undoes, reference)),
        Act::Supersede { by, .. } => put(members, "by", reference(by)),
        Act::Affirm { rivals, .. } => put(members, "rivals", list(rivals, reference)),
        Act::Corroborate { sources, .. } => {
            put(
                members,
                "sources",
                list(sources, |source| source.as_str().into()),
            );
        }
        Act::Deny { .. } | Act::Undecided { .. } | Act::Release { .. } => {}
    }
}

fn line(line: &Line) -> Map {
    let mut members = Map::new();
    put(&mut members, "agent", line.agent.to_string());
    put(&mut members, "subject", line.subject.as_str());
    put(&mut members, "predicate", line.predicate.as_str());
    members
}

fn put_question(members: &mut Map, question: Question) {
    put(members, "validAt", micros(question.valid_at));
    put(members, "asOf", instant(question.as_of_us));
}

fn put_valid(members: &mut Map, valid: Option<&ValidTime>) {
    let Some(valid) = valid else { return };
    let mut parts = Map::new();
    if let Some(from) = valid.from {
        put(&mut parts, "from", from.to_string());
    }
    if let Some(until) = valid.until {
        put(&mut parts, "until", until.to_string());
    }
    put(&mut parts, "confidence", valid.confidence.value());
    put(members, "valid", Value::Object(parts));
}

fn window(window: Window) -> Value {
    let mut members = Map::new();
    if let Some(start) = window.start {
        put(&mut members, "start", micros(start));
    }
    if let Some(end) = window.end {
        put(&mut members, "end", micros(end));
    }
    Value::Object(members)
}

fn provenance(provenance: Provenance) -> Value {
    let mut members = Map::new();
    put(&mut members, "class", provenance.class().name());
    if let ProvenanceClass::Peer { agent, level } = provenance.class() {
        put(&mut members, "agent", agent.to_string());
        put(&mut members, "level", level);
    }
    Value::Object(members)
}

fn markers(markers: &[Marker]) -> Value {
    list(markers, |marker| marker.name().into())
}

fn reference(reference: &ClaimRef) -> Value {
    reference.to_string().into()
}

fn instant(stamp_us: u64) -> String {
    micros(instant_of(stamp_us))
}

fn micros(at: Micros) -> String {
    Boundary::instant(at).to_string()
}

/// Writes a count if not all are listed.
fn put_count<T>(members: &mut Map, name: &str, count: usize, listed: &[T]) {
    if count > listed.len() {
        put(members, name, count);
    }
}

fn list<T>(items: &[T], write: impl Fn(&T) -> Value) -> Value {
    Value::Array(items.iter().map(write).collect::<Vec<_>>())
}

fn put(members: &mut Map, name: &str, value: impl Into<Value>) {
    members.insert(name.into(), value.into());
}
