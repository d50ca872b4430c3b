//! Claims and beliefs, through the real binary.

mod aliases;
mod changed;
mod proof;
mod refused;
mod timeline;
mod trust;
mod vocabulary;

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
