//! What is recorded: documents that are read as they were written, and nothing else.

use counterfoil_capsule::integrity::{Binding, sign};
use counterfoil_exchange::documents::{DocumentError, DocumentKind, Text};
use counterfoil_exchange::trust::{LocalRecord, Mark, Record, Records};
use counterfoil_types::json::{Limits, Map, Value, canonical, parse};
use counterfoil_verifier::note::{Algorithm, VerifierKey};
use proptest::prelude::*;
use serde_json::json;

use crate::kit::{High, ME, NOW, SECOND, key, local, own, signer, time, vouch};

fn peer(name: &str, agent: u32) -> Value {
    json!({ "peer": {
        "name": name, "key": key(agent), "addresses": ["https://b.example", "/srv/b"],
        "domains": ["cooking", "memory-systems/pruning"],
    } })
}

fn all() -> Vec<Value> {
    let of = key(5);
    let log = VerifierKey::new("b.example", Algorithm::Ed25519, of.public_key()).unwrap();
    vec![
        peer("B", 5),
        json!({ "peer": { "name": "bare", "key": of, "log": log } }),
        json!({ "pin": { "key": of, "signs": true } }),
        json!({ "direct_trust": { "key": of } }),
        json!({ "direct_trust": { "key": of, "domain": "cooking", "expires": time(NOW) } }),
        json!({ "distrust": { "key": of, "domain": "cooking", "reason": "it said so itself" } }),
        json!({ "dispute": { "by": key(6), "key": of, "domain": "cooking", "reason": "so" } }),
        json!({ "succession": { "from": of, "to": key(6) } }),
        json!({ "mark": { "key": of, "mark": Mark::Equivocation, "evidence": "03".repeat(32) } }),
        json!({ "clear": { "key": of, "mark": Mark::Framing } }),
        json!({ "contact": { "key": of } }),
    ]
}

fn receive(bytes: &[u8]) -> Result<Record, DocumentError> {
    Record::receive(bytes, &[key(ME)], NOW)
}

/// MRP-41: what is written is read as the same.
#[test]
fn own_records_survive_their_documents() {
    for stated in all() {
        let record = own(stated.clone(), NOW);
        let again = receive(record.bytes()).unwrap();
        assert_eq!(again, record);
        assert_eq!(again.local_record(), Some(&local(stated)));
        assert_eq!(again.received_us(), NOW);
    }
}

/// Only this agent records for itself: with the record of another, trust in anybody could be sent in.
#[test]
fn the_own_record_of_another_is_refused() {
    let trust = local(json!({ "direct_trust": { "key": key(5) } }));
    let foreign = Record::local(trust, time(NOW), &signer(5)).unwrap();
    let none = Record::receive(own(peer("B", 5), NOW).bytes(), &[], NOW);
    for refused in [receive(foreign.bytes()), none] {
        assert!(
            matches!(refused, Err(DocumentError::Foreign { .. })),
            "{refused:?}"
        );
    }
}

/// A record that was changed where it is kept is no record.
#[test]
fn a_changed_record_is_refused() {
    for stated in all() {
        let record = own(stated, NOW);
        let text = String::from_utf8(record.bytes().to_vec()).unwrap();
        let changed = text.replacen("2027-01-15", "2027-01-14", 1);
        assert_ne!(changed, text);
        assert!(receive(changed.as_bytes()).is_err());
        let spaced = text.replacen(',', ", ", 1);
        assert!(receive(spaced.as_bytes()).is_err());
    }
    let given = String::from_utf8(vouch(1, 2, High).bytes().to_vec()).unwrap();
    let raised = given.replacen("\"expert\"", "\"authority\"", 1);
    let refused = receive(raised.as_bytes());
    assert_eq!(refused, Err(DocumentError::Unproven(DocumentKind::Vouch)));
}

fn changed(with: impl FnOnce(&mut Map)) -> Result<Record, DocumentError> {
    let record = own(peer("B", 5), NOW);
    let mut value = parse(record.bytes(), Limits::PROOF).unwrap();
    let members = value.as_object_mut().unwrap();
    members.remove("proof");
    with(members);
    let signed = sign(value, &signer(ME), time(NOW), &Binding::ASSERTION).unwrap();
    receive(canonical(&signed).unwrap().as_bytes())
}

#[test]
fn members_are_closed_and_each_what_it_must_be() {
    assert!(changed(|_| ()).is_ok());
    let put = |name: &str, value: Value| {
        changed(|members| {
            members.insert(name.into(), value);
        })
    };
    let version = put("version", "2".into());
    assert!(matches!(version, Err(DocumentError::RecordVersion { .. })));
    let kind = put("type", "memory_request".into());
    assert!(matches!(kind, Err(DocumentError::NoRecord { .. })));
    for (name, value) in [
        ("trust", json!(3)),
        ("signs", json!(true)),
        ("name", json!("")),
        ("name", json!("x".repeat(129))),
        ("key", json!("did:web:b.example")),
        ("created_at", json!("2027")),
        ("log", json!("b")),
        ("domains", json!([])),
        ("domains", json!(["Cooking"])),
        ("addresses", json!(vec!["x"; 9])),
        ("addresses", json!("x")),
    ] {
        let refused = put(name, value.clone());
        let is_named = matches!(refused, Err(DocumentError::Member(_)));
        assert!(is_named, "{name} {value} {refused:?}");
    }
    assert!(changed(|members| drop(members.remove("key"))).is_err());
    let odd = [
        "",
        "[]",
        "3",
        "{}",
        "{\"type\":3}",
        "\u{feff}{}",
        "{\"type\":\"vouch\"}",
    ];
    for text in odd {
        assert!(receive(text.as_bytes()).is_err(), "{text:?}");
    }
    let LocalRecord::Peer { name, key, .. } = local(peer("B", 5)) else {
        panic!()
    };
    let many = LocalRecord::Peer {
        name,
        key,
        addresses: vec![Text::new("https://b.example").unwrap(); 9],
        log: None,
        domains: Vec::new(),
    };
    assert!(Record::local(many, time(NOW), &signer(ME)).is_err());
}

#[test]
fn names_are_those_of_the_last_record() {
    let records = [
        own(peer("B", 5), NOW),
        own(json!({ "pin": { "key": key(5), "signs": true } }), NOW),
        own(peer("C", 5), NOW + SECOND),
    ];
    let records = Records::gather(records);
    assert_eq!(records.named("B"), None);
    let known = records.named("C").unwrap();
    let told = (known.key, known.signs, known.addresses.len());
    assert_eq!(told, (key(5), true, 2));
    assert_eq!(records.known(), [known]);
    assert_eq!(records.named(&key(6).to_string()), None);
}

#[test]
fn a_name_of_two_means_nobody() {
    let records = Records::gather([own(peer("B", 5), NOW), own(peer("B", 6), NOW)]);
    assert_eq!(records.named("B"), None);
    assert_eq!(records.known().len(), 2);
}

/// A document that came twice counts from when it first came.
#[test]
fn the_first_receipt_counts() {
    let given = vouch(1, 2, High);
    let later = Record::receive(given.bytes(), &[], NOW).unwrap();
    let records = Records::gather([later, given.clone()]);
    let times: Vec<u64> = records.iter().map(Record::received_us).collect();
    assert_eq!(times, [given.received_us()]);
}

proptest! {
    #[test]
    fn no_bytes_end_the_reading(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = Record::receive(&bytes, &[], NOW);
    }

    #[test]
    fn no_change_of_a_record_is_accepted(at in 0_usize..400, byte in any::<u8>()) {
        let record = own(peer("B", 5), NOW);
        let mut bytes = record.bytes().to_vec();
        let at = at % bytes.len();
        prop_assume!(bytes[at] != byte);
        bytes[at] = byte;
        prop_assert!(receive(&bytes).is_err());
    }
}
