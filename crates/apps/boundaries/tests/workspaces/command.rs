//! `cargo counterfoil check-boundaries`: exit status, text and JSON, as users' scripts see them.

use std::process::{Command, Output};

use crate::stubs::{Workspace, on_stub, role};

fn run(workspace: &Workspace, more: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cargo-counterfoil"))
        .args([
            "counterfoil",
            "check-boundaries",
            "--offline",
            "--manifest-path",
        ])
        .arg(workspace.manifest())
        .args(more)
        .output()
        .unwrap()
}

fn host_with(dependencies: &str) -> Workspace {
    Workspace::new().stub("counterfoil-store", "").package(
        "host",
        &format!("{}[dependencies]\n{dependencies}", role("host")),
    )
}

#[test]
fn a_broken_boundary_exits_1_and_names_the_path() {
    let output = run(&host_with(&on_stub("counterfoil-store")), &[]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("host -> counterfoil-store") && text.contains("FP-13"),
        "{text}"
    );
}

#[test]
fn boundaries_that_hold_exit_0() {
    let output = run(&host_with(""), &[]);
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_package_without_a_role_is_an_error_where_that_is_asked_for() {
    let workspace = host_with("").package("helper", "");
    assert_eq!(run(&workspace, &[]).status.code(), Some(0));
    let output = run(&workspace, &["--strict"]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("helper (none) breaks --strict"), "{text}");
    assert_eq!(run(&host_with(""), &["--strict"]).status.code(), Some(0));
}

#[test]
fn json_says_the_same() {
    let output = run(&host_with(&on_stub("counterfoil-store")), &["--json"]);
    assert_eq!(output.status.code(), Some(1));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["status"], "violated");
    assert_eq!(
        report["violations"][0]["path"],
        serde_json::json!(["host", "counterfoil-store"])
    );
    assert_eq!(report["violations"][0]["role"], "host");
    assert_eq!(report["checked"][0]["package"], "host");

    let output = run(&host_with(""), &["--json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["status"], "ok");
}

#[test]
fn a_workspace_that_cannot_be_checked_exits_3() {
    let without_role = Workspace::new().package("mine", "");
    let misspelt = Workspace::new().package("mine", &role("hst"));
    for workspace in [without_role, misspelt] {
        let output = run(&workspace, &["--json"]);
        assert_eq!(output.status.code(), Some(3));
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["status"], "error");
        assert!(
            String::from_utf8(output.stderr)
                .unwrap()
                .starts_with("error: ")
        );
    }
}

#[test]
fn a_workspace_that_is_not_there_exits_3() {
    let output = Command::new(env!("CARGO_BIN_EXE_cargo-counterfoil"))
        .args([
            "counterfoil",
            "check-boundaries",
            "--manifest-path",
            "nowhere/Cargo.toml",
        ])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3));
}

#[test]
fn wrong_usage_exits_3_and_help_exits_0() {
    for (arguments, code) in [
        (vec!["counterfoil", "check"], 3),
        (vec!["counterfoil", "--help"], 0),
    ] {
        let status = Command::new(env!("CARGO_BIN_EXE_cargo-counterfoil"))
            .args(arguments)
            .output()
            .unwrap()
            .status;
        assert_eq!(status.code(), Some(code));
    }
}

#[test]
fn what_a_manifest_says_does_not_steer_the_terminal() {
    let table = "[package.metadata.counterfoil]\nrole = \"\\u001b[31mx\\u202e\\nmine ok\"\n";
    let output = run(&Workspace::new().package("mine", table), &["--json"]);
    assert_eq!(output.status.code(), Some(3));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["status"], "error");
    for bytes in [output.stdout, output.stderr] {
        let text = String::from_utf8(bytes).unwrap();
        assert!(
            !text.contains(['\u{1b}', '\u{202e}']) && !text.contains("\nmine ok"),
            "{text}"
        );
    }
}
