//! Proofs of belief: given out by `prove`, checked by `verify-belief` without a store.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{add, added};
use crate::place::{Place, Ran};

fn path(place: &Place, name: &str) -> PathBuf {
    place.folder().join(name)
}

fn anchors(place: &Place) -> PathBuf {
    let path = path(place, "anchors.json");
    place
        .run(["anchors".as_ref(), "-o".as_ref(), path.as_os_str()])
        .ok();
    path
}

fn proven(place: &Place, name: &str, more: &[&str]) -> PathBuf {
    let path = path(place, name);
    let args = [
        &["prove", "mira", "lives_in", "-o", path.to_str().unwrap()],
        more,
    ]
    .concat();
    place.run(args).ok();
    path
}

/// In a folder without a store.
fn checked(proof: &Path, anchors: &Path, more: &[&str]) -> Ran {
    let nowhere = Place::bare();
    let (proof, anchors) = (proof.to_str().unwrap(), anchors.to_str().unwrap());
    let args = [&["verify-belief", proof, "--anchors", anchors], more].concat();
    let ran = nowhere.run(args);
    assert!(!nowhere.dir().exists());
    ran
}

fn moved() -> Place {
    let place = Place::new();
    added(
        &place,
        &[
            "mira", "lives_in", "Lisbon", "--from", "2019-04", "--until", "2022-02",
        ],
        "committed",
    );
    added(
        &place,
        &["mira", "lives_in", "Porto", "--from", "2022-03"],
        "committed",
    );
    place
}

/// I3, I8, CLM-50: whoever has the anchors folds the same belief, and no other.
#[test]
fn a_belief_is_proven_to_whoever_has_the_anchors() {
    let place = moved();
    let anchors = anchors(&place);
    let proof = proven(&place, "proof.json", &[]);
    let told = checked(&proof, &anchors, &[]);
    assert!(told.ok().stdout().contains("Porto"), "{}", told.stdout());
    let report = checked(&proof, &anchors, &["--json"]).ok().json();
    assert_eq!(report["decision"], "approved");
    let then = proven(&place, "then.json", &["--at", "2021"]);
    let report = checked(&then, &anchors, &["--json"]).ok().json();
    assert!(
        report["belief"]["sides"][0]["value"]
            .as_str()
            .unwrap()
            .contains("Lisbon")
    );
    // Another store's anchors know nothing of this log.
    let other = Place::new();
    checked(&proof, &self::anchors(&other), &[]).code(1);
    // The log grows; the floor that was given out is continued.
    place.run(["remember", "something else"]).ok();
    checked(&proven(&place, "later.json", &[]), &anchors, &[]).ok();
    let on_the_way = path(&place, "out.json");
    let out = [
        "prove",
        "mira",
        "lives_in",
        "--out",
        on_the_way.to_str().unwrap(),
        "--floor",
        "0",
    ];
    place.run(out).ok();
    let written = place.run(["prove", "mira", "lives_in"]).ok().json();
    assert_eq!(written["format"], "counterfoil/belief/v1");
}

#[test]
fn a_proof_that_was_changed_shows_nothing() {
    let place = moved();
    let anchors = anchors(&place);
    let proof = proven(&place, "proof.json", &[]);
    let honest = fs::read_to_string(&proof).unwrap();
    let forged = |name: &str, change: &dyn Fn(&mut Value)| {
        let mut document: Value = serde_json::from_str(&honest).unwrap();
        change(&mut document);
        place.file(name, document.to_string().as_bytes())
    };
    let word = forged("word.json", &|document| {
        let text = document["belief"].to_string().replace("Porto", "Braga");
        document["belief"] = serde_json::from_str(&text).unwrap();
    });
    let unit = forged("unit.json", &|document| {
        let text = document["units"].to_string().replace("Porto", "Braga");
        document["units"] = serde_json::from_str(&text).unwrap();
    });
    let left_out = forged("left_out.json", &|document| {
        document["units"].as_array_mut().unwrap().remove(0);
    });
    for path in [word, unit, left_out] {
        let ran = checked(&path, &anchors, &[]);
        ran.code(1);
        assert!(ran.stdout().contains("REJECTED"), "{}", ran.stdout());
    }
    let none = place.file("none.json", b"{}");
    checked(&none, &anchors, &[]).refused(3, "proof of belief");
    checked(&path(&place, "nowhere.json"), &anchors, &[]).refused(3, "nowhere.json");
}

/// I7: a contested belief is proven as such, and approved by no policy that asks for a settled one.
#[test]
fn a_contested_belief_is_proven_as_contested() {
    let place = moved();
    let anchors = anchors(&place);
    add(&place, &["mira", "lives_in", "Braga", "--from", "2024-01"]);
    let path = path(&place, "proof.json");
    let ran = place.run(["prove", "mira", "lives_in", "-o", path.to_str().unwrap()]);
    assert!(ran.ok().stderr().contains("contested"), "{}", ran.stderr());
    let ran = checked(&path, &anchors, &[]);
    ran.code(1);
    assert!(
        ran.stdout().contains("Braga") && ran.stdout().contains("Porto"),
        "{}",
        ran.stdout()
    );
    let policy = place.file("policy.toml", b"[belief]\nrequire_resolved = false\n");
    checked(&path, &anchors, &["--policy", policy.to_str().unwrap()]).ok();
}

#[test]
fn what_cannot_be_proven_is_said() {
    let place = moved();
    place
        .run(["prove", "mira", "eats"])
        .refused(3, "nothing was recorded");
    place
        .run(["prove", "mira", "lives_in", "--as-of", "2020"])
        .refused(3, "nothing was recorded");
    place
        .run(["prove", "mira", "lives_in", "--floor", "99"])
        .refused(3, "beyond the log");
    place
        .run(["prove", "mira", "lives_in", "-o", "/no/such/x"])
        .refused(3, "cannot be written");
    let history = place.json(["history", "mira", "lives_in"]);
    let claim = history["claims"][0]["ref"].as_str().unwrap().to_owned();
    place
        .run(["erase", &claim, "--reason", "asked for", "--yes"])
        .ok();
    place
        .run(["prove", "mira", "lives_in"])
        .refused(2, "erased or archived");
}

/// A copy of the store went on with the line, and what it wrote came back: two units have one number.
#[test]
fn a_line_that_was_written_in_two_places_is_not_called_erased() {
    let place = moved();
    let before = path(&place, "before.jsonl");
    let copy = Place::new();
    for folder in ["keys", "memory.db"] {
        take_over(&place.dir().join(folder), &copy.dir().join(folder));
    }
    place.json(["claim", "add", "mira", "lives_in", "Faro", "--from", "2030"]);
    copy.json([
        "claim", "add", "mira", "lives_in", "Braga", "--from", "2031",
    ]);
    let exported = before.to_str().unwrap();
    copy.run(["export", "-o", exported]).ok();
    place.run(["import", exported]).ok();
    let ran = place.run(["prove", "mira", "lives_in"]);
    ran.refused(2, "written in two places");
}

fn take_over(from: &Path, to: &Path) {
    if from.is_file() {
        fs::copy(from, to).unwrap();
        return;
    }
    fs::remove_dir_all(to).ok();
    fs::create_dir_all(to).unwrap();
    fs::set_permissions(to, fs::metadata(from).unwrap().permissions()).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let name = entry.unwrap().file_name();
        take_over(&from.join(&name), &to.join(&name));
    }
}
