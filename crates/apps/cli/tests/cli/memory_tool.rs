//! The memory tool from the command line: one command on standard input, or a line each.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::place::{Place, Ran};

fn run(place: &Place, args: &[&str], input: &str) -> Ran {
    let args = ["memory-tool"].iter().chain(args);
    place.run_with_input(args, input.as_bytes())
}

/// A conversation of commands; each answer is a document, and what is wrong with a command ends nothing.
#[test]
fn a_line_is_answered_with_a_line() {
    let place = Place::new();
    let commands = [
        json!({"command": "create", "path": "/memories/kit.md", "file_text": "Kit likes tea\n"}),
        json!({"command": "view", "path": "/memories/../etc/passwd"}),
        json!({"command": "str_replace", "path": "/memories/kit.md", "old_str": "tea", "new_str": "coffee"}),
        json!({"command": "view", "path": "/memories/kit.md"}),
        json!({"command": "sing"}),
    ];
    let mut input = commands.map(|it| it.to_string()).join("\n");
    input += "\nnot JSON\n\n{\"command\": \"view\", \"path\": \"/memories\"}";
    let ran = run(&place, &["--lines"], &input);
    let answers = ran.ok().stdout();
    let answers: Vec<Value> = answers
        .lines()
        .map(|it| serde_json::from_str(it).unwrap())
        .collect();
    let errors: Vec<bool> = answers
        .iter()
        .map(|it| it["isError"].as_bool().unwrap())
        .collect();
    assert_eq!(
        errors,
        [false, true, false, false, true, true, false],
        "{answers:?}"
    );
    assert!(
        answers
            .iter()
            .all(|it| it["type"] == "counterfoil/memory-tool" && it["version"] == "1")
    );
    assert_eq!(
        answers[3]["text"],
        "Here's the content of /memories/kit.md with line numbers:\n     1\tKit likes coffee"
    );
}

/// The text alone is on standard output, and the exit code says how it went.
#[test]
fn one_command_is_answered_with_its_text() {
    let place = Place::new();
    let create =
        json!({"command": "create", "path": "/memories/kit.md", "file_text": "Kit likes tea"})
            .to_string();
    let ran = run(&place, &[], &create);
    assert_eq!(
        ran.ok().stdout(),
        "File created successfully at: /memories/kit.md\n"
    );
    let again = run(&place, &[], &create);
    assert_eq!(
        again.code(1).stdout(),
        "Error: File /memories/kit.md already exists\n"
    );
    run(&place, &[], "{").refused(3, "the command");
    let recalled = place.json(["recall", "tea", "--detail", "full"]);
    assert_eq!(recalled["items"][0]["data"]["channel"], "model");
}

/// A process that is killed between a command and its answer has carried it out or not, and the files are whole.
#[cfg(unix)]
#[test]
fn a_command_is_carried_out_as_a_whole_or_not_at_all() {
    let place = Place::new();
    let mut child = place
        .command()
        .args(["memory-tool", "--lines"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    for number in 0..40 {
        let text = format!("note {number}\n").repeat(50);
        let create = json!({"command": "create", "path": format!("/memories/{number}.md"), "file_text": text});
        writeln!(input, "{create}").unwrap();
    }
    input.flush().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    child.kill().unwrap();
    child.wait().unwrap();
    let listed = run(&place, &[], r#"{"command": "view", "path": "/memories"}"#);
    let listed = listed.ok().stdout();
    for line in listed.lines().filter(|line| line.ends_with(".md")) {
        let path = line.split('\t').nth(1).unwrap();
        let view = json!({"command": "view", "path": path}).to_string();
        let lines = run(&place, &[], &view).ok().stdout().lines().count();
        assert_eq!(lines, 51, "{path}");
    }
    assert_eq!(place.json(["check", "--deep"])["healthy"], true);
}
