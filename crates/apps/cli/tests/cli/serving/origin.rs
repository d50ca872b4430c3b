//! Three processes: who said it first, what it may be handed on for, and what comes of it two agents away (decision 0051).

use serde_json::Value;

use super::dog::{QUESTION, believed, says, sharing};
use super::server::Served;
use crate::place::Place;

fn agent(place: &Place) -> String {
    let shown = place.json(["key", "show"]);
    shown["agent"].as_str().unwrap().to_owned()
}

fn knows(place: &Place, name: &str, served: &Served) {
    place.run(["peer", "add", name, &served.url]).ok();
    place.run(["peer", "trust", name]).ok();
}

/// Stored form of the first memory of the answer.
fn asks(place: &Place, name: &str) -> Value {
    let shown = place.json(["ask", name, QUESTION]);
    assert_eq!(shown["state"], "stored", "{shown}");
    shown["memories"][0].clone()
}

/// Alice's user says it, Bob asks Alice, Carl asks Bob: Carl has it from Alice, in her own signature, through Bob.
#[test]
fn who_said_it_first_is_seen_two_agents_away() {
    let (alice, bob, carl) = (sharing(true), sharing(false), Place::new());
    says(&alice, "Rex", "user");
    let (at_alice, key) = (Served::new(&alice), agent(&alice));
    knows(&bob, "alice", &at_alice);
    asks(&bob, "alice");
    let at_bob = Served::new(&bob);
    knows(&carl, "bob", &at_bob);
    let memory = asks(&carl, "bob");
    assert_eq!(memory["source"]["key"], key.as_str(), "{memory}");
    assert_eq!(memory["via"][0]["name"], "bob", "{memory}");
    // Carl does not know Alice: Bob hands on, and does not vouch.
    assert_eq!(believed(&carl)["status"], "no_belief");
    let stored = memory["stored"].as_str().unwrap();
    let why = carl.json(["claim", "why", stored]);
    assert_eq!(why["origin"]["key"], key.as_str(), "{why}");
    assert_eq!(
        (
            &why["origin"]["class"],
            &why["origin"]["signed"],
            &why["origin"]["level"]
        ),
        (&"user".into(), &true.into(), &1.into()),
        "{why}"
    );
    assert_eq!(
        (&why["hops"][0]["name"], &why["counts"]),
        (&"bob".into(), &false.into())
    );
    carl.run(["peer", "add", "alice", &key]).ok();
    carl.run(["peer", "trust", "alice"]).ok();
    assert_eq!(believed(&carl)["value"], "Rex");
    let told = carl.run(["claim", "why", stored]).ok().stdout();
    assert!(told.contains("the user of alice (trust 3)"), "{told}");
    assert!(told.contains("through  bob (trust 3)"), "{told}");
    // A way is as strong as its weakest hop, when it is read.
    carl.run(["peer", "distrust", "bob"]).ok();
    assert_eq!(believed(&carl)["status"], "no_belief");
    // Asked herself, Alice is the same one source, by a way without Bob.
    carl.run(["peer", "add", "alice", &at_alice.url]).ok();
    asks(&carl, "alice");
    let belief = believed(&carl);
    assert_eq!(
        (&belief["value"], &belief["sides"][0]["corroborations"]),
        (&"Rex".into(), &0.into()),
        "{belief}"
    );
    carl.run(["check"]).ok();
}

/// A model's guess is one two agents away, whatever it was handed on as.
#[test]
fn a_guess_is_a_guess_two_agents_away() {
    let (alice, bob, carl) = (sharing(true), sharing(true), Place::new());
    says(&alice, "Guess", "model");
    let at_alice = Served::new(&alice);
    knows(&bob, "alice", &at_alice);
    asks(&bob, "alice");
    let at_bob = Served::new(&bob);
    knows(&carl, "bob", &at_bob);
    carl.run(["peer", "add", "alice", &agent(&alice)]).ok();
    carl.run(["peer", "trust", "alice"]).ok();
    let memory = asks(&carl, "bob");
    let why = carl.json(["claim", "why", memory["stored"].as_str().unwrap()]);
    assert_eq!(
        (&why["origin"]["class"], &why["counts"]),
        (&"model".into(), &true.into())
    );
    assert_eq!(believed(&carl)["support"], "inferred");
}

/// A memory that may not be handed on stays with the agent that asked for it.
#[test]
fn what_may_not_be_handed_on_stays() {
    let (alice, bob, carl) = (sharing(false), sharing(true), Place::new());
    says(&alice, "Rex", "user");
    let at_alice = Served::new(&alice);
    knows(&bob, "alice", &at_alice);
    asks(&bob, "alice");
    assert_eq!(believed(&bob)["value"], "Rex");
    let at_bob = Served::new(&bob);
    knows(&carl, "bob", &at_bob);
    let shown = carl.json(["ask", "bob", QUESTION]);
    assert_eq!(shown["state"], "no_match", "{shown}");
    // What Bob's own user says is his to share.
    says(&bob, "Rex", "user");
    let memory = asks(&carl, "bob");
    assert_eq!(memory["source"]["name"], "bob", "{memory}");
}

/// A retraction or a correction reaches an agent that was given the claim, on its next question, even one without a word;
/// a new claim undoes that.
#[test]
fn what_is_taken_back_is_taken_back_where_it_was_told() {
    let (alice, bob) = (sharing(false), Place::new());
    let first = says(&alice, "Rex", "user");
    alice.run(["peer", "add", "bob", &agent(&bob)]).ok();
    let at_alice = Served::new(&alice);
    knows(&bob, "alice", &at_alice);
    let stored = asks(&bob, "alice")["stored"].as_str().unwrap().to_owned();
    assert_eq!(believed(&bob)["value"], "Rex");
    let given = || alice.json(["claim", "why", &first])["givenTo"].clone();
    assert_eq!(
        (&given()[0]["name"], &given()[0]["told"]),
        (&"bob".into(), &false.into())
    );
    let retracted = ["claim", "retract", &first, "--reason", "misheard"];
    alice.run(retracted).ok();
    let about = ["ask", "alice", "?"];
    let shown = bob.json(about);
    assert_eq!(shown["state"], "no_match", "{shown}");
    assert_eq!(
        (
            &shown["retractions"][0]["id"],
            &shown["retractions"][0]["reason"]
        ),
        (&first.as_str().into(), &"misheard".into()),
        "{shown}"
    );
    assert_eq!(believed(&bob)["status"], "no_belief");
    assert_eq!(given()[0]["told"], true);
    let why = alice.run(["claim", "why", &first]).ok().stdout();
    assert!(
        why.contains("given to  bob, told that it was taken back"),
        "{why}"
    );
    let told = bob.run(["history", "dog", "name"]).ok().stdout();
    assert!(told.contains("retracted"), "{told}");
    // It is told once: what was taken back is kept no more.
    assert_eq!(bob.json(about).get("retractions"), None);
    let second = says(&alice, "Rex", "user");
    let again = asks(&bob, "alice");
    assert_ne!(again["stored"], stored.as_str(), "{again}");
    assert_eq!(believed(&bob)["value"], "Rex");
    alice.run(["claim", "correct", &second, "Max"]).ok();
    let shown = bob.json(["ask", "alice", QUESTION]);
    assert_eq!(shown["retractions"][0]["act"], "corrected", "{shown}");
    let belief = believed(&bob);
    assert_eq!(
        (&belief["status"], &belief["value"]),
        (&"resolved".into(), &"Max".into()),
        "{belief}"
    );
    bob.run(["check"]).ok();
}
