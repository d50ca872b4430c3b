//! Claims that travel: another agent's beliefs are its own.

use std::ffi::OsStr;
use std::fs;

use serde_json::{Value, json};

use super::{added, believe, held};
use crate::place::Place;

fn agent(place: &Place) -> String {
    let did = fs::read_to_string(place.keys().join("agent.pub")).unwrap();
    did.trim().to_owned()
}

/// Everything of one store, taken by another.
fn travels(from: &Place, to: &Place) -> Value {
    let path = from.folder().join("export.jsonl");
    let export: [&OsStr; 3] = ["export".as_ref(), "-o".as_ref(), path.as_ref()];
    from.run(export).ok();
    to.json(["import".as_ref(), path.as_os_str()])
}

/// I4: what another agent claims is that agent's belief, and contests none of one's own.
#[test]
fn the_claims_of_another_agent_are_asked_for_by_its_name() {
    let (ada, bob) = (Place::new(), Place::new());
    added(
        &ada,
        &["mira", "lives_in", "Porto", "--from", "2022-03"],
        "committed",
    );
    let braga = added(
        &ada,
        &["mira", "lives_in", "Braga", "--from", "2024-01"],
        "contested",
    );
    added(&bob, &["mira", "lives_in", "Lisbon"], "committed");
    let report = travels(&ada, &bob);
    assert_eq!(report["refusedCount"], 0, "{report}");

    let own = believe(&bob, &["mira", "lives_in"]);
    assert_eq!(held(&own).1, [&json!("Lisbon")]);
    let name = agent(&ada);
    let theirs = believe(&bob, &["mira", "lives_in", "--agent", &name]);
    let known = theirs["asOf"].as_str().unwrap();
    let at = theirs["validAt"].as_str().unwrap();
    assert_eq!(
        held(&theirs),
        ("contested", vec![&json!("Porto"), &json!("Braga")])
    );
    let at_home = believe(&ada, &["mira", "lives_in", "--at", at, "--as-of", known]);
    let refs = |belief: &Value| {
        let sides = belief["sides"].as_array().unwrap().iter();
        sides
            .map(|side| side["claims"][0]["ref"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        (refs(&theirs), &theirs["status"]),
        (refs(&at_home), &at_home["status"])
    );
    let all = bob.json(["believe", "mira", "--agent", &name]);
    assert_eq!(all["beliefs"].as_array().unwrap().len(), 1);
    let history = bob.json(["history", "mira", "lives_in", "--agent", &name]);
    assert_eq!(history["count"], 2);
    let why = bob.json(["why", "mira", "lives_in", "--agent", &name]);
    assert_eq!(why["decidedBy"].as_array().unwrap().len(), 2);
    let told = bob
        .run(["timeline", "mira", "--agent", &name])
        .ok()
        .stdout();
    assert!(told.contains("Braga") && !told.contains("Lisbon"), "{told}");
    assert_eq!(bob.json(["contested"])["beliefs"], json!([]));
    bob.run(["claim", "end", &braga])
        .refused(3, "of this agent");
    let shown = bob.json(["claim", "show", &braga]);
    assert_eq!(shown["agent"], name.as_str());

    // What came is there again after a rebuild, and what is added later comes later.
    bob.run(["rebuild"]).ok();
    bob.run(["audit", "--deep"]).ok();
    ada.json(["claim", "end", &braga, "--at", "2024-01"]);
    travels(&ada, &bob);
    let theirs = believe(&bob, &["mira", "lives_in", "--agent", &name]);
    assert_eq!(held(&theirs).1, [&json!("Porto")]);
}
