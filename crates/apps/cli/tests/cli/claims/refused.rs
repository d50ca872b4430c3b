//! What is refused: exit 3, one line that says what to do, and nothing is written.

use serde_json::json;

use crate::place::Place;

/// One unit names at most 256 claims; nobody can leave out some of what contradicts a claim.
#[test]
fn a_verdict_over_more_rivals_than_a_unit_names_says_what_to_do() {
    let place = Place::new();
    let line = |number: usize| json!({ "subject": "mira", "predicate": "age", "value": number, "from": "2020" });
    let lines: Vec<String> = (0..258).map(|number| line(number).to_string()).collect();
    let file = place.file("claims.jsonl", lines.join("\n").as_bytes());
    place.run(["claim", "import", file.to_str().unwrap()]).ok();
    let note = place.json(["remember", "a passport"])["id"].clone();
    let belief = place.json(["believe", "mira", "age"]);
    let claim = belief["sides"][0]["claims"][0]["ref"].as_str().unwrap();
    place
        .run([
            "adjudicate",
            claim,
            "affirm",
            "--evidence",
            note.as_str().unwrap(),
        ])
        .refused(3, "end some of them first");
}
