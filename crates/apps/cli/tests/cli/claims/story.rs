//! The README's story: a person moves house, marries, contradicts herself, and is asked about 2021.

use serde_json::{Value, json};

use super::{add, added, believe, held, reference, remember};
use crate::place::Place;

/// A claim as it is typed, one word an argument, and what becomes of it.
#[track_caller]
fn said(place: &Place, line: &str, disposition: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    added(place, &words, disposition)
}

/// Status and values of a belief of Mira's, asked as it is typed.
fn asked(place: &Place, line: &str) -> (String, Vec<Value>) {
    let words: Vec<&str> = line.split(' ').collect();
    let belief = believe(place, &[&["mira"], words.as_slice()].concat());
    let (status, values) = held(&belief);
    (status.to_owned(), values.into_iter().cloned().collect())
}

fn is(status: &str, values: &[&str]) -> (String, Vec<Value>) {
    let values = values.iter().map(|value| json!(value)).collect();
    (status.to_owned(), values)
}

/// Two homes one after the other, and a marriage. Gives the second home's claim.
fn told(place: &Place) -> String {
    said(
        place,
        "mira lives_in Lisbon --from 2019-04 --until 2022-02",
        "committed",
    );
    let porto = said(place, "mira lives_in Porto --from 2022-03", "committed");
    let born = said(place, "mira surname Okafor --from 1991-06-02", "committed");
    let married = [
        "mira",
        "surname",
        "Hale",
        "--from",
        "2023-06-10",
        "--supersedes",
        &born,
    ];
    let answer = add(place, &married);
    assert_eq!(
        (&answer["disposition"], &answer["row"]),
        (&json!("committed"), &json!(6))
    );
    porto
}

/// I2, I8, CLM-30, CLM-23: each time has its belief.
#[test]
fn a_life_is_told_and_each_time_has_its_belief() {
    let place = Place::new();
    told(&place);
    assert_eq!(asked(&place, "lives_in"), is("resolved", &["Porto"]));
    assert_eq!(
        asked(&place, "lives_in --at 2021"),
        is("resolved", &["Lisbon"])
    );
    assert_eq!(asked(&place, "lives_in --at 2015"), is("no_belief", &[]));
    assert_eq!(asked(&place, "surname --at 2023-06-09").1, ["Okafor"]);
    assert_eq!(asked(&place, "surname --at 2023-06-11").1, ["Hale"]);
    let all = place.json(["believe", "mira"]);
    let beliefs = all["beliefs"].as_array().unwrap();
    assert_eq!(beliefs.len(), 2);
    let again = |predicate: &str| {
        let [at, known] = ["validAt", "asOf"].map(|name| beliefs[0][name].as_str().unwrap());
        believe(&place, &["mira", predicate, "--at", at, "--as-of", known])
    };
    assert_eq!(
        beliefs,
        &[again("lives_in"), again("surname")],
        "the views agree"
    );
}

/// I3, I7: a contradiction shows, a verdict settles it, and what was known before stays asked about.
#[test]
fn a_contradiction_shows_until_it_is_settled() {
    let place = Place::new();
    let porto = told(&place);
    let answer = add(&place, &["mira", "lives_in", "Braga", "--from", "2024-01"]);
    assert_eq!(answer["disposition"], "contested");
    assert_eq!(
        answer["because"]["rivals"],
        json!([{"ref": porto, "value": "Porto"}])
    );
    let now = believe(&place, &["mira", "lives_in"]);
    assert_eq!(
        held(&now),
        ("contested", vec![&json!("Porto"), &json!("Braga")])
    );
    assert_eq!(now.get("value"), None, "no side is settled");
    assert_eq!(
        asked(&place, "lives_in --at 2021"),
        is("resolved", &["Lisbon"])
    );
    let contested = place.json(["contested"]);
    assert_eq!(contested["beliefs"].as_array().unwrap().len(), 1);

    let letter = remember(&place, "A letter from Mira: we are in Braga since January");
    let verdict = [
        "adjudicate",
        &reference(&answer),
        "affirm",
        "--evidence",
        &letter,
    ];
    assert_eq!(place.json(verdict)["disposition"], "affirmed");
    assert_eq!(asked(&place, "lives_in"), is("resolved", &["Braga"]));
    assert_eq!(
        asked(&place, "lives_in --at 2023"),
        is("resolved", &["Porto"])
    );
    let known = contested["beliefs"][0]["asOf"].as_str().unwrap();
    assert_eq!(
        asked(&place, &format!("lives_in --as-of {known}")).0,
        "contested"
    );
    place.run(["audit", "--deep"]).ok();
    place.run(["rebuild"]).ok();
    assert_eq!(asked(&place, "lives_in"), is("resolved", &["Braga"]));
}

/// A home, another one that contradicts it, and the end of the first.
fn ended() -> (Place, [String; 3]) {
    let place = Place::new();
    let source = remember(&place, "Mira: the new address is in Porto");
    let line = format!("mira lives_in Porto --from 2022-03 --source {source}");
    let porto = said(&place, &line, "committed");
    let braga = said(&place, "mira lives_in Braga --from 2024-01", "contested");
    let answer = place.json(["claim", "end", &porto, "--at", "2024-01"]);
    assert_eq!(answer["disposition"], "bounded");
    (place, [source, porto, braga])
}

/// CLM-43: `why` names the units that decide, and each unit that changed the belief.
#[test]
fn every_change_of_a_belief_names_its_cause() {
    let (place, [source, porto, braga]) = ended();
    let why = place.json(["why", "mira", "lives_in"]);
    assert_eq!(why["belief"]["value"], "Braga");
    let decided = why["decidedBy"].as_array().unwrap();
    assert_eq!((decided.len(), &decided[0]["ref"]), (1, &json!(braga)));
    let row = decided[0]["why"].as_str().unwrap();
    assert_eq!(row, "it contradicts 1 other claim (row 7)");
    let changes = why["changes"].as_array().unwrap().iter();
    let course = changes.map(|it| [it["unit"]["act"].clone(), it["after"]["status"].clone()]);
    let expected = [
        ["claim", "resolved"],
        ["claim", "contested"],
        ["bound", "resolved"],
    ];
    assert_eq!(json!(course.collect::<Vec<_>>()), json!(expected));
    assert_eq!(why["complete"], true);
    let last = place.json(["why", "mira", "lives_in", "--max", "1"]);
    assert_eq!(last["complete"], false);

    let then = place.run(["why", "mira", "lives_in", "--at", "2023"]);
    let then = then.ok().stdout();
    for part in [
        "Porto",
        &porto,
        "rests on",
        &source,
        "the user",
        "nothing contradicts it",
    ] {
        assert!(then.contains(part), "{part}: {then}");
    }
}

/// I1: every claim stays in the history, with what became of it.
#[test]
fn the_history_of_a_line_says_what_became_of_each_claim() {
    let (place, _) = ended();
    let history = place.json(["history", "mira", "lives_in"]);
    let states = history["claims"].as_array().unwrap().iter();
    let states: Vec<&Value> = states.map(|claim| &claim["state"]).collect();
    assert_eq!(states, ["ended", "current"]);
    let then = place.run(["history", "mira", "lives_in", "--at", "2023"]);
    let then = then.ok().stdout();
    assert!(
        then.contains("2 claims") && then.contains("scheduled"),
        "{then}"
    );
    let newest = place.json(["history", "mira", "lives_in", "--max", "1"]);
    assert_eq!(
        (&newest["count"], &newest["claims"][0]["value"]),
        (&json!(2), &json!("Braga"))
    );
}
