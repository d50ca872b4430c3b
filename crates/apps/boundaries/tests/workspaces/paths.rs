//! Every way in which a dependency can hide from a reader of one manifest, with a twin in the Actor's role.

use counterfoil_boundaries::Report;

use crate::stubs::{Workspace, on_stub, only, paths, role};

const STORE: &str = "counterfoil-store";

/// The one path by which a Host of this workspace reaches the store; none for the twin.
#[track_caller]
fn path(host: &str, around: impl Fn(Workspace) -> Workspace) -> String {
    let check = |as_role: &str| {
        let base = Workspace::new().stub(STORE, "");
        let manifest = role(as_role) + host;
        around(base).package("host", &manifest).check().unwrap()
    };
    let twin = check("actor");
    assert!(twin.holds(), "{twin}");
    let report = check("host");
    assert_eq!(only(&report, "rule"), "FP-13");
    paths(&report).remove(0)
}

/// The report on a Host with these lines in its manifest.
fn check_host(workspace: Workspace, manifest: &str) -> Report {
    let manifest = role("host") + manifest;
    workspace
        .stub(STORE, "")
        .package("host", &manifest)
        .check()
        .unwrap()
}

fn alone(workspace: Workspace) -> Workspace {
    workspace
}

#[test]
fn a_dependency_is_caught_however_it_is_written() {
    for (host, found) in [
        (
            "[dependencies]\nserde = { package = \"counterfoil-store\", path = \"../../stubs/counterfoil-store\" }\n",
            "host -> counterfoil-store (renamed `serde`)",
        ),
        (
            "[features]\nmemory = [\"dep:counterfoil-store\"]\n[dependencies]\ncounterfoil-store = { path = \"../../stubs/counterfoil-store\", optional = true }\n",
            "host -> counterfoil-store",
        ),
        (
            &format!(
                "[target.'cfg(target_os = \"haiku\")'.dependencies]\n{}",
                on_stub(STORE)
            ),
            "host -> counterfoil-store (for cfg(target_os = \"haiku\"))",
        ),
        (
            &format!("[build-dependencies]\n{}", on_stub(STORE)),
            "host -> counterfoil-store (build dependency)",
        ),
        (
            &format!("[dependencies]\n{0}[dev-dependencies]\n{0}", on_stub(STORE)),
            "host -> counterfoil-store",
        ),
    ] {
        assert_eq!(path(host, alone), found);
    }
}

#[test]
fn a_dependency_inherited_from_the_workspace_is_caught() {
    let host = "[dependencies]\ncounterfoil-store.workspace = true\n";
    let root =
        "[workspace.dependencies]\ncounterfoil-store = { path = \"../stubs/counterfoil-store\" }\n";
    assert_eq!(
        path(host, |workspace| workspace.root(root)),
        "host -> counterfoil-store"
    );
}

#[test]
fn a_path_through_packages_without_a_role_is_caught_and_named_in_full() {
    let host = "[dependencies]\nhelper = { path = \"../helper\" }\n";
    let found = path(host, |workspace| {
        workspace
            .package("helper", &format!("[build-dependencies]\n{}", on_stub("vendor")))
            .stub("vendor", "[dependencies]\ndb = { package = \"counterfoil-store\", path = \"../counterfoil-store\" }\n")
    });
    assert_eq!(
        found,
        "host -> helper -> vendor (build dependency) -> counterfoil-store (renamed `db`)"
    );
}

#[test]
fn the_shortest_of_several_paths_is_named() {
    let host =
        "[dependencies]\nlonger = { path = \"../longer\" }\nshort = { path = \"../short\" }\n";
    let found = path(host, |workspace| {
        workspace
            .package("longer", "[dependencies]\nlong = { path = \"../long\" }\n")
            .package("long", &format!("[dependencies]\n{}", on_stub(STORE)))
            .package("short", &format!("[dependencies]\n{}", on_stub(STORE)))
    });
    assert_eq!(found, "host -> short -> counterfoil-store");
}

#[test]
fn a_path_through_a_package_that_is_allowed_it_is_still_a_path() {
    let host = "[dependencies]\nmy-actor = { path = \"../my-actor\" }\n";
    let found = path(host, |workspace| {
        workspace.package(
            "my-actor",
            &format!("{}[dependencies]\n{}", role("actor"), on_stub(STORE)),
        )
    });
    assert_eq!(found, "host -> my-actor -> counterfoil-store");
}

#[test]
fn a_role_declared_outside_of_the_workspace_is_checked_too() {
    let to_store = "[dependencies]\ncounterfoil-store = { path = \"../counterfoil-store\" }\n";
    let workspace = Workspace::new().stub(STORE, "");
    let workspace = workspace.stub("my-core", &(role("core") + to_store));
    let report = workspace.with_mine("actor", "my-core").check().unwrap();
    assert_eq!(only(&report, "package"), "my-core");
    assert_eq!(only(&report, "rule"), "FP-14");
}

#[test]
fn what_lies_behind_a_forbidden_crate_is_not_a_second_finding() {
    let to_store = "[dependencies]\ncounterfoil-store = { path = \"../counterfoil-store\" }\n";
    let workspace = Workspace::new()
        .stub(STORE, "")
        .stub("counterfoil-actor", to_store);
    let report = workspace
        .with_mine("authority", "counterfoil-actor")
        .check()
        .unwrap();
    assert_eq!(only(&report, "package"), "mine");
}

#[test]
fn a_dev_dependency_is_allowed_and_reported() {
    let report = check_host(
        Workspace::new(),
        &format!("[dev-dependencies]\n{}", on_stub(STORE)),
    );
    assert!(report.holds(), "{report}");
    let path = "host -> counterfoil-store (dev-dependency)";
    assert_eq!(
        report.to_json()["checked"][0]["devOnly"],
        serde_json::json!([path])
    );
}

#[test]
fn dev_dependencies_of_dependencies_lead_nowhere() {
    let helper = format!("[dev-dependencies]\n{}", on_stub(STORE));
    let workspace = Workspace::new().package("helper", &helper);
    let report = check_host(
        workspace,
        "[dependencies]\nhelper = { path = \"../helper\" }\n",
    );
    let found = report.to_json();
    assert!(report.holds(), "{report}");
    assert_eq!(found["checked"][0]["devOnly"], serde_json::json!([]));
    assert_eq!(found["withoutRole"], serde_json::json!(["helper"]));
}

/// M-8, FP-08: the role promises purity, and `std` is all that IO and a clock take.
#[test]
fn a_verifier_must_be_no_std() {
    let check = |source: &str| {
        let workspace = Workspace::new();
        let workspace = workspace.package_with_source("method", &role("verifier"), source);
        workspace.check().unwrap()
    };
    let pure = check("#![no_std]\nextern crate alloc;\n");
    assert!(pure.holds(), "{pure}");
    for source in ["pub fn read() {}\n", "#![no_std]\nextern crate std;\n"] {
        assert!(only(&check(source), "rule").contains("FP-08"));
    }
}

#[test]
fn an_optional_dependency_outside_of_the_workspace_is_caught_or_listed() {
    let check = |optional: &str| {
        let helper = format!(
            "[dependencies]\n{optional} = {{ path = \"../{optional}\", optional = true }}\n"
        );
        let workspace = Workspace::new().stub("vendor", "").stub("helper", &helper);
        check_host(workspace, &format!("[dependencies]\n{}", on_stub("helper")))
    };
    assert_eq!(only(&check(STORE), "rule"), "FP-13");
    let listed = check("vendor");
    assert!(listed.holds(), "{listed}");
    assert_eq!(
        listed.to_json()["notLookedAt"],
        serde_json::json!(["helper -> vendor"])
    );
}
