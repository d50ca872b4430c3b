//! Proofs of belief: given out by `prove`, checked by `verify-belief` without a store.

use std::fs;
use std::path::{Path, PathBuf};

use super::added;
use crate::place::Place;

fn path(place: &Place, name: &str) -> PathBuf {
    place.folder().join(name)
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

/// A copy of the store went on with the line, and what it wrote came back: two units have one number.
#[test]
fn a_line_that_was_written_in_two_places_is_not_called_erased() {
    let place = moved();
    let before = path(&place, "before.jsonl");
    let copy = Place::new();
    for folder in ["keys", "memory.db"] {
        take_over(&place.dir().join(folder), &copy.dir().join(folder));
    }
    let faro = ["claim", "add", "mira", "lives_in", "Faro", "--from", "2030"];
    let first_hand = ["--channel", "first-hand"];
    place.json(faro.into_iter().chain(first_hand));
    let braga = [
        "claim", "add", "mira", "lives_in", "Braga", "--from", "2031",
    ];
    copy.json(braga.into_iter().chain(first_hand));
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
