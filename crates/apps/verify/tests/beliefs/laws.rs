//! What an authority folds is what the actor believes (I3, I8).

use std::sync::LazyLock;

use counterfoil_authority::types::DidKey;
use counterfoil_authority::types::WorldId;
use counterfoil_authority::types::json::{Limits, Value, parse};
use counterfoil_authority::verifier::Anchors;
use counterfoil_claims::Unit;
use counterfoil_claims::belief::statement;
use counterfoil_verify::belief::BeliefDocument;
use proptest::prelude::*;

use crate::support::{Rig, check, document, done, text};

/// Units as they stand in a document, read without any check.
pub(crate) fn units_of(document: &Value) -> Vec<Unit> {
    let units = document["units"].as_array().expect("units").iter();
    (0..)
        .zip(units)
        .map(|(index, unit)| unit_of(index, unit))
        .collect()
}

fn unit_of(index: u64, unit: &Value) -> Unit {
    let json = |name: &str| {
        let text = text(unit, &format!("/{name}"));
        parse(text.as_bytes(), Limits::CONTENT).expect("JSON")
    };
    let (header, content) = (json("header"), json("content"));
    let agent: DidKey = text(&header, "/agent").parse().expect("an agent");
    let stamp: counterfoil_capsule::Timestamp =
        text(&header, "/timestamp").parse().expect("a time");
    let name = WorldId::new(text(&header, "/world")).expect("an id");
    let data = content.get("data").expect("what was remembered");
    Unit::parse(name, agent, index, stamp.micros(), data).expect("a unit")
}

/// A proof, and what an authority trusts that accepts it.
static HONEST: LazyLock<(Anchors, Value)> = LazyLock::new(|| {
    let rig = Rig::new();
    let proof = document(&done(rig.moved_house().prove("ann", "lives in")));
    (rig.anchors(), proof)
});

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// I3, CLM-50: whatever was said, through whichever channel, the proof of it holds and shows the actor's own
    /// belief.
    #[test]
    fn what_is_proven_is_what_is_believed(
        turns in prop::collection::vec((0_u8..4, 0_u8..3, 2018_u16..2026, any::<bool>()), 1..12),
        at in 2016_u16..2028,
    ) {
        let rig = Rig::new();
        for (value, act, year, by_model) in turns {
            let channel = if by_model { rig.channels.model() } else { rig.channels.user() };
            let memory = rig.memory(0, channel);
            let told = memory.remember("ann", "lives in", value).from(&year.to_string());
            // What is refused is not written; what is written has to be provable.
            let told = crate::support::ready(told);
            rig.later_by_days(7);
            if let (Ok(told), 0) = (told, act) {
                let _ = crate::support::ready(memory.end(told.reference, Some("2026")));
            }
        }
        let memory = rig.user();
        let at = at.to_string();
        let proof = done(memory.prove("ann", "lives in").at(&at));
        let believed = done(memory.believe("ann", "lives in").at(&at));
        let report = check(rig.anchors(), &document(&proof));
        prop_assert_eq!(&report["belief"], &statement(&believed));
        prop_assert_eq!(&proof.0, &believed);
    }
}

proptest! {
    /// One byte changed anywhere: the document is not read, or refused, or it shows the same units. What then may differ
    /// is the question, which the authority reads.
    #[test]
    fn a_byte_changed_never_shows_another_unit(at in any::<prop::sample::Index>(), byte in 0x20_u8..0x7f) {
        let (anchors, proof) = &*HONEST;
        let honest = check(anchors.clone(), proof);
        let mut bytes = serde_json::to_vec(proof).expect("JSON");
        let at = at.index(bytes.len());
        if let Some(old) = bytes.get_mut(at) {
            *old = byte;
        }
        if BeliefDocument::from_json(&bytes).is_ok() {
            let read = serde_json::from_slice(&bytes).expect("JSON");
            let report = check(anchors.clone(), &read);
            prop_assert!(report.get("shown").is_none_or(|shown| *shown == honest["shown"]));
        }
    }
}
