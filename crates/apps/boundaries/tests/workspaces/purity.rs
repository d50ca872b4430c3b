//! M-8, CR-16, FP-08: every way past the purity of a verifier or prover, with a pure twin.

use crate::stubs::{Workspace, on_stub, paths, role};
use cargo_metadata::{Metadata, MetadataCommand};
use counterfoil_boundaries::{Graph, Report, check_roles};

const HELPER: &str = "[dependencies]\nhelper = { path = \"../helper\" }\n";

fn verifier(workspace: Workspace, manifest: &str, source: &str) -> Report {
    of_role("verifier", workspace, manifest, source)
}

fn of_role(as_role: &str, workspace: Workspace, manifest: &str, source: &str) -> Report {
    workspace
        .package_with_source("method", &(role(as_role) + manifest), source)
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

/// M-7, M-8, CR-16, FP-08: what an application's `prove` may be, and may not.
#[test]
fn a_prover_is_as_pure_as_a_verifier() {
    let check = |source: &str| {
        let workspace = Workspace::new().stub("counterfoil-prover", "");
        let manifest = format!("[dependencies]\n{}", on_stub("counterfoil-prover"));
        let source = format!("#![no_std]\nextern crate alloc;\n{source}");
        of_role("prover", workspace, &manifest, &source)
    };
    let twin = check("pub use counterfoil_prover as prover;\npub static NAME: &str = \"mine\";\n");
    assert!(twin.holds(), "{twin}");
    for source in [
        "extern crate std;",
        "macro_rules! m { ($c:ident) => { extern crate $c; } } m!(std);",
        "static COUNT: core::sync::atomic::AtomicU64 = core::sync::atomic::AtomicU64::new(0);",
        "use core::sync::*; pub struct P(atomic::AtomicBool);",
        "pub fn count(x: &alloc::sync::Arc<()>) -> usize { alloc::sync::Arc::strong_count(x) }",
    ] {
        refused(&check(source));
    }
}

/// M-8, CR-16, FP-08: no scan of tokens shows these, and the compiler is asked.
#[test]
fn what_the_compiler_resolves_counts_and_not_what_a_source_looks_like() {
    for source in [
        "#![no_std]\npub fn f() { unsafe { core::hint::unreachable_unchecked() } }\n",
        "#![no_std]\npub fn now() { std::time::Instant::now(); }\n",
    ] {
        let report = verifier(Workspace::new(), "", source);
        refused(&report);
        assert!(report.to_string().contains("src/lib.rs:2"), "{report}");
    }
    let hidden = "pub mod file { pub use std::fs::read; }\n";
    let report = from_elsewhere("hex", REGISTRY, hidden);
    refused(&report);
    assert_eq!(paths(&report), ["method -> hex"]);
}

const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// A stub, its metadata changed to that of a crate from `source`: no registry is asked.
fn from_elsewhere(name: &str, source: &str, library: &str) -> Report {
    let dependency = format!("[dependencies]\n{}", on_stub(name));
    let workspace = Workspace::new()
        .stub(name, "")
        .file(&format!("../stubs/{name}/src/lib.rs"), library)
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
}

#[test]
fn a_crate_from_elsewhere_must_be_on_the_list() {
    let pure = "#![no_std]\n";
    refused(&from_elsewhere("chrono", REGISTRY, pure));
    refused(&from_elsewhere("hex", "git+https://example.org/hex", pure));
    let twin = from_elsewhere("hex", REGISTRY, pure);
    assert!(twin.holds(), "{twin}");
}
