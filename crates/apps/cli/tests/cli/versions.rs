//! Memories that change: update, history, diff, rollback, as-of, and what a recall gives of them.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::place::Place;

/// A place with one note, and its id.
fn noted(text: &str) -> (Place, String) {
    let place = Place::new();
    let made = place.json(["remember", text]);
    let id = made["id"].as_str().unwrap().to_owned();
    (place, id)
}

fn id_of(answer: &Value) -> String {
    answer["id"].as_str().unwrap().to_owned()
}

/// A content of hundreds of kilobytes has no delta; it is replaced all the same.
#[test]
fn a_large_content_is_replaced_as_a_whole() {
    let (place, id) = noted("small");
    let large = |letter: &str| json!({"text": letter.repeat(300_000)}).to_string();
    for letter in ["a", "b"] {
        place
            .run_with_input(["update", &id, "--replace", "-"], large(letter).as_bytes())
            .ok();
    }
    let back = place.json(["rollback", &id, "--to", "1"]);
    let shown = place.json(["show", &id_of(&back)]);
    assert_eq!(shown["world"]["data"]["text"], "a".repeat(300_000));
    place.run(["check"]).ok();
}

/// Three programs that change a memory at once all do so: whoever comes second takes the newer
/// version.
#[test]
fn updates_at_the_same_time_are_all_made() {
    let place = Place::new();
    let first = id_of(&place.json(["remember", "one"]));
    let running: Vec<_> = ["/a=1", "/b=1", "/c=1"]
        .iter()
        .map(|set| {
            let mut command = place.command();
            command.args(["update", &first, "--set", set]);
            command.stdout(Stdio::null()).spawn().unwrap()
        })
        .collect();
    for mut update in running {
        assert!(update.wait().unwrap().success());
    }
    let history = place.json(["history", &first]);
    assert_eq!(history["count"], 4);
}
