//! Documents with one thing wrong, and what their readers say of it.

use counterfoil_types::json::Value;

use super::samples::bytes;
use crate::documents::{
    Attestation, Capability, DocumentError, DocumentKind, Request, Response, Revocation,
    VerifyRequest, VerifyResult, Vouch,
};

/// Error of the reader of this kind.
pub(super) fn error_of(kind: DocumentKind, document: &[u8]) -> Option<DocumentError> {
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

/// Error of the reader of the kind that a document states.
pub(super) fn error(document: &Value) -> Option<DocumentError> {
    let mut kinds = DocumentKind::ALL.into_iter();
    let kind = kinds.find(|kind| document["type"] == kind.name()).unwrap();
    error_of(kind, bytes(document).as_bytes())
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
    let outer = document.pointer_mut(outer).unwrap();
    outer.as_object_mut().unwrap().remove(name).unwrap();
    document
}

/// Refused, for the member at this place.
#[track_caller]
pub(super) fn assert_names(document: &Value, place: &str) {
    match error(document) {
        Some(DocumentError::Member(fault)) => assert_eq!(fault.pointer(), place),
        other => panic!("{place}: {other:?}"),
    }
}

/// Refused with each of these values at this place, which is named.
#[track_caller]
pub(super) fn assert_wrong<const N: usize>(document: &Value, place: &str, values: [Value; N]) {
    for value in values {
        assert_names(&with(document, place, value), place);
    }
}

#[track_caller]
pub(super) fn assert_incoherent(document: &Value) {
    let found = error(document);
    assert!(
        matches!(found, Some(DocumentError::Incoherent(_))),
        "{found:?}"
    );
}

#[track_caller]
pub(super) fn assert_good(document: &Value) {
    assert_eq!(error(document), None);
}
