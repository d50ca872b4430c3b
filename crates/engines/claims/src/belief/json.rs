//! Beliefs as JSON: one shape for the command line, MCP and HTTP (docs/format/belief-json.md).

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use counterfoil_types::Scope;
use counterfoil_types::json::{Map, Value};
use serde_json::to_value;

use super::{Belief, BeliefChange, BeliefSide, HistoryEntry, Marker, Outline, SideClaim};
use crate::effective::instant_of;
use crate::time::{Boundary, Micros, ValidTime, Window};
use crate::{Act, ClaimRef, FactValue, Identifier, Line, Provenance, Unit};

impl Belief {
    /// Writes the belief with its evidence.
    pub fn to_json(&self) -> Value {
        line(&self.line)
            .some("names", &self.names, |name| name.as_str().into())
            .with("validAt", micros(self.question.valid_at))
            .with("asOf", instant(self.question.as_of_us))
            .with("status", self.status.name())
            .maybe("support", self.support.map(|support| support.name()))
            .maybe("value", self.primary().map(FactValue::to_json))
            .with("sides", list(&self.sides, BeliefSide::to_json))
            .count("sideCount", self.side_count, &self.sides)
            .with(
                "alternatives",
                list(&self.alternatives, BeliefSide::to_json),
            )
            .count(
                "alternativeCount",
                self.alternative_count,
                &self.alternatives,
            )
            .with("markers", markers(&self.markers))
            .done()
    }
}

impl BeliefSide {
    /// Writes the value with its claims.
    pub fn to_json(&self) -> Value {
        Members::default()
            .with("value", self.value.to_json())
            .with("claims", list(&self.claims, SideClaim::to_json))
            .count("claimCount", self.claim_count, &self.claims)
            .with("corroborations", self.corroborations)
            .with("confirmed", instant(self.confirmed.micros()))
            .with("currency", self.currency.name())
            .with("markers", markers(&self.markers))
            .done()
    }
}

impl SideClaim {
    /// Writes the claim in short.
    pub fn to_json(&self) -> Value {
        Members::default()
            .with("ref", reference(&self.reference))
            .with("index", self.index)
            .maybe("saidOf", self.said_of.as_ref().map(Identifier::as_str))
            .with("provenance", provenance(self.provenance))
            .with("recordedAt", instant(self.stamp.micros()))
            .maybe("valid", self.valid.map(valid_time))
            .with("window", window(self.window))
            .with("corroborations", self.corroborations)
            .done()
    }
}

impl HistoryEntry {
    /// Writes the claim with its state.
    pub fn to_json(&self) -> Value {
        unit(Members::default(), &self.claim)
            .with("state", self.state.name())
            .with("window", window(self.window))
            .maybe("becauseOf", self.because_of.as_ref().map(reference))
            .with("corroborations", self.corroborations)
            .with("currency", self.currency.name())
            .done()
    }
}

impl Outline {
    /// Writes the belief in short.
    pub fn to_json(&self) -> Value {
        Members::default()
            .with("status", self.status.name())
            .maybe("support", self.support.map(|support| support.name()))
            .with("values", list(&self.values, FactValue::to_json))
            .with("valueCount", self.value_count)
            .with("claims", list(&self.claims, reference))
            .with("claimCount", self.claim_count)
            .done()
    }
}

impl BeliefChange {
    /// Writes the unit with the beliefs before and after it.
    pub fn to_json(&self) -> Value {
        Members::default()
            .with("unit", unit_to_json(&self.unit))
            .with("before", self.before.to_json())
            .with("after", self.after.to_json())
            .done()
    }
}

/// Writes a segment of a timeline: its window and the belief in it.
pub fn segment_to_json((holds, belief): &(Window, Outline)) -> Value {
    Members::default()
        .with("window", window(*holds))
        .with("belief", belief.to_json())
        .done()
}

/// Writes a unit with its line.
pub fn unit_to_json(of: &Unit) -> Value {
    unit(line(of.line()), of).done()
}

/// Adds a unit without its line.
fn unit(members: Members, unit: &Unit) -> Members {
    let members = members
        .with("ref", reference(unit.reference()))
        .with("index", unit.index())
        .with("number", unit.number())
        .with("recordedAt", instant(unit.stamp().micros()))
        .with("act", unit.act().kind().name())
        .with("provenance", provenance(unit.provenance()))
        .some("via", unit.via(), |relay| relay.to_string().into())
        .with("disposition", unit.disposition().name())
        .with("row", unit.row())
        .maybe("target", unit.act().target().map(reference))
        .some("anchors", &unit.anchors, |anchor| reference(&anchor.world))
        .some("derivedFrom", unit.derived_from(), reference);
    match unit.act() {
        Act::Claim(body) => members
            .with("value", body.value.to_json())
            .maybe("valid", body.valid.map(valid_time))
            .with("cardinality", body.cardinality.name())
            .maybe("registered", body.registered.map(|known| known.name()))
            .some("supersedes", &body.supersedes, reference),
        Act::Bound { at, .. } => members.with("at", at.to_string()),
        Act::Reopen { undoes, .. } => members.with("undoes", list(undoes, reference)),
        Act::Supersede { by, .. } => members.with("by", reference(by)),
        Act::Affirm { rivals, .. } => members.with("rivals", list(rivals, reference)),
        Act::Corroborate { sources, .. } => {
            members.with("sources", list(sources, |source| source.as_str().into()))
        }
        Act::Retract { frees, reason, .. } => members
            .some("frees", frees, reference)
            .maybe("reason", reason.as_deref()),
        Act::Deny { .. } | Act::Undecided { .. } | Act::Release { .. } | Act::Confirm { .. } => {
            members
        }
    }
}

fn line(line: &Line) -> Members {
    Members::default()
        .with("agent", line.agent.to_string())
        .with("subject", line.subject.as_str())
        .with("predicate", line.predicate.as_str())
        .maybe("scope", scope_to_json(&line.scope))
}

/// The member `scope` of a line; `None` for the empty one.
pub fn scope_to_json(scope: &Scope) -> Option<Value> {
    let pairs = scope.pairs();
    let pairs = pairs.map(|(key, value)| (key.to_string(), Value::from(value)));
    (!scope.is_empty()).then(|| Value::Object(pairs.collect()))
}

/// Writes a valid time; its confidence is written as a fraction even where it is whole.
fn valid_time(valid: ValidTime) -> Value {
    Members::default()
        .maybe("from", valid.from.map(|from| from.to_string()))
        .maybe("until", valid.until.map(|until| until.to_string()))
        .with("confidence", valid.confidence.value())
        .done()
}

fn window(window: Window) -> Value {
    Members::default()
        .maybe("start", window.start.map(micros))
        .maybe("end", window.end.map(micros))
        .done()
}

fn provenance(provenance: Provenance) -> Value {
    // A provenance is always JSON.
    to_value(provenance).unwrap_or_default()
}

fn markers(markers: &[Marker]) -> Value {
    list(markers, |marker| marker.name().into())
}

pub(super) fn reference(reference: &ClaimRef) -> Value {
    reference.to_string().into()
}

fn instant(stamp_us: u64) -> String {
    micros(instant_of(stamp_us))
}

fn micros(at: Micros) -> String {
    Boundary::instant(at).to_string()
}

pub(super) fn list<T>(items: &[T], write: impl Fn(&T) -> Value) -> Value {
    Value::Array(items.iter().map(write).collect::<Vec<_>>())
}

/// Members of an object that is written.
#[derive(Default)]
pub(super) struct Members(Map);

impl Members {
    pub(super) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.insert(name.into(), value.into());
        self
    }

    /// Adds a member if there is a value.
    pub(super) fn maybe(self, name: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Adds a list unless it is empty.
    pub(super) fn some<T>(self, name: &str, items: &[T], write: impl Fn(&T) -> Value) -> Self {
        self.maybe(name, (!items.is_empty()).then(|| list(items, write)))
    }

    /// Adds a count if not all are listed.
    fn count<T>(self, name: &str, count: usize, listed: &[T]) -> Self {
        self.maybe(name, (count > listed.len()).then_some(count))
    }

    pub(super) fn done(self) -> Value {
        Value::Object(self.0)
    }
}
