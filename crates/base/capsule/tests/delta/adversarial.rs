//! Adversarial cases C45 to C49 and A13 of the capsule format. C45 stands beside the laws.

use counterfoil_capsule::delta::{Change, Delta, DeltaError, MAX_DELTA_BYTES, normalise};
use counterfoil_types::json::{JsonError, Value};
use serde_json::json;

use crate::any::{NAMES, canonical};

fn document() -> Value {
    json!({ "a": { "b": 1 }, "list": [1, 2], "text": "x" })
}

/// The cause for which a delta does not apply; the document is as before.
fn refusal(delta: &str) -> DeltaError {
    let delta = Delta::parse(delta.as_bytes()).unwrap();
    let before = document();
    let refused = delta.apply(&before);
    assert_eq!(before, document());
    cause(refused.unwrap_err())
}

fn patch_refusal(operation: Value) -> DeltaError {
    cause(normalise(&document(), Change::Patch(&json!([operation]))).unwrap_err())
}

fn cause(error: DeltaError) -> DeltaError {
    let cause = match error {
        DeltaError::Operation { cause, .. } => Ok(*cause),
        other => Err(other),
    };
    cause.unwrap()
}

fn not_an_index(token: &str) -> DeltaError {
    let token = token.to_owned();
    DeltaError::NotAnIndex { token }
}

/// Adversarial case C46: a delta of another document, `old` or `add` says so.
#[test]
fn a_delta_of_another_document_is_refused() {
    for (delta, cause) in [
        (
            r#"[{"old":2,"op":"remove","path":"/a/b"}]"#,
            "`old` is a number, and here stands a number",
        ),
        (
            r#"[{"old":"1","op":"replace","path":"/a","value":1}]"#,
            "`old` is a string, and here stands an object",
        ),
        (
            r#"[{"op":"add","path":"/text","value":"x"}]"#,
            "the member is there and is a string",
        ),
        (
            r#"[{"old":1,"op":"remove","path":"/z"}]"#,
            "there is no member \"z\"",
        ),
    ] {
        let found = refusal(delta).to_string();
        assert!(found.starts_with(cause), "{delta}: {found}");
    }
}

/// Adversarial case C46: what is not one exact place in an array.
#[test]
fn an_array_takes_indexes_only() {
    let beyond = "9".repeat(23);
    for token in [
        "-", "01", "00", "+1", "-1", "1e0", "1.0", " 1", "", "x", "١", &beyond,
    ] {
        let delta = format!(r#"[{{"op":"add","path":"/list/{token}","value":0}}]"#);
        assert_eq!(refusal(&delta), not_an_index(token), "{token}");
    }
    let beyond = |index| DeltaError::BeyondEnd { index, length: 2 };
    let added = refusal(r#"[{"op":"add","path":"/list/3","value":0}]"#);
    let removed = refusal(r#"[{"old":2,"op":"remove","path":"/list/2"}]"#);
    assert_eq!((added, removed), (beyond(3), beyond(2)));
    for path in ["/list/01", "/list/-/x"] {
        let token = path.split('/').nth(2).unwrap();
        let asked = json!({ "op": "add", "path": path, "value": 0 });
        assert_eq!(patch_refusal(asked), not_an_index(token));
    }
    let removed = json!({ "op": "remove", "path": "/list/-" });
    assert_eq!(patch_refusal(removed), not_an_index("-"));
}

/// Adversarial case C46: a pointer with a wrong escape, and a path that leads into a scalar.
#[test]
fn a_path_that_leads_nowhere_is_refused() {
    let wrong = Delta::parse(br#"[{"op":"add","path":"/a~2b","value":0}]"#);
    assert_eq!(cause(wrong.unwrap_err()), DeltaError::NotAPointer);
    let asked = json!({ "op": "test", "path": "/a~2b", "value": 0 });
    assert_eq!(patch_refusal(asked), DeltaError::NotAPointer);

    let into = DeltaError::NoParts { found: "a string" };
    assert_eq!(
        refusal(r#"[{"op":"add","path":"/text/x","value":0}]"#),
        into
    );
    assert_eq!(
        patch_refusal(json!({ "op": "add", "path": "/text/x", "value": 0 })),
        into
    );
}

/// Adversarial case C46: a document without a root is none.
#[test]
fn the_root_is_not_removed() {
    assert_eq!(
        patch_refusal(json!({ "op": "remove", "path": "" })),
        DeltaError::Root
    );
}

/// Adversarial case C46: a value moved into itself; a copy of itself into itself is no such thing.
#[test]
fn a_value_is_not_moved_into_itself() {
    for (from, path) in [("/a", "/a/b"), ("/a", "/a/new"), ("", "/a")] {
        let asked = json!({ "op": "move", "from": from, "path": path });
        assert_eq!(
            patch_refusal(asked),
            DeltaError::IntoItself,
            "{from} {path}"
        );
    }
    for (op, path) in [("copy", "/a/a"), ("move", "/ab"), ("move", "/a")] {
        let asked = json!([{ "op": op, "from": "/a", "path": path }]);
        assert!(normalise(&document(), Change::Patch(&asked)).is_ok());
    }
}

/// Adversarial case C46: the first operations are made and the last one fails; nothing is.
#[test]
fn a_delta_applies_whole_or_not_at_all() {
    let failing =
        r#"[{"op":"add","path":"/new","value":0},{"old":9,"op":"remove","path":"/list/0"}]"#;
    let error = Delta::parse(failing.as_bytes())
        .unwrap()
        .apply(&document())
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "operation 1 (counted from 0) at \"/list/0\": `old` is a number, and here stands a number that is not the same; make the delta from this document"
    );
    let tested = json!([
        { "op": "remove", "path": "/a" },
        { "op": "test", "path": "/text", "value": ["x"] },
    ]);
    let refused = normalise(&document(), Change::Patch(&tested)).unwrap_err();
    assert_eq!(
        cause(refused),
        DeltaError::TestFailed {
            expected: "an array",
            found: "a string"
        }
    );
}

/// Adversarial case C47: each copy doubles the document. The delta's own limit stops it before anything of
/// that size is cloned.
#[test]
fn exponential_growth_is_stopped_before_it_is_allocated() {
    let doubling = json!({ "op": "copy", "from": "", "path": "/x" });
    let patch = Value::Array(vec![doubling; 10_000]);
    let seed = json!({ "text": "x".repeat(1000) });
    let limit = MAX_DELTA_BYTES;
    match normalise(&seed, Change::Patch(&patch)) {
        Err(DeltaError::TooLarge { found, limit: held }) => {
            assert_eq!(held, limit);
            assert!(found < 4 * limit, "{found}");
        }
        other => panic!("{other:?}"),
    }

    let spread =
        |number: usize| json!({ "op": "copy", "from": "/text", "path": format!("/{number}") });
    let patch = (0..10_000).map(spread).collect();
    let refused = normalise(&seed, Change::Patch(&patch));
    assert!(matches!(refused, Err(DeltaError::TooLarge { .. })));
}

/// Adversarial case C47: 10,000 operations, each of them valid, are more bytes than a delta may have.
#[test]
fn a_delta_of_ten_thousand_operations_is_not_read() {
    let operation = |number: usize| format!(r#"{{"op":"add","path":"/{number}","value":1}}"#);
    let operations: Vec<String> = (0..10_000).map(operation).collect();
    let text = format!("[{}]", operations.join(","));
    let refused = Delta::parse(text.as_bytes()).unwrap_err();
    assert!(
        matches!(refused, DeltaError::Delta(JsonError::TooLarge { .. })),
        "{refused}"
    );

    let tests = vec![json!({ "op": "test", "path": "", "value": null }); 10_001];
    let refused = normalise(&json!(null), Change::Patch(&Value::Array(tests)));
    let (found, limit) = (10_001, 10_000);
    assert_eq!(refused, Err(DeltaError::TooManyOperations { found, limit }));
}

/// Adversarial case C47: the outcome is held to the limits of a content, in bytes and in values.
#[test]
fn an_outcome_beyond_the_limits_of_a_content_is_refused() {
    let full = json!({ "text": "x".repeat((1 << 20) - 100) });
    let delta = Delta::parse(
        format!(
            r#"[{{"op":"add","path":"/more","value":"{}"}}]"#,
            "y".repeat(100)
        )
        .as_bytes(),
    );
    let refused = delta.unwrap().apply(&full).unwrap_err();
    assert!(
        matches!(refused, DeltaError::Result(JsonError::TooLarge { .. })),
        "{refused}"
    );

    let wide = json!({ "list": vec![0; 9_990] });
    let value = vec![0; 20];
    let patch = json!([{ "op": "add", "path": "/more", "value": value }]);
    let too_many = DeltaError::Result(JsonError::TooManyValues { limit: 10_000 });
    assert_eq!(
        normalise(&wide, Change::Patch(&patch)),
        Err(too_many.clone())
    );
    let merge = json!({ "more": value });
    assert_eq!(normalise(&wide, Change::MergePatch(&merge)), Err(too_many));

    let over = json!(vec![0; 10_000]);
    let refused = Delta::default().apply(&over).unwrap_err();
    assert!(matches!(
        refused,
        DeltaError::Document(JsonError::TooManyValues { .. })
    ));
    let refused = normalise(&wide, Change::Replacement(&over)).unwrap_err();
    assert!(matches!(
        refused,
        DeltaError::Change(JsonError::TooManyValues { .. })
    ));
}

/// Adversarial case C47: between its operations a document may be larger than a content; what counts is how it
/// comes out, in both directions.
#[test]
fn a_delta_between_two_full_documents_applies_in_any_order() {
    let full = |name: &str| json!({ name: "n".repeat(2000), "text": "x".repeat((1 << 20) - 2100) });
    let (before, after) = (full("z"), full("a"));
    let delta = normalise(&before, Change::Replacement(&after)).unwrap();
    assert_eq!(delta.len(), 2);
    assert_eq!(delta.apply(&before).unwrap(), after);
    assert_eq!(delta.invert().apply(&after).unwrap(), before);
}

/// Adversarial case C48: names that look alike or like something else are exact and distinct.
#[test]
fn names_are_exact() {
    for name in NAMES {
        let members = NAMES.into_iter().filter(|other| *other != name);
        let before: Value = members.map(|other| (other, json!(other))).collect();
        let mut after = before.clone();
        after[name] = json!(0);
        let delta = normalise(&before, Change::Replacement(&after)).unwrap();
        let escaped = name.replace('~', "~0").replace('/', "~1");
        assert_eq!(
            delta.canonical().unwrap(),
            format!(r#"[{{"op":"add","path":"/{escaped}","value":0}}]"#)
        );
        assert_eq!(delta.apply(&before).unwrap(), after);
        assert_eq!(delta.invert().apply(&after).unwrap(), before);
    }
}

/// Adversarial case C49: nothing is a change too; the delta is there to be recorded.
#[test]
fn an_empty_delta_is_a_delta() {
    let empty = Delta::parse(b"[]").unwrap();
    assert_eq!(empty.canonical().unwrap(), "[]");
    assert_eq!(empty.apply(&document()).unwrap(), document());
    assert_eq!(empty.invert(), empty);
    let same = normalise(&document(), Change::Replacement(&document())).unwrap();
    assert_eq!(same, empty);
}

/// Adversarial case A13: a build that reads numbers less exactly would break this chain.
#[test]
fn a_double_comes_back_bit_for_bit() {
    let exact = 9.999_999_999_999_997e22;
    let (before, after) = (json!({ "n": exact }), json!({ "n": 1e23 }));
    let delta = normalise(&before, Change::Replacement(&after)).unwrap();
    let text = delta.canonical().unwrap();
    assert_eq!(
        text,
        r#"[{"old":9.999999999999997e+22,"op":"replace","path":"/n","value":1e+23}]"#
    );
    let read = Delta::parse(text.as_bytes()).unwrap();
    let back = read.invert().apply(&after).unwrap();
    assert_eq!(back["n"].as_f64().unwrap().to_bits(), f64::to_bits(exact));
    assert_eq!(canonical(&back), canonical(&before));
}
