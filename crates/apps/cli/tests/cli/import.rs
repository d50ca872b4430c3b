//! Importing: every format, twice, with bad lines, and interrupted.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::place::{Place, RECORD, Ran, SAMPLE, long_record};

fn import(place: &Place, path: &Path) -> serde_json::Value {
    place.json(["import".as_ref(), path.as_os_str()])
}

#[test]
fn a_second_import_adds_nothing() {
    let place = Place::new();
    let first = place.json(["import", SAMPLE]);
    assert_eq!(
        (first["format"].as_str(), first["added"].as_u64()),
        (Some("jsonl"), Some(347))
    );
    let state = place.state();
    let second = place.json(["import", SAMPLE]);
    assert_eq!(
        (second["added"].as_u64(), second["alreadyThere"].as_u64()),
        (Some(0), Some(347))
    );
    assert_eq!(place.state(), state);
}

#[test]
fn a_record_that_grew_adds_what_is_new() {
    let place = Place::new();
    let path = place.file("r.jsonl", RECORD[..3].join("\n").as_bytes());
    import(&place, &path);
    fs::write(&path, RECORD.join("\n")).unwrap();
    let grown = import(&place, &path);
    assert_eq!(
        (grown["added"].as_u64(), grown["alreadyThere"].as_u64()),
        (Some(2), Some(3))
    );
}

#[test]
fn bad_lines_are_told_by_number_and_the_others_are_kept() {
    let place = Place::new();
    let text = [RECORD[0], r#"{"a":1,"a":2}"#, RECORD[1], "hello", RECORD[2]].join("\n");
    let path = place.file("r.jsonl", text.as_bytes());
    let ran = place.run(["--json".as_ref(), "import".as_ref(), path.as_os_str()]);
    ran.code(3);
    let summary = ran.json();
    assert_eq!(
        (summary["added"].as_u64(), summary["refusedCount"].as_u64()),
        (Some(3), Some(2))
    );
    assert_eq!(summary["refused"][0]["line"], 2);
    assert!(
        summary["refused"][0]["why"]
            .as_str()
            .unwrap()
            .contains("twice")
    );
    assert_eq!(summary["refused"][1]["line"], 4);
    assert!(ran.stderr().contains("line 2:") && ran.stderr().contains("line 4:"));
    // Mended, the file adds the two that were missing and nothing twice.
    let mended = [RECORD[0], RECORD[3], RECORD[1], RECORD[4], RECORD[2]];
    let other = |line: &str| line.replace("\"session\":\"2\"", "\"session\":\"1\"");
    let mended: Vec<String> = mended.iter().map(|line| other(line)).collect();
    fs::write(&path, mended.join("\n")).unwrap();
    let again = import(&place, &path);
    assert_eq!(
        (again["added"].as_u64(), again["alreadyThere"].as_u64()),
        (Some(2), Some(3))
    );
}

/// Turns hung on their position for an id, and a bad line in front of a session left its gap in
/// another session or in none, so mending it added every turn behind it a second time.
#[test]
fn a_mended_line_adds_its_turn_alone_wherever_it_stands() {
    for bad in 0..RECORD.len() {
        let place = Place::new();
        let mut lines = RECORD.to_vec();
        lines[bad] = "{\"conversation\":";
        let path = place.file("r.jsonl", lines.join("\n").as_bytes());
        place
            .run([
                "import".as_ref(),
                path.as_os_str(),
                "--format".as_ref(),
                "jsonl".as_ref(),
            ])
            .refused(3, &format!("line {}", bad + 1));
        fs::write(&path, RECORD.join("\n")).unwrap();
        let mended = import(&place, &path);
        assert_eq!(
            (mended["added"].as_u64(), mended["alreadyThere"].as_u64()),
            (Some(1), Some(4)),
            "line {}",
            bad + 1
        );
        assert_eq!(place.json(["rebuild"])["identical"], true);
    }
}

/// The same in a transcript, whose turns have no ids but their lines.
#[test]
fn a_mended_transcript_adds_its_turn_alone() {
    let good = [
        "[2025-03-01 10:15] Ada: one",
        "[2025-03-01 10:16] Bob: two",
        "[2025-03-01 10:17] Ada: three",
    ];
    for bad in 0..good.len() {
        let place = Place::new();
        let mut lines = good.to_vec();
        lines[bad] = "[2025-03-01 25:00] Ada: when";
        let path = place.file("notes.txt", lines.join("\n").as_bytes());
        place
            .run(["import".as_ref(), path.as_os_str()])
            .refused(3, &format!("line {}", bad + 1));
        fs::write(&path, good.join("\n")).unwrap();
        let mended = import(&place, &path);
        assert_eq!(
            (mended["added"].as_u64(), mended["alreadyThere"].as_u64()),
            (Some(1), Some(2)),
            "line {}",
            bad + 1
        );
    }
}

/// A turn that stands twice is one memory: it used to differ from itself by its position.
#[test]
fn a_repeated_turn_is_there_already() {
    let place = Place::new();
    let text = [RECORD[0], RECORD[1], RECORD[0]].join("\n");
    let path = place.file("r.jsonl", text.as_bytes());
    let summary = import(&place, &path);
    assert_eq!(
        (summary["added"].as_u64(), summary["alreadyThere"].as_u64()),
        (Some(2), Some(1))
    );
}

/// A byte order mark in front made the first line a bad one.
#[test]
fn a_byte_order_mark_is_passed_over() {
    for (format, content) in [
        ("jsonl", RECORD[0]),
        ("chat", "[2025-03-01 10:15] Ada: one"),
    ] {
        let place = Place::new();
        let path = place.file("marked", format!("\u{feff}{content}\n").as_bytes());
        let named = place.json([
            "import".as_ref(),
            path.as_os_str(),
            "--format".as_ref(),
            format.as_ref(),
        ]);
        assert_eq!(named["added"], 1);
        let told = import(&place, &path);
        assert_eq!(
            (told["format"].as_str(), told["alreadyThere"].as_u64()),
            (Some(format), Some(1))
        );
    }
}

#[test]
fn locomo_and_chat_are_told_from_their_content() {
    let place = Place::new();
    let locomo = place.file(
        "talk",
        br#"[{"qa":[],"sample_id":"conv-9","conversation":{"session_1_date_time":"1:56 pm on 8 May, 2023",
            "session_1":[{"speaker":"Ada","dia_id":"D1:1","text":"My violin is in Trieste","blip_caption":"a violin"}]}}]"#,
    );
    assert_eq!(import(&place, &locomo)["format"], "locomo");
    let found = place.json(["recall", "violin"]);
    let shown = place.json([
        "show",
        found["selected"][0]["ref"]["worldId"].as_str().unwrap(),
    ]);
    assert_eq!(
        shown["world"]["data"],
        serde_json::json!({
            "kind": "turn", "speaker": "Ada", "text": "My violin is in Trieste",
            "caption": "a violin", "time": "1:56 pm on 8 May, 2023",
            "source": {"format": "locomo", "conversation": "conv-9", "session": "session_1",
                       "id": "D1:1", "position": 0}
        })
    );
    assert_eq!(shown["world"]["createdAt"], 1_683_554_160_000_u64);
    let chat = place.file(
        "chat",
        b"[2025-03-01 10:15] Ada: one\nmore\n[2025-03-01 10:16] Bob: two\n",
    );
    let summary = import(&place, &chat);
    assert_eq!(
        (summary["format"].as_str(), summary["added"].as_u64()),
        (Some("chat"), Some(2))
    );
}

/// The measured conversations import, and a second time add nothing.
#[test]
fn each_measured_conversation_is_imported() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../../shared/data/locomo/locomo-dev.json");
    if !data.exists() {
        println!("skipped: the measurement data is not here");
        return;
    }
    let place = Place::new();
    let all = import(&place, &data);
    assert_eq!(
        (all["added"].as_u64(), all["refusedCount"].as_u64()),
        (Some(2760), Some(0))
    );
    let again = import(&place, &data);
    assert_eq!(
        (again["added"].as_u64(), again["alreadyThere"].as_u64()),
        (Some(0), Some(2760))
    );
    assert_eq!(place.json(["audit", "--deep"])["clean"], true);
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
    place.run(["audit"]).ok();
    let whole = place.file("whole.jsonl", lines.join("\n").as_bytes());
    let resumed = import(&place, &whole);
    assert_eq!(resumed["alreadyThere"].as_u64(), Some(kept));
    assert_eq!(resumed["added"].as_u64(), Some(600 - kept));
}
