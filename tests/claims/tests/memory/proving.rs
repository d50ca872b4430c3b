//! What a proof of belief holds; that it convinces is held in `counterfoil-verify`.

use counterfoil_claim_memory::BELIEF_FORMAT;
use counterfoil_claim_memory::ClaimMemoryError;

use serde_json::Value;

use crate::support::{Rig, done, ready};

#[test]
fn a_proof_holds_every_unit_of_the_line_up_to_the_question() {
    let rig = Rig::new();
    let memory = rig.user();
    let told = done(memory.remember("ann", "lives in", "Lisbon"));
    done(memory.remember("ben", "lives in", "Porto"));
    rig.later_by_days(3);
    done(memory.end(told.reference, None));
    let units = |document: &Value| document["units"].as_array().map(Vec::len);
    let (belief, now) = done(memory.prove("ann", "lives in"));
    assert_eq!(now["format"], BELIEF_FORMAT);
    assert_eq!(units(&now), Some(2));
    assert_eq!(now["belief"]["status"], belief.status.name());
    let (_, then) = done(memory.prove("ann", "lives in").as_of("2027-01-16"));
    assert_eq!(units(&then), Some(1));
}

#[test]
fn that_nothing_is_known_has_no_proof() {
    let rig = Rig::new();
    let memory = rig.user();
    let nothing = ready(memory.prove("ann", "lives in"));
    let refused = matches!(nothing, Err(ClaimMemoryError::NoUnits));
    assert!(refused, "{nothing:?}");
}
