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

/// M-10, CR-11, FP-03
#[test]
fn a_projection_may_not_reach_the_store() {
    refuses("projection", &["store", "sqlite"], "FP-03");
}

/// M-10, CR-11, FP-03
#[test]
fn a_projection_may_not_reach_prove() {
    refuses("projection", &["prover"], "FP-03");
}

/// M-10, CR-11, FP-03
#[test]
fn a_projection_may_not_reach_verify_proof() {
    refuses("projection", &["verifier"], "FP-03");
}

/// M-10, CR-11, FP-03
#[test]
fn a_projection_may_not_reach_the_selector() {
    refuses("projection", &["selector"], "FP-03");
}

/// M-10, CR-11, FP-03
#[test]
fn a_projection_may_not_reach_any_other_crate_of_ours() {
    refuses("projection", OTHERS, "FP-03");
}

/// FP-13
#[test]
fn a_host_may_not_reach_the_store() {
    refuses("host", &["store", "sqlite"], "FP-13");
}

/// FP-13
#[test]
fn a_host_may_not_reach_prove() {
    refuses("host", &["prover"], "FP-13");
}

/// FP-13
#[test]
fn a_host_may_not_reach_verify_proof() {
    refuses("host", &["verifier"], "FP-13");
}

/// FP-13
#[test]
fn a_host_may_not_reach_the_selector() {
    refuses("host", &["selector"], "FP-13");
}

/// FP-13
#[test]
fn a_host_may_not_reach_any_other_crate_of_ours() {
    refuses("host", OTHERS, "FP-13");
}

/// FP-14
#[test]
fn the_core_may_not_reach_the_store() {
    refuses("core", &["store", "sqlite"], "FP-14");
}

/// FP-14
#[test]
fn the_core_may_not_reach_prove() {
    refuses("core", &["prover"], "FP-14");
}

/// FP-14
#[test]
fn the_core_may_not_reach_verify_proof() {
    refuses("core", &["verifier"], "FP-14");
}

/// FP-14
#[test]
fn the_core_may_not_reach_the_selector() {
    refuses("core", &["selector"], "FP-14");
}

/// FP-14
#[test]
fn the_core_may_not_reach_any_other_crate_of_ours() {
    refuses("core", OTHERS, "FP-14");
}

/// FP-16
#[test]
fn an_authority_may_not_reach_the_store() {
    refuses("authority", &["store", "sqlite"], "FP-16");
}

/// FP-15
#[test]
fn an_authority_may_not_reach_prove() {
    refuses("authority", &["prover", "capsule"], "FP-15");
}

/// M-4, CR-12, FP-04
#[test]
fn an_authority_may_not_reach_the_selector() {
    refuses("authority", &["selector"], "FP-04");
}

/// Section 9.2.3: the trace is read-only for an authority.
#[test]
fn an_authority_may_not_write_traces() {
    refuses("authority", &["actor", "not-yet-written"], "9.2.3");
}

/// Section 9.2.3: the one row that is neither all yes nor all no.
#[test]
fn an_authority_may_verify_proofs_and_read_traces() {
    allows("authority", &["authority", "verifier", "trace", "types"]);
}

/// M-8, CR-16, FP-09
#[test]
fn a_verifier_may_not_reach_the_store() {
    refuses("verifier", &["store", "sqlite"], "FP-09");
}

/// M-8, CR-16, FP-11
#[test]
fn a_verifier_may_not_reach_an_actors_context() {
    refuses("verifier", &["actor", "trace", "authority"], "FP-11");
}

/// M-8, CR-16
#[test]
fn a_verifier_may_not_reach_anything_else_of_ours() {
    refuses(
        "verifier",
        &["prover", "capsule", "selector", "not-yet-written"],
        "M-8",
    );
}

/// MR-04
#[test]
fn a_verifier_may_build_on_the_verifier_crate() {
    allows("verifier", &["verifier", "types"]);
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
