//! A corrected clock in a store that is rebuilt, erased from and archived (docs/format/capsule.md, Recorded).

use counterfoil_capsule::documents::ClockCorrection;
use counterfoil_capsule::{Document, RecordKind, Timestamp};
use counterfoil_store::Draft;

use super::*;

fn correct(rig: &Rig) -> Timestamp {
    let document = ClockCorrection::new("the clock was ahead").unwrap();
    let record = Draft::record(RecordKind::ClockCorrection, document.to_value());
    let placed = block_on(rig.store.append(agent(1), vec![record])).unwrap();
    placed[0].recorded_at
}

/// CLM-7, CAP-11: twice ahead and twice corrected, the derived tables stay a function of the log, whatever is taken away, and
/// the times of the log do not fall.
#[test]
fn a_corrected_clock_stays_corrected_when_the_store_is_derived_again() {
    let rig = Rig::new();
    rig.told(says("Ada", "lives in", "Lisbon"));
    let stamp_of = |reference: &ClaimRef| {
        let unit = block_on(rig.store.unit_of(reference)).unwrap();
        unit.map(|unit| unit.stamp().micros())
    };
    let mut erased = Vec::new();
    for round in 0..2 {
        rig.wait(300 * DAY_US);
        let ahead = rig.told(says("Ada", "born in", &format!("Faro {round}")));
        erased.push(rig.told(says("Ada", "born in", &format!("Beja {round}"))));
        rig.remember(&format!("ahead-{round}"), "while the clock was ahead");
        rig.wait((299 * DAY_US).wrapping_neg());
        rig.is_sound();
        let corrected = correct(&rig);
        assert_eq!(stamp_of(&ahead), Some(corrected.micros()));
        rig.remember(&format!("behind-{round}"), "after the correction");
        rig.is_sound();
    }
    rig.erase(&erased[0]);
    let far = Timestamp::from_micros(rig.now().micros() + 600 * DAY_US).unwrap();
    let (segments, ..) =
        block_on(rig.store.archive(agent(1), far, Some(far), rig.archive())).unwrap();
    assert_eq!(segments[0].capsules, 4);
    rig.is_sound();
    let size = block_on(rig.store.size()).unwrap();
    let recorded = (0..size).map(|index| block_on(rig.store.recorded_at(index)).unwrap().unwrap());
    let recorded: Vec<Timestamp> = recorded.collect();
    assert!(recorded.is_sorted(), "{recorded:?}");
    let last = recorded.last().unwrap().micros();
    assert!(last < START_US + 3 * DAY_US, "{last}");
}
