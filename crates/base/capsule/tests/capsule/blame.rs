//! Who is blamed after a rotation, of logs, and what has no room in a contradiction (C8, C11, C12).

use std::collections::BTreeMap;

use counterfoil_capsule::documents::{
    CapsuleName, Contradiction, ContradictionKind, Evidence, Observation, Observed, Source, Suspect,
};
use counterfoil_capsule::keys::{KeyDocument, KeyError, KeyHistory, KeyInception, KeyRotation};
use counterfoil_capsule::{
    AgentSigner, CapsuleDocument, CapsuleError, Equivocation, Extensions, Position, RecordKind,
    SealedCapsule, SecretKey, Signer, Timestamp, seal_record, seal_world,
};
use counterfoil_types::json::canonical;
use counterfoil_types::{DidKey, Sha256Hash};
use counterfoil_verifier::checkpoint::Checkpoint;
use counterfoil_verifier::note::{Algorithm, VerifierKey, signature_line, signed_note};
use serde_json::json;

use crate::chain::{seed, seed_by};
use crate::common::{NO_KEYS, NOW, SALT, at, delta, id, signer, stamp, stranger, world};

fn key(number: u8) -> AgentSigner {
    AgentSigner::new(SecretKey::from_seed([number; 32]))
}

/// The key chain of the agent of `signer()`: an inception, and a rotation to `rotated()`.
fn key_chain() -> (KeyHistory, Vec<CapsuleDocument>) {
    let (next, recovery) = (key(20).key(), key(21).key());
    let inception = KeyInception::sign(&signer(), &next, &recovery, at(NOW)).unwrap();
    let begun = record(&KeyDocument::Inception(inception.clone()), |seed| seed);
    let mut history = KeyHistory::begin(&begun.header, &inception).unwrap();
    let then = key(22).key();
    let rotation = KeyRotation::sign(&history, &signer(), &key(20), &then, at(NOW + 1)).unwrap();
    let document = KeyDocument::Rotation(rotation);
    let next = record(&document, |_| {
        Position::after(&begun.header, delta(), id(31), stamp(NOW + 1))
    });
    history.extend(&next.header, &document).unwrap();
    let records = [begun, next].map(|sealed| CapsuleDocument::of(&sealed, None));
    (history, records.to_vec())
}

fn record(document: &KeyDocument, place: impl FnOnce(Position) -> Position) -> SealedCapsule {
    let position = place(Position::seed(id(30), stamp(NOW))).with(document.extensions());
    seal_record(
        document.kind(),
        document.to_value(),
        &position,
        SALT,
        &signer(),
    )
    .unwrap()
}

fn rotated() -> AgentSigner {
    AgentSigner::rotated(signer().agent(), 1, SecretKey::from_seed([20; 32]))
}

/// Two capsules at one place, signed with the key of number 1.
fn forked_after_the_rotation(by: &dyn Signer) -> [CapsuleDocument; 2] {
    [json!(1), json!(2)]
        .map(|data| seed_by(by, data, 1, NOW + 9, Extensions::default()).document(0))
}

pub(crate) fn by() -> (DidKey, Timestamp) {
    (stranger().agent(), at(NOW))
}

fn fork_of(capsules: &[CapsuleDocument; 2]) -> Observation {
    Observation {
        kind: ContradictionKind::Equivocation,
        code: "E_FORK".to_owned(),
        subject: Suspect::of(capsules[0].header()),
        source: Source::way("import"),
        expected: Some(Observed::place(capsules[1].header())),
        actual: Some(Observed::place(capsules[0].header())),
        evidence: capsules.iter().map(Evidence::of).collect(),
    }
}

/// What it becomes, and that it comes back from its document.
pub(crate) fn told(seen: Observation, keys: &BTreeMap<DidKey, Vec<DidKey>>) -> Contradiction {
    let event = Contradiction::new(seen, id(3), by(), keys).unwrap();
    assert_eq!(
        Contradiction::parse(&event.to_value(), keys).unwrap(),
        event
    );
    event
}

/// Tests whether its agent is to blame, for a reader who knows no key chain.
pub(crate) fn blames(seen: Observation) -> bool {
    told(seen, &NO_KEYS).is_attributable()
}

/// Adversarial case C40, after a rotation: the proof brings the key chain, and convinces those who have
/// never heard of the agent. Another's key chain, or a part of one, convinces nobody.
#[test]
fn a_proof_brings_the_keys_that_it_needs() {
    let [one, other] = forked_after_the_rotation(&rotated());
    let (history, records) = key_chain();
    let bare = Equivocation::new(one, other).unwrap();
    assert_eq!(bare.check(&history.by_agent()), Ok(()));
    let open = bare.check_alone().unwrap_err();
    assert!(matches!(open, KeyError::UnknownKey { .. }));

    let proof = bare.clone().with_keys(records.clone());
    assert_eq!(proof.check_alone(), Ok(()));
    let text = canonical(&proof.to_value()).unwrap();
    let read = Equivocation::parse(text.as_bytes()).unwrap();
    assert_eq!((read.check_alone(), &read), (Ok(()), &proof));

    let begun = bare.clone().with_keys(records[..1].to_vec());
    assert!(matches!(
        begun.check_alone(),
        Err(KeyError::UnknownKey { .. })
    ));
    for broken in [
        vec![records[1].clone()],
        vec![records[0].clone(), records[0].clone()],
        vec![records[0].clone(), records[1].clone().without_bodies()],
        vec![seed(json!(1)).document(0)],
    ] {
        let refused = bare.clone().with_keys(broken).check_alone();
        assert!(matches!(refused, Err(KeyError::Brought(_))), "{refused:?}");
    }
    let mut bad = proof.to_value();
    bad["keys"] = json!([]);
    assert!(
        Equivocation::from_value(&bad).is_err(),
        "absent is not empty"
    );
}

/// A thief of another key signs with a number that it has not.
#[test]
fn a_key_chain_is_not_another_key() {
    let [one, other] = forked_after_the_rotation(&AgentSigner::rotated(
        signer().agent(),
        1,
        SecretKey::from_seed([66; 32]),
    ));
    let proof = Equivocation::new(one, other).unwrap();
    let refused = proof.with_keys(key_chain().1).check_alone();
    assert!(matches!(refused, Err(KeyError::CapsuleSignature { .. })));
}

/// C11: blame after a rotation follows from the key chain, and from nobody's word.
#[test]
fn blame_after_a_rotation_needs_the_key_chain() {
    let (history, _) = key_chain();
    let fork = fork_of(&forked_after_the_rotation(&rotated()));
    assert!(!blames(fork.clone()));
    let event = told(fork, &history.by_agent());
    assert!(event.is_attributable());
    assert_eq!(
        Contradiction::parse(&event.to_value(), &NO_KEYS),
        Err(CapsuleError::NotAttributable)
    );
}

/// C11 (E61, E62): blame needs the accused key under every piece, and a kind that only the signer can
/// bring about.
#[test]
fn blame_needs_the_accused_key_on_every_piece() {
    let capsules = [json!(1), json!(2)].map(|data| seed(data).document(0));
    let fork = fork_of(&capsules);
    assert!(blames(fork.clone()));
    let mut loose = fork.clone();
    loose.evidence[0] = Evidence::hash_of(capsules[0].to_text().as_bytes());
    assert!(!blames(loose));
    for kind in [
        ContradictionKind::Integrity,
        ContradictionKind::Authorization,
        ContradictionKind::Schema,
    ] {
        let other = Observation {
            kind,
            ..fork.clone()
        };
        assert!(!blames(other), "{}", kind.name());
    }
    let elsewhere = Observation {
        subject: Suspect::of(
            seed_by(&stranger(), json!(1), 1, NOW, Extensions::default())
                .document(0)
                .header(),
        ),
        ..fork
    };
    assert!(!blames(elsewhere));
}

/// A capsule that names one as the one before it, and does not stand behind it.
#[test]
fn a_link_to_another_place_is_its_signers_fault() {
    let begun = seed(json!(1)).document(0);
    let later = |number: u8, after: &CapsuleDocument| {
        let position = Position::after(after.header(), delta(), id(number), stamp(NOW + 5));
        let sealed = seal_world(&world(json!(number)), &position, SALT, &signer());
        CapsuleDocument::of(&sealed.unwrap(), None)
    };
    let good = later(40, &begun);
    let sequence = |one: &CapsuleDocument, other: &CapsuleDocument| Observation {
        kind: ContradictionKind::Sequence,
        ..fork_of(&[one.clone(), other.clone()])
    };
    assert!(!blames(sequence(&good, &begun)));
    let third = later(41, &good);
    assert!(!blames(sequence(&third, &begun)));
    let twin = later(42, &seed(json!(2)).document(0));
    assert!(blames(sequence(&twin, &begun)));
}

const SIZE: u64 = 5;

fn log_key(signer: &AgentSigner) -> VerifierKey {
    VerifierKey::new("log.example", Algorithm::Ed25519, signer.key().public_key()).unwrap()
}

/// The checkpoint of a log at some size, by its key.
fn note(origin: &str, size: u64, root: u8, signer: &AgentSigner) -> String {
    let root = Sha256Hash::from_bytes([root; 32]);
    let text = Checkpoint::new(origin, size, root).unwrap().to_text();
    let line = signature_line(&log_key(signer), &signer.sign(text.as_bytes()));
    signed_note(&text, &[line])
}

fn of_log(notes: [String; 2]) -> Observation {
    let [one, other] = [1, 2].map(|root| Observed::Root(Sha256Hash::from_bytes([root; 32])));
    Observation {
        kind: ContradictionKind::Equivocation,
        code: "E_LOG_FORK".to_owned(),
        subject: Suspect::Log {
            key: log_key(&signer()),
            size: SIZE,
        },
        source: Source::way("checkpoint"),
        expected: Some(one),
        actual: Some(other),
        evidence: notes.map(Evidence::Note).to_vec(),
    }
}

/// Two checkpoints of one size by one key blame the log. Neither does one that another key signed, nor
/// two of different sizes, of one root, or of another log (E61, E62).
#[test]
fn a_log_is_blamed_for_what_its_key_signed() {
    let good = note("log.example", SIZE, 1, &signer());
    let twice = note("log.example", SIZE, 2, &signer());
    assert!(blames(of_log([good.clone(), twice.clone()])));
    for other in [
        good.clone(),
        note("log.example", SIZE, 2, &stranger()),
        note("log.example", SIZE + 1, 2, &signer()),
        note("other.example", SIZE, 2, &signer()),
        "no note".to_owned(),
    ] {
        let event = told(of_log([good.clone(), other.clone()]), &NO_KEYS);
        assert!(!event.is_attributable(), "{other}");
    }
    let mut renamed = of_log([good, twice]);
    renamed.kind = ContradictionKind::Replay;
    assert!(!blames(renamed));
}

/// Adversarial case E65: what is too large is its digest, and blames nobody; a body does not get in by
/// another door either.
#[test]
fn large_evidence_becomes_its_hash() {
    let large = "x".repeat(60_000);
    let seen = of_log([large.clone(), large]);
    let key = seen.dedupe_key();
    let event = told(seen, &NO_KEYS);
    let text = canonical(&event.to_value()).unwrap();
    assert!(
        text.len() < 4096 && !text.contains("xxxx"),
        "{}",
        text.len()
    );
    assert_eq!(event.observation().dedupe_key(), key);

    let [one, other] = [json!("private"), json!("secret")].map(|data| seed(data).document(0));
    let mut fork = fork_of(&[one.clone(), other.clone()]);
    fork.evidence = [one, other]
        .map(|whole| Evidence::Capsule(whole.into()))
        .to_vec();
    let event = told(fork, &NO_KEYS);
    assert!(event.is_attributable());
    let text = canonical(&event.to_value()).unwrap();
    assert!(!text.contains("private") && !text.contains("secret"));
}

/// Adversarial case E63: not even where the record is badly signed, and so is not shown.
#[test]
fn there_is_no_event_about_an_unsigned_event() {
    let position = Position::seed(id(5), stamp(NOW));
    let kind = RecordKind::Contradiction;
    let record = seal_record(kind, &json!({ "a": 1 }), &position, SALT, &signer()).unwrap();
    let mut seen = fork_of(&forked_after_the_rotation(&rotated()));
    seen.subject = Suspect::of(&record.header);
    seen.evidence = vec![Evidence::hash_of(b"whatever came")];
    assert!(seen.is_about_itself());
    assert_eq!(
        Contradiction::new(seen, id(3), by(), &NO_KEYS),
        Err(CapsuleError::AboutContradiction)
    );
}

/// Entries, records and bytes are named as they are, and a way of any length has a name.
#[test]
fn every_subject_comes_back() {
    let tombstone = CapsuleName {
        record: Some(RecordKind::Tombstone),
        ..CapsuleName::of(seed(json!(1)).document(0).header())
    };
    let hash = Evidence::hash_of(b"x");
    for subject in [
        Suspect::Capsule(tombstone),
        Suspect::Entry {
            index: 7,
            capsule: Some(tombstone),
        },
        Suspect::Entry {
            index: 7,
            capsule: None,
        },
        Suspect::Request {
            request_id: "r".to_owned(),
        },
        Suspect::Bytes { hash: hash.hash() },
    ] {
        for kind in ContradictionKind::ALL {
            let seen = Observation {
                kind,
                code: "E_TEST".to_owned(),
                subject: subject.clone(),
                source: Source::way(&"ö\n".repeat(300)),
                expected: None,
                actual: Some(Observed::Number(7)),
                evidence: vec![hash.clone()],
            };
            assert!(!blames(seen));
            assert_eq!(kind.name().parse(), Ok(kind));
        }
    }
    assert_eq!(Source::way("").transport, "?");
}
