//! Hooks of coding agents as processes: they answer in JSON and always end with 0.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Instant;

use serde_json::{Value, json};

use crate::client::{PROGRAM, place};

fn hook(store: &Path, event: &str, input: &str) -> Output {
    let mut child = Command::new(PROGRAM)
        .arg("--dir")
        .arg(store)
        .args(["hook", event])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    drop(stdin);
    child.wait_with_output().unwrap()
}

fn counterfoil(store: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(PROGRAM);
    let output = command
        .arg("--dir")
        .arg(store)
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_hook_ends_with_0_and_one_line_whatever_happens() {
    let (_folder, store) = place();
    let input = json!({"session_id": "s", "prompt": "hello"}).to_string();
    let output = hook(&store, "user-prompt", &input);
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stdout), "{}\n");
    assert_eq!(String::from_utf8_lossy(&output.stderr).lines().count(), 1);
    counterfoil(&store, &["init"]);
    // A database that is none.
    let other = store.with_file_name("other");
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("memory.db"), "no database").unwrap();
    for (store, input) in [(&store, "{"), (&store, "[]"), (&other, input.as_str())] {
        let output = hook(store, "session-start", input);
        assert!(output.status.success());
        assert_eq!(String::from_utf8_lossy(&output.stdout), "{}\n");
    }
}

#[test]
fn a_session_of_a_coding_agent() {
    let (_folder, store) = place();
    counterfoil(&store, &["init"]);
    counterfoil(&store, &["remember", "Kit is allergic to sesame"]);
    let start = json!({
        "session_id": "s1", "transcript_path": "/none", "cwd": "/", "hook_event_name": "SessionStart", "source": "startup",
    });
    let output = hook(&store, "session-start", &start.to_string());
    let output: Value = serde_json::from_slice(&output.stdout).unwrap();
    let injected = &output["hookSpecificOutput"];
    assert_eq!(injected["hookEventName"], "SessionStart");
    assert!(
        injected["additionalContext"]
            .as_str()
            .unwrap()
            .contains("sesame")
    );

    let prompt = json!({"session_id": "s1", "hook_event_name": "UserPromptSubmit", "prompt": "We ship atlas on Friday"});
    let began = Instant::now();
    let output = hook(&store, "user-prompt", &prompt.to_string());
    // A figure to look at, and no assertion: the machine may be busy.
    println!("user-prompt took {:?}", began.elapsed());
    assert!(output.status.success());
    let recalled = counterfoil(&store, &["recall", "When do we ship atlas?", "--json"]);
    assert!(recalled.contains("We ship atlas on Friday"), "{recalled}");
}
