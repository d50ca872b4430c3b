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
    let id = place.json(["remember", "one\ntwo \u{1b}[2J"])["id"].clone();
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

/// `recal` is taken for `recall`, and names that other versions had lead to the command that does their work now.
#[test]
fn a_wrong_command_names_the_right_one() {
    let place = Place::bare();
    for (wrong, right) in [
        ("recal", "'recall'"),
        ("rememer", "'remember'"),
        ("doctor", "`counterfoil check`"),
        ("validate", "`counterfoil check`"),
        ("audit", "`counterfoil check --deep`"),
    ] {
        place.run([wrong, "x"]).refused(3, right);
    }
}

/// Memories and proofs are checked by name; the worst of them decides.
#[test]
fn what_is_named_is_checked_by_itself() {
    let place = Place::with_memories();
    let found = place.json(["recall", "boat shed"])["items"][0].clone();
    let id = found["id"].as_str().unwrap();
    let proposal = place.folder().join("p.json");
    let proposal = proposal.to_str().unwrap();
    place
        .run([
            "propose",
            "--summary",
            "s",
            "--recall=boat shed",
            "-o",
            proposal,
        ])
        .ok();
    let checked = place.json(["check", id, proposal]);
    assert_eq!(checked["verdict"], "approved", "{checked}");
    assert_eq!(
        checked["checked"][0]["says"],
        "The heron key opens the boat shed."
    );
    let forged = fs::read_to_string(proposal)
        .unwrap()
        .replace("boat shed", "safe room");
    let forged = place.file("forged.json", forged.as_bytes());
    let forged = forged.to_str().unwrap();
    let refused = place.run(["check", id, forged]);
    assert!(
        refused.code(1).stdout().contains("rejected"),
        "{}",
        refused.stdout()
    );
    place.run(["erase", id, "--reason", "r", "--yes"]).ok();
    assert!(place.run(["check", id]).code(2).stdout().contains("erased"));
    // A recorded erasure is no fault of the memory.
    let whole = place.run(["check"]);
    assert!(
        whole.ok().stdout().contains("All that is open was erased"),
        "{}",
        whole.stdout()
    );
    place
        .run(["check", "mem_00000000"])
        .refused(3, "mem_00000000");
    place
        .run(["check", "--scope", "user=kit"])
        .refused(1, "not done in a scope");
}

/// Colours are for terminals, and for those who ask for them; `NO_COLOR` goes before all.
#[test]
fn colours_are_asked_for() {
    let place = Place::with_memories();
    let output = |variables: &[(&str, &str)], args: &[&str]| {
        let mut command = place.command();
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
            command.env_remove(name);
        }
        let command = command.envs(variables.iter().copied()).args(args);
        let output = command.output().unwrap();
        let all = [output.stdout, output.stderr].concat();
        String::from_utf8(all).unwrap().contains('\u{1b}')
    };
    let (force, never) = (("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1"));
    for args in [&["check"][..], &["show", "mem_0000"], &["recal"]] {
        assert!(!output(&[], args), "{args:?}");
        assert!(output(&[force], args), "{args:?}");
        assert!(!output(&[force, never], args), "{args:?}");
    }
    assert!(
        !output(&[force], &["check", "--json"]),
        "a document has none"
    );
}

/// Numbers of a person's things, and those of the database on demand.
#[test]
fn a_person_is_told_of_memories_and_not_of_tables() {
    let place = Place::with_memories();
    place.run(["claim", "add", "ada", "town", "Lisbon"]).ok();
    place
        .run([
            "claim",
            "add",
            "ada",
            "town",
            "Porto",
            "--channel",
            "first-hand",
        ])
        .ok();
    let id = place.json(["recall", "boat shed"])["items"][0]["id"].clone();
    place
        .run(["update", id.as_str().unwrap(), "--set", "/text=It is lost"])
        .ok();
    let stats = place.json(["stats"]);
    let number = |name: &str| stats[name].as_u64().unwrap();
    assert_eq!((number("memories"), number("versions")), (5, 6), "{stats}");
    assert_eq!((number("facts"), number("statements")), (1, 2), "{stats}");
    assert_eq!((number("contested"), number("peers")), (1, 0), "{stats}");
    assert!(stats["database"].is_null() && number("bytes") > 100_000);
    let said = place.run(["stats"]).ok().stdout();
    assert!(said.contains("none: `counterfoil ship --to DIR`"), "{said}");
    let backup = place.folder().join("backup");
    place
        .run(["ship".as_ref(), "--to".as_ref(), backup.as_os_str()])
        .ok();
    assert_eq!(place.json(["stats"])["backups"][0]["behind"], 0);
    place.run(["remember", "one more"]).ok();
    assert_eq!(place.json(["stats"])["backups"][0]["behind"], 1);
    let deep = place.json(["stats", "--deep"]);
    assert!(deep["database"]["parts"].is_array(), "{deep}");
}
