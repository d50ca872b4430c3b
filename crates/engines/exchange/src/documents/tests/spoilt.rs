//! Documents with one thing wrong, and what their readers say of it.

use counterfoil_types::json::Value;

use super::samples::bytes;
use crate::documents::{
    Attestation, Capability, DocumentError, DocumentKind, Request, Response, Revocation,
    VerifyRequest, VerifyResult, Vouch,
};

/// What the reader of this kind says.
pub(super) fn error(kind: DocumentKind, document: &[u8]) -> Option<DocumentError> {
    match kind {
        DocumentKind::Request => Request::parse(document).err(),
        DocumentKind::Response => Response::parse(document).err(),
        DocumentKind::Verify => VerifyRequest::parse(document).err(),
        DocumentKind::VerifyResult => VerifyResult::parse(document).err(),
        DocumentKind::Attestation => Attestation::parse(document).err(),
        DocumentKind::Vouch => Vouch::parse(document).err(),
        DocumentKind::Revocation => Revocation::parse(document).err(),
        DocumentKind::Capability => Capability::parse(document).err(),
    }
}

pub(super) fn with(document: &Value, place: &str, value: Value) -> Value {
    let mut document = document.clone();
    let (outer, name) = place.rsplit_once('/').unwrap();
    document.pointer_mut(outer).unwrap()[name] = value;
    document
}

pub(super) fn without(document: &Value, place: &str) -> Value {
    let mut document = document.clone();
    let (outer, name) = place.rsplit_once('/').unwrap();
    document
        .pointer_mut(outer)
        .unwrap()
        .as_object_mut()
        .unwrap()
        .remove(name)
        .unwrap();
    document
}

/// Refused, and this is said to be wrong.
#[track_caller]
pub(super) fn assert_names(kind: DocumentKind, document: &Value, place: &str) {
    match error(kind, bytes(document).as_bytes()) {
        Some(DocumentError::Member(fault)) => assert_eq!(fault.pointer(), place),
        other => panic!("{place}: {other:?}"),
    }
}

#[track_caller]
pub(super) fn assert_incoherent(kind: DocumentKind, document: &Value) {
    let found = error(kind, bytes(document).as_bytes());
    assert!(
        matches!(found, Some(DocumentError::Incoherent(_))),
        "{found:?}"
    );
}

#[track_caller]
pub(super) fn assert_good(kind: DocumentKind, document: &Value) {
    assert_eq!(error(kind, bytes(document).as_bytes()), None);
}

/// The kind that a document says it is of.
pub(super) fn kind_of(document: &Value) -> DocumentKind {
    DocumentKind::ALL
        .into_iter()
        .find(|kind| document["type"] == kind.name())
        .unwrap()
}
