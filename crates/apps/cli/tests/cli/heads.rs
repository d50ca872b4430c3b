//! Heads outside: a store that was put back as a whole is noticed, and nothing of it is handed out.

use std::fs;
use std::path::Path;

use crate::place::Place;

pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let name = to.join(path.file_name().unwrap());
        match path.is_dir() {
            true => copy(&path, &name),
            false => drop(fs::copy(&path, &name).unwrap()),
        }
    }
    let mode = fs::metadata(from).unwrap().permissions();
    fs::set_permissions(to, mode).unwrap();
}

/// A store that is put back, its guard included, to its state before `later`.
pub(crate) fn put_back(place: &Place, later: impl FnOnce(&Place)) {
    let (before, after) = (place.folder().join("before"), place.folder().join("after"));
    copy(&place.dir(), &before);
    later(place);
    fs::rename(place.dir(), &after).unwrap();
    fs::rename(before, place.dir()).unwrap();
}

pub(crate) fn remembered(place: &Place) {
    place.run(["remember", "The heron flew."]).ok();
}

/// The whole store was put back as it was a day before, guard included, and nothing noticed.
#[test]
fn a_store_that_was_put_back_hands_out_nothing() {
    let place = Place::with_memories();
    let export = place.folder().join("all.jsonl");
    put_back(&place, |place| {
        remembered(place);
        place.run(["export", "-o", export.to_str().unwrap()]).ok();
    });
    for command in [
        &["recall", "heron"][..],
        &["stats"],
        &["log", "checkpoint"],
        &["remember", "more"],
    ] {
        let ran = place.run(command);
        let said = ran.code(2).stderr();
        assert!(said.contains("counterfoil reconcile --from"), "{said}");
        assert!(ran.stdout().is_empty(), "{command:?}: {}", ran.stdout());
    }
    let checked = place.run(["check"]).code(1).stdout();
    assert!(
        checked.contains("BAD   heads") && checked.contains("put back"),
        "{checked}"
    );
    place.run(["recall", "Nadia", "--unsafe"]).ok();
    place.run(["remember", "more", "--unsafe"]).code(2);

    // The command that is named settles it.
    place
        .run(["reconcile", "--from", export.to_str().unwrap()])
        .ok();
    let found = place.run(["recall", "heron"]);
    assert!(found.ok().stdout().contains("The heron flew."));
    remembered(&place);
}

/// A copy of a store that is as long, with other entries, is another history.
#[test]
fn a_copy_that_goes_on_beside_its_store_is_refused() {
    let place = Place::with_memories();
    put_back(&place, remembered);
    fs::remove_dir_all(place.state_folder()).unwrap();
    place.run(["remember", "Another history."]).ok();
    fs::rename(place.dir(), place.folder().join("other")).unwrap();
    fs::rename(place.folder().join("after"), place.dir()).unwrap();
    let said = place.run(["recall", "heron"]);
    assert!(said.code(2).stderr().contains("another history"));
}

/// The head is taken over on the first write, and a home that cannot be written stops nothing.
#[test]
fn a_missing_or_closed_state_folder_stops_nothing() {
    let place = Place::with_memories();
    fs::remove_dir_all(place.state_folder()).unwrap();
    place.run(["recall", "Nadia"]).ok();
    assert!(!place.state_folder().exists(), "a read writes nothing");
    remembered(&place);
    put_back(&place, remembered);
    place.run(["recall", "heron"]).code(2);

    let place = Place::with_memories();
    fs::remove_dir_all(place.state_folder()).unwrap();
    fs::write(place.state_folder(), "no folder").unwrap();
    remembered(&place);
    place.run(["recall", "heron"]).ok();
}

/// Anything else in its place is no reason to trust the store.
#[test]
fn a_head_that_the_log_has_not_signed_is_refused() {
    let place = Place::with_memories();
    let heads = fs::read_dir(place.state_folder().join("heads")).unwrap();
    let mut head = heads.map(|entry| entry.unwrap().path());
    let head = head.find(|path| path.extension().is_none());
    let head = head.unwrap();
    let note = fs::read_to_string(&head).unwrap();
    fs::write(&head, note.replacen("counterfoil", "c0unterfoil", 1)).unwrap();
    let ran = place.run(["recall", "Nadia"]);
    assert!(ran.code(2).stderr().contains("something else"));
    fs::write(&head, note).unwrap();
    place.run(["recall", "Nadia"]).ok();
}

/// A named place notices what the state folder no longer knows; a place that cannot be reached delays no command.
#[test]
fn a_head_in_a_file_notices_a_store_that_was_put_back() {
    let place = Place::with_memories();
    let head = place.folder().join("elsewhere");
    let head = format!("file:{}", head.display());
    put_back(&place, |place| {
        place
            .run(["--head", &head, "remember", "The heron flew."])
            .ok();
        let doctor = place.run(["--head", &head, "check"]);
        assert!(doctor.ok().stdout().contains("elsewhere: up to date"));
        remembered(place);
        let doctor = place.run(["--head", &head, "check"]);
        assert!(doctor.ok().stdout().contains("elsewhere: 1 behind"));
    });
    fs::remove_dir_all(place.state_folder()).unwrap();
    place.run(["recall", "Nadia"]).ok();
    for command in [&["recall", "Nadia"][..], &["remember", "more"]] {
        let ran = place.run([&["--head", &head], command].concat());
        assert!(ran.code(2).stderr().contains("elsewhere knows"));
    }
    // The list beside the state file counts without a flag.
    remembered(&place);
    let entries = fs::read_dir(place.state_folder().join("heads")).unwrap();
    let mut files = entries.map(|entry| entry.unwrap().path());
    let file = files.find(|path| path.extension().is_none()).unwrap();
    fs::write(file.with_extension("places"), format!("# one\n{head}\n")).unwrap();
    place.run(["recall", "Nadia"]).code(2);
}

#[cfg(unix)]
#[test]
fn a_head_behind_a_command_notices_a_store_that_was_put_back() {
    let place = Place::with_memories();
    let script = r#"cd "$(dirname "$0")"; case $1 in get) cat kept 2>/dev/null || true;; put) cat > kept;; esac"#;
    let script = place.file("keep.sh", script.as_bytes());
    let head = format!("cmd:sh {}", script.display());
    put_back(&place, |place| {
        place.run(["--head", &head, "remember", "One."]).ok();
        assert!(place.folder().join("kept").exists());
    });
    fs::remove_dir_all(place.state_folder()).unwrap();
    let ran = place.run(["--head", &head, "recall", "Nadia"]);
    assert!(ran.code(2).stderr().contains("knows"));
    let ran = place.run(["--head", "cmd:false", "recall", "Nadia"]);
    assert!(ran.ok().stderr().contains("`false get` failed"));
    let ran = place.run(["--head", "cmd:echo", "recall", "Nadia"]);
    assert!(ran.code(2).stderr().contains("something else"));
    place
        .run(["--head", "https://example.org", "recall", "Nadia"])
        .code(3);
}

/// A follower lags behind the log that it shows, and is read all the same.
#[test]
fn a_follower_is_not_behind() {
    let place = Place::with_memories();
    let (ship, copy) = (place.folder().join("ship"), place.folder().join("copy"));
    place.run(["ship", "--to", ship.to_str().unwrap()]).ok();
    remembered(&place);
    let copied = |args: &[&str]| {
        let mut command = std::process::Command::new(crate::place::BINARY);
        command.env("COUNTERFOIL_STATE_DIR", place.state_folder());
        command.arg("--dir").arg(&copy).args(args).output().unwrap()
    };
    assert!(
        copied(&["follow", "--from", ship.to_str().unwrap()])
            .status
            .success()
    );
    assert!(copied(&["recall", "Nadia"]).status.success());
}
