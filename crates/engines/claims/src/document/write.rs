//! Writes a unit. The order of members is free: what is sealed is the canonical form (docs/format/claims.md 2).

use alloc::string::ToString;
use alloc::vec::Vec;

use counterfoil_types::json::{Map, Value};

use super::{Entry, KIND, UNIT_FORMAT};
use crate::time::ValidTime;
use crate::{Act, Anchor, ClaimBody, ClaimRef, Provenance, ProvenanceClass, Reasons};

/// The `data` of the World that becomes the unit.
pub(crate) fn write(entry: &Entry) -> Value {
    let mut unit = Members::default();
    unit.text("kind", KIND);
    unit.text("format", UNIT_FORMAT);
    unit.text("subject", entry.subject.as_str());
    unit.text("predicate", entry.predicate.as_str());
    unit.put("number", entry.number.into());
    if let Some(previous) = &entry.previous {
        unit.put("previous", reference(previous));
    }
    unit.text("act", entry.act.kind().name());
    unit.put("provenance", provenance(entry.provenance));
    unit.text("disposition", entry.disposition.name());
    unit.put("row", entry.row.number().into());
    if let Some(because) = because(&entry.because) {
        unit.put("because", because);
    }
    unit.list("anchors", &entry.anchors, anchor);
    unit.list("derivedFrom", &entry.derived_from, reference);
    if let Some(keyed) = &entry.key {
        unit.text("key", &keyed.key);
        let request = blake3::Hash::from_bytes(keyed.request).to_hex();
        unit.text("request", request.as_str());
    }
    act(&mut unit, &entry.act);
    unit.done()
}

fn act(unit: &mut Members, act: &Act) {
    if let Some(target) = act.target() {
        unit.put("target", reference(target));
    }
    match act {
        Act::Claim(body) => claim(unit, body),
        Act::Bound { at, .. } => unit.text("at", &at.to_string()),
        Act::Reopen { undoes, .. } => unit.list("undoes", undoes, reference),
        Act::Supersede { by, .. } => unit.put("by", reference(by)),
        Act::Affirm { rivals, .. } => unit.list("rivals", rivals, reference),
        Act::Corroborate { sources, .. } => {
            unit.list("sources", sources, |source| source.as_str().into());
        }
        Act::Deny { .. } | Act::Undecided { .. } | Act::Release { .. } => {}
    }
}

fn claim(unit: &mut Members, body: &ClaimBody) {
    unit.put("value", body.value.to_json());
    if let Some(valid) = &body.valid {
        unit.put("valid", valid_time(valid));
    }
    let mut cardinality = Members::default();
    cardinality.text("said", body.cardinality.name());
    if let Some(registered) = body.registered {
        cardinality.text("registered", registered.name());
    }
    unit.put("cardinality", cardinality.done());
    unit.list("supersedes", &body.supersedes, reference);
}

fn valid_time(valid: &ValidTime) -> Value {
    let mut members = Members::default();
    for (member, boundary) in [("from", valid.from), ("until", valid.until)] {
        if let Some(boundary) = boundary {
            members.text(member, &boundary.to_string());
        }
    }
    members.put("confidence", valid.confidence.value().into());
    members.done()
}

fn provenance(provenance: Provenance) -> Value {
    let mut members = Members::default();
    members.text("class", provenance.class().name());
    if let ProvenanceClass::Peer { agent, level } = provenance.class() {
        members.text("agent", &agent.to_string());
        members.put("level", level.into());
    }
    members.done()
}

fn because(because: &Reasons) -> Option<Value> {
    let mut members = Members::default();
    members.list("rivals", &because.rivals, reference);
    if because.rival_count > 0 {
        members.put("rivalCount", because.rival_count.into());
    }
    if let Some(equals) = &because.equals {
        members.put("equals", reference(equals));
    }
    if let Some(depth) = because.depth {
        members.put("depth", depth.into());
    }
    if let Some(cardinality) = because.cardinality {
        members.text("cardinality", cardinality.name());
    }
    members.list("ignored", &because.ignored, reference);
    if because.re_entry {
        members.put("reEntry", true.into());
    }
    (!members.0.is_empty()).then(|| members.done())
}

fn anchor(anchor: &Anchor) -> Value {
    let mut members = Members::default();
    members.put("world", reference(&anchor.world));
    members.text("source", &anchor.source);
    members.done()
}

fn reference(reference: &ClaimRef) -> Value {
    reference.to_string().into()
}

#[derive(Default)]
struct Members(Map);

impl Members {
    fn put(&mut self, member: &str, value: Value) {
        self.0.insert(member.into(), value);
    }

    fn text(&mut self, member: &str, text: &str) {
        self.put(member, text.into());
    }

    /// Writes a list unless it is empty.
    fn list<T>(&mut self, member: &str, entries: &[T], write: impl Fn(&T) -> Value) {
        if !entries.is_empty() {
            let entries: Vec<Value> = entries.iter().map(write).collect();
            self.put(member, Value::Array(entries));
        }
    }

    fn done(self) -> Value {
        Value::Object(self.0)
    }
}
