//! `counterfoil-verify belief` on files: exit codes, both forms, one line for what cannot be used.

use std::path::Path;
use std::process::{Command, Output};

use counterfoil_authority::types::json::Value;
use tempfile::TempDir;

use crate::support::{Rig, document, done, with};

/// A folder with anchors and the proof of where Ann lives.
fn folder() -> (TempDir, Value, String) {
    let rig = Rig::new();
    let proof = document(&done(rig.moved_house().prove("ann", "lives in")));
    let folder = folder_of(&rig, &proof);
    (folder, proof, rig.now().value().to_string())
}

fn folder_of(rig: &Rig, proof: &Value) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let anchors = rig.anchors().to_json();
    put(folder.path(), "anchors.json", anchors.as_bytes());
    let proof = serde_json::to_vec(proof).expect("JSON");
    put(folder.path(), "belief.json", &proof);
    folder
}

fn put(folder: &Path, name: &str, bytes: &[u8]) {
    std::fs::write(folder.join(name), bytes).expect("a file");
}

fn run(folder: &Path, file: &str, more: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_counterfoil-verify"))
        .args(["belief", file, "--anchors", "anchors.json"])
        .args(more)
        .current_dir(folder)
        .output()
        .expect("the binary runs")
}

fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

#[test]
fn an_honest_proof_is_approved_and_told_what_it_does_not_show() {
    let (folder, _, now) = folder();
    let output = run(folder.path(), "belief.json", &["--now", &now]);
    let shown = stdout(&output);
    assert_eq!(code(&output), Some(0), "{shown}");
    for line in [
        "line      ann / lives in\n",
        "belief    resolved, external\n",
        "value     \"Porto\"  1 claim, 0 corroborations, confirmed 2027-01-16T08:00:00Z, fresh\n",
        "shown     3 units in example.com/log at size 4, the last recorded 2027-01-17T08:00:00Z\n",
        "not shown that the agent keeps no other line of that name elsewhere\n",
        "decision  APPROVED\n",
    ] {
        assert!(shown.contains(line), "no {line:?} in:\n{shown}");
    }
}

#[test]
fn the_report_is_one_json_document() {
    let (folder, proof, now) = folder();
    let output = run(folder.path(), "belief.json", &["--now", &now, "--json"]);
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["type"], "counterfoil/belief-report");
    assert_eq!(report["decision"], "approved");
    assert_eq!(report["reasons"][0]["code"], "belief-proven");
    assert_eq!(report["belief"], proof["belief"]);
    assert_eq!(report["question"], proof["question"]);
    assert_eq!(report["shown"]["units"], 3);
    assert_eq!(report["shown"]["checkpoint"]["size"], "4");
    assert_eq!(
        report["notShown"],
        serde_json::json!(["other-lines", "other-names", "truth"])
    );
}

#[test]
fn exit_codes_are_those_of_a_review() {
    let (folder, proof, now) = folder();
    let path = folder.path();
    let attack = with(proof, "/belief/status", "contested");
    put(
        path,
        "attack.json",
        &serde_json::to_vec(&attack).expect("JSON"),
    );
    put(path, "strict.toml", b"[belief]\nminimum_sources = 9\n");
    put(path, "wrong.toml", b"[belief]\nminimum_source = 9\n");
    put(path, "nothing.json", b"{}");
    for (file, more, expected) in [
        ("attack.json", &[][..], 1),
        ("belief.json", &["--policy", "strict.toml"], 1),
        ("belief.json", &["--policy", "wrong.toml"], 3),
        ("nothing.json", &[], 3),
        ("absent.json", &[], 3),
        ("belief.json", &["--wrong"], 3),
    ] {
        let more = [&["--now", &now], more].concat();
        let output = run(path, file, &more);
        assert_eq!(code(&output), Some(expected), "{file} {more:?}");
        let told = String::from_utf8(output.stderr.clone()).expect("UTF-8");
        assert_eq!(told.lines().count(), usize::from(expected == 3), "{told}");
        assert_eq!(output.stdout.is_empty(), expected == 3);
    }
}

/// I7: what a value says is shown and not obeyed.
#[test]
fn a_value_does_not_steer_the_terminal() {
    let rig = Rig::new();
    let memory = rig.user();
    done(
        memory
            .remember("ann", "likes", "\u{1b}[2J\u{202e}tea")
            .from("2020"),
    );
    let proof = document(&done(memory.prove("ann", "likes")));
    let folder = folder_of(&rig, &proof);
    for form in [&[][..], &["--json"]] {
        let shown = stdout(&run(folder.path(), "belief.json", form));
        assert!(!shown.contains(['\u{1b}', '\u{202e}']), "{shown:?}");
    }
}
