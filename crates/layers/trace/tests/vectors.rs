//! The trace documents of `manifesto-shape.json`: the verdict that we hold, and the texts of §12.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "helpers of tests may panic too"
)]

use counterfoil_trace::MemoryTrace;
use serde_json::Value;

fn vectors() -> Vec<Value> {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../tests/vectors/manifesto/manifesto-shape.json"
    );
    let text = std::fs::read_to_string(path).expect("the vectors are part of the repository");
    let document: Value = serde_json::from_str(&text).expect("the vectors are JSON");
    let all = document["vectors"].as_array().expect("a list").clone();
    all.into_iter()
        .filter(|vector| vector["type"] == "trace")
        .collect()
}

/// CR-02 to CR-09, FP-05 to FP-07: every recorded document behaves as recommended.
/// (NS-07)
#[test]
fn every_trace_document_has_the_recommended_verdict() {
    let vectors = vectors();
    assert_eq!(vectors.len(), 18);
    for vector in vectors {
        let wire = vector["wire"].as_str().expect("wire text");
        let verdict = MemoryTrace::from_json(wire.as_bytes());
        assert_eq!(
            Some(verdict.is_ok()),
            vector["recommended"].as_bool(),
            "{}: {verdict:?}",
            vector["id"]
        );
    }
}

/// §12.5: where the letter refuses, the text is the letter's; where its code throws, any text is.
#[test]
fn refusals_carry_the_texts_of_section_12() {
    for vector in vectors() {
        let wire = vector["wire"].as_str().expect("wire text");
        let (Some(text), Err(error)) = (
            vector["letterError"].as_str(),
            MemoryTrace::from_json(wire.as_bytes()),
        ) else {
            continue;
        };
        if vector["letter"] == "throws" {
            assert!(!error.to_string().is_empty());
        } else {
            assert_eq!(error.to_string(), text, "{}", vector["id"]);
        }
    }
}
