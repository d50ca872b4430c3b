//! Claim units: one capsule that begins its chain and ends it (docs/format/claims.md 2; I1, I9).

use counterfoil_capsule::{
    CapsuleError, Extensions, Header, Kind, Position, RecordKind, SealedCapsule, Surroundings, Tip,
    Verdict, seal_claim, seal_record, seal_world,
};
use serde_json::json;

use crate::common::{
    Bytes, NOW, SALT, after, delta, id, note, seal, signer, stamp, successor, world,
};
use crate::forge::{SEQUENCE, signed_over};

fn claim() -> SealedCapsule {
    let unit = world(json!({ "kind": "claim", "subject": "Ada", "predicate": "lives in" }));
    seal_claim(&unit, &Position::seed(id(1), stamp(NOW)), SALT, &signer()).unwrap()
}

/// I1, CLM-9: a unit is signed, logged and proven as any memory; only its header says that it is one.
#[test]
fn a_claim_unit_is_a_valid_capsule_with_the_entry_of_a_world() {
    let sealed = claim();
    assert_eq!(sealed.header.kind(), Kind::Claim);
    assert_eq!(
        sealed.header.ext(),
        json!({ "kind": "claim" }).as_object().unwrap()
    );
    assert_eq!(sealed.entry.world(), sealed.header.world());
    assert!(sealed.receipt().is_some());
    assert_eq!(Bytes::of(&sealed).check(), Verdict::Valid);
}

/// A memory that says of itself that it is a claim is none: the kind is in the signed header.
#[test]
fn a_world_does_not_become_a_claim_by_its_content() {
    let unit = world(json!({ "kind": "claim", "format": "counterfoil/claim/v1" }));
    assert_eq!(seal(&unit).header.kind(), Kind::World);
}

/// I1: what was claimed is not rewritten by a later version.
#[test]
fn nothing_follows_a_claim_unit() {
    let first = claim();
    let version = successor(&first.header, 2, NOW + 1);
    assert_eq!(
        Bytes::of(&version).check_in(&after(&first.header)),
        SEQUENCE
    );

    let position = Position::after(&first.header, delta(), id(3), stamp(NOW + 1));
    let record = seal_record(
        RecordKind::Tombstone,
        &json!({}),
        &position,
        SALT,
        &signer(),
    );
    assert_eq!(
        Bytes::of(&record.unwrap()).check_in(&after(&first.header)),
        SEQUENCE
    );

    let around = Surroundings {
        tip: Some(Tip::of(&first.header)),
        ..Surroundings::default()
    };
    let bytes = Bytes::of(&version);
    assert_eq!(bytes.check_in(&around), SEQUENCE);
}

#[test]
fn a_claim_unit_follows_nothing() {
    let first = seal(&note());
    let position = Position::after(&first.header, delta(), id(2), stamp(NOW + 1));
    let refused = seal_claim(&note(), &position, SALT, &signer()).unwrap_err();
    assert!(
        refused.to_string().contains("begins its chain"),
        "{refused}"
    );

    // Its agent signed it all the same.
    let version = seal_world(&note(), &position, SALT, &signer()).unwrap();
    let header = version.header.canonical();
    let header = header.replacen(r#","id":"#, r#","ext":{"kind":"claim"},"id":"#, 1);
    let refused = Header::parse(header.as_bytes()).unwrap_err();
    assert!(matches!(refused, CapsuleError::Sequence(_)), "{refused}");
    let forged = signed_over(&signer(), &header, &version);
    assert_eq!(forged.check(), SEQUENCE);
}

/// I2: a chain that begins its time anew would put a claim before what its agent has recorded.
#[test]
fn a_claim_unit_continues_no_chain() {
    let extensions = Extensions {
        continues: Some(seal(&note()).header.hash()),
        ..Extensions::default()
    };
    let position = Position::seed(id(1), stamp(NOW)).with(extensions);
    let claim = seal_claim(&note(), &position, SALT, &signer()).unwrap();
    assert_eq!(Bytes::of(&claim).check(), SEQUENCE);
    let memory = seal_world(&note(), &position, SALT, &signer()).unwrap();
    assert_eq!(Bytes::of(&memory).check(), Verdict::Valid);
}

/// A kind that is not known yet is left open, however its header is linked.
#[test]
fn other_kinds_stay_open() {
    let header = claim()
        .header
        .canonical()
        .replacen(r#""claim""#, r#""claims""#, 1);
    let bytes = signed_over(&signer(), &header, &claim());
    assert_eq!(
        bytes.check().to_string(),
        "indeterminate: of a kind that is not known"
    );
}
