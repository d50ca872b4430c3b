//! The documents of a key chain: closed, versioned, the same again when written (capsules 4.7, C19).

use counterfoil_capsule::keys::{KeyDocument, KeyError};
use counterfoil_capsule::{CapsuleError, RecordKind};
use counterfoil_types::json::Value;
use serde_json::json;

use crate::chain::{Chain, since};

/// One of each.
fn all() -> [KeyDocument; 3] {
    let chain = Chain::of(1);
    [
        chain.records[0].1.clone(),
        chain.rotation(),
        chain.compromise(0, since(4)),
    ]
}

fn parse(kind: RecordKind, value: &Value) -> Result<KeyDocument, CapsuleError> {
    KeyDocument::parse(kind, value).unwrap()
}

#[test]
fn a_document_comes_back_as_it_was_signed() {
    for document in all() {
        assert_eq!(parse(document.kind(), document.to_value()), Ok(document));
    }
}

#[test]
fn a_document_is_closed_and_every_member_is_needed() {
    for document in all() {
        let members = document.to_value().as_object().unwrap();
        for name in members.keys().filter(|name| *name != "proof") {
            let mut less = document.to_value().clone();
            less.as_object_mut().unwrap().remove(name);
            assert!(parse(document.kind(), &less).is_err(), "without {name}");
            let mut other = document.to_value().clone();
            other[name] = json!([]);
            assert!(parse(document.kind(), &other).is_err(), "{name} as a list");
        }
        let mut more = document.to_value().clone();
        more["Agent"] = "x".into();
        assert!(parse(document.kind(), &more).is_err());
    }
}

/// A document of one kind is none of another, and no other record stands in a key chain.
#[test]
fn a_document_is_read_by_the_kind_of_its_record() {
    let [inception, rotation, compromise] = all();
    for (kind, document) in [
        (RecordKind::KeyRotation, &inception),
        (RecordKind::KeyCompromise, &rotation),
        (RecordKind::KeyInception, &compromise),
    ] {
        assert!(parse(kind, document.to_value()).is_err());
    }
    assert!(KeyDocument::parse(RecordKind::Redaction, inception.to_value()).is_none());
}

/// C19: a later version is unknown, which is not the same as wrong.
#[test]
fn a_later_version_is_left_open() {
    for document in all() {
        let mut later = document.to_value().clone();
        later["version"] = "2".into();
        later["more"] = true.into();
        let error = KeyError::from(parse(document.kind(), &later).unwrap_err());
        assert!(error.is_indeterminate(), "{error}");
    }
}
