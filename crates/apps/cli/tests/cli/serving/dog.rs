//! The name of a dog, which agents state and share.

use serde_json::Value;

use crate::place::Place;

pub(crate) const QUESTION: &str = "what is the name of the dog?";

/// An agent that shares what it believes of names, to be handed on or not.
pub(crate) fn sharing(pass_on: bool) -> Place {
    let place = Place::new();
    let settings = format!(
        "[[share]]\nto = \"*\"\nlabels = [\"none\"]\npass_on = {pass_on}\n[share_claims]\npredicates = [\"name\"]\n"
    );
    std::fs::write(place.dir().join("exchange.toml"), settings).unwrap();
    place
}

pub(crate) fn says(place: &Place, name: &str, channel: &str) -> String {
    let claim = [
        "claim",
        "add",
        "dog",
        "name",
        name,
        "--from",
        "2020",
        "--channel",
        channel,
    ];
    let stated = place.json(claim);
    stated["ref"].as_str().unwrap().to_owned()
}

pub(crate) fn believed(place: &Place) -> Value {
    place.json(["believe", "dog", "name"])
}
