//! Memories that change: update, history, diff, rollback, as-of, and what a recall gives of them.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::place::Place;

/// A place with one note, and its id.
fn noted(text: &str) -> (Place, String) {
    let place = Place::new();
    let made = place.json(["remember", text]);
    let id = made["worldId"].as_str().unwrap().to_owned();
    (place, id)
}

fn id_of(answer: &Value) -> String {
    answer["worldId"].as_str().unwrap().to_owned()
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
    place.run(["audit"]).ok();
}

/// I2: transaction time, when it was recorded; not when it happened.
#[test]
fn the_memory_stands_as_it_was_recorded_by_a_time() {
    let (place, first) = noted("Priya lives in Lisbon");
    place.json(["remember", "an unrelated heron"]);
    let recorded = |id: &str| {
        let shown = place.json(["show", id]);
        shown["capsule"]["timestamp"].as_str().unwrap().to_owned()
    };
    let second = id_of(&place.json(["update", &first, "--set", "/text=Priya lives in Porto"]));
    let (then, now) = (recorded(&first), recorded(&second));
    let listed = |time: &str| -> Vec<String> {
        let answer = place.json(["as-of", time]);
        let listed = answer["listed"].as_array().unwrap().iter();
        listed.map(id_of).collect()
    };
    assert_eq!(listed(&then), [first.as_str()]);
    assert_eq!(listed(&now).len(), 2);
    assert!(listed(&now).contains(&second) && !listed(&now).contains(&first));
    let at = |time: &str| {
        place.json(["as-of", time, "Where does Priya live?"])["selected"][0]["ref"]["worldId"]
            .clone()
    };
    assert_eq!((at(&then), at(&now)), (json!(first), json!(second)));
    let page = place.json(["as-of", &now, "--max", "1", "--skip", "1"]);
    assert_eq!(page["listed"].as_array().unwrap().len(), 1);
    assert_eq!(page["memories"], 2);
    place.refuses(["as-of", "2001-01-01"], 3, "nothing was recorded by");
    place.refuses(["as-of", "yesterday"], 3, "yesterday");
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
