//! M-8, CR-16, FP-08: every way past the purity of a verifier, with a pure twin.

use crate::stubs::{Workspace, on_stub, paths, role};
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
    let text = report.to_string();
    assert!(text.contains(" breaks M-8, CR-16, FP-08: "), "{text}");
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
        let path = &paths(&report)[0];
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
    assert_eq!(paths(&report)[0], "method -> helper -> clock");
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
fn a_build_script_and_every_way_around_no_std_are_refused() {
    let build = || Workspace::new().file("method/build.rs", "fn main() {}\n");
    refused(&verifier(build(), "", "#![no_std]\n"));
    let outside = || Workspace::new().file("method/more/m.rs", "extern crate std;\n");
    for source in [
        "#![no_std]\nextern\ncrate std;\n",
        "mod z {\n#![no_std]\n}\n",
        "#![no_std]\n#[path = \"../more/m.rs\"] mod m;\n",
    ] {
        refused(&verifier(outside(), "", source));
    }
    let library = "[lib]\nproc-macro = true\n";
    let helper = Workspace::new().package_with_source("helper", library, "#![no_std]\n");
    refused(&verifier(helper, HELPER, "#![no_std]\n"));
}

/// A stub's metadata, its source changed: no registry is asked.
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
