//! What is an answer, and what anybody could have written (R1, R6, R21).

use counterfoil_exchange::documents::{Request, Response, StatusCode};
use counterfoil_exchange::machine::{ExchangeState, Notice};
use counterfoil_exchange::trust::{Level, LocalRecord, Mark};
use counterfoil_peer::ExchangeQuestion;
use counterfoil_peer::asking::{CONVERSATION, StorePolicy};

use crate::answers::{agent, answer, key, memory, said, text, two, unsigned};
use crate::rig::{Comes, Rig, SECOND_US, Scripted, done, hash, question};

/// Adversarial case F69, R1: the answer to one question is no answer to another, nor to somebody else's.
#[test]
fn f69_an_answer_to_another_question_is_dropped() {
    let rig = Rig::new();
    let mut way = Scripted::answering(&rig, |request| {
        answer(request, vec![memory("m1", text("first"))])
    });
    rig.ask(question(Some(key(9))), &mut way);
    let first = Request::parse(&way.sent[0]).unwrap();
    let old = answer(&first, vec![memory("m1", text("first"))]);
    let elsewhere = Rig::new();
    elsewhere.clocks.pass(1);
    let other_asker = {
        let mut way = Scripted::silent(&elsewhere);
        elsewhere.ask(question(Some(key(9))), &mut way);
        let theirs = Request::parse(&way.sent[0]).unwrap();
        answer(&theirs, vec![memory("m1", text("theirs"))])
    };
    let size = rig.size();
    let replayed = [old, other_asker];
    let mut way = Scripted::saying(&rig, move |_| replayed.to_vec());
    let report = rig.ask(question(Some(key(9))), &mut way);
    assert_eq!(report.state, ExchangeState::TimedOut);
    assert_eq!(report.notices[&Notice::Ignored], 2);
    assert_eq!(rig.size(), size);
}

/// Adversarial cases F71 and F72, R6, R21: garbage that comes first, a forgery, and what nobody but the peer can say, that there
/// is nothing, change nothing, and the true answer counts.
#[test]
fn f71_garbage_first_and_the_true_answer_counts() {
    let rig = Rig::new();
    let mut way = Scripted::saying(&rig, |request| {
        let code = StatusCode::Success;
        let forged = vec![memory("m1", text("forged"))];
        vec![
            b"garbage".to_vec(),
            b"{}".to_vec(),
            Vec::new(),
            said(&agent(7), request, code, forged, "no"),
            unsigned(request, "declined", &[]),
            unsigned(request, "no_match", &[]),
            unsigned(request, "error", &[]),
            answer(request, vec![memory("m1", text("true"))]),
        ]
    });
    let report = rig.ask(question(Some(key(9))), &mut way);
    assert_eq!(report.state, ExchangeState::Stored);
    assert_eq!(report.notices[&Notice::Ignored], 7);
    let stored = report.memories[0].stored.as_ref().unwrap();
    assert_eq!(rig.data(stored)["text"], "true");
}

/// Adversarial case F71: too much of it, and no more is read; the deadline ends it.
#[test]
fn f71_endless_garbage_is_not_read_endlessly() {
    let rig = Rig::new();
    let mut way = Scripted::saying(&rig, |_| vec![b"garbage".to_vec(); 100]);
    let report = rig.ask(question(Some(key(9))), &mut way);
    assert_eq!(report.state, ExchangeState::TimedOut);
    assert_eq!(
        (
            report.notices[&Notice::Ignored],
            report.notices[&Notice::TooMuchNoise]
        ),
        (15, 1)
    );
    assert!(report.failure.unwrap().contains("no answer"));
}

/// R21: the peer itself says so, and that ends it.
#[test]
fn a_signed_refusal_ends_the_exchange() {
    for (code, state) in [
        (StatusCode::Declined, ExchangeState::Declined),
        (StatusCode::NoMatch, ExchangeState::NoMatch),
        (StatusCode::Error, ExchangeState::PeerError),
    ] {
        let rig = Rig::new();
        let mut way = Scripted::answering(&rig, move |request| {
            said(&agent(9), request, code, Vec::new(), "no")
        });
        let report = rig.ask(question(Some(key(9))), &mut way);
        assert_eq!(report.state, state);
        assert!(report.memories.is_empty());
    }
}

/// Adversarial case F73: two answers of one peer to one question: the first counts, and the peer is capped for it.
#[test]
fn f73_of_two_answers_the_first_counts_and_the_peer_is_capped() {
    let rig = Rig::new();
    rig.trust(key(9));
    let mut way = Scripted::saying(&rig, two);
    let report = rig.ask(question(Some(key(9))), &mut way);
    assert_eq!(report.notices[&Notice::Equivocation], 1);
    let stored = report.memories[0].stored.as_ref().unwrap();
    assert_eq!(rig.data(stored)["text"], "one");
    assert_eq!(report.memories[0].judged.level(), Level::Identified);
    assert_eq!(report.level, Level::Identified);
    let marked = rig.recorded().into_iter().find_map(|record| match record {
        LocalRecord::Mark {
            key,
            mark,
            evidence,
        } => Some((key, mark, evidence)),
        _ => None,
    });
    let (of, mark, evidence) = marked.unwrap();
    assert_eq!((of, mark), (key(9), Mark::Equivocation));
    assert!(evidence.is_some() && evidence != Some(hash(&report)));
    assert_eq!(rig.size(), 1);
}

/// Adversarial case F75: the same answer again, while it is verified, is nothing.
#[test]
fn f75_the_same_answer_again_is_nothing() {
    let rig = Rig::new();
    let mut way = Scripted::saying(&rig, |request| {
        vec![answer(request, vec![memory("m1", text("one"))]); 3]
    });
    let report = rig.ask(question(Some(key(9))), &mut way);
    assert_eq!(report.state, ExchangeState::Stored);
    assert!(report.notices.is_empty(), "{:?}", report.notices);
    assert_eq!(rig.size(), 1);
}

/// Adversarial case F74: what comes after the deadline is kept apart, once, and stored only by hand.
#[test]
fn f74_a_late_answer_is_kept_apart() {
    let rig = Rig::new();
    let (slow, other) = (30_001_000, 299 * SECOND_US);
    let mut way = Scripted::new(&rig, move |request| {
        let one = answer(request, vec![memory("m1", text("late"))]);
        vec![
            (slow, Comes::Bytes(one.clone())),
            (other, Comes::Bytes(one)),
        ]
    });
    let report = rig.ask(question(Some(key(9))), &mut way);
    assert_eq!(report.state, ExchangeState::TimedOut);
    assert_eq!(rig.clocks.monotonic(), 30 * SECOND_US);
    assert!(report.notices.is_empty());

    rig.clocks.pass(1000);
    let late = rig.resume(&report.id, &mut way);
    assert_eq!(
        (late.state, late.notices[&Notice::Late]),
        (ExchangeState::TimedOut, 1)
    );
    assert!(late.memories.is_empty());
    rig.clocks.pass(270 * SECOND_US);
    let again = rig.resume(&report.id, &mut way);
    assert_eq!(again.notices[&Notice::Late], 1);
    assert_eq!((rig.size(), way.sent.len()), (0, 1));

    let adopted = done(rig.asking().adopt(&report.id));
    assert_eq!(adopted.state, ExchangeState::Stored);
    assert_eq!(rig.size(), 1);
    let twice = done(rig.asking().adopt(&report.id));
    assert_eq!(twice.notices[&Notice::CannotAdopt], 1);
    assert_eq!(rig.size(), 1);
}

/// Adversarial case F74: after a day it cannot be adopted any more.
#[test]
fn f74_after_a_day_a_late_answer_is_not_adopted() {
    let rig = Rig::new();
    let mut way = Scripted::new(&rig, |request| {
        let one = answer(request, vec![memory("m1", text("late"))]);
        vec![(31 * SECOND_US, Comes::Bytes(one))]
    });
    let report = rig.ask(question(Some(key(9))), &mut way);
    rig.clocks.pass(2 * SECOND_US);
    rig.resume(&report.id, &mut way);
    rig.clocks.pass(86_401 * SECOND_US);
    let adopted = done(rig.asking().adopt(&report.id));
    assert_eq!(adopted.notices[&Notice::CannotAdopt], 1);
    assert_eq!((adopted.state, rig.size()), (ExchangeState::TimedOut, 0));
}

/// MRP-33: what is heard in a conversation is judged like an answer; without a proof it is what somebody said.
#[test]
fn what_is_heard_in_a_conversation_is_testimony() {
    let rig = Rig::new();
    let asked = || ExchangeQuestion {
        address: CONVERSATION.to_owned(),
        store_policy: StorePolicy::All,
        ..question(None)
    };
    // A draft binds by its id alone, which is all that words have.
    let words = br#"{"type":"memory_response","version":"0.1","request_id":"0198c0de-0000-4000-8000-000000000001",
        "timestamp":"2027-01-15T08:00:00Z","responder":{"agent_id":"bob"},"status":{"code":"success"},
        "memories":[{"attestation":"decay beats deletion","relevance":0.9}]}"#;
    let response = Response::parse(words).unwrap();
    let report = done(rig.asking().hear(asked(), response.clone()));
    assert_eq!(report.state, ExchangeState::Stored, "{report:?}");
    let data = rig.data(report.memories[0].stored.as_ref().unwrap());
    assert_eq!(
        (&data["text"], &data["level"]),
        (&"decay beats deletion".into(), &0.into())
    );
    let again = done(rig.asking().hear(asked(), response));
    assert_eq!((again.id, rig.size()), (report.id, 1));
}

/// R6: in a conversation nobody answers what was asked elsewhere, unless it is signed.
#[test]
fn a_conversation_does_not_answer_what_was_asked_elsewhere() {
    let rig = Rig::new();
    let mut way = Scripted::silent(&rig);
    let open = rig.ask_and_stop(question(None), &mut way);
    let request = Request::parse(&way.sent[0]).unwrap();
    let forged = Response::parse(&unsigned(&request, "no_match", &[])).unwrap();
    let report = done(rig.asking().hear(question(None), forged));
    assert_eq!((report.id, report.state), (open, ExchangeState::Sent));
    assert_eq!(report.notices[&Notice::Ignored], 1);
}
