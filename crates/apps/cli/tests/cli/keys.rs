//! The agent's keys over its life, from the command line: committed to, rotated, stolen, sealed.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::place::Place;

fn agent_key(place: &Place) -> PathBuf {
    place.keys().join("agent.key")
}

fn rotate(place: &Place) -> Value {
    place.json(["key", "rotate"])
}

/// Adversarial case B25: the old key signs nothing any more, not even in its own store.
#[test]
fn what_the_old_key_signs_after_the_rotation_is_refused() {
    let place = Place::with_memories();
    let old = fs::read(agent_key(&place)).unwrap();
    rotate(&place);
    let new = fs::read(agent_key(&place)).unwrap();
    fs::write(agent_key(&place), old).unwrap();
    place.refuses(["remember", "theirs"], 4, "is not its current key");
    place.refuses(["key", "rotate"], 4, "number 1");
    fs::write(agent_key(&place), new).unwrap();
    place.run(["remember", "ours"]).ok();
}

/// A key behind a link would stay where it leads, and a folder or a passphrase that others can
/// change or read is told of.
#[cfg(unix)]
#[test]
fn links_and_open_folders_are_told_of() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let place = Place::new();
    let (key, away) = (place.keys().join("agent.key"), place.folder().join("away"));
    fs::rename(&key, &away).unwrap();
    symlink(&away, &key).unwrap();
    place.refuses(["key", "rotate"], 4, "is a link");
    fs::remove_file(&key).unwrap();
    fs::rename(&away, &key).unwrap();

    let open = fs::Permissions::from_mode(0o777);
    fs::set_permissions(place.dir().join("recovery"), open).unwrap();
    let rotated = place.run(["key", "rotate"]);
    assert!(
        rotated.ok().stderr().contains("chmod 700"),
        "{}",
        rotated.stderr()
    );

    let file = place.file("passphrase", b"swordfish");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let file = file.to_str().unwrap();
    let sealed = place.run(["key", "encrypt", "--passphrase-file", file]);
    assert!(
        sealed.ok().stderr().contains("chmod 600"),
        "{}",
        sealed.stderr()
    );
}
