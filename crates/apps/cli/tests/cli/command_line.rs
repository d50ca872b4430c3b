//! The command line itself: exit codes, where things are written, and what is refused before any
//! store is opened.

use std::fs;
use std::process::{Command, Stdio};

use crate::place::{BINARY, Place};

#[test]
fn init_makes_keys_for_the_owner_alone_and_never_overwrites() {
    let place = Place::bare();
    let made = place.json(["init", "--name", "example.org/memory"]);
    assert_eq!(made["name"], "example.org/memory");
    assert!(
        made["verifierKey"]
            .as_str()
            .unwrap()
            .starts_with("example.org/memory+")
    );
    assert!(made["agent"].as_str().unwrap().starts_with("did:key:z6Mk"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;

        let mode =
            |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&place.dir()), 0o700);
        assert_eq!(mode(&place.keys()), 0o700);
        assert_eq!(mode(&place.keys().join("log.key")), 0o600);
        assert_eq!(mode(&place.keys().join("agent.key")), 0o600);
        assert_eq!(mode(&place.database()), 0o600);
    }
    let before = fs::read(place.keys().join("log.key")).unwrap();
    place.run(["init"]).refused(3, "is not overwritten");
    assert_eq!(fs::read(place.keys().join("log.key")).unwrap(), before);
}

#[cfg(target_os = "linux")]
#[test]
fn without_a_name_the_folder_is_the_platforms() {
    let place = Place::bare();
    let run = |args: &[&str]| {
        Command::new(BINARY)
            .env("COUNTERFOIL_DIR", "")
            .env("XDG_DATA_HOME", place.folder())
            .args(args)
            .output()
            .unwrap()
    };
    assert!(run(&["init"]).status.success());
    assert!(place.folder().join("counterfoil/memory.db").is_file());
    assert!(run(&["stats"]).status.success());
}

/// A reader that leaves early is no reason to panic.
#[test]
fn a_closed_pipe_ends_quietly() {
    let place = Place::new();
    place.run(["import", crate::place::SAMPLE]).ok();
    for args in [
        &["recall", "flour", "--max", "50", "--json"][..],
        &["timeline", "nobody"],
    ] {
        let mut child = place
            .command()
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{args:?}");
        assert_eq!(output.status.code(), Some(0), "{args:?}");
    }
}

/// M-1: what is remembered is shown, never obeyed.
#[test]
fn an_escape_sequence_in_a_memory_does_not_reach_the_terminal() {
    let place = Place::new();
    place.run(["remember", "zebra \u{1b}[2J\u{202e}gone"]).ok();
    for args in [&["recall", "zebra"][..], &["recall", "zebra", "--json"]] {
        let shown = place.run(args).ok().stdout();
        assert!(!shown.contains(['\u{1b}', '\u{202e}']), "{shown:?}");
    }
}

/// An id that is not there was escaped three times over, and the JSON of a memory twice.
#[test]
fn what_is_shown_is_escaped_once() {
    let place = Place::with_memories();
    let said = place.run(["show", "a\u{1b}[2Jb"]);
    said.refused(3, r#"no memory "a\u{1b}[2Jb""#);
    let id = place.json(["remember", "one\ntwo \u{1b}[2J"])["worldId"].clone();
    let shown = place.run(["show", id.as_str().unwrap()]).ok().stdout();
    assert!(shown.contains(r"one\ntwo \u001b[2J"), "{shown}");
}

#[test]
fn an_answer_that_cannot_be_written_is_told() {
    if !std::path::Path::new("/dev/full").exists() {
        println!("skipped: there is no /dev/full here");
        return;
    }
    let place = Place::with_memories();
    let full = fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let output = place.command().arg("stats").stdout(full).output().unwrap();
    crate::place::Ran(output).refused(4, "cannot be written");
    place
        .run(["anchors", "-o", "/no/such/folder/anchors.json"])
        .refused(3, "cannot be written");
}
