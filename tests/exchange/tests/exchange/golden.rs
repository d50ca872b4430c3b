//! Later versions sign the same parts to the same bytes, and read what earlier ones have signed.

use std::fs;
use std::path::{Path, PathBuf};

use counterfoil_exchange::documents::{
    Attestation, Capability, DocumentKind, Request, Response, Revocation, Signature, VerifyRequest,
    VerifyResult, Vouch,
};
use counterfoil_exchange_tests::golden;
use serde_json::Value;

pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors/exchange")
}

/// MRP-41: what is written today is, byte for byte, what stands in `tests/vectors/exchange`.
#[test]
fn the_golden_vectors_are_unchanged() {
    let mut files: Vec<String> = Vec::new();
    for golden in golden() {
        let path = folder().join(golden.name).with_extension("json");
        let stands: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        assert_eq!(golden.vector, stands, "{}: other bytes", golden.name);
        files.push(format!("{}.json", golden.name));
    }
    files.sort();
    let mut found: Vec<String> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    found.sort();
    assert_eq!(
        found, files,
        "a file that nothing is made from, or the other way round"
    );
}

/// What was signed once still holds, as the answer to what it answered.
#[test]
fn the_golden_vectors_hold() {
    for golden in golden() {
        let text = |member: &str| {
            golden
                .vector
                .get(member)
                .and_then(Value::as_str)
                .map(str::as_bytes)
        };
        let (document, signed) = (text("document").unwrap(), text("seed").is_some());
        let signature = match golden.kind {
            DocumentKind::Request => Request::parse(document).unwrap().signature(),
            DocumentKind::Response => {
                let request = Request::parse(text("request").unwrap()).unwrap();
                Response::parse(document).unwrap().signature_for(&request)
            }
            DocumentKind::Verify => VerifyRequest::parse(document).unwrap().signature(),
            DocumentKind::VerifyResult => {
                let request = VerifyRequest::parse(text("request").unwrap()).unwrap();
                VerifyResult::parse(document)
                    .unwrap()
                    .signature_for(&request)
            }
            DocumentKind::Attestation => Attestation::parse(document).unwrap().signature(),
            DocumentKind::Vouch => Vouch::parse(document).unwrap().signature(),
            DocumentKind::Revocation => Revocation::parse(document).unwrap().signature(),
            DocumentKind::Capability => Capability::parse(document).unwrap().signature(),
            other => panic!("a vector of the kind {other}, which nobody reads here"),
        };
        match signature {
            Signature::Holds(_) => assert!(signed, "{}", golden.name),
            found => assert_eq!(
                (found, signed),
                (Signature::Absent, false),
                "{}",
                golden.name
            ),
        }
    }
}
