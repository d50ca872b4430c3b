//! Official vectors: RFC 8785 documents, and the wire shapes of the Memory specification (§12).
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use counterfoil_types::json::{self, Limits, Value};
use counterfoil_types::{MemoryRef, ReadError, SelectedMemory, VerificationEvidence};

fn vectors(path: &str) -> Value {
    let path = [env!("CARGO_MANIFEST_DIR"), "/../../../tests/vectors/", path].concat();
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn text<'v>(vector: &'v Value, member: &str) -> &'v str {
    vector[member].as_str().unwrap()
}

/// The documents hold keys that serde_json sorts otherwise, so the order must be ours.
#[test]
fn rfc_8785_documents_are_written_alike() {
    let documents = vectors("jcs/rfc8785.json");
    for document in documents.as_array().unwrap() {
        let value = json::parse(text(document, "input").as_bytes(), Limits::CONTENT).unwrap();
        let written = json::canonical(&value).unwrap();
        let expected = hex::decode(text(document, "canonicalHex")).unwrap();
        assert_eq!(written.as_bytes(), expected, "{}", document["name"]);
        assert!(
            json::admit(&expected, Limits::CONTENT).is_ok(),
            "{}",
            document["name"]
        );
    }
    assert_eq!(documents.as_array().unwrap().len(), 6);
}

/// CR-05 to CR-09, FP-05, FP-06, FP-07, MR-06: verdict and §12 text of every vector but the
/// traces', which the trace crate holds.
/// (NS-04, NS-24)
#[test]
fn every_shape_has_the_recommended_verdict_and_the_text_of_section_12() {
    let vectors = vectors("manifesto/manifesto-shape.json");
    let mut counted = 0;
    for vector in vectors["vectors"].as_array().unwrap() {
        let wire = text(vector, "wire").as_bytes();
        let read = match text(vector, "type") {
            "ref" => MemoryRef::from_json(wire).map(drop),
            "memory" => SelectedMemory::from_json(wire).map(drop),
            "evidence" => VerificationEvidence::from_json(wire).map(drop),
            "trace" => continue,
            other => panic!("a vector of an unknown type: {other}"),
        };
        assert_verdict(vector, read);
        counted += 1;
    }
    assert_eq!(counted, 68);
}

fn assert_verdict(vector: &Value, read: Result<(), ReadError>) {
    let id = text(vector, "id");
    assert_eq!(read.is_ok(), vector["recommended"], "{id}: {read:?}");
    let letter = vector["letter"] == false && vector["letterError"].is_string();
    if let (Err(ReadError::Shape(error)), true) = (read, letter) {
        assert_eq!(error.to_string(), text(vector, "letterError"), "{id}");
    }
}
