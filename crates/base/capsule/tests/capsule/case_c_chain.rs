//! Adversarial cases C of the capsule format: payloads, links and time.

use counterfoil_capsule::{
    Check, Code, Header, IndeterminateReason, Position, Signer, Surroundings, Verdict, World,
    check_capsule, delta_hash, mutation_hash, payload_hash, seal_world,
};
use counterfoil_verifier::entry::Entry;

use crate::common::{Bytes, NOW, SALT, at, id, note, seal, signer, stamp, stranger, successor};
use crate::forge::{invalid, pending, signed_by, world_json};

/// Adversarial case C27: the payload is replaced and all else is left; the protocol's own checks would pass.
/// (C3)
#[test]
fn a_replaced_payload_is_noticed() {
    let other = World::from_json(&world_json(r#""the key is under the red pot""#)).unwrap();
    let mut bytes = Bytes::of(&seal(&note()));
    bytes.payload = other.content().unwrap().into();
    assert_eq!(bytes.check(), invalid(Check::Body, Code::State));
}

/// Adversarial case C27, signed: the agent itself seals a payload that is not what header and entry say.
/// (C3)
#[test]
fn an_agent_cannot_seal_one_thing_and_say_another() {
    let sealed = seal(&note());
    for (from, to, verdict) in [
        (
            r#""world":"world-123""#,
            r#""world":"world-124""#,
            invalid(Check::Signature, Code::Entry),
        ),
        (
            r#""size":"#,
            r#""size":1"#,
            invalid(Check::Signature, Code::Entry),
        ),
    ] {
        let header = sealed.header.canonical().replacen(from, to, 1);
        assert_eq!(signed_by(&signer(), &header).check(), verdict);
    }
    let entry = Entry {
        world: sealed.entry.world().unwrap().clone(),
        capsule: sealed.entry.capsule,
        content: sealed.entry.content,
        content_size: sealed.entry.content_size,
        field_root: seal(&crate::common::world(serde_json::json!("other")))
            .entry
            .field_root,
        field_count: sealed.entry.field_count,
    };
    let mut bytes = Bytes::of(&sealed);
    bytes.entry = entry.to_text().into();
    bytes.signature = signer().sign(&bytes.entry).to_vec();
    assert_eq!(bytes.check(), invalid(Check::State, Code::Fields));
}

/// Adversarial case C30: no byte moves between the halves of a mutation; the property test stands beside it.
/// (CAP-14)
#[test]
fn mutation_hashes_two_digests_of_fixed_width() {
    let (a, b) = (seal(&note()).header.hash(), crate::common::delta().hash());
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
    assert_eq!(bytes.check(), invalid(Check::Body, Code::State));
}

fn check_after(bytes: &Bytes, predecessor: &Header) -> Verdict {
    let predecessor = Some(predecessor);
    check_capsule(
        &bytes.parts(),
        &Surroundings {
            predecessor,
            ..Surroundings::default()
        },
    )
}

/// A chain of two: the second is open without the first, and valid with it.
/// (C6)
#[test]
fn a_successor_needs_its_predecessor() {
    let seed = seal(&note()).header;
    let second = successor(&seed, 2, NOW + 1);
    let bytes = Bytes::of(&second);
    assert_eq!(bytes.check(), pending(IndeterminateReason::MissingParent));
    assert_eq!(check_after(&bytes, &seed), Verdict::Valid);
    let third = successor(&second.header, 3, NOW + 2);
    assert_eq!(
        check_after(&Bytes::of(&third), &second.header),
        Verdict::Valid
    );
    assert_eq!(
        check_after(&Bytes::of(&third), &seed),
        pending(IndeterminateReason::MissingParent)
    );
    assert_eq!(
        check_after(&bytes, &third.header),
        invalid(Check::Sequence, Code::Sequence)
    );
}

/// CAP-15, CAP-23.
#[test]
fn a_successor_of_something_else_is_noticed() {
    let seed = seal(&note()).header;
    let twin = seal_world(
        &crate::common::world(serde_json::json!("twin")),
        &Position::seed(id(1), stamp(NOW)),
        SALT,
        &signer(),
    )
    .unwrap();
    let second = Bytes::of(&successor(&seed, 2, NOW + 1));
    assert_eq!(
        check_after(&second, &twin.header),
        invalid(Check::Sequence, Code::Previous)
    );
    let other = seal_world(&note(), &Position::seed(id(7), stamp(NOW)), SALT, &signer()).unwrap();
    assert_eq!(
        check_after(&second, &other.header),
        invalid(Check::Sequence, Code::Sequence)
    );
    let hers = seal_world(
        &note(),
        &Position::seed(id(1), stamp(NOW)),
        SALT,
        &stranger(),
    )
    .unwrap();
    assert_eq!(
        check_after(&second, &hers.header),
        invalid(Check::Sequence, Code::Agent)
    );
}

/// Adversarial case C34: a seed with a mutation, and a later capsule without one.
/// (CAP-23, CAP-29, C7)
#[test]
fn only_a_seed_has_no_mutation() {
    let seed = seal(&note()).header;
    let second = successor(&seed, 2, NOW + 1).header;
    let hash = crate::common::delta().hash().to_string();
    for (header, from, to, check, code) in [
        (
            &seed,
            r#""mutation":null"#,
            format!(r#""mutation":"{hash}""#),
            Check::Mutation,
            Code::Mutation,
        ),
        (
            &seed,
            r#""previous":null"#,
            format!(r#""previous":"{hash}""#),
            Check::Sequence,
            Code::Sequence,
        ),
        (
            &seed,
            r#""seq":0"#,
            r#""seq":1"#.into(),
            Check::Sequence,
            Code::Sequence,
        ),
        (
            &second,
            r#""seq":1"#,
            r#""seq":0"#.into(),
            Check::Sequence,
            Code::Sequence,
        ),
        (
            &second,
            &hash,
            format!("blake3:{}", "0".repeat(64)),
            Check::Mutation,
            Code::Mutation,
        ),
    ] {
        let text = header.canonical();
        assert!(text.contains(from));
        let bytes = signed_by(&signer(), &text.replacen(from, &to, 1));
        assert_eq!(bytes.check(), invalid(check, code), "{from}");
    }
    let chain = seed.chain().to_string();
    let text = seed.canonical().replacen(&chain, &id(5).to_string(), 1);
    assert_eq!(
        signed_by(&signer(), &text).check(),
        invalid(Check::Sequence, Code::Sequence)
    );
}

/// Adversarial case C37: equal timestamps, one microsecond earlier, and 400 years later.
/// (CAP-24)
#[test]
fn time_grows_and_does_not_run_ahead() {
    let seed = seal(&note()).header;
    for (micros, verdict) in [
        (NOW, invalid(Check::Chronology, Code::Chronology)),
        (NOW - 1, invalid(Check::Chronology, Code::Chronology)),
        (NOW + 1, Verdict::Valid),
    ] {
        let second = Bytes::of(&successor(&seed, 2, micros));
        assert_eq!(check_after(&second, &seed), verdict);
    }
    let far = Bytes::of(&successor(&seed, 2, NOW + 400 * 31_557_600_000_000));
    let around = Surroundings {
        predecessor: Some(&seed),
        now: Some(at(NOW)),
        ..Surroundings::default()
    };
    assert_eq!(
        check_capsule(&far.parts(), &around),
        pending(IndeterminateReason::FutureTimestamp)
    );
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
    assert_eq!(
        check_capsule(&bytes.parts(), &before(NOW - 1)),
        Verdict::Valid
    );
    let verdict = check_capsule(&bytes.parts(), &before(NOW));
    assert_eq!(verdict, invalid(Check::Chronology, Code::Chronology));
}

/// Five minutes ahead is a clock that differs; more is for later.
#[test]
fn a_clock_may_differ_by_five_minutes() {
    let bytes = Bytes::of(&seal(&note()));
    let now = |micros| Surroundings {
        now: Some(at(micros)),
        ..Surroundings::default()
    };
    assert_eq!(
        check_capsule(&bytes.parts(), &now(NOW - 300_000_000)),
        Verdict::Valid
    );
    let verdict = check_capsule(&bytes.parts(), &now(NOW - 300_000_001));
    assert_eq!(verdict, pending(IndeterminateReason::FutureTimestamp));
}
