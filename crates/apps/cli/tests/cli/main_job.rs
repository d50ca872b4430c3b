//! The main job, through the real binary: import, and recall what was imported.

use std::collections::BTreeMap;
use std::fs;

use crate::place::{Place, SAMPLE};
use serde_json::Value;

/// The record's own ids find their turns among the first ten for most questions.
#[test]
fn the_questions_of_the_sample_are_answered() {
    let place = Place::new();
    place.run(["import", SAMPLE]).ok();
    let exported = place.run(["export"]).ok().stdout();
    let capsules = exported
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let sources: BTreeMap<String, Value> = capsules
        .filter_map(|capsule: Value| {
            let source = capsule.pointer("/payload/state/data/source/id")?;
            Some((capsule["world"].as_str()?.to_owned(), source.clone()))
        })
        .collect();
    let questions = fs::read_to_string(SAMPLE.replace("record", "questions")).unwrap();
    let (mut wanted, mut hits) = (0, 0);
    for line in questions.lines() {
        let question: Value = serde_json::from_str(line).unwrap();
        let asked = question["question"].as_str().unwrap();
        let recalled = place.json(["recall", asked, "--max", "10"]);
        let items = recalled["items"].as_array().unwrap().iter();
        let ids = items.map(|item| item["id"].as_str().unwrap());
        let found: Vec<&Value> = ids.map(|id| &sources[id]).collect();
        let ids = question["ids"].as_array().unwrap();
        wanted += ids.len();
        hits += ids.iter().filter(|id| found.contains(id)).count();
    }
    assert!(hits * 10 > wanted * 6, "{hits} of {wanted}");
}
