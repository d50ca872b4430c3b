//! What is recorded: documents that are read as they were written, and nothing else.

use counterfoil_capsule::integrity::{Binding, sign};
use counterfoil_exchange::documents::{DocumentError, DocumentHash, DocumentKind, Text};
use counterfoil_exchange::trust::{LocalRecord, Mark, Record, Records};
use counterfoil_types::Sha256Hash;
use counterfoil_types::json::{self, Value};
use proptest::prelude::*;

use crate::kit::{High, ME, NOW, SECOND, domain, key, own, signer, time, vouch};

fn peer(name: &str, agent: u32) -> LocalRecord {
    LocalRecord::Peer {
        name: Text::new(name).unwrap(),
        key: key(agent),
        addresses: vec![
            Text::new("https://b.example").unwrap(),
            Text::new("/srv/b").unwrap(),
        ],
        log: None,
        domains: vec![domain("cooking"), domain("memory-systems/pruning")],
    }
}

fn all() -> Vec<LocalRecord> {
    let (of, reason) = (key(5), Some(Text::new("it said so itself").unwrap()));
    let about = Some(domain("cooking"));
    let log = "log+8a15e4c9+AdrnnJ0mfQk5fHxxTRJkhlOLhl8EyTyVnYqA9eVQ1X0q"
        .parse()
        .ok();
    let bare = LocalRecord::Peer {
        name: Text::new("bare").unwrap(),
        key: of,
        addresses: Vec::new(),
        log,
        domains: Vec::new(),
    };
    vec![
        peer("B", 5),
        bare,
        LocalRecord::Pin {
            key: of,
            signs: true,
        },
        LocalRecord::DirectTrust {
            key: of,
            domain: None,
            expires: None,
        },
        LocalRecord::DirectTrust {
            key: of,
            domain: about.clone(),
            expires: Some(time(NOW)),
        },
        LocalRecord::Distrust {
            key: of,
            domain: about.clone(),
            reason: reason.clone(),
        },
        LocalRecord::Dispute {
            by: key(6),
            key: of,
            domain: about,
            reason,
        },
        LocalRecord::Succession {
            from: of,
            to: key(6),
        },
        LocalRecord::Mark {
            key: of,
            mark: Mark::Equivocation,
            evidence: Some(DocumentHash::from_digest(Sha256Hash::from_bytes([3; 32]))),
        },
        LocalRecord::Clear {
            key: of,
            mark: Mark::Framing,
        },
        LocalRecord::Contact { key: of },
    ]
}

/// MRP-41: what is written is read as the same.
#[test]
fn own_records_survive_their_documents() {
    for local in all() {
        let record = own(local.clone(), NOW);
        let again = Record::receive(record.bytes(), &[key(ME)], NOW).unwrap();
        assert_eq!(again, record);
        assert_eq!(again.local_record(), Some(&local));
        assert_eq!(again.received_us(), NOW);
    }
}

/// Only this agent records for itself: with the record of another, trust in anybody could be sent in.
#[test]
fn the_own_record_of_another_is_refused() {
    let foreign = Record::local(
        LocalRecord::DirectTrust {
            key: key(5),
            domain: None,
            expires: None,
        },
        time(NOW),
        &signer(5),
    );
    let refused = Record::receive(foreign.unwrap().bytes(), &[key(ME)], NOW);
    assert!(
        matches!(refused, Err(DocumentError::Foreign { .. })),
        "{refused:?}"
    );
    let none = Record::receive(own(peer("B", 5), NOW).bytes(), &[], NOW);
    assert!(
        matches!(none, Err(DocumentError::Foreign { .. })),
        "{none:?}"
    );
}

/// A record that was changed where it is kept is no record.
#[test]
fn a_changed_record_is_refused() {
    for local in all() {
        let record = own(local, NOW);
        let text = String::from_utf8(record.bytes().to_vec()).unwrap();
        let changed = text.replacen("2027-01-15", "2027-01-14", 1);
        assert_ne!(changed, text);
        assert!(Record::receive(changed.as_bytes(), &[key(ME)], NOW).is_err());
        let spaced = text.replacen(',', ", ", 1);
        assert!(Record::receive(spaced.as_bytes(), &[key(ME)], NOW).is_err());
    }
    let given = String::from_utf8(vouch(1, 2, High).bytes().to_vec()).unwrap();
    let raised = given.replacen("\"expert\"", "\"authority\"", 1);
    let refused = Record::receive(raised.as_bytes(), &[key(ME)], NOW);
    assert_eq!(refused, Err(DocumentError::Unproven(DocumentKind::Vouch)));
}

fn changed(with: impl FnOnce(&mut json::Map)) -> Result<Record, DocumentError> {
    let record = own(peer("B", 5), NOW);
    let mut value = json::parse(record.bytes(), json::Limits::PROOF).unwrap();
    let members = value.as_object_mut().unwrap();
    members.remove("proof");
    with(members);
    let signed = sign(value, &signer(ME), time(NOW), &Binding::ASSERTION).unwrap();
    Record::receive(
        json::canonical(&signed).unwrap().as_bytes(),
        &[key(ME)],
        NOW,
    )
}

#[test]
fn members_are_closed_and_each_what_it_must_be() {
    assert!(changed(|_| ()).is_ok());
    let put = |name: &str, value: Value| {
        changed(|members| {
            members.insert(name.into(), value);
        })
    };
    assert!(matches!(
        put("trust", 3.into()),
        Err(DocumentError::Member(_))
    ));
    assert!(matches!(
        put("signs", true.into()),
        Err(DocumentError::Member(_))
    ));
    assert!(matches!(
        put("version", "2".into()),
        Err(DocumentError::RecordVersion { .. })
    ));
    assert!(matches!(
        put("type", "memory_request".into()),
        Err(DocumentError::NoRecord { .. })
    ));
    for (name, value) in [
        ("name", "".into()),
        ("name", "x".repeat(129).into()),
        ("key", "did:web:b.example".into()),
        ("created_at", "2027".into()),
        ("log", "b".into()),
        ("domains", Value::Array(Vec::new())),
        ("domains", vec!["Cooking"].into()),
        ("addresses", vec!["x"; 9].into()),
        ("addresses", "x".into()),
    ] {
        let refused = put(name, value.clone());
        assert!(
            matches!(refused, Err(DocumentError::Member(_))),
            "{name} {value} {refused:?}"
        );
    }
    assert!(changed(|members| drop(members.remove("key"))).is_err());
    for text in [
        "",
        "[]",
        "3",
        "{}",
        "{\"type\":3}",
        "\u{feff}{}",
        "{\"type\":\"vouch\"}",
    ] {
        assert!(
            Record::receive(text.as_bytes(), &[key(ME)], NOW).is_err(),
            "{text:?}"
        );
    }
}

#[test]
fn too_many_addresses_are_not_written() {
    let addresses = vec![Text::new("https://b.example").unwrap(); 9];
    let peer = LocalRecord::Peer {
        name: Text::new("B").unwrap(),
        key: key(5),
        addresses,
        log: None,
        domains: Vec::new(),
    };
    assert!(Record::local(peer, time(NOW), &signer(ME)).is_err());
}

#[test]
fn names_are_those_of_the_last_record() {
    let signs = LocalRecord::Pin {
        key: key(5),
        signs: true,
    };
    let records = [
        own(peer("B", 5), NOW),
        own(signs, NOW),
        own(peer("C", 5), NOW + SECOND),
    ];
    let records = Records::gather(records);
    assert_eq!(records.named("B"), None);
    let known = records.named("C").unwrap();
    assert_eq!(
        (known.key, known.signs, known.addresses.len()),
        (key(5), true, 2)
    );
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
        prop_assert!(Record::receive(&bytes, &[key(ME)], NOW).is_err());
    }
}
