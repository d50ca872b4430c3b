//! What the difference of two documents looks like: small, and the same each time.

use counterfoil_capsule::delta::{Change, Delta, Effect, normalise};
use counterfoil_types::json::Value;
use serde_json::json;

fn between(before: &Value, after: &Value) -> Delta {
    normalise(before, Change::Replacement(after)).unwrap()
}

/// The operations as `name path`.
fn outline(delta: &Delta) -> Vec<String> {
    let lines = delta.operations();
    lines
        .map(|(path, effect)| format!("{} {path}", effect.name()))
        .collect()
}

fn long(text: &str) -> Value {
    json!(text.repeat(100))
}

#[test]
fn members_are_compared_in_the_order_of_their_names() {
    let before =
        json!({ "same": long("s"), "é": 1, "b": { "x": 1, "keep": long("k") }, "gone": true });
    let after =
        json!({ "same": long("s"), "é": 2, "b": { "x": [], "keep": long("k") }, "a/new": null });
    let delta = between(&before, &after);
    assert_eq!(
        outline(&delta),
        ["add /a~1new", "replace /b/x", "remove /gone", "replace /é"]
    );
    let effects: Vec<_> = delta.operations().map(|(_, effect)| effect).collect();
    assert_eq!(effects[0], Effect::Add(&Value::Null));
    assert_eq!(effects[2], Effect::Remove(&json!(true)));
}

#[test]
fn an_array_keeps_what_it_has_in_front_and_behind() {
    let turns = |numbers: &[u32]| -> Value {
        numbers
            .iter()
            .map(|number| json!({ "turn": number, "text": long("t") }))
            .collect()
    };
    for (before, after, expected) in [
        (&[1, 2, 3][..], &[1, 2, 3, 4][..], &["add /3"][..]),
        (&[1, 2, 3], &[0, 1, 2, 3], &["add /0"]),
        (&[1, 2, 5], &[1, 2, 3, 4, 5], &["add /2", "add /3"]),
        (
            &[1, 2, 3, 4, 5],
            &[1, 5],
            &["remove /3", "remove /2", "remove /1"],
        ),
        (&[1, 2, 3], &[1, 9, 3], &["replace /1/turn"]),
        (&[1, 2, 3], &[1, 8, 9, 3], &["replace /1/turn", "add /2"]),
        (&[1, 1], &[1, 1, 1], &["add /2"]),
    ] {
        let delta = between(&turns(before), &turns(after));
        assert_eq!(outline(&delta), expected, "{before:?} {after:?}");
    }
}

/// Three operations inside of an array take as many bytes as to replace it when it keeps 39 letters.
#[test]
fn what_is_as_long_to_replace_is_not_replaced() {
    for (letters, expected) in [
        (38, &["replace "][..]),
        (39, &["replace /1", "replace /2", "replace /3"]),
    ] {
        let kept = "k".repeat(letters);
        let delta = between(&json!([kept, 1, 2, 3]), &json!([kept, 4, 5, 6]));
        assert_eq!(outline(&delta), expected, "{letters}");
    }
}

#[test]
fn what_is_shorter_to_replace_is_replaced() {
    let before = json!({ "kept": long("k"), "list": [1, 2, 3, 4, 5] });
    let after = json!({ "kept": long("k"), "list": [6, 7, 8, 9, 0] });
    assert_eq!(outline(&between(&before, &after)), ["replace /list"]);
    assert_eq!(
        outline(&between(&json!([1]), &json!({ "a": 1 }))),
        ["replace "]
    );
}

#[test]
fn values_with_one_spelling_do_not_differ() {
    let delta = between(&json!([1.0, -0.0, 1e2]), &json!([1, 0, 100]));
    assert_eq!(delta.canonical().unwrap(), "[]");
}

/// Written out, the paths of this document's values would take 1.8 GB.
#[test]
fn a_long_name_above_many_values_costs_no_memory() {
    let numbers = |from: u32| (from..from + 9000).collect::<Vec<_>>();
    let name = "n".repeat(100_000);
    let delta = between(&json!({ &name: numbers(0) }), &json!({ &name: numbers(1) }));
    assert_eq!(delta.len(), 1);
    let hidden = json!({ &name: { "a": [numbers(0)], "kept": long("k") } });
    let shown = json!({ &name: { "a": [numbers(1)], "kept": long("k") } });
    assert_eq!(
        outline(&between(&hidden, &shown)),
        [format!("replace /{name}/a/0")]
    );
}

/// A change of 100 bytes in a World of 64 KiB is a delta of a few hundred.
#[test]
fn a_small_change_is_a_small_delta() {
    let turn = |number: usize| json!({ "n": number, "text": long("a") });
    let before: Value = (0..500).map(turn).collect();
    let mut after = before.clone();
    after[250]["text"] = json!("changed");
    let text = between(&before, &after).canonical().unwrap();
    assert!(text.len() < 200, "{text}");
}

#[test]
fn a_patch_that_changes_nothing_is_empty() {
    let document = json!({ "a": [1, { "b": null }] });
    for patch in [
        json!([]),
        json!([{ "op": "test", "path": "/a/0", "value": 1.0 }]),
        json!([{ "op": "replace", "path": "/a/1/b", "value": null }]),
        json!([{ "op": "add", "path": "/a", "value": [1, { "b": null }] }]),
        json!([{ "op": "move", "from": "/a/0", "path": "/a/0" }]),
    ] {
        let delta = normalise(&document, Change::Patch(&patch)).unwrap();
        assert!(delta.is_empty(), "{patch}");
    }
    let merge = json!({ "a": [1, { "b": null }], "x": null });
    assert!(
        normalise(&document, Change::MergePatch(&merge))
            .unwrap()
            .is_empty()
    );
}

/// Capsules 4.3: what each operation of RFC 6902 becomes.
#[test]
fn operations_are_normalised() {
    let document = json!({ "a": 1, "list": [true] });
    for (patch, expected) in [
        (
            json!({ "op": "add", "path": "/a", "value": 2 }),
            r#"[{"old":1,"op":"replace","path":"/a","value":2}]"#,
        ),
        (
            json!({ "op": "add", "path": "/list/-", "value": 2 }),
            r#"[{"op":"add","path":"/list/1","value":2}]"#,
        ),
        (
            json!({ "op": "add", "path": "/-", "value": 2 }),
            r#"[{"op":"add","path":"/-","value":2}]"#,
        ),
        (
            json!({ "op": "move", "from": "/a", "path": "/list/0" }),
            r#"[{"old":1,"op":"remove","path":"/a"},{"op":"add","path":"/list/0","value":1}]"#,
        ),
        (
            json!({ "op": "copy", "from": "/list", "path": "/b" }),
            r#"[{"op":"add","path":"/b","value":[true]}]"#,
        ),
        (
            json!({ "op": "copy", "from": "/list/0", "path": "/a" }),
            r#"[{"old":1,"op":"replace","path":"/a","value":true}]"#,
        ),
        (
            json!({ "op": "add", "path": "", "value": 0, "comment": "ignored" }),
            r#"[{"old":{"a":1,"list":[true]},"op":"replace","path":"","value":0}]"#,
        ),
    ] {
        let patch = json!([patch]);
        let delta = normalise(&document, Change::Patch(&patch)).unwrap();
        assert_eq!(delta.canonical().unwrap(), expected);
    }
}
