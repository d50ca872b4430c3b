//! Claims and beliefs, through the real binary.

mod commands;
mod next;
mod proof;
mod recalled;
mod refused;
mod settings;
mod story;
mod timeline;
mod trust;
mod two_stores;

use serde_json::Value;

use crate::place::Place;

/// States a fact and gives the answer.
#[track_caller]
fn add(place: &Place, args: &[&str]) -> Value {
    let all: Vec<&str> = ["claim", "add"].iter().chain(args).copied().collect();
    place.json(all)
}

/// States a fact and gives its reference, if it became what was expected.
#[track_caller]
fn added(place: &Place, args: &[&str], disposition: &str) -> String {
    let answer = add(place, args);
    assert_eq!(answer["disposition"], disposition, "{answer:#}");
    reference(&answer)
}

fn reference(answer: &Value) -> String {
    answer["ref"].as_str().unwrap().to_owned()
}

fn remember(place: &Place, text: &str) -> String {
    let made = place.json(["remember", text]);
    made["worldId"].as_str().unwrap().to_owned()
}

fn believe(place: &Place, args: &[&str]) -> Value {
    let all: Vec<&str> = ["believe"].iter().chain(args).copied().collect();
    place.json(all)
}

/// The status, and the values that decide.
fn held(belief: &Value) -> (&str, Vec<&Value>) {
    let sides = belief["sides"].as_array().unwrap().iter();
    let values = sides.map(|side| &side["value"]).collect();
    (belief["status"].as_str().unwrap(), values)
}

/// How many entries the log has: what is refused adds none.
fn entries(place: &Place) -> u64 {
    place.json(["stats"])["entries"].as_u64().unwrap()
}
