//! What is said of a line in one view is said of it in all.

use serde_json::Value;

use super::{Met, remember, set};
use crate::place::Place;

/// Predicate, how its belief stands, and how a recall calls the claim of `value`.
const LINES: [(&str, &str, &str, &str); 7] = [
    ("born_in", "resolved", "Lagos", "believed;"),
    ("lives_in", "contested", "Faro", "CONTESTED: 2 values"),
    ("drinks", "timing_uncertain", "tea", "believed; since when"),
    ("fears", "resolved", "heights", "inferred by a model"),
    ("rents", "ended", "Evora", "no longer believed: ended"),
    ("boards", "no_belief", "Sines", "not yet"),
    ("keeps", "no_belief", "hens", ""),
];

/// CLM-40, CLM-51, CLM-39: recall, history, the line's belief and the subject's view tell the same of a line, and no
/// contest as settled.
#[test]
fn recall_history_and_the_subjects_view_agree() {
    let place = told();
    let all = place.json(["believe", "mira"]);
    for (predicate, status, value, reason) in LINES {
        let belief = place.json(["believe", "mira", predicate]);
        assert_eq!(belief["status"], status, "{predicate}");
        assert_eq!(of_subject(&all, predicate), Some(status), "{predicate}");
        let history = place.json(["history", "mira", predicate]);
        for claim in history["claims"].as_array().unwrap() {
            let decides = refs(&belief).contains(&claim["ref"].as_str().unwrap());
            let state = claim["state"].as_str().unwrap();
            let expected = match status {
                "contested" => "contested",
                _ => "current",
            };
            assert_eq!(decides, state == expected, "{predicate}: {claim}");
        }
        let claim = &history["claims"][0];
        let recalled = place.json([
            "recall",
            &format!("mira {predicate} {value}"),
            "--detail",
            "full",
        ]);
        let told = reason_of(&recalled, claim["ref"].as_str().unwrap());
        assert_eq!(told.is_none(), reason.is_empty(), "{predicate}: {told:?}");
        assert!(told.unwrap_or("").starts_with(reason), "{told:?}");
        for side in refs(&belief) {
            let told = reason_of(&recalled, claim["ref"].as_str().unwrap()).unwrap();
            let is_other = claim["ref"] != side;
            assert_eq!(told.contains(side), is_other, "{told}");
        }
    }
}

/// One line of each kind; the last one was denied.
fn told() -> Place {
    let place = Place::new();
    let mut met = Met::default();
    let mut add = |args: &[&str]| met.add(&place, &[&["mira"], args].concat());
    add(&["born_in", "Lagos", "--from", "1990-02-03"]);
    add(&["lives_in", "Faro", "--from", "2020"]);
    let first_hand = ["--channel", "first-hand"];
    add(&[&["lives_in", "Porto", "--from", "2021"], &first_hand[..]].concat());
    add(&["drinks", "tea"]);
    add(&["fears", "heights", "--from", "2000", "--channel", "model"]);
    add(&["rents", "Evora", "--from", "2001", "--until", "2003"]);
    add(&["boards", "Sines", "--from", "2100"]);
    set(&place, "[oracle]\npresent = true\n");
    let hens = add(&["keeps", "hens", "--from", "2020"]);
    let bees = add(&[&["keeps", "bees", "--from", "2020"], &first_hand[..]].concat());
    let note = remember(&place, "neither of the two");
    for claim in [hens, bees] {
        place.json(["adjudicate", &claim, "deny", "--evidence", &note]);
    }
    place
}

fn refs(belief: &Value) -> Vec<&str> {
    let sides = belief["sides"].as_array().unwrap().iter();
    let claims = sides.flat_map(|side| side["claims"].as_array().unwrap());
    claims.map(|claim| claim["ref"].as_str().unwrap()).collect()
}

fn of_subject<'b>(all: &'b Value, predicate: &str) -> Option<&'b str> {
    let mut lines = all["beliefs"].as_array().unwrap().iter();
    lines.find(|belief| belief["predicate"] == predicate)?["status"].as_str()
}

fn reason_of<'r>(recalled: &'r Value, claim: &str) -> Option<&'r str> {
    let mut items = recalled["items"].as_array().unwrap().iter();
    items.find(|item| item["id"] == claim)?["why"].as_str()
}
