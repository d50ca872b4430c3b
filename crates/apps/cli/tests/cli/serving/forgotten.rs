//! Two processes: what is forgotten by one of them, and the beliefs that the other answers from.

use serde_json::Value;

use super::server::Served;
use crate::place::Place;

const QUESTION: &str = "what is the name of the dog?";

fn text(shown: &Value, member: &str) -> String {
    shown[member].as_str().unwrap().to_owned()
}

/// A model's claim rests on a memory: once another process forgets that, a server that runs answers without the claim.
#[test]
fn what_another_process_forgets_is_answered_from_no_more() {
    let (alice, bob) = (Place::new(), Place::new());
    let settings =
        "[[share]]\nto = \"*\"\nlabels = [\"none\"]\n[share_claims]\npredicates = [\"name\"]\n";
    std::fs::write(alice.dir().join("exchange.toml"), settings).unwrap();
    let source = text(&alice.json(["remember", "it hears a call"]), "id");
    let claim = ["claim", "add", "dog", "name", "Rex", "--from", "2020"];
    let of_the_model = ["--channel", "model", "--source", &source];
    alice.run(claim.iter().chain(&of_the_model)).ok();
    let served = Served::new(&alice);
    bob.run(["peer", "add", "alice", &served.url]).ok();
    let asked = || bob.json(["ask", "alice", QUESTION]);
    let shown = asked();
    assert_eq!(shown["memories"][0]["value"], "Rex", "before: {shown}");
    alice.run(["forget", &source, "--reason", "a mistake"]).ok();
    assert_eq!(
        alice.json(["believe", "dog", "name"])["status"],
        "no_belief"
    );
    let shown = asked();
    assert_eq!(shown["state"], "no_match", "after: {shown}");
}

/// MEM-MAINT-8, MEM-MAINT-9: what an agent forgets for itself, or erases in its store, is believed of it elsewhere; what it
/// forgets for all, by a decision, is not.
#[test]
fn a_tombstone_of_another_agent_counts_here_if_it_is_for_all() {
    let (alice, bob, authority) = (Place::new(), Place::new(), Place::new());
    let key = |place: &Place| text(&place.json(["key", "show"]), "agent");
    let (actor, decides) = (key(&alice), key(&authority));
    let add = |name: &str, from: &str| {
        let shown = alice.json(["claim", "add", "dog", name, "yes", "--from", from]);
        text(&shown, "ref")
    };
    let (forgotten, erased) = (add("barks", "2020"), add("bites", "2020"));
    let handed_on = || {
        let file = alice.folder().join("export");
        let _ = std::fs::remove_file(&file);
        let file = file.to_str().unwrap();
        alice.run(["export", "-o", file]).ok();
        bob.run(["import", file]).ok();
    };
    let believed = |place: &Place, predicate| {
        let shown = place.json(["believe", "dog", predicate, "--agent", &actor]);
        text(&shown, "status")
    };
    handed_on();
    alice
        .run(["forget", &forgotten, "--reason", "a mistake"])
        .ok();
    alice
        .run(["erase", &erased, "--reason", "asked to", "--yes"])
        .ok();
    handed_on();
    for predicate in ["barks", "bites"] {
        assert_eq!(believed(&alice, predicate), "no_belief", "{predicate}");
        assert_eq!(believed(&bob, predicate), "resolved", "{predicate}");
    }
    std::fs::write(alice.dir().join("authorities"), decides).unwrap();
    let (decision, signer) = (
        alice.folder().join("decision"),
        authority.keys().join("agent.key"),
    );
    let (decision, signer) = (decision.to_str().unwrap(), signer.to_str().unwrap());
    let decide = ["decide", "forget", &forgotten, "--actor", &actor];
    let with = ["--reason", "asked to", "--key", signer, "-o", decision];
    alice.run(decide.iter().chain(&with)).ok();
    let forget = ["forget", &forgotten, "--reason", "asked to"];
    let for_all = ["--for", "global", "--decision", decision];
    alice.run(forget.iter().chain(&for_all)).ok();
    handed_on();
    assert_eq!(believed(&bob, "barks"), "no_belief");
}
