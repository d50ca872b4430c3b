//! Contradictions: who is blamed, once each, and never without end (capsules 4.8, C11; E61-E65, D57).

use counterfoil_capsule::RecordKind;
use counterfoil_capsule::documents::ContradictionKind;
use counterfoil_store::CapsuleLog;
use serde_json::{Value, json};

use crate::LifeRig;
use crate::author::{Author, events, import, is_refused, with};
use crate::support::{Rig, block_on};
use counterfoil_life::{Life as _, LineReport};

/// Mallory's document in Bob's name: the signature is of something else.
fn forged(bob: &mut Author, name: &str) -> String {
    let capsule = bob.seed(name, 0);
    let other: Value = serde_json::from_str(&bob.seed("other", 9).to_text()).unwrap();
    with(&capsule, "/signature", other["signature"].clone())
}

/// Adversarial case E61
/// (CAP-28, C11)
pub(crate) fn a_forgery_in_bobs_name_blames_who_sent_it<F: LifeRig>(factory: &F) {
    let rig = Rig::new(factory);
    let store = &rig.store;
    let mut bob = Author::new(5);
    is_refused(store, forged(&mut bob, "w"), "E_SIGNATURE");
    let event = &events(store)[0];
    assert_eq!(event["attributable"], false);
    assert_eq!(event["kind"], "authorization");
    assert_eq!(event["source"]["transport"], "import test");
    assert_eq!(event["subject"]["agent"], bob.did().to_string());
    assert!(
        event["evidence"][0].is_string(),
        "no signed header is shown as evidence"
    );
}

/// Adversarial case E62
/// (C11)
pub(crate) fn two_headers_of_which_one_is_unsigned_are_no_fork<F: LifeRig>(factory: &F) {
    let rig = Rig::new(factory);
    let store = &rig.store;
    let bob = Author::new(5).seed("w", 0);
    import(store, &[bob.to_text()]);
    let twin = forged(&mut Author::new(5), "other");
    is_refused(store, twin, "E_SIGNATURE");
    assert!(block_on(store.forks()).unwrap().is_empty());
    assert_eq!(events(store)[0]["attributable"], false);
}

/// Adversarial case E63
pub(crate) fn a_contradiction_about_a_contradiction_makes_no_event<F: LifeRig>(factory: &F) {
    let rig = Rig::new(factory);
    let store = &rig.store;
    let mut author = Author::new(5);
    let record = author.record(RecordKind::Contradiction, &json!({ "a": 1 }), 0);
    let broken = with(&record, "/payload/state/a", 2.into());
    is_refused(store, broken, "E_STATE");
    assert!(events(store).is_empty());
}

/// Adversarial case E64
pub(crate) fn the_same_bad_capsule_a_thousand_times_is_one_event<F: LifeRig>(factory: &F) {
    let rig = Rig::new(factory);
    let store = &rig.store;
    let bad = forged(&mut Author::new(5), "w");
    for _ in 0..4 {
        import(store, &vec![bad.clone(); 250]);
    }
    assert_eq!(events(store).len(), 1);
    assert_eq!(block_on(store.events(0, None)).unwrap()[0].1, 1000);
    assert_eq!(rig.held(), 1);
}

/// Adversarial case E65
pub(crate) fn an_event_holds_no_content<F: LifeRig>(factory: &F) {
    let rig = Rig::new(factory);
    let store = &rig.store;
    let mut author = Author::new(5);
    let seed = author.seed("a-very-private-sentence", 10);
    let next = author.next(&seed, "another-private-sentence", 10);
    import(store, &[seed.to_text(), next.to_text()]);
    let junk = format!("{{\"secret\":\"{}\"}}", "x".repeat(900_000));
    import(store, &[junk]);
    for event in events(store) {
        let text = event.to_string();
        assert!(
            !text.contains("\"state\"") && !text.contains("\"text\":") && !text.contains("xxxx"),
            "{text}"
        );
        assert!(text.len() < 16 << 10);
    }
}

/// Adversarial case D57
pub(crate) fn a_flood_of_junk_in_alices_name_is_bounded_and_blames_her_not<F: LifeRig>(
    factory: &F,
) {
    let rig = Rig::new(factory);
    let store = &rig.store;
    let mut alice = Author::new(5);
    let first = alice.seed("real", 0);
    import(store, &[first.to_text()]);
    let template = first.to_text();
    let flood: Vec<String> = (0..7_000)
        .map(|number| template.replace("\"size\":", &format!("\"junk{number}\":0,\"size\":")))
        .collect();
    for part in flood.chunks(1000) {
        for outcome in import(store, part) {
            assert!(matches!(outcome, LineReport::Refused { .. }));
        }
    }
    assert_eq!(rig.held(), 5_000, "and no more");
    let events = events(store);
    assert!(events.len() <= 110, "{}", events.len());
    assert!(
        events
            .iter()
            .all(|event| event["attributable"] == Value::Bool(false))
    );
    let summaries = block_on(store.events(0, Some(ContradictionKind::Summary)));
    let suppressed: u64 = summaries.unwrap().iter().map(|event| event.1).sum();
    assert!(suppressed >= 6_800, "{suppressed}");
    let next = alice.next(&first, "she goes on", 50);
    assert_eq!(import(store, &[next.to_text()])[0], LineReport::Accepted);
    assert_eq!(block_on(store.size()).unwrap(), 2);
}
