//! A belief as a proof states it: one spelling, so that two folds of the same units write the same bytes
//! (docs/format/belief.md 2).

use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

use counterfoil_types::json::{Map, Value};

use super::types::{Belief, BeliefSide, Marker, SideClaim};

/// Writes the belief without its question: status, support, sides, alternatives and markers.
///
/// [`Marker::PendingReview`] rests on other lines and is left out.
#[must_use]
pub fn statement(belief: &Belief) -> Value {
    let mut members = Map::new();
    members.insert("status".into(), belief.status.name().into());
    if let Some(support) = belief.support {
        members.insert("support".into(), support.name().into());
    }
    members.insert("sides".into(), sides(&belief.sides));
    put_count(&mut members, "sideCount", belief.side_count, &belief.sides);
    if !belief.alternatives.is_empty() {
        members.insert("alternatives".into(), sides(&belief.alternatives));
    }
    put_count(
        &mut members,
        "alternativeCount",
        belief.alternative_count,
        &belief.alternatives,
    );
    put_markers(&mut members, &belief.markers);
    Value::Object(members)
}

fn sides(sides: &[BeliefSide]) -> Value {
    Value::Array(sides.iter().map(side).collect())
}

fn side(side: &BeliefSide) -> Value {
    let mut members = Map::new();
    members.insert("value".into(), side.value.canonical().into());
    members.insert(
        "claims".into(),
        Value::Array(side.claims.iter().map(claim).collect()),
    );
    put_count(&mut members, "claimCount", side.claim_count, &side.claims);
    members.insert("corroborations".into(), decimal(side.corroborations.into()));
    members.insert("confirmed".into(), decimal(side.confirmed.micros()));
    members.insert("currency".into(), side.currency.name().into());
    put_markers(&mut members, &side.markers);
    Value::Object(members)
}

fn claim(claim: &SideClaim) -> Value {
    let mut members = Map::new();
    members.insert("ref".into(), claim.reference.to_string().into());
    if let Some(start) = claim.window.start {
        members.insert("from".into(), format!("{start}").into());
    }
    if let Some(end) = claim.window.end {
        members.insert("until".into(), format!("{end}").into());
    }
    Value::Object(members)
}

fn put_markers(members: &mut Map, markers: &[Marker]) {
    let names: Vec<Value> = markers
        .iter()
        .filter(|marker| **marker != Marker::PendingReview)
        .map(|marker| marker.name().into())
        .collect();
    if !names.is_empty() {
        members.insert("markers".into(), names.into());
    }
}

/// Writes a count if not all are listed.
fn put_count<T>(members: &mut Map, name: &str, count: usize, listed: &[T]) {
    if count > listed.len() {
        members.insert(name.into(), format!("{count}").into());
    }
}

fn decimal(number: u64) -> Value {
    format!("{number}").into()
}
