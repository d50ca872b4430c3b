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

/// A line of 1 GB is told by its length and never held: the program has less address space than
/// that.
#[test]
fn a_line_of_one_gigabyte() {
    let place = Place::with_memories();
    let before = place.state();
    let path = place.folder().join("line.jsonl");
    File::create(&path).unwrap().set_len(1 << 30).unwrap();
    for format in ["jsonl", "locomo"] {
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
