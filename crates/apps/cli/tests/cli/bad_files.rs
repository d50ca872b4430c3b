//! Bad input in files: each gets one clear line and a code, and leaves the store as it was.

use std::fs::File;
use std::process::Command;

use crate::place::{BINARY, Place, RECORD, Ran};

fn import_refuses(content: &[u8], format: &str, what: &str) {
    let place = Place::with_memories();
    let path = place.file("bad", content);
    place.refuses(
        [
            "import".as_ref(),
            path.as_os_str(),
            "--format".as_ref(),
            format.as_ref(),
        ],
        3,
        what,
    );
}

#[test]
fn a_truncated_file() {
    let locomo = br#"[{"conversation":{"session_1_date_time":"1:56 pm on 8 May, 2023","session_1":[{"dia_id":"D1:1","te"#;
    import_refuses(locomo, "locomo", "not JSON");
    import_refuses(&RECORD[0].as_bytes()[..40], "jsonl", "line 1");
    import_refuses(b"", "jsonl", "no turns");
}

#[test]
fn a_file_that_is_no_json() {
    import_refuses(b"\x7fELF\x02\x01\x01", "locomo", "not JSON");
    import_refuses(b"name,text\nAda,hi\n", "jsonl", "line 1");
    let place = Place::with_memories();
    let path = place.file("table.csv", b"name,text\nAda,hi\n");
    place.refuses(["import".as_ref(), path.as_os_str()], 3, "--format");
}

#[test]
fn a_file_of_another_format() {
    import_refuses(RECORD.join("\n").as_bytes(), "locomo", "not JSON");
    import_refuses(RECORD.join("\n").as_bytes(), "chat", "no stamp");
    import_refuses(b"[2025-03-01 10:15] Ada: hi\n", "jsonl", "line 1");
    import_refuses(br#"{"hello":"world"}"#, "locomo", "no LoCoMo conversation");
    let many = "some text\n".repeat(5000);
    import_refuses(many.as_bytes(), "jsonl", "the first 20 lines are not jsonl");
}

#[test]
fn a_folder_or_nothing_in_place_of_a_file() {
    let place = Place::with_memories();
    place.refuses(
        ["import".as_ref(), place.folder().as_os_str()],
        3,
        "is a folder",
    );
    place.refuses(["import", "/no/such/file"], 3, "cannot be read");
    place.refuses(
        ["remember", "--file", "/no/such/file"],
        3,
        "file /no/such/file",
    );
}

/// A line of 1 GB is told by its length and never held: the program has less address space than
/// that.
#[test]
fn a_line_of_one_gigabyte() {
    let place = Place::with_memories();
    let before = place.state();
    let path = place.folder().join("line.jsonl");
    File::create(&path).unwrap().set_len(1 << 30).unwrap();
    for format in ["jsonl", "chat", "locomo"] {
        let output = Command::new("sh")
            .args([
                "-c",
                "ulimit -v 1000000; exec \"$0\" \"$@\"",
                BINARY,
                "--dir",
            ])
            .arg(place.dir())
            .args(["import".as_ref(), path.as_os_str()])
            .args(["--format", format])
            .output()
            .unwrap();
        let what = if format == "locomo" {
            "above 64 MiB"
        } else {
            "1073741824 bytes long"
        };
        Ran(output).refused(3, what);
    }
    assert_eq!(place.state(), before);
}

#[test]
fn invalid_utf8_and_nul() {
    let bad = |byte: u8| {
        let mut line = RECORD[0].as_bytes().to_vec();
        let at = line.windows(5).position(|five| five == b"heron").unwrap();
        line[at] = byte;
        line
    };
    import_refuses(&bad(0xff), "jsonl", "not UTF-8");
    import_refuses(&bad(0), "jsonl", "line 1");
    import_refuses(
        RECORD[0].replace("heron", "\\u0000").as_bytes(),
        "jsonl",
        "NUL",
    );
    import_refuses(b"[2025-03-01 10:15] Ada: \xff\n", "chat", "not UTF-8");
    let place = Place::with_memories();
    let before = place.state();
    place
        .run_with_input(["remember", "-"], b"a\xffb")
        .refused(3, "not UTF-8");
    place
        .run_with_input(["remember", "-"], b"a\0b")
        .refused(3, "NUL");
    place
        .run_with_input(["remember", "-"], b" \n")
        .refused(3, "empty");
    assert_eq!(place.state(), before);
}

#[test]
fn duplicate_keys_and_a_depth_bomb() {
    let twice = RECORD[0].replace("\"id\"", "\"text\":\"x\",\"id\"");
    import_refuses(twice.as_bytes(), "jsonl", "twice");
    let bomb = "[".repeat(500_000);
    import_refuses(bomb.as_bytes(), "jsonl", "nested");
    import_refuses(bomb.as_bytes(), "locomo", "nested");
    let place = Place::with_memories();
    for (content, what) in [
        (&br#"{"a":1,"a":2}"#[..], "twice"),
        (bomb.as_bytes(), "nested"),
    ] {
        let path = place.file("fact.json", content);
        place.refuses(
            ["remember".as_ref(), "--file".as_ref(), path.as_os_str()],
            3,
            what,
        );
    }
}

/// A transcript could set the terminal's title and turn the line around through what is said of it.
#[test]
fn what_a_refused_line_holds_does_not_reach_the_terminal() {
    let place = Place::new();
    let chat = place.file(
        "chat.txt",
        "[2025-13-01 10:15\u{1b}]0;owned\u{7}\u{202e}] Ana: hello\n".as_bytes(),
    );
    let ran = place.run(["import".as_ref(), chat.as_os_str()]);
    let said = ran.code(3).stderr();
    assert!(!said.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{said:?}");
}
