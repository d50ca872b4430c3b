//! The test suites of RFC 6902 (github.com/json-patch/json-patch-tests), there and back.
//!
//! Their licence does not let them lie in this repository: they are read from
//! `$COUNTERFOIL_VECTORS`, or from `../shared/vectors` beside it, and skipped when neither is there.

use std::path::PathBuf;

use counterfoil_capsule::delta::{Change, normalise};
use counterfoil_types::json::Value;

use crate::any::canonical;

fn suite(name: &str) -> Option<Vec<Value>> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../../shared/vectors");
    let vectors = std::env::var_os("COUNTERFOIL_VECTORS").map_or(beside.into(), PathBuf::from);
    let path = vectors.join("json-patch").join(name);
    let Ok(bytes) = std::fs::read(&path) else {
        eprintln!(
            "skipped: {} is not there; set COUNTERFOIL_VECTORS",
            path.display()
        );
        return None;
    };
    Some(serde_json::from_slice(&bytes).unwrap())
}

/// Every enabled case through `normalise` and `apply`, and back by inversion. How many ran.
fn run(cases: &[Value]) -> usize {
    let enabled = cases.iter().filter(|case| case["disabled"] != true);
    let patches = enabled.filter(|case| case.get("patch").is_some());
    patches.map(check).count()
}

fn check(case: &Value) {
    let document = &case["doc"];
    let delta = normalise(document, Change::Patch(&case["patch"]));
    let refused = case.get("error").is_some();
    assert_eq!(delta.is_err(), refused, "{case}: {delta:?}");
    let Ok(delta) = delta else {
        return;
    };
    let result = delta.apply(document).unwrap();
    if let Some(expected) = case.get("expected") {
        assert_eq!(canonical(&result), canonical(expected), "{case}");
    }
    let back = delta.invert().apply(&result).unwrap();
    assert_eq!(canonical(&back), canonical(document), "{case}");
}

#[test]
fn the_cases_of_the_working_group_hold() {
    if let Some(cases) = suite("tests.json") {
        assert_eq!(run(&cases), 92);
    }
}

#[test]
fn the_examples_of_the_standard_hold() {
    if let Some(cases) = suite("spec_tests.json") {
        assert_eq!(run(&cases), 16);
    }
}
