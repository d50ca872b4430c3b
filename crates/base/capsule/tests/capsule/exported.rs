//! The exported document: what goes out comes in again, and nothing else does.

use counterfoil_capsule::{CapsuleDocument, Surroundings, Verdict};
use counterfoil_types::json::{Limits, Value, admit};
use counterfoil_types::{UnixMillis, WorldId};
use proptest::prelude::*;
use serde_json::json;

use crate::chain::seed;
use crate::common::{any_json, seal, world};
use crate::forge::{
    DELTA_HASH, ERASED, LATER, LIMIT, NOT_CANONICAL, PAYLOAD, SCHEMA, SIGNATURE, UNSIGNED,
};

/// CAP-6, CAP-12.
#[test]
fn bodies_lie_under_the_names_of_the_protocol() {
    let mut chain = seed(json!({ "a": 1 }));
    chain.update(&json!({ "a": 2 }));
    let text = chain.document(1).to_text();
    let value = admit(text.as_bytes(), Limits::EXPORTED).unwrap();
    assert_eq!(value["payload"]["state"]["data"]["a"], 2);
    assert!(value["delta"]["ops"].as_array().unwrap().len() > 1);
    for member in [
        "id",
        "timestamp",
        "mutation",
        "signature",
        "payload_salt",
        "delta_salt",
    ] {
        assert!(value[member].is_string(), "{member}");
    }
    assert!(value["fields"]["count"].is_u64());
    assert!(!text.contains('\n'));
    let read = CapsuleDocument::parse(text.as_bytes()).unwrap();
    assert_eq!(read, chain.document(1));
    assert_eq!(chain.judge(1, &read), Verdict::Valid);
}

#[test]
fn an_erased_body_is_absent_with_its_salt() {
    let bare = seed(json!(1)).document(0).without_bodies();
    let text = bare.to_text();
    assert!(!text.contains("state") && !text.contains("salt"));
    assert_eq!(CapsuleDocument::parse(text.as_bytes()).unwrap(), bare);
    assert_eq!(bare.check(&Surroundings::default()), ERASED);
}

fn spoiled(spoil: impl FnOnce(&mut Value)) -> Verdict {
    let mut chain = seed(json!({ "a": 1 }));
    chain.update(&json!({ "a": 2 }));
    let text = chain.document(1).to_text();
    let mut value = admit(text.as_bytes(), Limits::EXPORTED).unwrap();
    spoil(&mut value);
    let text = counterfoil_types::json::canonical(&value).unwrap();
    match CapsuleDocument::judge(text.as_bytes()) {
        Ok(document) => chain.judge(1, &document),
        Err(verdict) => verdict,
    }
}

/// Adversarial case A9, exported: members that the format does not have, bodies without salts, and parts
/// that are another's.
#[test]
fn nothing_else_is_read() {
    for (pointer, member, value, verdict) in [
        ("", "more", json!(1), SCHEMA),
        ("/payload", "more", json!(1), SCHEMA),
        ("/fields", "more", json!(1), SCHEMA),
        ("", "payload_salt", json!("AA=="), SCHEMA),
        ("", "signature", json!("AA=="), SCHEMA),
        ("/fields", "count", json!(-1), SCHEMA),
        ("", "version", json!("2"), LATER),
        ("", "seq", json!(0), SIGNATURE),
        ("", "seq", json!(2), SIGNATURE),
        ("/payload", "state", json!({}), PAYLOAD),
        ("/delta", "ops", json!([]), DELTA_HASH),
        ("/fields", "count", json!(1), SIGNATURE),
    ] {
        let found = spoiled(|document| {
            document.pointer_mut(pointer).unwrap()[member] = value.clone();
        });
        assert_eq!(found, verdict, "{pointer} {member} {value}");
    }
    let without = |member: &'static str| {
        spoiled(|document| {
            document.as_object_mut().unwrap().remove(member);
        })
    };
    assert_eq!(without("payload_salt"), SCHEMA);
    assert_eq!(without("fields"), SCHEMA);
    assert_eq!(without("signature"), UNSIGNED);
}

#[test]
fn only_canonical_bytes_are_read() {
    let text = seed(json!({ "a": 1 })).document(0).to_text();
    for other in [
        text.replacen(':', ": ", 1),
        text.replacen(r#""a":1"#, r#""a":1.0"#, 1),
        text.replacen(r#""a":1"#, r#""a":1,"a":1"#, 1),
        format!("{text}\n"),
    ] {
        assert_eq!(CapsuleDocument::judge(other.as_bytes()), Err(NOT_CANONICAL));
    }
    let long = format!("\"{}\"", "x".repeat(2 << 20));
    assert_eq!(CapsuleDocument::judge(long.as_bytes()), Err(LIMIT));
}

/// Nesting counts from the body: the deepest content there is can be exported.
#[test]
fn the_deepest_content_is_exported() {
    let nested = |depth| (0..depth).fold(json!(0), |inner, _| json!([inner]));
    let deepest = counterfoil_capsule::remember(
        WorldId::new("deep").unwrap(),
        UnixMillis::new(1).unwrap(),
        nested(63),
    );
    let document = CapsuleDocument::of(&seal(&deepest.unwrap()), None);
    let text = document.to_text();
    assert_eq!(CapsuleDocument::parse(text.as_bytes()).unwrap(), document);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// CAP-5, CAP-13.
    #[test]
    fn whatever_is_sealed_survives_its_export(data in any_json()) {
        let document = CapsuleDocument::of(&seal(&world(data)), None);
        let text = document.to_text();
        prop_assert!(admit(text.as_bytes(), Limits::EXPORTED).is_ok());
        let read = CapsuleDocument::parse(text.as_bytes()).unwrap();
        prop_assert_eq!(read.check(&Surroundings::default()), Verdict::Valid);
        prop_assert_eq!(read, document);
    }
}
