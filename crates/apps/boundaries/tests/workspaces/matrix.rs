//! Specification 9.1, cell by cell: a workspace that breaks the cell is refused with its path, and the same
//! workspace in the Actor's role passes, so that nothing but the role can be the cause.

use crate::stubs::{Workspace, on_stub, role};
use counterfoil_boundaries::Report;

fn workspace(as_role: &str, layer: &str) -> Report {
    let manifest = format!("{}[dependencies]\n{}", role(as_role), on_stub(layer));
    Workspace::new()
        .stub(layer, "")
        .package("mine", &manifest)
        .check()
        .unwrap()
}

#[track_caller]
fn refuses(as_role: &str, layer: &str, rule: &str) {
    let report = workspace(as_role, layer);
    let [violation] = report.violations.as_slice() else {
        panic!("{as_role} reached {layer}: {report}")
    };
    assert!(violation.rule.contains(rule), "{violation}");
    assert_eq!(violation.role, as_role);
    assert_eq!(
        violation.path.as_ref().unwrap().to_string(),
        format!("mine -> {layer}")
    );
    allows("actor", layer);
}

#[track_caller]
fn allows(as_role: &str, layer: &str) {
    let report = workspace(as_role, layer);
    assert!(report.holds(), "{report}");
}

/// M-10, CR-11, FP-03
#[test]
fn a_projection_may_not_reach_the_store() {
    refuses("projection", "counterfoil-store", "FP-03");
    refuses("projection", "counterfoil-sqlite", "FP-03");
}

/// M-10, CR-11, FP-03
#[test]
fn a_projection_may_not_reach_prove() {
    refuses("projection", "counterfoil-prover", "FP-03");
}

/// M-10, CR-11, FP-03
#[test]
fn a_projection_may_not_reach_verify_proof() {
    refuses("projection", "counterfoil-verifier", "FP-03");
}

/// M-10, CR-11, FP-03
#[test]
fn a_projection_may_not_reach_the_selector() {
    refuses("projection", "counterfoil-selector", "FP-03");
}

/// M-10, CR-11, FP-03
#[test]
fn a_projection_may_not_reach_any_other_crate_of_ours() {
    for layer in [
        "types",
        "capsule",
        "trace",
        "actor",
        "authority",
        "verify",
        "not-yet-written",
    ] {
        refuses("projection", &format!("counterfoil-{layer}"), "FP-03");
    }
}

/// FP-13
#[test]
fn a_host_may_not_reach_the_store() {
    refuses("host", "counterfoil-store", "FP-13");
    refuses("host", "counterfoil-sqlite", "FP-13");
}

/// FP-13
#[test]
fn a_host_may_not_reach_prove() {
    refuses("host", "counterfoil-prover", "FP-13");
}

/// FP-13
#[test]
fn a_host_may_not_reach_verify_proof() {
    refuses("host", "counterfoil-verifier", "FP-13");
}

/// FP-13
#[test]
fn a_host_may_not_reach_the_selector() {
    refuses("host", "counterfoil-selector", "FP-13");
}

/// FP-13
#[test]
fn a_host_may_not_reach_any_other_crate_of_ours() {
    for layer in [
        "types",
        "capsule",
        "trace",
        "actor",
        "authority",
        "verify",
        "not-yet-written",
    ] {
        refuses("host", &format!("counterfoil-{layer}"), "FP-13");
    }
}

/// FP-14
#[test]
fn the_core_may_not_reach_the_store() {
    refuses("core", "counterfoil-store", "FP-14");
    refuses("core", "counterfoil-sqlite", "FP-14");
}

/// FP-14
#[test]
fn the_core_may_not_reach_prove() {
    refuses("core", "counterfoil-prover", "FP-14");
}

/// FP-14
#[test]
fn the_core_may_not_reach_verify_proof() {
    refuses("core", "counterfoil-verifier", "FP-14");
}

/// FP-14
#[test]
fn the_core_may_not_reach_the_selector() {
    refuses("core", "counterfoil-selector", "FP-14");
}

/// FP-14
#[test]
fn the_core_may_not_reach_any_other_crate_of_ours() {
    for layer in [
        "types",
        "capsule",
        "trace",
        "actor",
        "authority",
        "verify",
        "not-yet-written",
    ] {
        refuses("core", &format!("counterfoil-{layer}"), "FP-14");
    }
}

/// FP-16
#[test]
fn an_authority_may_not_reach_the_store() {
    refuses("authority", "counterfoil-store", "FP-16");
    refuses("authority", "counterfoil-sqlite", "FP-16");
}

/// FP-15
#[test]
fn an_authority_may_not_reach_prove() {
    refuses("authority", "counterfoil-prover", "FP-15");
    refuses("authority", "counterfoil-capsule", "FP-15");
}

/// M-4, CR-12, FP-04
#[test]
fn an_authority_may_not_reach_the_selector() {
    refuses("authority", "counterfoil-selector", "FP-04");
}

/// Section 9.2.3: the trace is read-only for an authority.
#[test]
fn an_authority_may_not_write_traces() {
    refuses("authority", "counterfoil-actor", "9.2.3");
    refuses("authority", "counterfoil-not-yet-written", "9.2.3");
}

/// Section 9.2.3: the one row that is neither all yes nor all no.
#[test]
fn an_authority_may_verify_proofs_and_read_traces() {
    for layer in ["authority", "verifier", "trace", "types"] {
        allows("authority", &format!("counterfoil-{layer}"));
    }
}

/// M-8, CR-16, FP-09
#[test]
fn a_verifier_may_not_reach_the_store() {
    refuses("verifier", "counterfoil-store", "FP-09");
    refuses("verifier", "counterfoil-sqlite", "FP-09");
}

/// M-8, CR-16, FP-11
#[test]
fn a_verifier_may_not_reach_an_actors_context() {
    for layer in ["actor", "trace", "authority"] {
        refuses("verifier", &format!("counterfoil-{layer}"), "FP-11");
    }
}

/// M-8, CR-16
#[test]
fn a_verifier_may_not_reach_anything_else_of_ours() {
    for layer in ["prover", "capsule", "selector", "not-yet-written"] {
        refuses("verifier", &format!("counterfoil-{layer}"), "M-8");
    }
}

/// MR-04
#[test]
fn a_verifier_may_build_on_the_verifier_crate() {
    allows("verifier", "counterfoil-verifier");
    allows("verifier", "counterfoil-types");
}

/// Section 9.2.1
#[test]
fn an_actor_may_reach_everything() {
    for layer in [
        "types", "capsule", "store", "sqlite", "prover", "verifier", "selector", "trace",
    ] {
        allows("actor", &format!("counterfoil-{layer}"));
    }
}
