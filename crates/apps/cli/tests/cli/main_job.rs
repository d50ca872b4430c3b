//! The main job, through the real binary: import, recall with proof, propose, decide.

use std::fs;

use crate::place::{Place, SAMPLE};
use serde_json::Value;

/// The record's own ids find their turns among the first ten for most questions.
#[test]
fn the_questions_of_the_sample_are_answered() {
    let place = Place::new();
    place.run(["import", SAMPLE]).ok();
    let questions = fs::read_to_string(SAMPLE.replace("record", "questions")).unwrap();
    let mut recalled = 0.0;
    let mut count = 0.0;
    for line in questions.lines() {
        let question: Value = serde_json::from_str(line).unwrap();
        let trace = place.json([
            "recall",
            question["question"].as_str().unwrap(),
            "--max",
            "10",
        ]);
        let found: Vec<String> = trace["selected"]
            .as_array()
            .unwrap()
            .iter()
            .map(|memory| {
                let shown = place.json(["show", memory["ref"]["worldId"].as_str().unwrap()]);
                shown["world"]["data"]["source"]["id"]
                    .as_str()
                    .unwrap()
                    .to_owned()
            })
            .collect();
        let wanted = question["ids"].as_array().unwrap();
        let hits = wanted
            .iter()
            .filter(|id| found.iter().any(|it| *id == it))
            .count();
        recalled += f64::from(u32::try_from(hits).unwrap())
            / f64::from(u32::try_from(wanted.len()).unwrap());
        count += 1.0;
    }
    assert!(recalled / count > 0.6, "recall@10 is {}", recalled / count);
}
