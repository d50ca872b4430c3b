//! What is sealed checks as valid, and nothing else does: one changed byte is always caught.

use crate::common::{Bytes, NOW, SALT, any_json, at, id, note, seal, signer, stamp, world};
use crate::forge::{AHEAD, CHRONOLOGY, ERASED, PAYLOAD, SIGNATURE};
use counterfoil_capsule::{
    Check, Code, Header, IndeterminateReason, Kind, Position, Stamp, StoredParts, Surroundings,
    Verdict, World, check_all, check_capsule, seal_world,
};
use counterfoil_types::{UnixMillis, WorldId};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::json;

#[test]
fn a_sealed_world_is_a_valid_capsule() {
    let sealed = seal(&note());
    assert_eq!(Bytes::of(&sealed).check(), Verdict::Valid);
    assert_eq!(
        sealed.header.world(),
        Some(&WorldId::new("world-123").unwrap())
    );
    assert_eq!(
        (sealed.header.delta(), sealed.header.mutation()),
        (None, None)
    );
    assert_eq!(sealed.header.kind(), Kind::World);
    assert!(!sealed.header.is_held());
    assert_eq!(sealed.header.timestamp(), at(NOW));
    assert_eq!(sealed.entry.capsule, sealed.header.hash());
}

/// CR-16: sealing is deterministic, so a receipt can be made again.
#[test]
fn the_same_arguments_give_the_same_capsule() {
    let (a, b) = (seal(&note()), seal(&note()));
    assert_eq!(a.signature, b.signature);
    assert_eq!(a.header, b.header);
    assert_eq!(a.entry, b.entry);
}

/// C20.
#[test]
fn another_salt_gives_another_address_of_the_same_content() {
    let other = seal_world(
        &note(),
        &Position::seed(id(1), stamp(NOW)),
        [1; 32],
        &signer(),
    );
    let (a, b) = (seal(&note()), other.unwrap());
    assert_ne!(a.header.payload().hash(), b.header.payload().hash());
    assert_ne!(a.entry.field_root, b.entry.field_root);
    assert_eq!(a.payload, b.payload);
}

#[test]
fn metadata_is_outside_the_seal() {
    let mut value = note().to_value();
    value["metadata"] = json!({ "receipt": "not one", "anything": [1, 2, 3] });
    let with = World::try_from(value).unwrap();
    assert_eq!(seal(&with).entry, seal(&note()).entry);
}

/// C20.
#[test]
fn an_erased_body_leaves_a_header_that_verifies() {
    let bytes = Bytes::of(&seal(&note()));
    let erased = StoredParts {
        payload: None,
        salt: None,
        ..bytes.parts()
    };
    let verdict = check_capsule(&erased, &Surroundings::default());
    assert_eq!(verdict, ERASED);
}

#[test]
fn a_clock_that_was_held_is_noted_in_the_header() {
    let held = Stamp::next(NOW, Some(at(NOW + 60_000_000))).unwrap();
    let sealed = seal_world(&note(), &Position::seed(id(1), held), SALT, &signer()).unwrap();
    assert!(sealed.header.is_held());
    assert!(
        sealed
            .header
            .canonical()
            .contains(r#","ext":{"clock":"held"},"#)
    );
    assert_eq!(Bytes::of(&sealed).check(), Verdict::Valid);
}

/// CAP-11: the header goes on behind the last one, says when it was recorded, and is as far ahead of the clock as that.
#[test]
fn a_capsule_after_a_correction_says_when_it_was_recorded() {
    let ahead = at(NOW + 600_000_000);
    let corrected = Stamp::correcting(NOW, Some(ahead.into())).unwrap();
    let sealed = seal_world(&note(), &Position::seed(id(1), corrected), SALT, &signer()).unwrap();
    let header = &sealed.header;
    assert_eq!(
        (header.recorded(), header.timestamp()),
        (at(NOW), at(NOW + 600_000_001))
    );
    let around = Surroundings {
        agent_before: Some(ahead),
        now: Some(at(NOW)),
        ..Surroundings::default()
    };
    assert_eq!(Bytes::of(&sealed).check_in(&around), Verdict::Valid);
    let observed = format!(r#""observed":"{}""#, at(NOW));
    for other in [
        format!(r#""observed":"{}""#, header.timestamp()),
        r#""observed":1"#.into(),
    ] {
        let text = header.canonical().replace(&observed, &other);
        let refused = Header::parse(text.as_bytes()).unwrap_err().to_string();
        assert!(refused.contains("/ext/observed"), "{refused}");
    }
}

#[test]
fn all_findings_come_in_the_order_of_the_checks() {
    let mut bytes = Bytes::of(&seal(&note()));
    bytes.signature[0] ^= 1;
    bytes.payload.push(b' ');
    let around = Surroundings {
        agent_before: Some(at(NOW)),
        now: Some(at(NOW - 300_000_001)),
        ..Surroundings::default()
    };
    let found = check_all(&bytes.parts(), &around);
    assert_eq!(found, [SIGNATURE, CHRONOLOGY, AHEAD, PAYLOAD,]);
    assert_eq!(bytes.check_in(&around), found[0]);
    assert_eq!(found[0].to_string(), "invalid: E_SIGNATURE (signature)");
}

/// A failure is final, so it is told before anything that is merely missing.
/// (C10)
#[test]
fn a_failure_counts_more_than_something_missing() {
    let mut bytes = Bytes::of(&seal(&note()));
    bytes.payload[0] ^= 1;
    let around = Surroundings {
        now: Some(at(0)),
        ..Surroundings::default()
    };
    assert_eq!(bytes.check_in(&around), PAYLOAD);
}

#[test]
fn an_oversized_world_id_is_refused_before_anything_is_signed() {
    let id = WorldId::new("\u{1}".repeat(1024)).unwrap();
    let world =
        counterfoil_capsule::remember(id, UnixMillis::new(1).unwrap(), json!(null)).unwrap();
    let sealed = seal_world(
        &world,
        &Position::seed(crate::common::id(1), stamp(NOW)),
        SALT,
        &signer(),
    );
    assert!(sealed.unwrap_err().to_string().contains("header is"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn whatever_is_sealed_is_valid_and_survives_every_form(data in any_json()) {
        let world = world(data);
        let sealed = seal(&world);
        prop_assert_eq!(Bytes::of(&sealed).check(), Verdict::Valid);
        prop_assert_eq!(&Header::parse(sealed.header.canonical().as_bytes()).unwrap(), &sealed.header);
        let again = World::from_json(sealed.payload.as_bytes()).unwrap();
        prop_assert_eq!(again.content().unwrap(), sealed.payload);
    }

    #[test]
    fn a_header_is_written_as_a_canonicaliser_writes_it(
        world in "\\PC{1,20}|[\"\\\\\u{0}-\u{1f}]{1,8}", held: bool, after: bool,
    ) {
        let id = WorldId::new(world).unwrap();
        let world = counterfoil_capsule::remember(id, UnixMillis::new(1).unwrap(), json!(1)).unwrap();
        let last = if held { NOW + 60_000_000 } else { NOW - 1 };
        let stamp = Stamp::next(NOW, Some(at(last))).unwrap();
        let position = if after {
            Position::after(&seal(&note()).header, crate::common::delta(), crate::common::id(2), stamp)
        } else {
            Position::seed(crate::common::id(2), stamp)
        };
        let header = seal_world(&world, &position, SALT, &signer()).unwrap().header;
        prop_assert_eq!(Header::parse(header.canonical().as_bytes()).unwrap(), header);
    }

    /// CAP-17.
    #[test]
    fn one_changed_byte_in_any_part_is_caught(at: Index, flip in 1..=255_u8, part in 0..5_u8) {
        let mut bytes = Bytes::of(&seal(&note()));
        let spoil = |bytes: &mut [u8]| bytes[at.index(bytes.len())] ^= flip;
        let (state, entry_or_signature) = ([(Check::Body, Code::State)], [
            (Check::Schema, Code::EntryForm), (Check::Signature, Code::Signature),
        ]);
        let expected: &[(Check, Code)] = match part {
            0 => { spoil(&mut bytes.payload); &state }
            1 => { spoil(&mut bytes.salt); &state }
            2 => { spoil(&mut bytes.signature); &entry_or_signature[1..] }
            3 => { spoil(&mut bytes.entry); &entry_or_signature }
            _ => { spoil(&mut bytes.header); &[
                (Check::Schema, Code::Schema), (Check::Canonical, Code::NotCanonical),
                (Check::Key, Code::KeyType), (Check::Key, Code::KeyWeak), (Check::Limits, Code::Limit),
                (Check::Signature, Code::Signature), (Check::Signature, Code::Entry),
            ] }
        };
        match bytes.check() {
            Verdict::Valid => prop_assert!(false, "a changed byte passed"),
            Verdict::Invalid { check, code } => prop_assert!(expected.contains(&(check, code)), "{check} {code:?}"),
            Verdict::Indeterminate { reason } => {
                prop_assert_eq!(reason, IndeterminateReason::UnknownVersion);
                prop_assert_eq!(part, 4);
            }
        }
    }
}
