//! `extract`: what the rules propose has a model's standing, and never more (I4, I5).

use serde_json::json;

use crate::place::Place;

const CHAT: &str = "\
[2021-04-01 10:15] Ada: I moved to Porto in March 2021. I speak Dutch, French and English!
[2021-04-01 10:16] Bob: Do you live in Ghent? I have worked at Acme Corp since 2019.
[2021-04-01 10:17] Ada: I lived in Rome from 2021 to 2018.
[2021-04-01 10:18] Ada: I speak Dutch. If I lived in Ghent, I would say so.
";

pub(crate) fn with_chat() -> Place {
    let place = Place::new();
    let chat = place.file("chat.txt", CHAT.as_bytes());
    place.run(["import".as_ref(), chat.as_os_str()]).ok();
    place
}

/// I5, I6, CLM-29: what was read is a model's word, anchored in its memory, and is read once.
#[test]
fn rules_propose_and_the_gate_decides_and_twice_is_once() {
    let place = with_chat();
    let first = place.json(["extract", "--all"]);
    assert_eq!(
        (first["read"].as_u64(), first["proposals"].as_u64()),
        (Some(4), Some(7))
    );
    assert_eq!(
        first["became"],
        json!({"committed_inferred": 5, "corroborated": 1, "quarantined": 1})
    );
    let porto = &first["listed"][0];
    assert_eq!(
        (porto["subject"].as_str(), porto["value"].as_str()),
        (Some("Ada"), Some("Porto"))
    );
    assert_eq!(
        porto["valid"],
        json!({"from": "2021-03", "confidence": 0.95})
    );
    let belief = place.json(["believe", "Ada", "lives_in"]);
    assert_eq!(
        (belief["support"].as_str(), belief["status"].as_str()),
        (Some("inferred"), Some("resolved"))
    );
    let size = place.size();
    let second = place.json(["extract", "--all"]);
    assert_eq!(
        (second["written"].as_u64(), second["unchanged"].as_u64()),
        (Some(0), Some(7))
    );
    assert_eq!(second["leftOut"].as_u64(), Some(7), "units are not read");
    assert_eq!(place.size(), size);
}

/// I5: what a model read never unsettles what the user said.
#[test]
fn what_was_read_overturns_nothing() {
    let place = with_chat();
    place
        .run([
            "claim", "add", "Ada", "lives_in", "Ghent", "--from", "2021-01",
        ])
        .ok();
    place.run(["extract", "--all"]).ok();
    let belief = place.json(["believe", "Ada", "lives_in"]);
    assert_eq!(belief["sides"].as_array().unwrap().len(), 1);
    assert_eq!(belief["sides"][0]["value"], "Ghent");
}

/// Claims that were recorded since are no memories.
#[test]
fn the_memories_recorded_last_are_counted_without_the_claims() {
    let place = with_chat();
    place.run(["extract", "--all"]).ok();
    let told = place.json(["extract", "--all", "--dry-run", "--max", "2"]);
    assert_eq!(told["read"].as_u64(), Some(2), "{told:#}");
}
