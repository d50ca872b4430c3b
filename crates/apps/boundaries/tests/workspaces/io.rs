//! Section 9.2.3, FP-16: an Authority reaches no database, file, process or network, by no crate and through none.

use counterfoil_boundaries::Report;

use crate::stubs::{Workspace, on_stub, only, paths, role};

/// A package of this role whose helper depends on the stub, with these lines.
fn behind_helper(
    as_role: &str,
    stub: &str,
    manifest: &str,
    dependency: &str,
    root: &str,
) -> Report {
    Workspace::new()
        .stub(stub, manifest)
        .package("helper", &format!("[dependencies]\n{dependency}"))
        .package(
            "mine",
            &format!(
                "{}[dependencies]\nhelper = {{ path = \"../helper\" }}\n",
                role(as_role)
            ),
        )
        .root(root)
        .check()
        .unwrap()
}

/// FP-16
#[test]
fn an_authority_reaches_no_crate_that_does_io() {
    for stub in [
        "rusqlite",
        "sqlx-core",
        "redis",
        "reqwest",
        "hyper",
        "tempfile",
        "async-process",
    ] {
        let report = behind_helper("authority", stub, "", &on_stub(stub), "");
        assert_eq!(only(&report, "rule"), "section 9.2.3, FP-16", "{report}");
        assert_eq!(paths(&report), [format!("mine -> helper -> {stub}")]);
        for (twin, stub) in [("actor", stub), ("authority", "hex")] {
            let report = behind_helper(twin, stub, "", &on_stub(stub), "");
            assert!(report.holds(), "{report}");
        }
    }
}

/// FP-16: the runtime does IO by feature.
#[test]
fn tokio_counts_with_the_features_that_do_io() {
    let with = |features: &str| {
        let dependency =
            format!("tokio = {{ path = \"../../stubs/tokio\", features = [{features}] }}\n");
        behind_helper(
            "authority",
            "tokio",
            "[features]\nsync = []\nfs = []\nnet = []\n",
            &dependency,
            "",
        )
    };
    assert!(with("\"sync\"").holds());
    assert_eq!(
        paths(&with("\"sync\", \"net\"")),
        ["mine -> helper -> tokio"]
    );
}

/// FP-16: no list of ours has the application's own database.
#[test]
fn a_workspace_adds_its_own_crates() {
    let check = |root: &str| behind_helper("authority", "app-db", "", &on_stub("app-db"), root);
    assert!(check("").holds());
    let report = check("[workspace.metadata.counterfoil]\nio-crates = [\"app-db\"]\n");
    assert_eq!(paths(&report), ["mine -> helper -> app-db"]);
}

/// The library of authorities folds a proven belief again; the engine by itself has the gate and channels (decision 0015).
#[test]
fn an_authority_judges_beliefs_through_the_library_alone() {
    let check = |direct: &str| {
        let claims = "[dependencies]\ncounterfoil-claims = { path = \"../counterfoil-claims\" }\n";
        Workspace::new()
            .stub("counterfoil-claims", "")
            .stub("counterfoil-verify", claims)
            .stub("helper", claims)
            .with_mine("authority", direct)
            .check()
            .unwrap()
    };
    let report = check("counterfoil-verify");
    assert!(report.holds(), "{report}");
    for direct in ["counterfoil-claims", "helper"] {
        assert_eq!(only(&check(direct), "rule"), "section 9.2.3");
    }
}
