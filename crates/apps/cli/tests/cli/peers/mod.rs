//! Other agents, vouches and trust, through the real binary: each agent has a store of its own.

mod bad_input;
mod decided;
mod successors;
mod vouches;

use std::path::{Path, PathBuf};

use serde_json::Value;

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

/// A vouch of one agent for another, as a document.
fn vouch(by: &Place, of: &Place, confidence: &str) -> String {
    let subject = did(of);
    let args = [
        "vouch",
        "issue",
        &subject,
        "--domain",
        DOMAIN,
        "--confidence",
        confidence,
    ];
    by.run(args).ok().stdout()
}

fn import(place: &Place, name: &str, documents: &str) -> Value {
    let path = place.file(name, documents.as_bytes());
    place.json(["vouch".as_ref(), "import".as_ref(), path.as_os_str()])
}

fn explain(place: &Place, agent: &str) -> Value {
    place.json(["trust", "explain", agent, "--domain", DOMAIN])
}

#[track_caller]
fn level(place: &Place, agent: &str) -> u64 {
    explain(place, agent)["level"].as_u64().unwrap()
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

fn exported_keys(place: &Place) -> PathBuf {
    let path = place.folder().join("keys.jsonl");
    place
        .run([
            "key".as_ref(),
            "export".as_ref(),
            "-o".as_ref(),
            path.as_os_str(),
        ])
        .ok();
    path
}
