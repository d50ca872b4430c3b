//! The fence of this workspace refuses: on stub workspaces that are made from the table and broken in one place,
//! and on doctored copies of its real graph.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use cargo_metadata::{CargoOpt, Metadata, MetadataCommand};
use counterfoil_boundaries::own::{self, dependencies};
use counterfoil_boundaries::{Graph, Report};

use crate::stubs::Workspace;

const PURE: &str = "#![no_std]\nextern crate alloc;\n#[cfg(test)]\nextern crate std;\n";

/// Stubs of crates from elsewhere, which the broken workspaces use.
const ELSEWHERE: &[(&str, &str)] = &[
    ("serde", ""),
    ("tokio", ""),
    ("untested", ""),
    ("getrandom", ""),
    (
        "cc",
        "[dependencies]\ngetrandom = { path = \"../getrandom\" }\n",
    ),
    (
        "blake3",
        "[features]\npure = []\n[build-dependencies]\ncc = { path = \"../cc\" }\n",
    ),
    ("hex", "[dependencies]\ntokio = { path = \"../tokio\" }\n"),
    ("base64", "links = \"base64\"\nbuild = \"build.rs\"\n"),
];

/// A stub for each row of the table, `manifest` added to that of `package`, `source` in place of its library.
fn check_with(package: &str, manifest: &str, source: &str) -> Report {
    let workspace = ELSEWHERE
        .iter()
        .fold(Workspace::new(), |workspace, (name, manifest)| {
            workspace.stub(name, manifest)
        });
    let workspace = dependencies().fold(workspace, |workspace, (name, direct)| {
        let direct: String = direct.iter().map(|name| ours(name)).collect();
        let (more, source) = if name == package {
            (manifest, source)
        } else {
            ("", PURE)
        };
        let manifest = format!("[dependencies]\n{direct}{more}");
        workspace.package_at(&format!("crates/{name}"), name, &manifest, source)
    });
    own::check(&workspace.graph()).unwrap()
}

fn check(package: &str, manifest: &str) -> Report {
    check_with(package, manifest, PURE)
}

fn ours(name: &str) -> String {
    format!("{name} = {{ path = \"../{name}\" }}\n")
}

fn elsewhere(name: &str) -> String {
    format!("{name} = {{ path = \"../../../stubs/{name}\" }}\n")
}

#[track_caller]
fn finds(report: &Report, rule: &str, path: &str) {
    let text = report.to_string();
    let found = text.split("\n\n").any(|finding| {
        let (head, shown) = finding.split_once('\n').unwrap_or((finding, ""));
        head.contains(&format!(" breaks {rule}: ")) && shown.trim() == path
    });
    assert!(found, "no finding of `{rule}` with `{path}` in:\n{report}");
}

#[test]
fn a_workspace_made_from_the_table_passes() {
    let report = check("", "");
    assert!(report.holds(), "{report}");
    let checked = report.to_json()["checked"].as_array().unwrap().len();
    assert_eq!(checked, dependencies().count());
}

/// FP-04, FP-15, FP-16: one line in one manifest undoes all three.
#[test]
fn an_authority_that_depends_on_the_actor_is_refused() {
    let report = check("counterfoil-authority", &ours("counterfoil-actor"));
    finds(
        &report,
        "direct dependencies",
        "counterfoil-authority -> counterfoil-actor",
    );
    finds(
        &report,
        "closure",
        "counterfoil-verify -> counterfoil-authority -> counterfoil-actor",
    );
}

/// FP-16
#[test]
fn a_build_dependency_of_the_authority_on_the_store_is_refused() {
    let line = format!("[build-dependencies]\n{}", ours("counterfoil-store"));
    finds(
        &check("counterfoil-authority", &line),
        "direct dependencies",
        "counterfoil-authority -> counterfoil-store (build dependency)",
    );
}

/// FP-09
#[test]
fn an_optional_dependency_of_the_verifier_on_the_store_is_refused() {
    let line = "counterfoil-memory = { package = \"counterfoil-store\", path = \"../counterfoil-store\", optional = true }\n";
    let report = check("counterfoil-trace", line);
    finds(
        &report,
        "direct dependencies",
        "counterfoil-trace -> counterfoil-store (renamed `counterfoil_memory`)",
    );
    finds(
        &report,
        "closure",
        "counterfoil-authority -> counterfoil-trace -> counterfoil-store (renamed `counterfoil_memory`)",
    );
}

#[test]
fn a_crate_from_elsewhere_that_is_not_on_the_list_is_refused_in_pure_crates() {
    let report = check("counterfoil-types", &elsewhere("untested"));
    finds(&report, "allow-list", "counterfoil-types -> untested");
    let report = check("counterfoil-types", &elsewhere("serde"));
    assert!(report.holds(), "{report}");
    let report = check("counterfoil-store", &elsewhere("untested"));
    assert!(report.holds(), "{report}");
}

/// M-8: what an allowed crate brings along counts.
#[test]
fn a_heavy_crate_behind_an_allowed_one_is_refused() {
    let report = check("counterfoil-verifier", &elsewhere("hex"));
    finds(
        &report,
        "heavy crates",
        "counterfoil-verifier -> hex -> tokio",
    );
    finds(
        &report,
        "heavy crates",
        "counterfoil-verify -> counterfoil-authority -> counterfoil-verifier -> hex -> tokio",
    );
}

#[test]
fn blake3_is_excused_its_c_compiler_while_the_feature_pure_is_on_and_no_one_else_is() {
    let with = "blake3 = { path = \"../../../stubs/blake3\", features = [\"pure\"] }\n";
    let report = check("counterfoil-types", with);
    assert!(report.holds(), "{report}");
    let cc = "counterfoil-types -> blake3 -> cc (build dependency)";
    finds(
        &check("counterfoil-types", &elsewhere("blake3")),
        "heavy crates",
        cc,
    );
    let both = format!("{with}[build-dependencies]\n{}", elsewhere("cc"));
    finds(
        &check("counterfoil-types", &both),
        "heavy crates",
        "counterfoil-types -> cc (build dependency)",
    );
}

#[test]
fn a_system_library_behind_a_pure_crate_is_refused() {
    let report = check("counterfoil-types", &elsewhere("base64"));
    finds(&report, "heavy crates", "counterfoil-types -> base64");
}

/// M-8, FP-08
/// (NS-02)
#[test]
fn a_pure_crate_with_std_is_refused() {
    for source in ["", "#![no_std]\nextern crate std;\n"] {
        finds(
            &check_with("counterfoil-verifier", "", source),
            "M-8, FP-08",
            "",
        );
    }
    let report = check_with("counterfoil-store", "", "");
    assert!(report.holds(), "{report}");
}

#[test]
fn a_dependency_that_the_table_has_and_the_manifest_has_not_is_refused() {
    let workspace = dependencies().fold(Workspace::new(), |workspace, (name, _)| {
        workspace.package_at(&format!("crates/{name}"), name, "", PURE)
    });
    finds(
        &own::check(&workspace.graph()).unwrap(),
        "direct dependencies",
        "",
    );
}

#[test]
fn a_crate_without_a_row_and_a_row_without_a_crate_are_refused() {
    let workspace = Workspace::new().package_at("crates/new", "counterfoil-new", "", PURE);
    let report = own::check(&workspace.graph()).unwrap();
    let found = report.to_json()["violations"].as_array().unwrap().len();
    assert_eq!(found, 1 + dependencies().count(), "{report}");
}

/// Metadata of this workspace, with every feature.
fn this_workspace() -> Metadata {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../Cargo.toml");
    let mut command = MetadataCommand::new();
    command
        .features(CargoOpt::AllFeatures)
        .manifest_path(root)
        .exec()
        .unwrap()
}

/// Adversarial cases A4 and A13: with these features of serde_json, numbers that are not doubles would be read,
/// or doubles as their neighbours. Features are unified over a build, so all of the graph counts.
#[test]
fn numbers_are_exact_doubles_in_every_build() {
    let metadata = this_workspace();
    let versions: Vec<_> = metadata
        .packages
        .iter()
        .filter(|it| it.name == "serde_json")
        .collect();
    let [package] = versions.as_slice() else {
        panic!("two versions of serde_json")
    };
    let mut nodes = metadata.resolve.iter().flat_map(|resolve| &resolve.nodes);
    let features = &nodes.find(|node| node.id == package.id).unwrap().features;
    assert!(!features.iter().any(|it| *it == "arbitrary_precision"));
    assert!(features.iter().any(|it| *it == "float_roundtrip"));
}

/// The real graph of this workspace, not a stub: the fence holds, and one edge breaks it.
#[test]
fn this_workspace_is_fenced_and_one_edge_more_breaks_it() {
    let mut metadata = this_workspace();
    let report = own::check(&Graph::from_metadata(&metadata).unwrap()).unwrap();
    assert!(report.holds(), "{report}");

    let authority = metadata
        .packages
        .iter()
        .find(|it| it.name == "counterfoil-authority");
    let authority = authority.unwrap().id.clone();
    let nodes = &mut metadata.resolve.as_mut().unwrap().nodes;
    let mut dependencies = nodes.iter().flat_map(|node| &node.deps);
    let actor = dependencies
        .find(|it| it.name == "counterfoil_actor")
        .unwrap()
        .clone();
    let authority = nodes.iter_mut().find(|node| node.id == authority).unwrap();
    authority.deps.push(actor);
    let report = own::check(&Graph::from_metadata(&metadata).unwrap()).unwrap();
    finds(
        &report,
        "direct dependencies",
        "counterfoil-authority -> counterfoil-actor",
    );
}

/// Section 1.3: an application that brings its own store, prover or selector, or attaches a trace, compiles at most 25 packages,
/// three of this project.
/// (NS-01)
#[test]
fn an_interface_reaches_the_vocabulary_alone() {
    for name in [
        "memory-store",
        "memory-verifier",
        "memory-selector",
        "trace-writer",
    ] {
        let package = format!("counterfoil-{name}");
        let tree = "tree --offline --edges normal,build --prefix none --format {p} --package";
        let output = Command::new(env!("CARGO"))
            .args(tree.split(' '))
            .arg(&package)
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let packages: BTreeSet<&str> = text
            .lines()
            .filter_map(|line| line.split(' ').next())
            .collect();
        assert!(packages.contains(&*package), "{text}");
        assert!(packages.len() <= 25, "{name}: {packages:?}");
        let ours = packages
            .iter()
            .filter(|name| name.starts_with("counterfoil"));
        assert!(ours.count() <= 3, "{name}: {packages:?}");
    }
}
