//! Importing: every format, twice, with bad lines, and interrupted.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::place::{Place, RECORD, Ran, long_record};

fn import(place: &Place, path: &Path) -> serde_json::Value {
    place.json(["import".as_ref(), path.as_os_str()])
}

/// Turns hung on their position for an id, and a bad line in front of a session left its gap in
/// another session or in none, so mending it added every turn behind it a second time. The same in a transcript, whose
/// turns have no ids but their lines.
#[test]
fn a_mended_line_adds_its_turn_alone_wherever_it_stands() {
    let chat = [
        "[2025-03-01 10:15] Ada: one",
        "[2025-03-01 10:16] Bob: two",
        "[2025-03-01 10:17] Ada: three",
    ];
    for (good, format, spoilt) in [
        (&RECORD[..], "jsonl", "{\"conversation\":"),
        (&chat, "chat", "[2025-03-01 25:00] Ada: when"),
    ] {
        for bad in 0..good.len() {
            let place = Place::new();
            let mut lines = good.to_vec();
            lines[bad] = spoilt;
            let path = place.file("record", lines.join("\n").as_bytes());
            let args = ["import", path.to_str().unwrap(), "--format", format];
            let line = format!("line {}", bad + 1);
            place.run(args).refused(3, &line);
            fs::write(&path, good.join("\n")).unwrap();
            let mended = place.json(args);
            assert_eq!(
                (mended["added"].as_u64(), mended["alreadyThere"].as_u64()),
                (Some(1), u64::try_from(good.len() - 1).ok()),
                "{line}"
            );
            assert_eq!(place.json(["rebuild"])["identical"], true);
        }
    }
}

/// Ctrl-C: what was acknowledged stays, and the same import again adds the rest.
#[cfg(unix)]
#[test]
fn an_interrupted_import_keeps_what_it_has_and_is_resumed() {
    let place = Place::new();
    let pipe = place.folder().join("pipe");
    if !Command::new("mkfifo")
        .arg(&pipe)
        .status()
        .is_ok_and(|status| status.success())
    {
        println!("skipped: no pipe can be made here");
        return;
    }
    let child = place
        .command()
        .args(["--json".as_ref(), "import".as_ref(), pipe.as_os_str()])
        .args(["--format", "jsonl"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = long_record(600);
    let mut writing = OpenOptions::new().write(true).open(&pipe).unwrap();
    writing
        .write_all((lines[..300].join("\n") + "\n").as_bytes())
        .unwrap();
    let patience = Instant::now();
    while place.size() < 256 {
        assert!(
            patience.elapsed() < Duration::from_secs(30),
            "the first batch never came"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    let pid = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &pid])
            .status()
            .unwrap()
            .success()
    );
    let ran = Ran(child.wait_with_output().unwrap());
    drop(writing);
    ran.refused(130, "run the same import again");
    let kept = ran.json()["added"].as_u64().unwrap();
    assert!((256..=300).contains(&kept), "{kept}");
    assert_eq!(ran.json()["interrupted"], true);
    assert_eq!(place.size(), kept);
    place.run(["check"]).ok();
    let whole = place.file("whole.jsonl", lines.join("\n").as_bytes());
    let resumed = import(&place, &whole);
    assert_eq!(resumed["alreadyThere"].as_u64(), Some(kept));
    assert_eq!(resumed["added"].as_u64(), Some(600 - kept));
}

/// A record that is imported again brings nothing back and goes on past what was erased.
#[test]
fn an_import_does_not_bring_back_what_was_erased() {
    let place = Place::with_memories();
    let ids = |text: &str| -> Vec<serde_json::Value> {
        let recalled = place.json(["recall", text]);
        let items = recalled["items"].as_array().unwrap().iter();
        items.map(|item| item["id"].clone()).collect()
    };
    let id = ids("boat shed").remove(0);
    let erase = [
        "erase",
        id.as_str().unwrap(),
        "--reason",
        "asked to",
        "--yes",
    ];
    place.run(erase).ok();
    let pelicans = r#"{"conversation":"c","session":"3","id":"3:1","speaker":"Ada","time":"2025-06-01T10:15:00Z","text":"A new turn about pelicans."}"#;
    let more = [&RECORD[..], &[pelicans]].concat().join("\n");
    import(&place, &place.file("record.jsonl", more.as_bytes()));
    assert_eq!(ids("pelicans").len(), 1);
    assert!(!ids("boat shed").contains(&id));
    assert_eq!(place.json(["check", "--deep"])["healthy"], true);
    assert_eq!(place.json(["rebuild"])["identical"], true);
}

/// Law: a dry run writes nothing, and counts what the import then does.
#[test]
fn a_dry_run_counts_what_an_import_adds() {
    let place = Place::with_memories();
    let bad = [r#"{"conversation":"c","text":7}"#];
    let more = long_record(300);
    let more: Vec<&str> = more.iter().map(String::as_str).collect();
    for (lines, code) in [
        (RECORD.to_vec(), 0),
        ([&RECORD[..], &more, &more].concat(), 0),
        ([&more[..], &bad].concat(), 3),
    ] {
        let path = place.file("more.jsonl", lines.join("\n").as_bytes());
        let path = path.to_str().unwrap();
        let before = place.state();
        let dry = place.run(["--json", "import", "--dry-run", path]);
        let dry = dry.code(code).json();
        assert_eq!(place.state(), before);
        assert_eq!(dry["dryRun"], true);
        let done = place.run(["--json", "import", path]);
        let done = done.code(code).json();
        assert_eq!(done.get("dryRun"), None);
        for count in ["read", "added", "alreadyThere", "refusedCount"] {
            assert_eq!(dry[count], done[count], "{count}");
        }
    }
}

/// What comes on standard input is what a file gives.
#[test]
fn standard_input_is_imported_like_a_file() {
    let (place, record) = (Place::new(), RECORD.join("\n"));
    let ran = place.run_with_input(["--json", "import", "-"], record.as_bytes());
    assert_eq!(ran.ok().json()["added"], 5);
    let path = place.file("record.jsonl", record.as_bytes());
    assert_eq!(import(&place, &path)["alreadyThere"], 5);
    place
        .run_with_input(["import", "-"], b"")
        .refused(3, "standard input is empty");
}
