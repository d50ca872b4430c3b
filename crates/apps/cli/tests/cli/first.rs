//! The first memory: a person who installs the program and remembers something has a memory.

use std::process::Stdio;
use std::thread::sleep;
use std::time::Duration;

use crate::place::{Place, Ran};

fn remembered(place: &Place) -> u64 {
    place.json(["stats"])["memories"].as_u64().unwrap()
}

#[test]
fn the_first_memory_makes_the_store_and_says_where() {
    let place = Place::bare();
    let first = place.run(["remember", "the spare key hangs behind the clock"]);
    first.ok();
    let said = first.stderr();
    assert_eq!(said.lines().count(), 1, "{said}");
    let store = place.dir().display().to_string();
    assert!(
        said.contains(&format!("made a memory in {store}, with keys")),
        "{said}"
    );
    let recalled = place.run(["recall", "spare key"]);
    assert!(recalled.ok().stdout().contains("behind the clock"));
    assert_eq!(
        place.run(["remember", "and the blue one"]).ok().stderr(),
        ""
    );
    assert_eq!(remembered(&place), 2);
    place.run(["init"]).refused(3, "exists already");
}

/// Each command by which a person begins; with input that cannot be read there is no store afterwards.
#[test]
fn a_person_begins_with_any_writing_command() {
    let record = Place::bare();
    let chat = record.file("chat.txt", b"[2025-03-01 10:15] Ada: The heron key.\n");
    let chat = chat.to_str().unwrap();
    let notes = record.folder().to_str().unwrap();
    let facts = record.file(
        "facts.jsonl",
        br#"{"subject":"kit","predicate":"avoids","value":"sesame"}"#,
    );
    let facts = facts.to_str().unwrap();
    for line in [
        vec!["import", chat],
        vec!["guard", notes],
        vec!["claim", "set", "kit", "avoids", "sesame"],
        vec!["claim", "add", "kit", "avoids", "sesame"],
        vec!["claim", "import", facts],
    ] {
        let place = Place::bare();
        let done = place.run(&line);
        assert!(done.ok().stderr().contains("made a memory in"), "{line:?}");
        place.run(["check"]).ok();
    }
    let place = Place::bare();
    let command = br#"{"command":"view","path":"/memories"}"#;
    let viewed = place.run_with_input(["memory-tool"], command);
    assert!(viewed.ok().stderr().contains("made a memory in"));
    for line in [["import", "nothing-there"], ["guard", "nothing-there"]] {
        let place = Place::bare();
        place.run(line).refused(3, "nothing-there");
        assert!(!place.dir().exists(), "{line:?}");
    }
}

/// A mistake of a first command made a store all the same, with nothing in it.
#[test]
fn what_fails_makes_no_store() {
    let files = Place::bare();
    let file = |name: &str, bytes: &[u8]| files.file(name, bytes).display().to_string();
    let words = [
        (
            "FACTS",
            file("facts.jsonl", b"{\"subject\":\"kit\"}\nno claim\n"),
        ),
        ("NOTHING", file("empty.jsonl", b"")),
        ("PICTURE", file("picture", b"\xff\xd8\xff\xe0")),
        ("FOLDER", files.folder().display().to_string()),
        ("LONG", "n".repeat(1_025)),
        ("NUL", r#"{"a":"\u0000"}"#.to_owned()),
        ("EMPTY", String::new()),
    ];
    let word = |word: &str| {
        let known = words.iter().find(|(name, _)| *name == word);
        known.map_or_else(|| word.to_owned(), |(_, text)| text.clone())
    };
    for (line, code, said) in [
        ("claim set kit avoids NUL --value-json", 3, "NUL"),
        ("claim set EMPTY avoids sesame", 3, "subject"),
        ("claim set kit avoids { --value-json", 3, "value"),
        ("claim set kit avoids sesame --key EMPTY", 3, "key"),
        (
            "claim add kit avoids tea --valid-confidence 0.5",
            3,
            "--from",
        ),
        ("claim add kit avoids tea --source mem_0", 4, "no memory at"),
        (
            "claim import FACTS",
            3,
            "2 claims were refused, the first of them at line 1",
        ),
        ("claim import NOTHING", 3, "no claims"),
        ("claim import FACTS --from-agent ann", 3, "--from-agent"),
        ("import PICTURE", 3, "picture"),
        ("import FACTS --format jsonl", 3, "line 1"),
        ("guard FACTS", 3, "no folder"),
        ("guard FOLDER --as LONG", 3, "name of 1 to"),
    ] {
        let place = Place::bare();
        place.run(line.split(' ').map(word)).refused(code, said);
        assert!(!place.dir().exists(), "{line}");
    }
}

/// As [`what_fails_makes_no_store`]; a command of the memory tool that fails is answered as where there are no files.
#[test]
fn a_tool_command_that_fails_makes_no_store() {
    for (command, code) in [
        ("{", 3),
        (r#"{"command":"open"}"#, 1),
        (r#"{"command":"create","path":"/etc/a","file_text":"x"}"#, 1),
        (
            r#"{"command":"create","path":"/memories","file_text":"x"}"#,
            1,
        ),
        (
            r#"{"command":"create","path":"/memories/a","file_text":"\u0000"}"#,
            1,
        ),
        (r#"{"command":"view","path":"/memories/a"}"#, 1),
        (
            r#"{"command":"str_replace","path":"/memories/a","old_str":"x","new_str":"y"}"#,
            1,
        ),
        (
            r#"{"command":"insert","path":"/memories/a","insert_line":0,"insert_text":"x"}"#,
            1,
        ),
        (r#"{"command":"delete","path":"/memories/a"}"#, 1),
        (
            r#"{"command":"rename","old_path":"/memories/a","new_path":"/memories/b"}"#,
            1,
        ),
    ] {
        let place = Place::bare();
        let ran = place.run_with_input(["memory-tool"], command.as_bytes());
        assert_eq!(ran.0.status.code(), Some(code), "{command}");
        assert!(!place.dir().exists(), "{command}");
    }
}

#[test]
fn reading_makes_no_store() {
    let place = Place::bare();
    let chat = place.file("chat.txt", b"[2025-03-01 10:15] Ada: The heron key.\n");
    let chat = chat.to_str().unwrap();
    for line in [
        vec!["recall", "key"],
        vec!["believe", "kit"],
        vec!["show", "mem_0"],
        vec!["stats"],
        vec!["contested"],
        vec!["timeline", "kit"],
        vec!["export"],
        vec!["claim", "ledger"],
        vec!["guard", ".", "--check"],
        vec!["import", chat, "--dry-run"],
        vec!["forget", "mem_0", "--reason", "r"],
        vec!["as-of", "2025-03-01"],
        vec!["decided"],
    ] {
        let read = place.run(&line);
        read.refused(4, "there is no memory at");
        assert!(
            read.stderr()
                .contains("`counterfoil remember TEXT` makes one")
        );
        assert!(!place.dir().exists(), "{line:?}");
    }
}

/// Several programs may begin at once; each memory is in the one store.
#[test]
fn who_begins_at_once_makes_one_store() {
    for _ in 0..3 {
        let place = Place::bare();
        let texts = ["one", "two", "three", "four"].map(|it| format!("the memory {it}"));
        let running = texts.each_ref().map(|text| {
            let mut command = place.command();
            let command = command.args(["remember", text]);
            let command = command.stdin(Stdio::null()).stdout(Stdio::piped());
            command.stderr(Stdio::piped()).spawn().unwrap()
        });
        let made = running.map(|child| {
            let ran = Ran(child.wait_with_output().unwrap());
            usize::from(ran.ok().stderr().contains("made a memory"))
        });
        assert_eq!(made.iter().sum::<usize>(), 1);
        assert_eq!(remembered(&place), 4);
        place.run(["check", "--deep"]).ok();
    }
}

/// The next command makes the store anew, wherever its making was cut short.
#[test]
fn a_making_that_was_killed_is_made_again() {
    let mut cut = 0;
    for delay in 0..12 {
        let place = Place::bare();
        let mark = place.dir().join("unfinished");
        let mut command = place.command();
        let command = command.args(["remember", "the first"]).stdin(Stdio::null());
        let command = command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        while !mark.exists() && child.try_wait().unwrap().is_none() {}
        sleep(Duration::from_millis(delay * delay));
        child.kill().unwrap();
        child.wait().unwrap();
        if mark.exists() {
            cut += 1;
            let read = place.run(["recall", "first"]);
            read.refused(4, "there is no memory at");
        }
        place.run(["remember", "the second"]).ok();
        assert!(!mark.exists());
        let recalled = place.run(["recall", "second"]).ok().stdout();
        assert!(recalled.contains("the second"), "{recalled}");
        place.run(["check"]).ok();
    }
    assert!(cut > 0, "no making was cut");
}

/// Each file that a killed making may have left, empty or whole.
#[test]
fn what_a_killed_making_left_is_no_store() {
    let made = Place::new();
    let whole: Vec<_> = [
        "keys/log.key",
        "keys/agent.key",
        "keys/log.pub",
        "recovery/agent.next",
        "memory.db",
    ]
    .into_iter()
    .map(|name| (name, std::fs::read(made.dir().join(name)).unwrap()))
    .collect();
    for (number, cuts_last) in (1..=whole.len()).flat_map(|it| [(it, true), (it, false)]) {
        let place = Place::bare();
        for folder in ["keys", "recovery"] {
            std::fs::create_dir_all(place.dir().join(folder)).unwrap();
        }
        private_folder(&place.dir());
        private_folder(&place.keys());
        std::fs::write(place.dir().join("unfinished"), "").unwrap();
        for (at, (name, bytes)) in whole.iter().take(number).enumerate() {
            let is_cut = cuts_last && at + 1 == number;
            let bytes = if is_cut { &[] } else { bytes.as_slice() };
            std::fs::write(place.dir().join(name), bytes).unwrap();
        }
        place.run(["stats"]).refused(4, "there is no memory at");
        place.run(["remember", "the first"]).ok();
        place.run(["check"]).ok();
        assert_eq!(remembered(&place), 1);
    }
    // A mark that came back beside memories takes nothing away.
    made.run(["remember", "kept"]).ok();
    std::fs::write(made.dir().join("unfinished"), "").unwrap();
    made.run(["remember", "more"])
        .refused(4, "lies beside a log of 2 entries");
    std::fs::remove_file(made.dir().join("unfinished")).unwrap();
    assert_eq!(remembered(&made), 1);
}

/// A mistyped folder gets no keys, and settings that wait for the store do no harm.
#[test]
fn no_store_is_made_among_other_files() {
    let place = Place::bare();
    std::fs::create_dir(place.dir()).unwrap();
    private_folder(&place.dir());
    std::fs::write(place.dir().join("recall.toml"), "").unwrap();
    std::fs::write(place.dir().join("novel.txt"), "It was a dark night.").unwrap();
    place.run(["remember", "x"]).refused(3, "novel.txt");
    assert_eq!(std::fs::read_dir(place.dir()).unwrap().count(), 2);
    place.run(["init"]).ok();
    let other = Place::bare();
    std::fs::create_dir(other.dir()).unwrap();
    private_folder(&other.dir());
    std::fs::write(other.dir().join("recall.toml"), "").unwrap();
    other.run(["remember", "x"]).ok();
}

#[cfg(unix)]
fn private_folder(folder: &std::path::Path) {
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    std::fs::set_permissions(folder, mode).unwrap();
}

#[cfg(not(unix))]
fn private_folder(_: &std::path::Path) {}

/// A new store in the place of a lost one would hide that it was lost.
#[test]
fn keys_without_their_database_are_no_place_for_another() {
    let place = Place::new();
    for name in ["memory.db", "memory.db-wal", "memory.db-shm"] {
        let _ = std::fs::remove_file(place.dir().join(name));
    }
    let keys = std::fs::read(place.keys().join("log.key")).unwrap();
    place
        .run(["remember", "x"])
        .refused(4, "memory.db is missing");
    assert_eq!(std::fs::read(place.keys().join("log.key")).unwrap(), keys);
}

/// A passphrase that is given is meant: the keys are sealed under it.
#[test]
fn a_given_passphrase_seals_the_first_keys() {
    let place = Place::bare();
    let secret = place.file("secret", b"swordfish\n");
    let secret = secret.to_str().unwrap();
    place
        .run(["--passphrase-file", secret, "remember", "x"])
        .ok();
    let shown = place.run(["key", "show"]).ok().stdout();
    assert!(shown.contains("sealed with a passphrase"), "{shown}");
    assert!(!shown.contains("not sealed"), "{shown}");
}
