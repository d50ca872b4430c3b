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

fn with_recovery_key<'a>(mut args: [&'a OsStr; 9], other: &'a str) -> [&'a OsStr; 9] {
    args[6] = other.as_ref();
    args
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

/// A chain that is exported alone brings the keys that its signatures need.
#[test]
fn a_chain_travels_with_its_keys() {
    let place = Place::new();
    let world = remember(&place, "first");
    place.run(["key", "rotate"]).ok();
    update(&place, &world, "second");
    remember(&place, "not part of it");
    let path = exported(&place, &["--chain", &world]);
    let kinds: Vec<String> = lines(&path)
        .iter()
        .map(|line| {
            let value: Value = serde_json::from_str(line).unwrap();
            value
                .pointer("/ext/kind")
                .map_or("world".into(), ToString::to_string)
        })
        .collect();
    assert_eq!(
        kinds,
        ["\"key_inception\"", "world", "\"key_rotation\"", "world"]
    );

    let other = Place::new();
    let reversed: Vec<String> = lines(&path).into_iter().rev().collect();
    let file = other.file("reversed.jsonl", reversed.join("\n").as_bytes());
    other.run(["import".as_ref(), file.as_os_str()]).ok();
    other.run(["audit"]).ok();
    assert_eq!(
        other.json(["history", &world])["versions"]
            .as_array()
            .unwrap()
            .len(),
        2
    );
}

/// Adversarial case C44
#[test]
fn a_cut_tail_is_seen_against_a_checkpoint_and_unknown_without() {
    let place = Place::with_memories();
    let note = place.file("note", place.run(["log", "checkpoint"]).stdout().as_bytes());
    let key = fs::read_to_string(place.keys().join("log.pub")).unwrap();
    let path = exported(&place, &[]);
    let whole = lines(&path);
    let cut = place.file("cut.jsonl", whole[..whole.len() - 3].join("\n").as_bytes());
    let other = Place::new();
    let with = |file: &Path| {
        let args: [&OsStr; 7] = [
            "--json".as_ref(),
            "import".as_ref(),
            file.as_ref(),
            "--checkpoint".as_ref(),
            note.as_ref(),
            "--log-key".as_ref(),
            key.trim().as_ref(),
        ];
        other.run(args)
    };
    let ran = with(&cut);
    ran.refused(2, "heads are unknown");
    assert_eq!(ran.json()["end"]["state"], "truncated");
    let ran = other.run(["--json".as_ref(), "import".as_ref(), cut.as_os_str()]);
    assert_eq!(ran.ok().json()["end"]["state"], "unknown");
    assert_eq!(with(&path).ok().json()["end"]["state"], "complete");
    let mut swapped = whole;
    swapped.swap(1, 2);
    let swapped = place.file("swapped.jsonl", swapped.join("\n").as_bytes());
    with(&swapped).refused(1, "is not the log");
}

/// Adversarial case C40, as it happens: a store and its copy, both written.
#[test]
fn a_store_and_its_copy_part_ways_and_are_brought_together() {
    let one = Place::new();
    let world = remember(&one, "the key is under the pot");
    let two = copied(&one);
    update(&one, &world, "the key is with Ada");
    update(&two, &world, "the key is with Bob");
    let path = exported(&two, &[]);
    let ran = one.run(["--json".as_ref(), "import".as_ref(), path.as_os_str()]);
    ran.refused(1, "a chain has forked");
    assert_eq!(ran.json()["forked"], 1);
    one.run(["update", &world, "--set", "/text=\"x\""])
        .refused(3, "forked at number 1");

    let events = one.json(["events", "--kind", "equivocation"]);
    assert_eq!(events["events"][0]["attributable"], true);
    assert!(!events.to_string().contains("with Bob"));
    let fork = one.json(["fork", "list"])["forks"][0].clone();
    assert_eq!(
        (text(&fork, "/state"), fork["seq"].as_u64()),
        ("open", Some(1))
    );

    let proof = one.folder().join("proof.json");
    let written = one.run([
        "fork".as_ref(),
        "prove".as_ref(),
        OsStr::new(&world),
        "-o".as_ref(),
        proof.as_os_str(),
    ]);
    assert!(written.ok().stdout().contains("written to"));
    let nowhere = Place::bare();
    let check = |path: &Path| {
        nowhere.run([
            "--json".as_ref(),
            "fork".as_ref(),
            "check".as_ref(),
            path.as_os_str(),
        ])
    };
    assert_eq!(check(&proof).ok().json()["proven"], true);
    let broken = fs::read_to_string(&proof)
        .unwrap()
        .replacen("\"seq\":1", "\"seq\":2", 1);
    check(&one.file("broken.json", broken.as_bytes())).refused(1, "no proof of a fork");

    let keep = text(&fork, "/others/0");
    let recovery = one.dir().join("recovery/agent.recovery");
    let resolve: [&OsStr; 9] = [
        "fork".as_ref(),
        "resolve".as_ref(),
        OsStr::new(&world),
        "--keep".as_ref(),
        keep.as_ref(),
        "--recovery-key".as_ref(),
        recovery.as_ref(),
        "--reason".as_ref(),
        "Bob has it".as_ref(),
    ];
    one.run(with_recovery_key(resolve, "nowhere"))
        .refused(3, "--recovery-key");
    one.run(resolve).ok();
    let shown = one.json(["history", &world]);
    assert!(shown.to_string().contains("with Bob") && !shown.to_string().contains("with Ada"));
    update(&one, &world, "the key is lost");
    one.run(["audit", "--deep"]).ok();
    one.run(["rebuild"]).ok();
    assert_eq!(one.json(["fork", "list"])["forks"][0]["state"], "resolved");
    // The decision travels to the copy, which follows it.
    let back = exported(&one, &[]);
    let ran = two.run(["import".as_ref(), back.as_os_str()]);
    assert!(!ran.stderr().contains("refused"), "{}", ran.stderr());
    let shown = two.json(["history", &world]);
    assert!(shown.to_string().contains("is lost"), "{shown}");
    two.run(["audit", "--deep"]).ok();
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

/// A checkpoint of a copy that was written as well: this log's key has signed two histories.
#[test]
fn a_checkpoint_of_another_history_is_an_event() {
    let one = Place::new();
    let world = remember(&one, "the key is under the pot");
    let two = copied(&one);
    update(&one, &world, "the key is with Ada");
    update(&two, &world, "the key is with Bob");
    let note = two.file("note", two.run(["log", "checkpoint"]).stdout().as_bytes());
    let compare = |place: &Place| {
        place.run([
            "fork".as_ref(),
            "check-checkpoint".as_ref(),
            note.as_os_str(),
        ])
    };
    compare(&two).ok();
    compare(&one).refused(1, "two histories");
    let event = one.json(["events"])["events"][0].clone();
    assert_eq!(event["code"], "E_LOG_FORK");
    assert_eq!(event["attributable"], true, "both notes are signed");
}

/// Adversarial case C42
#[test]
fn a_restored_backup_is_reconciled_from_an_export() {
    let place = Place::new();
    remember(&place, "before the backup");
    let gone = remember(&place, "erased after the backup");
    let backup = fs::read(place.database()).unwrap();
    remember(&place, "after the backup");
    place
        .run(["erase", &gone, "--reason", "asked for", "--yes"])
        .ok();
    let path = exported(&place, &[]);
    fs::write(place.database(), backup).unwrap();
    place
        .run(["remember", "too soon"])
        .refused(4, "counterfoil reconcile --from");
    let short = lines(&path);
    let short = place.file(
        "short.jsonl",
        short[..short.len() - 1].join("\n").as_bytes(),
    );
    place
        .run(["reconcile".as_ref(), "--from".as_ref(), short.as_os_str()])
        .refused(3, "ends after");
    let done = place.json(["reconcile".as_ref(), "--from".as_ref(), path.as_os_str()]);
    assert_eq!(
        (done["added"].as_u64(), done["erased"].as_u64()),
        (Some(2), Some(1))
    );
    remember(&place, "afterwards");
    place.run(["audit", "--deep"]).ok();
    assert!(
        place
            .run(["recall", "after the backup"])
            .ok()
            .stdout()
            .contains("after the backup")
    );
    let shown = place.run(["show", &gone]);
    assert!(
        !shown.stdout().contains("erased after the backup"),
        "{}",
        shown.stdout()
    );
}

/// What is forgotten stays forgotten where it travels to, for the one who forgot it.
#[test]
fn a_tombstone_travels() {
    let place = Place::new();
    let world = remember(&place, "a heron that is forgotten");
    remember(&place, "a heron that stays");
    place
        .run(["forget", &world, "--reason", "no longer true"])
        .ok();
    let path = exported(&place, &["--chain", &world]);
    assert!(fs::read_to_string(&path).unwrap().contains("\"tombstone\""));
}

/// One bad line does not keep the others out; it is told, kept apart, and reported.
#[test]
fn a_bad_line_is_refused_and_the_others_are_taken() {
    let place = Place::with_memories();
    let path = exported(&place, &[]);
    let mut all = lines(&path);
    let good = all.len();
    all.insert(1, all[1].replace("heron", "raven"));
    all.insert(
        0,
        "{\"type\":\"memory_capsule\",\"version\":\"9\"}".to_owned(),
    );
    all.push("not json".to_owned());
    let other = Place::new();
    let file = other.file("mixed.jsonl", all.join("\n").as_bytes());
    let ran = other.run([
        "--json".as_ref(),
        "import".as_ref(),
        file.as_os_str(),
        "--source".as_ref(),
        "mallory".as_ref(),
    ]);
    ran.code(1);
    let report = ran.json();
    assert_eq!(report["accepted"], good);
    assert_eq!(
        (
            report["refusedCount"].as_u64(),
            report["pendingCount"].as_u64()
        ),
        (Some(2), Some(1))
    );
    assert_eq!(text(&report, "/refused/0/code"), "E_STATE");
    assert_eq!(text(&report, "/pending/0/waitsFor"), "unknown_version");
    let events = other.json(["events"]);
    assert_eq!(events["events"].as_array().unwrap().len(), 2);
    for event in events["events"].as_array().unwrap() {
        assert_eq!(
            event["attributable"], false,
            "whoever swaps a body may be anyone"
        );
        assert_eq!(text(event, "/source/transport"), "import mallory");
    }
    let human = other.run(["events"]);
    assert!(human.ok().stdout().contains("the sender"));
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

/// A memory of another agent's is told from one's own, in `recall` and in `show`.
#[test]
fn the_memory_of_another_agent_is_told_from_ones_own() {
    let (theirs, mine) = (Place::new(), Place::new());
    let id = remember(&theirs, "the heron key is theirs");
    remember(&mine, "the heron key is mine");
    let file = exported(&theirs, &[]);
    import(&mine, &file);
    let did = fs::read_to_string(theirs.keys().join("agent.pub")).unwrap();
    let short: String = did.trim_start_matches("did:key:").chars().take(9).collect();
    let recalled = mine.run(["recall", "heron key"]).ok().stdout();
    let lines: Vec<&str> = recalled
        .lines()
        .filter(|line| line.contains(&short))
        .collect();
    let [line] = lines.as_slice() else {
        panic!("{recalled}")
    };
    assert!(line.contains("theirs"), "{recalled}");
    let shown = mine.run(["show", &id]).ok().stdout();
    assert!(
        shown.contains("by another agent") && shown.contains(did.trim()),
        "{shown}"
    );
}

/// An agent that nobody here has heard of is the caller's to mend, and no file is made.
#[test]
fn the_export_of_an_unknown_agent_is_refused() {
    let (place, other) = (Place::with_memories(), Place::new());
    let did = fs::read_to_string(other.keys().join("agent.pub")).unwrap();
    let path = place.folder().join("none.jsonl");
    let file = path.to_str().unwrap();
    place.refuses(["export", "--agent", did.trim(), "-o", file], 3, "signed");
    assert!(!path.exists());
}
