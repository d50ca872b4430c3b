//! `log map`: the map that the newest checkpoint binds, computed again from entries, headers and records.

use std::fs;

use base64::{Engine, engine::general_purpose::STANDARD};
use counterfoil_capsule::SecretKey;
use counterfoil_store::log::NoteSigner;
use counterfoil_types::Sha256Hash;
use serde_json::Value;

use crate::place::Place;
use crate::tamper::forge;

const CHECK: [&str; 3] = ["log", "map", "--check"];

/// A store in which memories are superseded, forgotten and erased, and a key was replaced.
fn lived_in() -> Place {
    let place = Place::with_memories();
    let made = |text: &str| {
        let made = place.json(["remember", text]);
        made["id"].as_str().unwrap().to_owned()
    };
    let [changed, forgotten, erased] = ["one", "two", "three"].map(made);
    place.run(["update", &changed, "--set", "/text=four"]).ok();
    place
        .run(["forget", &forgotten, "--reason", "it is old"])
        .ok();
    place
        .run(["erase", &erased, "--reason", "asked to", "--yes"])
        .ok();
    place.run(["key", "rotate"]).ok();
    place
}

/// The signer of the log's checkpoints, as whoever holds the key has it.
fn log_signer(place: &Place) -> NoteSigner {
    let key = fs::read_to_string(place.keys().join("log.key")).unwrap();
    let line = |name: &str| {
        key.lines()
            .find_map(|line| line.strip_prefix(name))
            .unwrap()
    };
    let seed = STANDARD.decode(line("seed ")).unwrap();
    let seed = SecretKey::from_seed(seed.try_into().unwrap());
    NoteSigner::new(line("name "), seed).unwrap()
}

fn hash(base64: &Value) -> Sha256Hash {
    let bytes = STANDARD.decode(base64.as_str().unwrap()).unwrap();
    Sha256Hash::from_bytes(bytes.try_into().unwrap())
}

/// Puts another signed checkpoint into the database.
fn put_checkpoint(place: &Place, note: &str) {
    forge(place, &format!("UPDATE head SET checkpoint = '{note}'"));
}

#[test]
fn the_map_is_computed_again_from_the_log_alone() {
    let place = lived_in();
    let bound = place.json(["log", "map"]);
    let note = place.run(["log", "checkpoint"]).ok().stdout();
    let line = format!(
        "counterfoil-map/v1 {}\n",
        bound["mapRoot"].as_str().unwrap()
    );
    assert!(note.contains(&line), "{note}");
    let checked = place.json(CHECK);
    assert_eq!(checked["holds"], true, "{checked}");
    assert_eq!(checked["computed"], bound["mapRoot"]);
    assert_eq!(checked["size"], bound["size"]);

    // No row of the map is read.
    forge(
        &place,
        "UPDATE map_node SET node = zeroblob(length(node)); UPDATE map_row SET value = zeroblob(length(value))",
    );
    assert_eq!(place.json(CHECK)["holds"], true);
    place.run(["check"]).code(1);
}

/// The log's key signs another map than its entries make, or none.
#[test]
fn a_checkpoint_with_another_map_or_none_is_unproven() {
    let place = lived_in();
    let at = place.json(["log", "checkpoint"]);
    let (size, root) = (at["size"].as_u64().unwrap(), hash(&at["root"]));
    let signer = log_signer(&place);
    let other = Sha256Hash::from_bytes([7; 32]);
    let lie = signer.checkpoint_with_map((size, root), other).unwrap();
    put_checkpoint(&place, &lie);
    place.run(["log", "map"]).ok();
    let ran = place.run(CHECK);
    assert!(ran.code(2).stderr().contains("not the one that the signed"));
    assert!(ran.stdout().contains("another one"), "{}", ran.stdout());
    let checked = place.run([&["--json"], &CHECK[..]].concat());
    assert_eq!(checked.code(2).json()["holds"], false);

    put_checkpoint(&place, &signer.checkpoint(size, root).unwrap());
    for command in [&["log", "map"][..], &CHECK] {
        place.run(command).refused(2, "binds no map");
    }
}

/// A map is worth nothing over entries that the log has not signed, or under a checkpoint that it has not.
#[test]
fn entries_and_checkpoint_must_be_those_of_the_log() {
    let place = lived_in();
    forge(
        &place,
        "UPDATE capsule SET field_count = field_count + 1 WHERE idx = 3",
    );
    place.run(CHECK).refused(1, "not that of the log");
    let place = lived_in();
    let note = place.run(["log", "checkpoint"]).ok().stdout();
    let map = note.lines().nth(3).unwrap();
    let other = map.replace(&map[19..24], "AAAAA");
    put_checkpoint(&place, &note.replace(map, &other));
    for command in [&["log", "map"][..], &CHECK] {
        place.run(command).refused(1, "not that of the log");
    }
}

/// A stub is no header: the log has not signed what it says.
#[test]
fn entries_in_an_archive_are_named() {
    let place = lived_in();
    place
        .run(["archive", "--before", "2100-01-01", "--current"])
        .ok();
    place.run(["log", "map"]).ok();
    place.run(CHECK).refused(2, "restore --all");
    assert!(
        place
            .run(CHECK)
            .stderr()
            .contains("lie in an archive (1, 2, ")
    );
    place.run(["restore", "--all"]).ok();
    assert_eq!(place.json(CHECK)["holds"], true);
}
