//! Specification 9.1, cell by cell: a workspace that breaks the cell is refused with its path, and the same
//! workspace in the Actor's role passes, so that nothing but the role can be the cause.

use crate::stubs::{Workspace, only, paths};
use counterfoil_boundaries::Report;

fn check(role: &str, layer: &str) -> Report {
    let stub = format!("counterfoil-{layer}");
    Workspace::new()
        .stub(&stub, "")
        .with_mine(role, &stub)
        .check()
        .unwrap()
}

#[track_caller]
fn refuses(role: &str, layers: &[&str], rule: &str) {
    for layer in layers {
        let report = check(role, layer);
        assert!(only(&report, "rule").contains(rule), "{report}");
        assert_eq!(only(&report, "role"), role);
        assert_eq!(paths(&report), [format!("mine -> counterfoil-{layer}")]);
        allows("actor", &[layer]);
    }
}

#[track_caller]
fn allows(role: &str, layers: &[&str]) {
    for layer in layers {
        let report = check(role, layer);
        assert!(report.holds(), "{report}");
    }
}

/// All other crates of ours.
const OTHERS: &[&str] = &[
    "types",
    "capsule",
    "trace",
    "actor",
    "authority",
    "verify",
    "not-yet-written",
];

/// A whole column: these layers, and all other crates of ours.
#[track_caller]
fn refuses_all(role: &str, rule: &str) {
    refuses(
        role,
        &["store", "sqlite", "prover", "verifier", "selector"],
        rule,
    );
    refuses(role, OTHERS, rule);
}

/// M-10, CR-11, FP-03
/// (NS-20)
#[test]
fn a_projection_may_not_reach_any_crate_of_ours() {
    refuses_all("projection", "FP-03");
}

/// FP-13
#[test]
fn a_host_may_not_reach_any_crate_of_ours() {
    refuses_all("host", "FP-13");
}

/// FP-14
#[test]
fn the_core_may_not_reach_any_crate_of_ours() {
    refuses_all("core", "FP-14");
}

/// M-4, CR-12, FP-04, FP-15, FP-16. Section 9.2.3, the one row that is neither all yes nor all no: proofs are verified, and
/// the trace is read-only.
#[test]
fn an_authority_may_verify_proofs_and_read_traces_alone() {
    for (layers, rule) in [
        (&["store", "sqlite"], "FP-16"),
        (&["prover", "capsule"], "FP-15"),
        (&["actor", "not-yet-written"], "9.2.3"),
    ] {
        refuses("authority", layers, rule);
    }
    refuses("authority", &["memory-verifier"], "FP-15");
    refuses("authority", &["selector"], "FP-04");
    allows(
        "authority",
        &["authority", "verify", "verifier", "trace", "types"],
    );
}

/// M-5, section 4.3.2: a Store is called, and calls no other layer.
#[test]
fn a_store_may_reach_no_other_layer() {
    let others = [
        "prover",
        "memory-verifier",
        "selector",
        "trace",
        "actor",
        "authority",
        "not-yet-written",
    ];
    refuses("store", &others, "4.3.2");
    allows(
        "store",
        &[
            "memory-store",
            "store",
            "sqlite",
            "capsule",
            "claims",
            "exchange",
            "verifier",
            "types",
        ],
    );
}

/// M-6, sections 4.3.2 and 9.2.1: a Selector calls the Store and `prove`, and attaches nothing.
#[test]
fn a_selector_may_reach_store_and_prove_and_no_trace() {
    refuses("selector", &["trace-writer", "actor"], "9.2.1");
    refuses(
        "selector",
        &["trace", "authority", "not-yet-written"],
        "4.3.2",
    );
    allows(
        "selector",
        &[
            "memory-selector",
            "selector",
            "memory-store",
            "store",
            "memory-verifier",
            "prover",
            "capsule",
            "claims",
            "types",
        ],
    );
}

/// M-8, CR-16, FP-09, FP-11, MR-04
#[test]
fn a_verifier_may_build_on_the_verifier_crate_alone() {
    refuses("verifier", &["store", "sqlite"], "FP-09");
    refuses("verifier", &["actor", "trace", "authority"], "FP-11");
    refuses(
        "verifier",
        &["prover", "capsule", "selector", "not-yet-written"],
        "M-8",
    );
    allows("verifier", &["verifier", "types"]);
}

/// M-7, M-8, CR-16, FP-09, FP-11
#[test]
fn a_prover_may_build_on_the_interfaces_and_has_no_store() {
    refuses("prover", &["store", "memory-store", "sqlite"], "FP-09");
    refuses("prover", &["actor", "trace", "authority"], "FP-11");
    refuses("prover", &["selector", "claims", "not-yet-written"], "M-8");
    allows(
        "prover",
        &["prover", "memory-verifier", "capsule", "verifier", "types"],
    );
}

/// Section 9.2.1
#[test]
fn an_actor_may_reach_everything() {
    allows(
        "actor",
        &[
            "types", "capsule", "store", "sqlite", "prover", "verifier", "selector", "trace",
        ],
    );
}
