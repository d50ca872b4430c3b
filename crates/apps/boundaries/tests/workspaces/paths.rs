//! Every way in which a dependency can hide from a reader of one manifest, with a twin in the Actor's role.

use crate::stubs::{Workspace, on_stub, role};

const STORE: &str = "counterfoil-store";

/// The one path by which a Host of this workspace reaches the store; none for the twin.
#[track_caller]
fn path(host: &str, around: impl Fn(Workspace) -> Workspace) -> String {
    let check = |as_role: &str| {
        let base = Workspace::new().stub(STORE, "");
        around(base)
            .package("host", &(role(as_role) + host))
            .check()
            .unwrap()
    };
    let twin = check("actor");
    assert!(twin.holds(), "{twin}");
    let report = check("host");
    let [violation] = report.violations.as_slice() else {
        panic!("{report}")
    };
    assert!(violation.rule.contains("FP-13"), "{violation}");
    violation.path.as_ref().unwrap().to_string()
}

fn alone(workspace: Workspace) -> Workspace {
    workspace
}

#[test]
fn a_renamed_dependency_is_caught() {
    let host = "[dependencies]\nserde = { package = \"counterfoil-store\", path = \"../../stubs/counterfoil-store\" }\n";
    assert_eq!(
        path(host, alone),
        "host -> counterfoil-store (renamed `serde`)"
    );
}

#[test]
fn an_optional_dependency_is_caught_though_no_default_feature_asks_for_it() {
    let host = "[features]\nmemory = [\"dep:counterfoil-store\"]\n[dependencies]\ncounterfoil-store = { path = \"../../stubs/counterfoil-store\", optional = true }\n";
    assert_eq!(path(host, alone), "host -> counterfoil-store");
}

#[test]
fn a_dependency_for_another_platform_is_caught() {
    let host = format!(
        "[target.'cfg(target_os = \"haiku\")'.dependencies]\n{}",
        on_stub(STORE)
    );
    assert_eq!(
        path(&host, alone),
        "host -> counterfoil-store (for cfg(target_os = \"haiku\"))"
    );
}

#[test]
fn a_build_dependency_is_caught() {
    let host = format!("[build-dependencies]\n{}", on_stub(STORE));
    assert_eq!(
        path(&host, alone),
        "host -> counterfoil-store (build dependency)"
    );
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
    let outside = format!(
        "{}[dependencies]\ncounterfoil-store = {{ path = \"../counterfoil-store\" }}\n",
        role("core")
    );
    let report = Workspace::new()
        .stub(STORE, "")
        .stub("my-core", &outside)
        .package(
            "mine",
            &format!("{}[dependencies]\n{}", role("actor"), on_stub("my-core")),
        )
        .check()
        .unwrap();
    let [violation] = report.violations.as_slice() else {
        panic!("{report}")
    };
    assert_eq!(
        (violation.package.as_str(), violation.rule.as_str()),
        ("my-core", "FP-14")
    );
}

#[test]
fn what_lies_behind_a_forbidden_crate_is_not_a_second_finding() {
    let report = Workspace::new()
        .stub(STORE, "")
        .stub(
            "counterfoil-actor",
            "[dependencies]\ncounterfoil-store = { path = \"../counterfoil-store\" }\n",
        )
        .package(
            "mine",
            &format!(
                "{}[dependencies]\n{}",
                role("authority"),
                on_stub("counterfoil-actor")
            ),
        )
        .check()
        .unwrap();
    assert_eq!(report.violations.len(), 1, "{report}");
}

#[test]
fn a_dev_dependency_is_allowed_and_reported() {
    let report = Workspace::new()
        .stub(STORE, "")
        .package(
            "host",
            &format!("{}[dev-dependencies]\n{}", role("host"), on_stub(STORE)),
        )
        .check()
        .unwrap();
    assert!(report.holds(), "{report}");
    let paths: Vec<_> = report.checked[0]
        .dev_only
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(paths, ["host -> counterfoil-store (dev-dependency)"]);
}

#[test]
fn a_dependency_for_tests_and_for_all_else_counts_as_one_for_all_else() {
    let host = format!("[dependencies]\n{0}[dev-dependencies]\n{0}", on_stub(STORE));
    assert_eq!(path(&host, alone), "host -> counterfoil-store");
}

#[test]
fn dev_dependencies_of_dependencies_lead_nowhere() {
    let report = Workspace::new()
        .stub(STORE, "")
        .package("helper", &format!("[dev-dependencies]\n{}", on_stub(STORE)))
        .package(
            "host",
            &format!(
                "{}[dependencies]\nhelper = {{ path = \"../helper\" }}\n",
                role("host")
            ),
        )
        .check()
        .unwrap();
    assert!(
        report.holds() && report.checked[0].dev_only.is_empty(),
        "{report}"
    );
    assert_eq!(report.without_role, ["helper"]);
}

/// M-8, FP-08: the role promises purity, and `std` is all that IO and a clock take.
#[test]
fn a_verifier_must_be_no_std() {
    let check = |source: &str| {
        Workspace::new()
            .package_with_source("method", &role("verifier"), source)
            .check()
            .unwrap()
    };
    let pure = check("#![no_std]\nextern crate alloc;\n");
    assert!(pure.holds(), "{pure}");
    for source in ["pub fn read() {}\n", "#![no_std]\nextern crate std;\n"] {
        let report = check(source);
        let [violation] = report.violations.as_slice() else {
            panic!("{report}")
        };
        assert!(violation.rule.contains("FP-08"), "{violation}");
    }
}

#[test]
fn an_optional_dependency_outside_of_the_workspace_is_caught_or_told() {
    let check = |optional: &str| {
        let helper = format!(
            "[dependencies]\n{optional} = {{ path = \"../{optional}\", optional = true }}\n"
        );
        Workspace::new()
            .stub(optional, "")
            .stub("helper", &helper)
            .package(
                "host",
                &format!("{}[dependencies]\n{}", role("host"), on_stub("helper")),
            )
            .check()
            .unwrap()
    };
    let report = check(STORE);
    let [violation] = report.violations.as_slice() else {
        panic!("{report}")
    };
    assert!(violation.rule.contains("FP-13"), "{violation}");
    let told = check("vendor");
    assert!(told.holds(), "{told}");
    assert_eq!(told.not_looked_at, ["helper -> vendor"]);
}
