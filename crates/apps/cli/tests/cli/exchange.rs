//! Chains that travel between stores, copies of a store that part ways, and restored backups.

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::Value;

use crate::place::Place;

/// A copy of a store: the whole folder, keys and all.
fn copied(from: &Place) -> Place {
    let to = Place::bare();
    copy_folder(&from.dir(), &to.dir());
    to
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    fs::set_permissions(to, fs::metadata(from).unwrap().permissions()).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy_folder(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

fn remember(place: &Place, text: &str) -> String {
    let said = place.json(["remember", text]);
    said["worldId"].as_str().unwrap().to_owned()
}

fn update(place: &Place, world: &str, text: &str) -> String {
    let set = format!("/text={}", Value::from(text));
    let said = place.json(["update", world, "--set", &set]);
    said["worldId"].as_str().unwrap().to_owned()
}

fn exported(place: &Place, more: &[&str]) -> PathBuf {
    let path = place.folder().join("export.jsonl");
    let mut args: Vec<&OsStr> = vec!["export".as_ref(), "-o".as_ref(), path.as_ref()];
    args.extend(more.iter().map(OsStr::new));
    place.run(args).ok();
    path
}

fn lines(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(str::to_owned).collect()
}

fn import(place: &Place, path: &Path) -> Value {
    let ran = place.run(["--json".as_ref(), "import".as_ref(), path.as_os_str()]);
    ran.json()
}

fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap()
}

/// A store of somebody else takes all, finds it, and gives the same lines again.
#[test]
fn a_whole_store_travels() {
    let place = Place::with_memories();
    let world = remember(&place, "the heron flew at dawn");
    update(&place, &world, "the heron flew at dusk");
    let gone = remember(&place, "a sentence that is to be erased");
    place
        .run(["erase", &gone, "--reason", "asked for", "--yes"])
        .ok();
    let path = exported(&place, &[]);
    assert!(
        !fs::read_to_string(&path)
            .unwrap()
            .contains("is to be erased")
    );

    let other = Place::new();
    let report = import(&other, &path);
    let own = lines(&path).len();
    assert_eq!(report["read"], own);
    assert_eq!(report["refusedCount"], 0, "{report}");
    assert_eq!(report["pendingCount"], 0, "{report}");
    assert_eq!(report["end"]["state"], "unknown");
    other.run(["audit", "--deep"]).ok();
    let found = other.run(["recall", "dusk"]);
    assert!(found.ok().stdout().contains("dusk"));

    let agent = fs::read_to_string(place.keys().join("agent.pub")).unwrap();
    let (mut back, mut wanted) = (
        lines(&exported(&other, &["--agent", agent.trim()])),
        lines(&path),
    );
    back.sort();
    wanted.sort();
    assert_eq!(back, wanted);
    let again = import(&other, &path);
    assert_eq!(again["alreadyThere"], own);
}

/// A fork at an archived place was resolved while the abandoned branch lay in the segment; it came
/// back into a chain that had gone on without it, and nothing fitted any more.
#[test]
fn a_fork_at_an_archived_place_is_resolved_once_it_is_restored() {
    let one = Place::new();
    let world = remember(&one, "v0");
    let two = copied(&one);
    for place in [&one, &two] {
        for version in ["v1", "v2", "v3"] {
            update(place, &world, version);
        }
    }
    let path = exported(&two, &[]);
    one.run(["archive", "--before", "2100-01-01"]).ok();
    let ran = one.run(["import".as_ref(), path.as_os_str()]);
    ran.refused(1, "a chain has forked");
    let fork = one.json(["fork", "list"])["forks"][0].clone();
    let keep = text(&fork, "/others/0");
    let resolve = [
        "fork",
        "resolve",
        &world,
        "--keep",
        keep,
        "--operator",
        "--reason",
        "r",
    ];
    one.run(resolve).refused(3, "counterfoil restore");
    one.run(["restore", "--all"]).ok();
    one.run(resolve).ok();
    one.run(["validate"]).ok();
    one.run(["audit", "--deep"]).ok();
}

/// `--follow` gives each event as one line of JSON as it is seen.
#[test]
fn events_are_followed_line_by_line() {
    let place = Place::new();
    let mut child = place
        .command()
        .args(["--json", "events", "--follow"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let junk = place.file(
        "junk.jsonl",
        b"{\"type\":\"memory_capsule\",\"version\":\"1\"}\n",
    );
    place.run(["import".as_ref(), junk.as_os_str()]).code(1);
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let event: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(
        (text(&event, "/code"), event["number"].as_u64()),
        ("E_SCHEMA", Some(1))
    );
}
