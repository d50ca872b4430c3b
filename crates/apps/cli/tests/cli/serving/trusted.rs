//! Two processes: the word of another agent, and the trust in it, in the beliefs of this one.

use serde_json::Value;

use super::dog::{QUESTION, believed, says, sharing};
use super::server::Served;
use crate::place::Place;

/// An agent that states a name of the dog, through this channel, and serves it to others.
fn agent_that_states(name: &str, channel: &str) -> (Place, Served) {
    let place = sharing(false);
    says(&place, name, channel);
    let served = Served::new(&place);
    (place, served)
}

fn asks(place: &Place, name: &str, served: &Served) {
    place.run(["peer", "add", name, &served.url]).ok();
    let shown = place.json(["ask", name, QUESTION]);
    assert_eq!(shown["state"], "stored", "{shown}");
}

/// I4, I7: a stranger contests nothing; trust and distrust act at once on what was kept, and are undone the same way.
#[test]
fn trust_and_distrust_act_at_once() {
    let own = Place::new();
    own.run(["claim", "add", "dog", "name", "Tom", "--from", "2020"])
        .ok();
    let (_place, served) = agent_that_states("Rex", "user");
    asks(&own, "bob", &served);
    let of_the_user = |shown: &Value| {
        assert_eq!(
            (&shown["status"], &shown["value"]),
            (&"resolved".into(), &"Tom".into()),
            "{shown}"
        );
        assert_eq!(shown["alternatives"][0]["value"], "Rex", "{shown}");
        assert_eq!(shown["markers"][0], "untrusted", "{shown}");
    };
    of_the_user(&believed(&own));
    own.run(["peer", "trust", "bob"]).ok();
    assert_eq!(believed(&own)["status"], "contested");
    own.run(["peer", "distrust", "bob"]).ok();
    of_the_user(&believed(&own));
    own.run(["peer", "trust", "bob"]).ok();
    assert_eq!(believed(&own)["status"], "contested");
    own.run(["peer", "distrust", "bob"]).ok();
    own.run(["peer", "minimum", "1"]).ok();
    of_the_user(&believed(&own));
}

/// The report of an authority on the proof of the belief, under the standard policy.
fn verified(place: &Place, name: &str) -> Value {
    let in_folder = |name: &str| place.folder().join(name).to_string_lossy().into_owned();
    let (proof, anchors) = (in_folder(name), in_folder("anchors.json"));
    place.run(["prove", "dog", "name", "-o", &proof]).ok();
    let shown = place.json(["anchors"]);
    std::fs::write(&anchors, shown.to_string()).unwrap();
    let verify = ["--json", "verify-belief", &proof, "--anchors", &anchors];
    place.run(verify).json()
}

/// I4, I7: a proof shows who was trusted, so that an authority approves the side of the user once the other agent is distrusted.
#[test]
fn a_proof_shows_the_trust_that_decides() {
    let own = Place::new();
    own.run(["claim", "add", "dog", "name", "Tom", "--from", "2020"])
        .ok();
    let (_place, served) = agent_that_states("Rex", "user");
    asks(&own, "bob", &served);
    own.run(["peer", "trust", "bob"]).ok();
    let report = verified(&own, "trusted.json");
    assert_eq!(report["reasons"][0]["code"], "not-resolved", "{report}");
    assert_eq!(report["belief"]["status"], "contested", "{report}");
    own.run(["peer", "distrust", "bob"]).ok();
    let report = verified(&own, "distrusted.json");
    assert_eq!(report["decision"], "approved", "{report}");
    let side = &report["belief"]["sides"][0];
    assert_eq!(side["value"], "\"Tom\"", "{report}");
}

/// A model's guess stays inferred here, at any level of the agent that hands it on.
#[test]
fn a_guess_of_another_agent_stays_a_guess() {
    let own = Place::new();
    own.run(["claim", "add", "dog", "name", "Tom", "--from", "2020"])
        .ok();
    let (_place, served) = agent_that_states("Guess", "model");
    asks(&own, "carl", &served);
    own.run(["peer", "trust", "carl"]).ok();
    let shown = believed(&own);
    assert_eq!(
        (&shown["status"], &shown["value"]),
        (&"resolved".into(), &"Tom".into()),
        "{shown}"
    );
    assert_eq!(shown["markers"][0], "model_dissent", "{shown}");
    let side = &shown["alternatives"][0];
    assert_eq!(side["claims"][0]["provenance"]["inferred"], true, "{shown}");
}

/// I6: agents of level 3 that say the same corroborate; a minimum keeps out those below it.
#[test]
fn trusted_agents_corroborate() {
    let own = Place::new();
    let agents: Vec<(Place, Served)> = (0..3).map(|_| agent_that_states("Rex", "user")).collect();
    for (number, (_, served)) in agents.iter().enumerate() {
        let name = format!("agent-{number}");
        own.run(["peer", "add", &name, &served.url]).ok();
        own.run(["peer", "trust", &name]).ok();
        own.json(["ask", &name, QUESTION]);
    }
    let shown = believed(&own);
    assert_eq!(
        (&shown["value"], &shown["sides"][0]["corroborations"]),
        (&"Rex".into(), &2.into()),
        "{shown}"
    );
    own.run(["peer", "distrust", "agent-1"]).ok();
    assert_eq!(believed(&own)["sides"][0]["corroborations"], 1);
}

/// A vouch of one's own is direct trust in its domain.
#[test]
fn an_own_vouch_is_level_3() {
    let own = Place::new();
    let (_place, served) = agent_that_states("Rex", "user");
    own.run(["peer", "add", "bob", &served.url]).ok();
    own.run([
        "vouch",
        "issue",
        "bob",
        "--domain",
        "pets",
        "--level",
        "authority",
    ])
    .ok();
    let level =
        |domain: &str| own.json(["peer", "list", "--domain", domain])["peers"][0]["level"].clone();
    assert_eq!((level("pets"), level("cooking")), (3.into(), 1.into()));
}

/// A forgotten claim is gone from recall and from the belief.
#[test]
fn what_is_forgotten_is_not_believed() {
    let own = Place::new();
    let stated = own.json(["claim", "add", "dog", "name", "Tom", "--from", "2020"]);
    let claim = stated["ref"].as_str().unwrap();
    own.run(["forget", claim, "--reason", "a mistake"]).ok();
    let shown = believed(&own);
    assert_eq!(
        (&shown["status"], &shown["sides"]),
        (&"no_belief".into(), &Value::Array(Vec::new())),
        "{shown}"
    );
    let ran = own.run(["prove", "dog", "name"]);
    assert!(ran.stderr().contains("forgotten"), "{}", ran.stderr());
}
