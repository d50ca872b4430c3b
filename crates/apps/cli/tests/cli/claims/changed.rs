//! Facts that are set anew, corrected, taken back and confirmed.

use serde_json::json;

use super::{added, reference};
use crate::clock::{ahead, has_faketime};
use crate::place::Place;

/// What is set takes the place of what the user has said; what was wrong is corrected or taken back, though nothing contests
/// it; and the history keeps all.
#[test]
fn what_was_said_is_changed_and_kept() {
    let place = Place::new();
    place
        .run(["claim", "set", "mira", "works at", "Acme", "--from", "2024"])
        .ok();
    let beacon = place.json(["claim", "set", "mira", "works at", "Beacon"]);
    assert_eq!(beacon["row"], 6, "{beacon:#}");
    let beacon = reference(&beacon);
    let correct = ["claim", "correct", &beacon, "Beacon Labs"];
    let right = place.json(correct);
    assert_eq!(right["disposition"], "committed", "{right:#}");
    let values = |at: &[&str]| {
        let asked: Vec<&str> = ["believe", "mira", "works at"]
            .iter()
            .chain(at)
            .copied()
            .collect();
        let belief = place.json(asked);
        assert_eq!(belief["status"], "resolved", "{belief:#}");
        belief["sides"][0]["value"].clone()
    };
    assert_eq!(values(&[]), "Beacon Labs");
    assert_eq!(values(&["--at", "2025"]), "Acme");
    let history = place.json(["history", "mira", "works at"]);
    let states: Vec<_> = history["claims"].as_array().unwrap().iter().collect();
    let states: Vec<_> = states.iter().map(|it| it["state"].clone()).collect();
    assert_eq!(states, ["superseded", "superseded", "current"]);

    let typo = added(&place, &["mira", "lives in", "Lisbno"], "committed");
    let retract = ["claim", "retract", &typo, "--reason", "a slip"];
    assert_eq!(place.json(retract)["disposition"], "retracted");
    let belief = place.json(["believe", "mira", "lives in"]);
    assert_eq!(belief["status"], "no_belief", "{belief:#}");
    let history = place.json(["history", "mira", "lives in"]);
    assert_eq!(history["claims"][0]["state"], "retracted", "{history:#}");
    place.run(["why", "mira", "lives in"]).ok();
    let told = place.run(["why", "mira", "lives in"]).stdout();
    assert!(told.contains("takes Lisbno back: a slip"), "{told}");
    let drawn = place.run(["timeline", "mira"]).stdout();
    assert!(drawn.contains("retracted"), "{drawn}");
    place.run(["claim", "reopen", &typo]).ok();
    let belief = place.json(["believe", "mira", "lives in"]);
    assert_eq!(belief["sides"][0]["value"], "Lisbno", "{belief:#}");

    let long = "a".repeat(513);
    place
        .run(["claim", "retract", &typo, "--reason", &long])
        .refused(3, "512 bytes");
    place
        .run(["claim", "confirm", "world-none"])
        .refused(3, "world-none");
}

/// 61 days later the user says the same: the belief is fresh again.
#[test]
fn what_still_holds_is_confirmed() {
    if !has_faketime() {
        return;
    }
    let place = Place::new();
    let porto = added(
        &place,
        &["mira", "lives in", "Porto", "--from", "2020"],
        "committed",
    );
    let again = place.json(["claim", "confirm", &porto]);
    assert_eq!(again["unit"], json!(null), "{again:#}");
    let currency = |days: &str| {
        let told = ahead(days, &place, &["believe", "mira", "lives in", "--json"]);
        told.json()["sides"][0]["currency"].clone()
    };
    assert_eq!(currency("+61d"), "aging_unconfirmed");
    let said = ["claim", "add", "mira", "lives in", "Porto", "--json"];
    let confirmed = ahead("+61d", &place, &said).json();
    assert_eq!(confirmed["disposition"], "confirmed", "{confirmed:#}");
    assert_eq!(confirmed["ref"], json!(porto));
    assert_eq!(currency("+61d"), "fresh");
}
