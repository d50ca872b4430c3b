//! Other agents, vouches and trust, through the real binary: each agent has a store of its own.

mod bad_input;
mod decided;

use std::path::Path;

use crate::place::Place;

const DOMAIN: &str = "memory-systems";

/// The key that an agent signs with.
fn did(place: &Place) -> String {
    place.json(["key", "show"])["key"]
        .as_str()
        .unwrap()
        .to_owned()
}

/// Gives another agent a name.
fn meet(place: &Place, name: &str, other: &Place) {
    place.run(["peer", "add", name, &did(other)]).ok();
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
