//! Trust as a belief takes it into account.

use std::collections::BTreeSet;
use std::sync::Arc;

use counterfoil_claims::{Cardinality, Identifier, PeerTrust};
use counterfoil_exchange::trust::{Level, LocalRecord, Record, RecordedTrust, Records};
use serde_json::json;

use crate::kit::{
    DAY, High, ME, Medium, NOW, distrust, id, key, level, own, parts, revocation, trust, trust_in,
    vouch, vouched,
};

fn about(name: &str) -> Identifier {
    Identifier::new("domain", name).unwrap()
}

/// The records of this agent, read as a store holds them.
fn read(records: impl IntoIterator<Item = Record>) -> Records {
    let records: Vec<Record> = records.into_iter().collect();
    let stored = records
        .iter()
        .map(|record| (record.bytes(), record.received_us()));
    Records::receive(stored, &[key(ME)]).unwrap()
}

fn recorded(records: impl IntoIterator<Item = Record>) -> RecordedTrust {
    RecordedTrust::new(Arc::new(read(records)))
}

fn minimum(domain: Option<&str>, level: &str, at: u64) -> Record {
    let mut rule = json!({ "level": level });
    if let Some(domain) = domain {
        rule["domain"] = domain.into();
    }
    own(json!({ "minimum": rule }), at)
}

/// Levels are those of the asked time, and of the domain that the name of a predicate is.
#[test]
fn levels_are_of_a_time_and_a_domain() {
    let trusted = recorded([
        trust_in(1, Some("memory-systems"), NOW),
        distrust(1, None, NOW + DAY),
        trust_in(1, None, NOW + 2 * DAY),
    ]);
    for (name, at, expected) in [
        ("memory_systems", NOW - 1, 1),
        ("Memory Systems", NOW, 3),
        ("cooking", NOW, 1),
        ("memory-systems", NOW + DAY, 0),
        ("cooking", NOW + 2 * DAY, 3),
    ] {
        assert_eq!(
            trusted.level(&key(1), &about(name), at),
            expected,
            "{name} at {at}"
        );
    }
}

/// The narrowest rule decides, of one domain the last one; nothing lets an agent decide that is distrusted.
#[test]
fn a_minimum_is_of_the_narrowest_domain() {
    let rules = recorded([
        minimum(None, "direct", NOW),
        minimum(Some("memory-systems"), "vouched", NOW + 1),
        minimum(Some("memory-systems/pruning"), "anonymous", NOW + 2),
        minimum(None, "identified", NOW + 3),
    ]);
    for (name, at, expected) in [
        ("cooking", NOW - 1, 2),
        ("cooking", NOW, 3),
        ("memory-systems", NOW, 3),
        ("memory-systems", NOW + 3, 2),
        ("memory-systems/pruning", NOW + 3, 1),
        ("cooking", NOW + 3, 1),
    ] {
        assert_eq!(rules.minimum(&about(name), at), expected, "{name} at {at}");
    }
}

/// I6: agents that are trusted by way of one third agent are no two; nor is an agent that vouches for the other.
#[test]
fn agents_by_one_way_are_no_two() {
    let independent = |records: Vec<Record>, agents: &[u32]| {
        let agents: BTreeSet<_> = agents.iter().map(|agent| key(*agent)).collect();
        recorded(records).independent(&agents, &about("memory-systems"), NOW)
    };
    let by_one = vec![trust(1), vouch(1, 2, High), vouch(1, 3, High)];
    assert_eq!(independent(by_one.clone(), &[2, 3]), 1);
    assert_eq!(independent(by_one, &[1, 2]), 1);
    let by_two = vec![trust(1), trust(4), vouch(1, 2, High), vouch(4, 3, High)];
    assert_eq!(independent(by_two.clone(), &[2, 3]), 2);
    assert_eq!(independent(by_two, &[1, 4, 2]), 2);
    assert_eq!(
        independent(vec![trust(1), trust(2), trust(3)], &[1, 2, 3]),
        3
    );
    // A stranger is no independent source, whatever minimum is set.
    assert_eq!(
        independent(vec![trust(1), minimum(None, "identified", NOW)], &[1, 7]),
        1
    );
}

/// MRP-20: an agent for which this one has vouched itself is at level 3 in that domain, until the vouch is revoked or the
/// agent is distrusted.
#[test]
fn an_own_vouch_is_direct_trust() {
    let given = vouched(parts(ME, 9, Medium), ME);
    let level_of =
        |records: Vec<Record>, name: &str, at| recorded(records).level(&key(9), &about(name), at);
    assert_eq!(level_of(vec![given.clone()], "memory-systems", NOW), 3);
    assert_eq!(level_of(vec![given.clone()], "cooking", NOW), 1);
    assert_eq!(
        level_of(
            vec![given.clone(), distrust(9, None, NOW + 1)],
            "memory-systems",
            NOW + 1
        ),
        0
    );
    let back = revocation(ME, &given, id(9), NOW + 1);
    let revoked = read([given.clone(), back]);
    let vouch = given.vouch().unwrap();
    assert_eq!(revoked.revoked_us(vouch), Some(NOW + 1));
    assert_eq!(
        RecordedTrust::new(Arc::new(revoked)).level(&key(9), &about("memory-systems"), NOW + 1),
        1
    );
    // The vouch of another agent is none of one's own.
    assert_eq!(
        level([vouched(parts(8, 9, Medium), 8)], 9),
        Level::Identified
    );
}

/// I5: the newest record of a predicate until the asked time decides, in whatever order they are read; a record that decides
/// nothing is none.
#[test]
fn the_newest_record_of_a_predicate_decides() {
    let says = |name: &str, cardinality: &str, at| {
        own(
            json!({ "predicate": { "predicate": name, "cardinality": cardinality } }),
            at,
        )
    };
    let records = [
        says("mood", "one", NOW + DAY),
        says("Mood", "many", NOW),
        trust(1),
    ];
    let vocabulary = read(records).vocabulary();
    let of = |at| vocabulary.cardinality(&about("mood"), Cardinality::Unknown, at);
    let expected = [Cardinality::Unknown, Cardinality::Many, Cardinality::One];
    assert_eq!([NOW - 1, NOW, NOW + DAY].map(of), expected);
    for wrong in [
        json!({ "predicate": "mood", "cardinality": "unknown" }),
        json!({ "predicate": "", "cardinality": "one" }),
        json!({ "predicate": "mood" }),
    ] {
        let read = serde_json::from_value::<LocalRecord>(json!({ "predicate": wrong }));
        assert!(read.is_err(), "{wrong}");
    }
}

/// The newest record of a name until the asked time decides; without a main name it takes back. What is no name is no record.
#[test]
fn the_newest_record_of_a_name_decides() {
    let says = |name: &str, of: Option<&str>, at| {
        let alias = of.map_or(
            json!({ "name": name }),
            |of| json!({ "name": name, "of": of }),
        );
        own(json!({ "alias": alias }), at)
    };
    let records = [
        says("@anna", None, NOW + DAY),
        says("Anna", Some("@anna"), NOW + 1),
        says("@anna", Some("Anna"), NOW),
        trust(1),
    ];
    let aliases = read(records).aliases();
    let of = |at| aliases.main(&about("@anna"), at).to_string();
    let over_time = [NOW - 1, NOW, NOW + DAY].map(of);
    assert_eq!(over_time, ["@anna", "Anna", "@anna"]);
    assert_eq!(*aliases.main(&about("Anna"), NOW + DAY), about("Anna"));
    for wrong in [
        json!({ "name": "" }),
        json!({ "of": "Anna" }),
        json!({ "name": " anna" }),
        json!({ "name": "a", "of": "b", "since": 1 }),
        json!({ "name": "a", "of": null, "main": "b" }),
    ] {
        let read = serde_json::from_value::<LocalRecord>(json!({ "alias": wrong }));
        assert!(read.is_err(), "{wrong}");
    }
}
