//! The bytes of a delta (docs/format/delta.md): what is read, what is refused, the worked example.

use counterfoil_capsule::delta::{Change, Delta, DeltaError, FORMAT, MAX_DELTA_BYTES, normalise};
use counterfoil_capsule::delta_hash;
use counterfoil_types::json::{JsonError, Value};
use serde_json::json;

fn parse(text: &str) -> Result<Delta, DeltaError> {
    Delta::parse(text.as_bytes())
}

fn nested(depth: usize) -> Value {
    (0..depth).fold(json!(0), |value, _| json!([value]))
}

#[test]
fn only_canonical_bytes_are_read() {
    for text in [
        r#"[{"op":"add","path":"/a", "value":1}]"#,
        r#"[{"path":"/a","op":"add","value":1}]"#,
        r#"[{"op":"add","path":"/a","value":1.0}]"#,
        r#"[{"op":"add","path":"/\u0061","value":1}]"#,
        "[]\n",
    ] {
        let refused = parse(text).unwrap_err();
        assert!(
            matches!(refused, DeltaError::Delta(JsonError::NotCanonical { .. })),
            "{text}"
        );
    }
    for text in [
        "",
        "[",
        r#"[{"op":"add","op":"add","path":"/a","value":1}]"#,
    ] {
        assert!(matches!(parse(text), Err(DeltaError::Delta(_))), "{text}");
    }
}

#[test]
fn members_are_closed_and_complete() {
    for (text, member) in [
        (r#"[1]"#, "it"),
        (r#"[{"path":"/a","value":1}]"#, "op"),
        (r#"[{"op":"test","path":"/a","value":1}]"#, "op"),
        (r#"[{"from":"/b","op":"move","path":"/a"}]"#, "op"),
        (r#"[{"op":"Add","path":"/a","value":1}]"#, "op"),
        (r#"[{"op":"add","value":1}]"#, "path"),
        (r#"[{"op":"add","path":null,"value":1}]"#, "path"),
        (r#"[{"op":"add","path":"","value":1}]"#, "path"),
        (r#"[{"old":1,"op":"remove","path":""}]"#, "path"),
        (r#"[{"op":"add","path":"/a"}]"#, "value"),
        (r#"[{"op":"remove","path":"/a"}]"#, "old"),
        (r#"[{"op":"replace","path":"/a","value":1}]"#, "old"),
        (r#"[{"old":1,"op":"replace","path":"/a"}]"#, "value"),
    ] {
        match parse(text) {
            Err(DeltaError::Member {
                member: found,
                operation: 0,
                ..
            }) => {
                assert_eq!(found, member, "{text}");
            }
            other => panic!("{text}: {other:?}"),
        }
    }
    for (text, member) in [
        (r#"[{"old":1,"op":"add","path":"/a","value":1}]"#, "old"),
        (
            r#"[{"old":1,"op":"remove","path":"/a","value":1}]"#,
            "value",
        ),
        (r#"[{"note":"","old":1,"op":"remove","path":"/a"}]"#, "note"),
    ] {
        let (operation, member) = (0, member.to_owned());
        assert_eq!(
            parse(text),
            Err(DeltaError::UnknownMember { operation, member }),
            "{text}"
        );
    }
    assert!(matches!(parse("{}"), Err(DeltaError::NotAList { .. })));
    let patch = json!({ "op": "add" });
    assert!(matches!(
        normalise(&json!(0), Change::Patch(&patch)),
        Err(DeltaError::NotAList { .. })
    ));
}

/// Whatever was applied can be written down undone, so the longer direction counts: an `add` is
/// one byte shorter than its inverse.
#[test]
fn a_delta_and_its_inverse_fit_the_limit() {
    let filled = |bytes: usize| {
        let frame = r#"[{"op":"add","path":"/a","value":""}]"#.len();
        format!(
            r#"[{{"op":"add","path":"/a","value":"{}"}}]"#,
            "x".repeat(bytes - frame)
        )
    };
    let fits = parse(&filled(MAX_DELTA_BYTES - 1)).unwrap();
    let inverse = fits.invert().canonical().unwrap();
    assert_eq!(inverse.len(), MAX_DELTA_BYTES);
    assert!(parse(&inverse).is_ok());

    let (found, limit) = (MAX_DELTA_BYTES + 1, MAX_DELTA_BYTES);
    assert_eq!(
        parse(&filled(MAX_DELTA_BYTES)),
        Err(DeltaError::TooLarge { found, limit })
    );
    let refused = parse(&filled(MAX_DELTA_BYTES + 1)).unwrap_err();
    assert!(matches!(
        refused,
        DeltaError::Delta(JsonError::TooLarge { .. })
    ));
}

#[test]
fn two_long_texts_do_not_fit_one_delta() {
    let text = |letter: &str| json!({ "text": letter.repeat(200_000) });
    let refused = normalise(&text("a"), Change::Replacement(&text("b")));
    assert!(matches!(refused, Err(DeltaError::TooLarge { .. })));
}

#[test]
fn a_delta_nests_no_deeper_than_a_document() {
    let held = |depth| normalise(&json!(0), Change::Replacement(&nested(depth)));
    let delta = held(62).unwrap();
    assert_eq!(
        Delta::parse(delta.canonical().unwrap().as_bytes()),
        Ok(delta)
    );
    let too_deep = DeltaError::Delta(JsonError::TooDeep { limit: 64 });
    assert_eq!(held(63), Err(too_deep.clone()));
    let patch = json!([{ "op": "add", "path": "", "value": nested(63) }]);
    assert_eq!(normalise(&json!(0), Change::Patch(&patch)), Err(too_deep));
}

/// The deepest places can be changed, if not all at once.
#[test]
fn a_change_at_the_bottom_of_the_deepest_document_is_a_delta() {
    let bottom = |leaf: Value| (0..64).fold(leaf, |value, _| json!([value]));
    let (before, after) = (bottom(json!(1)), bottom(json!(2)));
    let patch = json!([{ "op": "replace", "path": "/0".repeat(64), "value": 2 }]);
    let delta = normalise(&before, Change::Patch(&patch)).unwrap();
    assert_eq!(delta.apply(&before).unwrap(), after);
    assert_eq!(normalise(&before, Change::Replacement(&after)), Ok(delta));

    let below = json!([{ "op": "add", "path": "/0".repeat(65), "value": 2 }]);
    match normalise(&before, Change::Patch(&below)) {
        Err(DeltaError::Operation { cause, .. }) => assert_eq!(*cause, DeltaError::NotAPointer),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_delta_in_another_document_is_read_from_its_value() {
    let value = json!([{ "op": "remove", "path": "/a", "old": 1.0 }]);
    let delta = Delta::try_from(value).unwrap();
    assert_eq!(
        delta.canonical().unwrap(),
        r#"[{"old":1,"op":"remove","path":"/a"}]"#
    );
    assert_eq!(
        delta,
        parse(r#"[{"old":1,"op":"remove","path":"/a"}]"#).unwrap()
    );
}

/// A number without a canonical form enters through none of the three forms of a change.
#[test]
fn an_unsafe_integer_is_refused_wherever_it_stands() {
    let unsafe_integer = json!({ "n": u64::MAX });
    let document = json!({ "n": 1 });
    let patch = json!([{ "op": "replace", "path": "/n", "value": u64::MAX }]);
    for change in [
        Change::Patch(&patch),
        Change::MergePatch(&unsafe_integer),
        Change::Replacement(&unsafe_integer),
    ] {
        let refused = normalise(&document, change).unwrap_err();
        assert!(refused.to_string().contains("loses digits"), "{refused}");
    }
    let refused = normalise(&unsafe_integer, Change::Patch(&json!([]))).unwrap_err();
    assert_eq!(refused, DeltaError::Document(JsonError::UnsafeInteger));
}

const BEFORE: &str = r#"{"home/away":"home","key":"under the blue pot","tags":["house"]}"#;
const PATCH: &str = r#"[
  { "op": "test",    "path": "/key", "value": "under the blue pot" },
  { "op": "replace", "path": "/key", "value": "with the neighbour" },
  { "op": "add",     "path": "/tags/-", "value": "lent" },
  { "op": "move",    "from": "/home~1away", "path": "/since" }
]"#;
const DELTA: &str = r#"[{"old":"under the blue pot","op":"replace","path":"/key","value":"with the neighbour"},{"op":"add","path":"/tags/1","value":"lent"},{"old":"home","op":"remove","path":"/home~1away"},{"op":"add","path":"/since","value":"home"}]"#;
const INVERSE: &str = r#"[{"old":"home","op":"remove","path":"/since"},{"op":"add","path":"/home~1away","value":"home"},{"old":"lent","op":"remove","path":"/tags/1"},{"old":"with the neighbour","op":"replace","path":"/key","value":"under the blue pot"}]"#;
const AFTER: &str = r#"{"key":"with the neighbour","since":"home","tags":["house","lent"]}"#;

/// The example of docs/format/delta.md, byte for byte, and that it stands there.
#[test]
fn the_worked_example_holds() {
    let value = |text: &str| -> Value { serde_json::from_str(text).unwrap() };
    let delta = normalise(&value(BEFORE), Change::Patch(&value(PATCH))).unwrap();
    assert_eq!(delta.canonical().unwrap(), DELTA);
    assert_eq!(delta.invert().canonical().unwrap(), INVERSE);
    assert_eq!(delta.apply(&value(BEFORE)).unwrap(), value(AFTER));

    let salt: [u8; 32] = core::array::from_fn(|at| u8::try_from(at).unwrap());
    let hash = delta_hash(&salt, DELTA.as_bytes()).to_string();
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/format/delta.md");
    let page = std::fs::read_to_string(page).unwrap();
    for text in [BEFORE, PATCH, DELTA, INVERSE, AFTER, &hash, FORMAT] {
        assert!(page.contains(text), "docs/format/delta.md lacks {text}");
    }
    assert!(
        page.contains(&format!("{} bytes", DELTA.len())),
        "{}",
        DELTA.len()
    );
}
