//! M-8, CR-16, FP-08: every way past the purity of a verifier, with a pure twin.

use crate::stubs::{Workspace, on_stub, role};
use cargo_metadata::{Metadata, MetadataCommand};
use counterfoil_boundaries::{Graph, Report, check_roles};

const HELPER: &str = "[dependencies]\nhelper = { path = \"../helper\" }\n";

fn verifier(workspace: Workspace, manifest: &str, source: &str) -> Report {
    workspace
        .package_with_source("method", &(role("verifier") + manifest), source)
        .check()
        .unwrap()
}

#[track_caller]
fn refused(report: &Report) {
    let found = report
        .violations
        .iter()
        .any(|one| one.rule.contains("FP-08"));
    assert!(found, "{report}");
}

#[test]
fn a_helper_that_is_not_pure_is_refused_and_named() {
    let with = |kind: &str, source: &str| {
        let workspace = Workspace::new().package_with_source("helper", "", source);
        let manifest = HELPER.replace("dependencies", kind);
        verifier(workspace, &manifest, "#![no_std]\n")
    };
    for kind in ["dependencies", "build-dependencies"] {
        let report = with(kind, "pub fn now() { std::fs::read(\"x\").ok(); }\n");
        refused(&report);
        let path = report.violations[0].path.as_ref().unwrap().to_string();
        assert!(path.starts_with("method -> helper"), "{path}");
        let twin = with(kind, "#![no_std]\n");
        assert!(twin.holds(), "{twin}");
    }
    let tests = with("dev-dependencies", "");
    assert!(tests.holds(), "{tests}");
}

#[test]
fn a_helper_behind_a_helper_is_not_forgotten() {
    let workspace = Workspace::new()
        .package(
            "helper",
            "[dependencies]\nclock = { path = \"../clock\" }\n",
        )
        .package_with_source("clock", "", "");
    let report = verifier(workspace, HELPER, "#![no_std]\n");
    refused(&report);
    let path = report.violations[0].path.as_ref().unwrap().to_string();
    assert_eq!(path, "method -> helper -> clock");
}

#[test]
fn a_build_script_is_refused() {
    let workspace = Workspace::new().file("method/build.rs", "fn main() {}\n");
    refused(&verifier(workspace, "", "#![no_std]\n"));
}

#[test]
fn a_verifier_without_a_library_is_refused() {
    let report = Workspace::new()
        .file("method/src/main.rs", "fn main() {}\n")
        .package("method", &format!("autolib = false\n{}", role("verifier")))
        .check()
        .unwrap();
    refused(&report);
}

#[test]
fn std_by_another_spelling_is_refused() {
    for source in [
        "#![no_std]\nextern\ncrate std;\n",
        "#![no_std]\nextern crate r#std;\n",
        "#![no_std]\n#[cfg(test)] mod t {}\nextern crate std;\n",
        "#![no_std]\nmacro_rules! m { ($c:ident) => { extern crate $c; } }\nm!(std);\n",
        "mod z {\n#![no_std]\n}\n",
    ] {
        refused(&verifier(Workspace::new(), "", source));
    }
}

#[test]
fn a_module_outside_of_the_sources_is_refused() {
    for source in [
        "#![no_std]\n#[path = \"../more/m.rs\"] mod m;\n",
        "#![no_std]\ninclude!(\"../more/m.rs\");\n",
    ] {
        let workspace = Workspace::new().file("method/more/m.rs", "extern crate std;\n");
        refused(&verifier(workspace, "", source));
    }
}

#[test]
fn a_helper_that_writes_code_is_refused() {
    let library = "[lib]\nproc-macro = true\n";
    let workspace = Workspace::new().package_with_source("helper", library, "#![no_std]\n");
    refused(&verifier(workspace, HELPER, "#![no_std]\n"));
}

/// A stub's metadata, its source changed: nobody is asked over the network.
#[test]
fn a_crate_from_elsewhere_must_be_on_the_list() {
    let from_elsewhere = |name: &str, source: &str| {
        let dependency = format!("[dependencies]\n{}", on_stub(name));
        let workspace = Workspace::new()
            .stub(name, "")
            .package("method", &(role("verifier") + &dependency));
        let mut metadata: Metadata = MetadataCommand::new()
            .manifest_path(workspace.manifest())
            .other_options(vec!["--offline".to_owned()])
            .exec()
            .unwrap();
        for package in metadata.packages.iter_mut().filter(|one| one.name == name) {
            package.source = Some(serde_json::from_value(source.into()).unwrap());
        }
        check_roles(&Graph::from_metadata(&metadata).unwrap()).unwrap()
    };
    let registry = "registry+https://github.com/rust-lang/crates.io-index";
    refused(&from_elsewhere("chrono", registry));
    refused(&from_elsewhere("hex", "git+https://example.org/hex"));
    let twin = from_elsewhere("hex", registry);
    assert!(twin.holds(), "{twin}");
}
