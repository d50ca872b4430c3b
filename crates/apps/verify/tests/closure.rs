//! The fence around the authority's binary: no database, no runtime, no `prove` in its closure
//! (specification §9.2.3; FP-04, FP-15, FP-16).
#![expect(clippy::expect_used, reason = "helpers of tests may panic too")]

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, PackageId};

const FORBIDDEN: [&str; 11] = [
    "counterfoil-actor",
    "counterfoil-capsule",
    "counterfoil-prover",
    "counterfoil-selector",
    "counterfoil-sqlite",
    "counterfoil-store",
    "libsqlite3-sys",
    "rusqlite",
    "tokio",
    "reqwest",
    "async-trait",
];

/// Names of all that `root` is linked with or built by, on any platform.
fn closure(metadata: &Metadata, root: &str) -> BTreeSet<String> {
    let resolve = metadata.resolve.as_ref().expect("a resolved graph");
    let nodes: BTreeMap<_, _> = resolve.nodes.iter().map(|node| (&node.id, node)).collect();
    let start = metadata
        .packages
        .iter()
        .find(|package| package.name == root);
    let mut waiting: Vec<&PackageId> = vec![&start.expect("the package").id];
    let mut seen = BTreeSet::new();
    while let Some(id) = waiting.pop() {
        if !seen.insert(id) {
            continue;
        }
        for dependency in nodes.get(id).into_iter().flat_map(|node| &node.deps) {
            let kinds = &dependency.dep_kinds;
            if kinds
                .iter()
                .any(|kind| kind.kind != DependencyKind::Development)
            {
                waiting.push(&dependency.pkg);
            }
        }
    }
    seen.into_iter()
        .map(|id| metadata[id].name.to_string())
        .collect()
}

fn metadata() -> Metadata {
    MetadataCommand::new()
        .manifest_path(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"))
        .other_options(vec!["--offline".into()])
        .exec()
        .expect("cargo metadata")
}

#[test]
fn counterfoil_verify_links_no_database_and_cannot_prove() {
    let closure = closure(&metadata(), "counterfoil-verify");
    assert!(
        closure.contains("counterfoil-verifier"),
        "the search goes astray"
    );
    let found: Vec<_> = FORBIDDEN
        .iter()
        .filter(|name| closure.contains(**name))
        .collect();
    assert!(
        found.is_empty(),
        "{found:?} in the closure of counterfoil-verify"
    );
}

/// What of a package's closure is ours.
fn ours_of(package: &str) -> Vec<String> {
    let closure = closure(&metadata(), package).into_iter();
    closure
        .filter(|name| name.starts_with("counterfoil-"))
        .collect()
}

/// The closure of the authority is named exactly, as far as it is ours.
#[test]
fn the_authority_reaches_trace_verifier_and_types_alone() {
    assert_eq!(
        ours_of("counterfoil-authority"),
        [
            "counterfoil-authority",
            "counterfoil-trace",
            "counterfoil-types",
            "counterfoil-verifier"
        ]
    );
}

/// What re-folds a proven belief is the engine, which is pure; nothing else of ours came with it.
#[test]
fn counterfoil_verify_reaches_the_authority_and_the_engine_of_claims_alone() {
    assert_eq!(
        ours_of("counterfoil-verify"),
        [
            "counterfoil-authority",
            "counterfoil-claims",
            "counterfoil-trace",
            "counterfoil-types",
            "counterfoil-verifier",
            "counterfoil-verify"
        ]
    );
}

/// Adversarial case H122: what checks an answer, its proofs and its receipts is linked with no store, and neither are its tests.
#[test]
fn the_checks_of_an_answer_reach_no_store() {
    assert_eq!(
        ours_of("counterfoil-exchange"),
        [
            "counterfoil-capsule",
            "counterfoil-claims",
            "counterfoil-exchange",
            "counterfoil-types",
            "counterfoil-verifier"
        ]
    );
    let metadata = metadata();
    let engine = metadata
        .packages
        .iter()
        .find(|package| package.name == "counterfoil-exchange");
    let linked: Vec<&str> = engine
        .expect("the package")
        .dependencies
        .iter()
        .map(|dependency| dependency.name.as_str())
        .collect();
    let found: Vec<_> = FORBIDDEN
        .iter()
        .filter(|name| **name != "counterfoil-capsule" && linked.contains(name))
        .collect();
    assert!(found.is_empty(), "{found:?}, for tests at least");
    let closure = closure(&metadata, "counterfoil-exchange");
    for name in ["tokio", "rusqlite", "reqwest", "async-trait"] {
        assert!(!closure.contains(name), "{name}");
    }
}

/// The search itself is tested on a package that has what it looks for.
#[test]
fn the_search_finds_what_is_there() {
    let closure = closure(&metadata(), "counterfoil-prover");
    assert!(closure.contains("counterfoil-capsule"));
}
