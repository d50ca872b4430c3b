//! Predicates that hold many values: a built-in list, and records of the log.

use serde_json::Value;

use super::{add, added};
use crate::place::Place;

fn status(place: &Place, line: [&str; 2], more: &[&str]) -> Value {
    let [subject, predicate] = line;
    place.json([&["believe", subject, predicate], more].concat())["status"].clone()
}

/// Two sources say that Mira's mood is another; returns the time after that.
fn two_moods(place: &Place) -> String {
    added(place, &["mira", "mood", "calm"], "committed");
    let merry = ["mira", "mood", "merry", "--channel", "first-hand"];
    let second = add(place, &merry);
    assert_eq!(second["disposition"], "contested");
    second["unit"]["recordedAt"].as_str().unwrap().to_owned()
}

/// A second hobby is no contradiction, in any spelling of a built-in predicate.
#[test]
fn a_second_hobby_is_no_contradiction() {
    let place = Place::new();
    for predicate in ["hobby", "member of", "member_of", "member-of", "Speaks"] {
        added(&place, &["mira", predicate, "one"], "committed");
        added(&place, &["mira", predicate, "two"], "committed");
        assert_eq!(status(&place, ["mira", predicate], &[]), "resolved");
    }
    let shown = place.json(["claim", "predicates"]);
    let listed = shown["predicates"].as_array().unwrap();
    let hobby = listed.iter().find(|it| it["predicate"] == "hobby").unwrap();
    assert_eq!(hobby["by"], "built_in");
    // What the user says of a line counts before the list.
    added(
        &place,
        &["mira", "owns", "a boat", "--cardinality", "one"],
        "committed",
    );
    added(
        &place,
        &["mira", "owns", "a car", "--channel", "first-hand"],
        "contested",
    );
}

/// It is said once, acts at once on all that is kept, and is undone the same way; an earlier time is answered as before.
#[test]
fn a_predicate_is_set_once_for_all_that_is_kept() {
    let place = Place::new();
    let then = two_moods(&place);
    let mood = ["mira", "mood"];
    let contested = |place: &Place| {
        place.json(["contested"])["beliefs"]
            .as_array()
            .unwrap()
            .len()
    };
    assert_eq!(
        (status(&place, mood, &[]), contested(&place)),
        ("contested".into(), 1)
    );
    let size = place.json(["check"])["entries"]["entries"].clone();
    let set = place.json(["claim", "predicate", "Mood", "--many"]);
    assert_eq!(
        (&set["predicate"], &set["cardinality"]),
        (&"mood".into(), &"many".into())
    );
    assert_ne!(
        place.json(["check"])["entries"]["entries"],
        size,
        "a record of the log"
    );
    assert_eq!(
        (status(&place, mood, &[]), contested(&place)),
        ("resolved".into(), 0)
    );
    let history = place.json(["history", "mira", "mood"]);
    assert!(
        history["claims"]
            .as_array()
            .unwrap()
            .iter()
            .all(|claim| claim["state"] == "current")
    );
    assert_eq!(status(&place, mood, &["--as-of", &then]), "contested");
    added(&place, &["mira", "mood", "proud"], "committed");
    assert_eq!(
        place.json(["believe", "mira", "mood"])["sides"]
            .as_array()
            .unwrap()
            .len(),
        3
    );
    let listed = place.json(["claim", "predicates"]);
    let first = &listed["predicates"][0];
    assert_eq!(
        (&first["predicate"], &first["by"]),
        (&"mood".into(), &"record".into())
    );
    place.run(["claim", "predicate", "mood", "--one"]).ok();
    assert_eq!(
        (status(&place, mood, &[]), contested(&place)),
        ("contested".into(), 1)
    );
}

/// No file is read by a belief: a settings file of before is refused with the command that takes its place.
#[test]
fn no_file_is_read_by_a_belief() {
    let place = Place::new();
    two_moods(&place);
    let path = place.dir().join("claims.toml");
    std::fs::write(&path, "[cardinality]\nmood = \"many\"\n").unwrap();
    let refused = place.run(["believe", "mira", "mood"]);
    refused.refused(4, "counterfoil claim predicate NAME --many");
    std::fs::remove_file(&path).unwrap();
    assert_eq!(status(&place, ["mira", "mood"], &[]), "contested");
    place
        .run(["claim", "predicate", "mood"])
        .refused(3, "--many");
    let both = place.run(["claim", "predicate", "mood", "--many", "--one"]);
    both.refused(3, "cannot be used with");
    place
        .run(["claim", "predicate", " ", "--many"])
        .refused(3, "white space");
}
