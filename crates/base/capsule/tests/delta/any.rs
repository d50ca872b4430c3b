//! Arbitrary documents and patches, made so that they have much in common.

use counterfoil_types::json::{self, Limits, Value};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::json;

/// Names that a careless reader takes for something else (case C48).
pub(crate) const NAMES: [&str; 10] = [
    "",
    "a",
    "a/b",
    "~",
    "~1",
    "__proto__",
    "\u{e9}",
    "e\u{301}",
    "0",
    "-",
];

/// Any JSON document in the form in which it is read back, with few enough leaves to repeat.
pub(crate) fn document() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        4 => select(vec![json!(null), json!(true), json!(0), json!(-1), json!("x"), json!("a \"quoted\" text")]),
        1 => any::<f64>().prop_map(|number| json!(number)),
        1 => any::<String>().prop_map(Value::String),
    ];
    let value = leaf.prop_recursive(4, 40, 6, |inner| {
        let name = prop_oneof![
            5 => select(NAMES.to_vec()).prop_map(String::from),
            1 => any::<String>(),
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..7).prop_map(Value::Array),
            prop::collection::btree_map(name, inner, 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    });
    value.prop_filter_map("has a canonical form", |value| canonical_twin(&value))
}

/// Two documents, half of the time with most of one in the other.
pub(crate) fn documents() -> impl Strategy<Value = (Value, Value)> {
    let edited = (document(), any::<Index>(), document()).prop_map(|(before, at, new)| {
        let mut after = before.clone();
        let paths = pointers(&before);
        if let Some(place) = after.pointer_mut(at.get::<String>(&paths)) {
            *place = new;
        }
        (before, after)
    });
    prop_oneof![(document(), document()), edited]
}

/// A document, and an RFC 6902 patch of which the paths are mostly places in it. The root does not
/// move: onto itself, that is nothing to us and an error elsewhere.
pub(crate) fn patched() -> impl Strategy<Value = (Value, Value)> {
    let operation = (
        select(vec![
            "add", "add", "remove", "replace", "move", "copy", "test",
        ]),
        (any::<Index>(), any::<Index>()),
        select(vec!["", "", "", "/-", "/a", "/~1"]),
        document(),
    );
    let operations = prop::collection::vec(operation, 1..6);
    (document(), document(), operations).prop_map(|(one, other, operations)| {
        let document = json!({ "a": [one, 0, 0], "~1": { "a": other } });
        let paths = pointers(&document);
        let operations = operations
            .into_iter()
            .map(|(op, (from, path), tail, value)| {
                let (from, path) = (from.get(&paths), path.get(&paths));
                let here = document.pointer(path).filter(|_| op == "test");
                let value = here.unwrap_or(&value);
                json!({ "op": op, "from": from, "path": format!("{path}{tail}"), "value": value })
            });
        let moves_root = |op: &Value| op["op"] == "move" && op["from"] == "";
        let patch = operations.filter(|op| !moves_root(op)).collect();
        (document, patch)
    })
}

pub(crate) fn canonical(value: &Value) -> String {
    json::canonical(value).unwrap()
}

/// Every place in a document.
fn pointers(value: &Value) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut below = |token: String, child: &Value| {
        all.extend(pointers(child).iter().map(|rest| format!("/{token}{rest}")));
    };
    match value {
        Value::Array(elements) => {
            for (index, element) in elements.iter().enumerate() {
                below(index.to_string(), element);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                below(name.replace('~', "~0").replace('/', "~1"), member);
            }
        }
        _ => {}
    }
    all
}

fn canonical_twin(value: &Value) -> Option<Value> {
    let text = json::canonical(value).ok()?;
    json::parse(text.as_bytes(), Limits::CONTENT).ok()
}
