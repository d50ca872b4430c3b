//! What an agent takes back of what it has answered (docs/format/exchange.md §10.2).

use counterfoil_claims::belief::BeliefStatus;
use counterfoil_exchange::documents::{Request, Response, Retraction, RetractionAct, Text};
use counterfoil_peer::Transport;
use counterfoil_peer::asking::StorePolicy;
use counterfoil_store::conformance::block_on;

use crate::answers::{agent, answer, answer_of, fact, key, memory, stamp};
use crate::rig::{NOW_US, Rig, Scripted, question, values};

/// An answer of an agent that has nothing to say but that it takes these back.
fn taking_back(number: u8, request: &Request, ids: &[&str]) -> Vec<u8> {
    let bytes = answer_of(&agent(number), request, Vec::new());
    let mut parts = Response::parse(&bytes).unwrap().parts().clone();
    let acts = [RetractionAct::Corrected, RetractionAct::Retracted];
    let notices = ids.iter().zip(acts).map(|(id, act)| Retraction {
        id: Text::new(*id).unwrap(),
        act,
        at: stamp(NOW_US),
        reason: Text::new("misheard\u{7}").ok(),
    });
    parts.meta.retractions = notices.collect();
    let response = Response::sign(parts, request, &agent(number)).unwrap();
    response.bytes().to_vec()
}

/// Agent 9, trusted, has said that Ann lives in Porto.
fn told() -> Rig {
    let rig = Rig::new();
    rig.trust(key(9));
    says(&rig, "m1");
    assert_eq!(values(&rig.believe("ann", "lives in")), ["\"Porto\""]);
    rig
}

fn says(rig: &Rig, id: &'static str) {
    let mut way = Scripted::answering(rig, move |request| {
        answer(request, vec![memory(id, fact("ann", "lives in", "Porto"))])
    });
    rig.ask(question(Some(key(9))), &mut way);
}

/// Asks an agent that takes these back, and returns the ids that the question named.
fn asks(rig: &Rig, number: u8, policy: StorePolicy, ids: &'static [&str]) -> Vec<String> {
    let mut way = Scripted::answering(rig, move |request| taking_back(number, request, ids));
    let mut question = question(Some(key(number)));
    question.store_policy = policy;
    rig.ask(question, &mut way);
    let request = Request::parse(&way.sent[0]).unwrap();
    let held = request.parts().preferences.held.iter();
    held.map(|id| id.to_string()).collect()
}

fn status(rig: &Rig) -> BeliefStatus {
    rig.believe("ann", "lives in").status
}

/// I8: the agent that said it takes it back, once, in an answer to a question about anything; where nothing is stored, nothing is
/// taken back.
#[test]
fn what_its_agent_takes_back_is_believed_no_more() {
    let rig = told();
    assert_eq!(asks(&rig, 9, StorePolicy::None, &["m1"]), ["m1"]);
    assert_ne!(status(&rig), BeliefStatus::NoBelief);
    assert_eq!(asks(&rig, 9, StorePolicy::Attested, &["m1", "m1"]), ["m1"]);
    assert_eq!(status(&rig), BeliefStatus::NoBelief);
    let before = rig.size();
    assert!(asks(&rig, 9, StorePolicy::Attested, &["m1"]).is_empty());
    assert_eq!(rig.size(), before);
}

/// I8: each of several agents that are asked at once takes back what it said itself, as one that is asked alone does.
#[test]
fn what_one_of_several_takes_back_is_believed_no_more() {
    let rig = told();
    rig.trust(key(8));
    let host = rig.asking();
    let asks_both = |by_8: &'static [&'static str], by_9: &'static [&'static str]| {
        let mut ways = [(8, by_8), (9, by_9)].map(|(number, ids)| {
            let way = Scripted::answering(&rig, move |request| taking_back(number, request, ids));
            (number, way)
        });
        let asked = ways.iter_mut().map(|(number, way)| {
            let way: &mut dyn Transport = way;
            (host.draw().unwrap(), question(Some(key(*number))), way)
        });
        for report in block_on(host.ask_each(asked.collect())) {
            report.unwrap();
        }
    };
    asks_both(&["m1"], &[]);
    assert_ne!(status(&rig), BeliefStatus::NoBelief);
    asks_both(&[], &["m1"]);
    assert_eq!(status(&rig), BeliefStatus::NoBelief);
}

/// An agent takes back its own word alone, and of that what the question named.
#[test]
fn what_another_said_or_nobody_asked_for_is_not_taken_back() {
    let rig = told();
    rig.trust(key(8));
    assert!(asks(&rig, 8, StorePolicy::Attested, &["m1"]).is_empty());
    asks(&rig, 9, StorePolicy::Attested, &["m2"]);
    assert_ne!(status(&rig), BeliefStatus::NoBelief);
}

/// The old attestation, replayed, brings nothing back; a new one with the same words does.
#[test]
fn what_was_taken_back_holds_again_by_a_new_claim_alone() {
    let rig = told();
    asks(&rig, 9, StorePolicy::Attested, &["m1"]);
    says(&rig, "m1");
    assert_eq!(status(&rig), BeliefStatus::NoBelief);
    says(&rig, "m2");
    assert_eq!(values(&rig.believe("ann", "lives in")), ["\"Porto\""]);
}
