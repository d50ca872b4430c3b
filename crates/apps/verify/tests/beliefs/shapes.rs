//! Documents that are not read at all, before any hash is computed (docs/format/belief.md 4).

use counterfoil_authority::types::json::Value;
use counterfoil_verify::belief::BeliefDocument;
use serde_json::json;

use crate::attacks::honest;
use crate::support::with;

/// Members are closed, each of its type and within its limit.
#[test]
fn a_document_of_another_shape_is_not_read() {
    let (_, proof) = honest();
    let read = |document: &Value| {
        let bytes = serde_json::to_vec(document).expect("JSON");
        BeliefDocument::from_json(&bytes)
            .map(drop)
            .map_err(|error| error.to_string())
    };
    assert_eq!(read(&proof), Ok(()));
    let many = vec![proof["units"][0].clone(); 4097];
    let more = |pointer: &str| {
        let mut document = proof.clone();
        let object = document.pointer_mut(pointer).and_then(Value::as_object_mut);
        object.expect("an object").insert("more".into(), json!(1));
        document
    };
    for (document, message) in [
        (json!([]), "no proof of belief"),
        (
            with(proof.clone(), "/format", "counterfoil/belief/v2"),
            "no proof of belief",
        ),
        (
            with(proof.clone(), "/units", json!([])),
            "/units must be an array of 1 to 4,096",
        ),
        (
            with(proof.clone(), "/units", many),
            "/units must be an array of 1 to 4,096",
        ),
        (
            with(proof.clone(), "/question/asOf", "007"),
            "/question/asOf must be a whole number",
        ),
        (
            with(proof.clone(), "/question/asOf", json!(7)),
            "/question/asOf must be a whole number in a string",
        ),
        (
            with(proof.clone(), "/question/validAt", "+7"),
            "/question/validAt must be a whole number",
        ),
        (
            with(proof.clone(), "/question/subject", "e\u{301}"),
            "/question/subject must be an identifier",
        ),
        (
            with(proof.clone(), "/units/0/salt", "AAAA"),
            "units[0]: /salt must be 32 bytes",
        ),
        (
            with(proof.clone(), "/units/0/header", json!({})),
            "units[0]: /header must be a string",
        ),
        (more(""), "/more is not a member"),
        (more("/question"), "/question/more is not a member"),
        (more("/units/0"), "units[0]: /more is not a member"),
        (
            more("/units/0/signature"),
            "units[0]: /signature/more is not",
        ),
        (more("/units/0/proof"), "units[0]: /proof must be a proof"),
    ] {
        let error = read(&document).expect_err("another shape");
        assert!(error.contains(message), "{error}, not {message}");
    }
}

/// A text that stands twice is one too many for some parser.
#[test]
fn a_member_that_stands_twice_is_not_read() {
    let (_, proof) = honest();
    let json = serde_json::to_string(&proof).expect("JSON");
    let twice = json.replacen(
        "{\"belief\"",
        "{\"format\":\"counterfoil/belief/v1\",\"belief\"",
        1,
    );
    assert_ne!(twice, json);
    let error = BeliefDocument::from_json(twice.as_bytes()).expect_err("a duplicate");
    assert!(error.to_string().contains("stands twice"), "{error}");
}
