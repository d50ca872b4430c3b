//! `ask DIR` in one process and `answer --dir DIR` in another (MRP-32).

use std::fs;
use std::process::{Command, Stdio};

use super::rig::{PRIVATE, SHARED, Two};
use crate::place::{BINARY, Place};

/// MRP-6, MRP-7, MRP-1, MRP-2, MRP-3, MRP-32: one asks, the other answers, and nothing that is not shared is in the answer.
#[test]
fn what_is_asked_in_a_folder_is_answered_from_another_store() {
    let two = Two::new();
    two.introduce();
    let asking = two.ask_of("babel".as_ref(), "what do you know about pruning?");
    let told = two.answer_once();
    let request = told["answered"][0]["requestId"]
        .as_str()
        .unwrap()
        .to_owned();
    let asked = asking.wait_with_output().unwrap();
    let (said, complaint) = (
        String::from_utf8(asked.stdout).unwrap(),
        String::from_utf8(asked.stderr).unwrap(),
    );
    assert_eq!(asked.status.code(), Some(0), "{said}\n{complaint}");
    let shown: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!(shown["exchange"], request.as_str());
    let memories = shown["memories"].as_array().unwrap();
    assert_eq!(memories.len(), 1, "{said}");
    assert_eq!(memories[0]["content"], SHARED);
    assert_eq!(
        memories[0]["checks"]["identity"]["result"], "pass",
        "{said}"
    );
    assert_eq!(
        memories[0]["checks"]["signature"]["result"], "pass",
        "{said}"
    );
    assert_eq!(shown["responder"]["key"], two.babel_key().as_str());
    assert!(!said.contains(PRIVATE));
    let folder = two.folder();
    let names = |which: &str| fs::read_dir(folder.join(which)).unwrap().count();
    assert_eq!(
        (
            names("inbox"),
            names("processing"),
            names("outbox"),
            names("done")
        ),
        (0, 0, 1, 1)
    );
}

/// Adversarial case F81: whoever answers there, and was not named, is asked as everyone: what is answered is raw.
#[test]
fn what_is_asked_of_nobody_by_name_is_raw() {
    let two = Two::new();
    let asking = two.ask("what do you know about pruning?");
    two.answer_once();
    let shown: serde_json::Value =
        serde_json::from_slice(&asking.wait_with_output().unwrap().stdout).unwrap();
    assert_eq!(shown["memories"][0]["content"], SHARED);
    assert_eq!(shown["memories"][0]["disposition"], "raw_only");
    assert!(shown["memories"][0].get("stored").is_none());
}

/// Adversarial case F71: somebody who is first with garbage does not keep the answer away.
#[test]
fn an_injector_in_the_folder_is_passed_by() {
    let two = Two::new();
    let folder = two.folder();
    let asking = two.ask("what do you know about pruning?");
    let waiting = two
        .waiting()
        .file_stem()
        .unwrap()
        .to_str()
        .unwrap()
        .to_owned();
    let id = waiting.strip_prefix("request-").unwrap();
    fs::write(
        folder.join("outbox").join(format!("response-{id}.json")),
        "{\"type\":\"garbage\"}",
    )
    .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    two.answer_once();
    let asked = asking.wait_with_output().unwrap();
    let shown: serde_json::Value = serde_json::from_slice(&asked.stdout).unwrap();
    assert_eq!(asked.status.code(), Some(0), "{shown}");
    assert_eq!(shown["memories"][0]["content"], SHARED);
    assert_eq!(shown["notices"]["ignored"], 1, "{shown}");
}

/// The store stands before the command or in the environment; after it, `--dir` is the folder.
#[test]
fn the_folder_and_the_store_are_told_apart() {
    let two = Two::new();
    let folder = two.folder();
    let told = two.babel.run([
        "answer".into(),
        "--dir".into(),
        folder.clone(),
        "--once".into(),
    ]);
    assert_eq!(told.ok().stdout(), "Nothing was asked.\n");
    assert!(folder.join("inbox").is_dir() && !folder.join("memory.db").exists());
    let from_environment = Command::new(BINARY)
        .env("COUNTERFOIL_DIR", two.babel.dir())
        .args(["answer", "--once", "--dir"])
        .arg(&folder)
        .output()
        .unwrap();
    assert_eq!(from_environment.status.code(), Some(0));
    two.babel.run(["answer", "--once"]).refused(3, "--dir");
}

/// Adversarial case H115: what cannot be used is said in a line.
#[test]
fn a_folder_that_is_none_is_refused() {
    let place = Place::new();
    let nowhere = place.folder().join("nowhere");
    place
        .run(["answer".into(), "--dir".into(), nowhere, "--once".into()])
        .refused(3, "name a folder");
    let file = place.file("file", b"");
    place
        .run(["answer".into(), "--dir".into(), file, "--once".into()])
        .refused(3, "name a folder");
    let bare = Place::bare();
    bare.run([
        "answer".into(),
        "--dir".into(),
        bare.folder().to_owned(),
        "--once".into(),
    ])
    .refused(4, "no store");
}

/// Adversarial case H113: what others put there is told of once, and left.
#[test]
fn what_is_no_request_is_told_of_and_left() {
    let two = Two::new();
    let inbox = two.folder().join("inbox");
    fs::create_dir_all(&inbox).unwrap();
    fs::write(inbox.join("notes\u{1b}[31m.txt"), "hello").unwrap();
    fs::write(
        inbox.join("request-0198c0de-0000-7000-8000-000000000000.json"),
        "{",
    )
    .unwrap();
    let told = two.babel.run([
        "answer".into(),
        "--dir".into(),
        two.folder(),
        "--once".into(),
    ]);
    let said = told.ok().stdout();
    assert!(
        said.contains("left notes") && !said.contains('\u{1b}'),
        "{said:?}"
    );
    assert!(
        said.contains("refused 0198c0de-0000-7000-8000-000000000000: malformed"),
        "{said}"
    );
}

/// Without `--once` it answers what comes, until Ctrl-C; what was answered is told as it happens.
#[test]
fn it_answers_until_it_is_ended() {
    let two = Two::new();
    let mut answering = two.babel.command();
    answering.args(["answer", "--dir"]).arg(two.folder());
    answering.stdout(Stdio::piped()).stderr(Stdio::piped());
    let answering = answering.spawn().unwrap();
    for _ in 0..2 {
        let asked = two
            .ask("what do you know about pruning?")
            .wait_with_output()
            .unwrap();
        assert_eq!(asked.status.code(), Some(0));
    }
    let ended = Command::new("kill")
        .args(["-INT", &answering.id().to_string()])
        .status();
    assert!(ended.unwrap().success());
    let told = answering.wait_with_output().unwrap();
    assert_eq!(told.status.code(), Some(130));
    let (said, complaint) = (
        String::from_utf8(told.stdout).unwrap(),
        String::from_utf8(told.stderr).unwrap(),
    );
    assert_eq!(
        said.lines()
            .filter(|line| line.starts_with("answered "))
            .count(),
        2,
        "{said}"
    );
    assert!(
        complaint.contains("2 requests were answered"),
        "{complaint}"
    );
}

/// MRP-32: a folder where one agent alone is known to be asked means that agent; where several are, whoever answers.
#[test]
fn a_folder_where_somebody_is_known_to_be_asked_means_them() {
    let two = Two::new();
    two.introduce();
    let asked = |two: &Two| {
        let asking = two.ask("what do you know about pruning?");
        two.answer_once();
        let asked = asking.wait_with_output().unwrap();
        serde_json::from_slice::<serde_json::Value>(&asked.stdout).unwrap()
    };
    let shown = asked(&two);
    assert_eq!(shown["asked"]["name"], "babel", "{shown}");
    assert_eq!(shown["responder"]["name"], "babel", "{shown}");
    assert_eq!(shown["memories"][0]["level"], 1, "{shown}");
    let other = Place::new().json(["key", "show"]);
    let (key, folder) = (other["agent"].as_str().unwrap(), two.folder());
    let added = ["peer", "add", "else", key, "--at", folder.to_str().unwrap()];
    two.ann.run(added).ok();
    let shown = asked(&two);
    assert_eq!(shown.get("asked"), None, "{shown}");
}
