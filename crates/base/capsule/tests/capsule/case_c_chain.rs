//! Adversarial cases C of the capsule format: payloads, links and time.

use counterfoil_capsule::{
    Signer, Surroundings, Verdict, World, delta_hash, mutation_hash, payload_hash,
};
use serde_json::json;

use crate::common::{
    Bytes, NOW, after, at, delta, id, note, seal, seal_as, signer, stranger, successor, world,
};
use crate::forge::{
    AGENT, AHEAD, CHRONOLOGY, ENTRY, FIELDS, MUTATION, PARENT, PAYLOAD, PREVIOUS, SEQUENCE,
    signed_by, world_json,
};

/// Adversarial case C27: the payload is replaced and all else is left; the protocol's own checks would pass.
/// (C3)
#[test]
fn a_replaced_payload_is_noticed() {
    let other = World::from_json(&world_json(r#""the key is under the red pot""#)).unwrap();
    let mut bytes = Bytes::of(&seal(&note()));
    bytes.payload = other.content().unwrap().into();
    assert_eq!(bytes.check(), PAYLOAD);
}

/// Adversarial case C27, signed: the agent itself seals a payload that is not what header and entry say.
/// (C3)
#[test]
fn an_agent_cannot_seal_one_thing_and_say_another() {
    let sealed = seal(&note());
    for (from, to, verdict) in [
        (r#""world":"world-123""#, r#""world":"world-124""#, ENTRY),
        (r#""size":"#, r#""size":1"#, ENTRY),
    ] {
        let header = sealed.header.canonical().replacen(from, to, 1);
        assert_eq!(signed_by(&signer(), &header).check(), verdict);
    }
    let mut entry = sealed.entry.as_world().unwrap();
    entry.field_root = seal(&world(json!("other"))).entry.field_root;
    let mut bytes = Bytes::of(&sealed);
    bytes.entry = entry.to_text().into();
    bytes.signature = signer().sign(&bytes.entry).to_vec();
    assert_eq!(bytes.check(), FIELDS);
}

/// Adversarial case C30: no byte moves between the halves of a mutation; the property test stands beside it.
/// (CAP-14)
#[test]
fn mutation_hashes_two_digests_of_fixed_width() {
    let (a, b) = (seal(&note()).header.hash(), delta().hash());
    let input = [*a.as_bytes(), *b.as_bytes()].concat();
    assert_eq!(input.len(), 64);
    let expected = blake3::derive_key("memory-capsule 2026-02-10 v1 mutation", &input);
    assert_eq!(mutation_hash(&a, &b).as_bytes(), &expected);
}

/// Adversarial case C31: the hash of a delta presented as that of a payload.
#[test]
fn a_delta_does_not_pass_for_a_payload() {
    let sealed = seal(&note());
    let (payload, salt) = (sealed.payload.as_bytes(), &sealed.salt);
    let as_delta = delta_hash(salt, payload);
    assert_ne!(as_delta, payload_hash(salt, payload));
    let header = sealed.header.canonical();
    let header = header.replacen(
        &payload_hash(salt, payload).to_string(),
        &as_delta.to_string(),
        1,
    );
    let mut bytes = signed_by(&signer(), &header);
    let entry = String::from_utf8(bytes.entry).unwrap();
    bytes.entry = entry
        .replacen(&sealed.entry.content.to_string(), &as_delta.to_string(), 1)
        .into();
    bytes.signature = signer().sign(&bytes.entry).to_vec();
    assert_eq!(bytes.check(), PAYLOAD);
}

/// A chain of two: the second is open without the first, and valid with it.
/// (C6)
#[test]
fn a_successor_needs_its_predecessor() {
    let seed = seal(&note()).header;
    let second = successor(&seed, 2, NOW + 1);
    let bytes = Bytes::of(&second);
    assert_eq!(bytes.check(), PARENT);
    assert_eq!(bytes.check_in(&after(&seed)), Verdict::Valid);
    let third = successor(&second.header, 3, NOW + 2);
    assert_eq!(
        Bytes::of(&third).check_in(&after(&second.header)),
        Verdict::Valid
    );
    assert_eq!(Bytes::of(&third).check_in(&after(&seed)), PARENT);
    assert_eq!(bytes.check_in(&after(&third.header)), SEQUENCE);
}

/// CAP-15, CAP-23.
#[test]
fn a_successor_of_something_else_is_noticed() {
    let seed = seal(&note()).header;
    let twin = seal_as(&world(json!("twin")), 1, &signer());
    let second = Bytes::of(&successor(&seed, 2, NOW + 1));
    assert_eq!(second.check_in(&after(&twin.header)), PREVIOUS);
    let other = seal_as(&note(), 7, &signer());
    assert_eq!(second.check_in(&after(&other.header)), SEQUENCE);
    let hers = seal_as(&note(), 1, &stranger());
    assert_eq!(second.check_in(&after(&hers.header)), AGENT);
}

/// Adversarial case C34: a seed with a mutation, and a later capsule without one.
/// (CAP-23, CAP-29, C7)
#[test]
fn only_a_seed_has_no_mutation() {
    let seed = seal(&note()).header;
    let second = successor(&seed, 2, NOW + 1).header;
    let hash = delta().hash().to_string();
    let mutated = format!(r#""mutation":"{hash}""#);
    let linked = format!(r#""previous":"{hash}""#);
    let [first, next] = [0, 1].map(|seq| format!(r#""seq":{seq}"#));
    let zero = format!("blake3:{}", "0".repeat(64));
    for (header, from, to, verdict) in [
        (&seed, r#""mutation":null"#, &mutated, MUTATION),
        (&seed, r#""previous":null"#, &linked, SEQUENCE),
        (&seed, r#""seq":0"#, &next, SEQUENCE),
        (&second, r#""seq":1"#, &first, SEQUENCE),
        (&second, &hash, &zero, MUTATION),
    ] {
        let text = header.canonical();
        assert!(text.contains(from));
        let bytes = signed_by(&signer(), &text.replacen(from, to, 1));
        assert_eq!(bytes.check(), verdict, "{from}");
    }
    let chain = seed.chain().to_string();
    let text = seed.canonical().replacen(&chain, &id(5).to_string(), 1);
    assert_eq!(signed_by(&signer(), &text).check(), SEQUENCE);
}

/// Adversarial case C37: equal timestamps, one microsecond earlier, and 400 years later.
/// (CAP-24)
#[test]
fn time_grows_and_does_not_run_ahead() {
    let seed = seal(&note()).header;
    for (micros, verdict) in [
        (NOW, CHRONOLOGY),
        (NOW - 1, CHRONOLOGY),
        (NOW + 1, Verdict::Valid),
    ] {
        let second = Bytes::of(&successor(&seed, 2, micros));
        assert_eq!(second.check_in(&after(&seed)), verdict);
    }
    let far = Bytes::of(&successor(&seed, 2, NOW + 400 * 31_557_600_000_000));
    let around = Surroundings {
        predecessor: Some(&seed),
        now: Some(at(NOW)),
        ..Surroundings::default()
    };
    assert_eq!(far.check_in(&around), AHEAD);
}

/// Adversarial case C37 over all chains of an agent: a seed is later than what the agent wrote elsewhere.
/// (CAP-24)
#[test]
fn a_new_chain_does_not_turn_back_the_agents_time() {
    let bytes = Bytes::of(&seal(&note()));
    let before = |micros| Surroundings {
        agent_before: Some(at(micros)),
        ..Surroundings::default()
    };
    assert_eq!(bytes.check_in(&before(NOW - 1)), Verdict::Valid);
    let verdict = bytes.check_in(&before(NOW));
    assert_eq!(verdict, CHRONOLOGY);
}

/// Five minutes ahead is a clock that differs; more is for later.
#[test]
fn a_clock_may_differ_by_five_minutes() {
    let bytes = Bytes::of(&seal(&note()));
    let now = |micros| Surroundings {
        now: Some(at(micros)),
        ..Surroundings::default()
    };
    assert_eq!(bytes.check_in(&now(NOW - 300_000_000)), Verdict::Valid);
    let verdict = bytes.check_in(&now(NOW - 300_000_001));
    assert_eq!(verdict, AHEAD);
}
