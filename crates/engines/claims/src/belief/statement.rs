//! A belief as a proof states it: one spelling, so that two folds of the same units write the same bytes
//! (docs/format/belief.md 2).

use alloc::string::ToString;

use counterfoil_types::json::Value;

use super::json::{Members, list, reference};
use super::types::{Belief, BeliefSide, Marker, SideClaim};

/// Writes the belief without its question: status, support, sides, alternatives and markers.
///
/// [`Marker::PendingReview`] rests on other lines and is left out.
pub fn statement(belief: &Belief) -> Value {
    let members = Members::default()
        .with("status", belief.status.name())
        .maybe("support", belief.support.map(|support| support.name()))
        .with("sides", list(&belief.sides, side))
        .maybe("sideCount", count(belief.side_count, &belief.sides))
        .some("alternatives", &belief.alternatives, side)
        .maybe(
            "alternativeCount",
            count(belief.alternative_count, &belief.alternatives),
        );
    markers(members, &belief.markers).done()
}

fn side(side: &BeliefSide) -> Value {
    let members = Members::default()
        .with("value", side.value.canonical())
        .with("claims", list(&side.claims, claim))
        .maybe("claimCount", count(side.claim_count, &side.claims))
        .with("corroborations", side.corroborations.to_string())
        .with("confirmed", side.confirmed.micros().to_string())
        .with("currency", side.currency.name());
    markers(members, &side.markers).done()
}

fn claim(claim: &SideClaim) -> Value {
    Members::default()
        .with("ref", reference(&claim.reference))
        .maybe("from", claim.window.start.map(|start| start.to_string()))
        .maybe("until", claim.window.end.map(|end| end.to_string()))
        .done()
}

fn markers(members: Members, markers: &[Marker]) -> Members {
    let stated = |marker: &&Marker| **marker != Marker::PendingReview;
    let names: alloc::vec::Vec<&Marker> = markers.iter().filter(stated).collect();
    members.some("markers", &names, |marker| marker.name().into())
}

/// Returns a count in decimal if not all are listed.
fn count<T>(count: usize, listed: &[T]) -> Option<alloc::string::String> {
    (count > listed.len()).then(|| count.to_string())
}
