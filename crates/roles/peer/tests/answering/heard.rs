//! Which requests are heard, and how often one is answered (R4, R5, R19).

use counterfoil_capsule::{Signer, Timestamp};
use counterfoil_exchange::answering::{Refusal, SeenQuotas};
use counterfoil_exchange::documents::{Audience, Request, Signature, StatusCode, Text};
use counterfoil_peer::answering::AnsweringSettings;
use counterfoil_types::WorldId;

use crate::support::{Rig, SECOND_US, agent, ann, names, query, rule, settings};

fn rig() -> Rig {
    let rig = Rig::new(settings(vec![rule("friends")]));
    rig.remember_tea(&["a", "b"], "friends");
    rig
}

/// R1: the answer is signed for whoever asked, about what was asked.
#[test]
fn an_answer_is_bound_to_its_request() {
    let rig = rig();
    let request = rig.request();
    let response = rig.answer(&request);
    assert_eq!(
        response.signature_for(&request),
        Signature::Holds(rig.key())
    );
    assert_eq!(response.parts().in_response_to, Some(request.hash()));
    assert_eq!(response.parts().audience, Audience::One(ann().agent()));
    assert_eq!(response.parts().status.code, StatusCode::Success);
    assert_eq!(names(&response).len(), 2);
    let other = rig.request();
    assert_eq!(response.signature_for(&other), Signature::Broken);
}

/// Adversarial case F66, R4: replayed 1 s later, at exactly `expires`, at its last moment, and after it.
#[test]
fn a_request_that_comes_again_gets_the_same_bytes_until_it_is_over() {
    let rig = rig();
    let request = rig.request();
    let first = rig.try_answer(&request).unwrap();
    for pass_s in [1, 59, 30] {
        rig.timer.pass(pass_s * SECOND_US);
        assert_eq!(rig.try_answer(&request), Ok(first.clone()));
    }
    rig.timer.pass(1);
    assert!(matches!(
        rig.try_answer(&request),
        Err(Refusal::NotInTime(_))
    ));
}

/// Adversarial case F66, R4: after a restart the answer is no longer held, and the request still is known.
#[test]
fn a_request_that_comes_again_after_a_restart_is_refused() {
    let rig = rig();
    let request = rig.request();
    rig.try_answer(&request).unwrap();
    let rig = rig.restarted();
    for pass_s in [0, 60, 30] {
        rig.timer.pass(pass_s * SECOND_US);
        assert_eq!(rig.try_answer(&request), Err(Refusal::Replayed));
    }
    assert_eq!(
        rig.told(&rig.request()).len(),
        2,
        "a new request is answered"
    );
}

/// C20, R4: an answer is held for a request that comes again. Once a memory in it is erased, it is not given again, and a new
/// request gets the rest.
#[test]
fn an_answer_is_not_given_again_once_a_memory_in_it_is_erased() {
    let rig = rig();
    let (request, other) = (rig.request(), rig.request());
    rig.try_answer(&request).unwrap();
    rig.remember_tea(&["c"], "enemies");
    assert!(
        rig.try_answer(&request).is_ok(),
        "another write changes nothing"
    );
    rig.erase(&WorldId::new("a").unwrap());
    for _ in 0..2 {
        assert_eq!(rig.try_answer(&request), Err(Refusal::Replayed));
    }
    assert_eq!(rig.told(&other), ["b"]);
    assert!(rig.try_answer(&other).is_ok());
}

/// Adversarial case F66, R4: a flood pushes nothing out; who comes when all is full is refused, and the old request stays known.
#[test]
fn a_flood_makes_nothing_forgotten() {
    let quotas = SeenQuotas {
        per_key: 3,
        in_all: 5,
    };
    let settings = AnsweringSettings {
        quotas,
        held_bytes: 0,
        ..settings(vec![rule("friends")])
    };
    let rig = Rig::new(settings);
    let request = rig.request();
    rig.try_answer(&request).unwrap();
    let ask = |by| rig.try_answer(&Request::sign(rig.parts(), &agent(by)).unwrap());
    // A key has its quota, and all have theirs.
    for by in [21, 22] {
        let heard = [(); 5].map(|()| ask(by).is_ok());
        assert_eq!(heard, [true, true, false, false, false], "{by}");
    }
    assert!(matches!(ask(23), Err(Refusal::SeenFull { .. })));
    assert_eq!(rig.try_answer(&request), Err(Refusal::Replayed));
    rig.timer.pass(91 * SECOND_US + 1);
    assert!(ask(23).is_ok());
}

/// Adversarial case F67, R4: handed on to another agent, as if it had been asked.
#[test]
fn a_request_for_another_agent_is_refused() {
    let rig = rig();
    let request = rig.request_with(|parts| parts.audience = Audience::One(agent(3).agent()));
    assert_eq!(rig.try_answer(&request), Err(Refusal::WrongAudience));
}

/// Adversarial case F68, R4: the same id for another question, and for another key.
#[test]
fn an_id_is_of_one_request_of_one_key() {
    let rig = rig();
    let parts = rig.parts();
    let first = Request::sign(parts.clone(), &ann()).unwrap();
    let mut other = parts.clone();
    other.query = query("tea and milk");
    let other = Request::sign(other, &ann()).unwrap();
    let theirs = Request::sign(parts, &agent(22)).unwrap();
    rig.try_answer(&first).unwrap();
    assert_eq!(rig.try_answer(&other), Err(Refusal::IdConflict));
    assert_eq!(rig.told(&theirs).len(), 2, "another key's ids are its own");
    let rig = rig.restarted();
    assert_eq!(
        rig.try_answer(&other),
        Err(Refusal::IdConflict),
        "durably so"
    );
}

/// R5: 300 s ahead and 30 s after the end are the last moments.
#[test]
fn a_request_is_heard_in_its_time() {
    let rig = rig();
    let at = |from_s: i64, until_s: i64| {
        rig.request_with(|parts| {
            let now = parts.header.timestamp.micros();
            let time = |seconds: i64| {
                let us = now.checked_add_signed(seconds * 1_000_000).unwrap();
                Timestamp::from_micros(us).unwrap()
            };
            (parts.header.timestamp, parts.header.expires) = (time(from_s), time(until_s));
        })
    };
    for (from, until) in [(300, 600), (-330, -30), (0, 0)] {
        assert!(rig.try_answer(&at(from, until)).is_ok(), "{from} {until}");
    }
    for (from, until) in [(301, 600), (-331, -31)] {
        let refused = rig.try_answer(&at(from, until));
        assert!(
            matches!(refused, Err(Refusal::NotInTime(_))),
            "{from} {until}"
        );
    }
}

/// Adversarial case F83, R19: versions and types that are not read here.
#[test]
fn another_version_or_type_is_refused_by_name() {
    let rig = rig();
    let request = String::from_utf8(rig.request().bytes().to_vec()).unwrap();
    for version in ["\"0.0\"", "\"2\"", "1"] {
        let edited = request.replace("\"version\":\"1\"", &format!("\"version\":{version}"));
        let word = rig.try_bytes(edited.as_bytes()).unwrap_err().word();
        assert_eq!(word, "unsupported-version", "{version}");
    }
    let response = rig.try_answer(&rig.request()).unwrap();
    assert_eq!(rig.try_bytes(&response).unwrap_err().word(), "malformed");
}

/// Adversarial case F86: a MiB of question is too long; syntax is looked for as it is written, and finds nothing by itself.
#[test]
fn a_question_is_words_and_nothing_else() {
    let rig = rig();
    let long = "tea ".repeat(1 << 18);
    let request = String::from_utf8(rig.request().bytes().to_vec()).unwrap();
    let edited = request.replace("\"natural\":\"tea\"", &format!("\"natural\":\"{long}\""));
    assert_eq!(
        rig.try_bytes(edited.as_bytes()).unwrap_err().word(),
        "malformed"
    );
    for hostile in [
        "\" OR 1=1",
        "NEAR(pot cup)",
        "*",
        "^pot*",
        "(((((z+)+)+)+)+$",
        "col:x -y {w}",
        "'; --",
    ] {
        let request = rig.request_with(|parts| parts.query = query(hostile));
        assert!(rig.told(&request).is_empty(), "{hostile}");
        let request = rig.request_with(|parts| parts.query = query(&format!("{hostile} tea")));
        assert_eq!(rig.told(&request).len(), 2, "{hostile}");
    }
    let request = rig.request_with(|parts| {
        parts.query = query("pot");
        parts.query.keywords = vec![Text::new("tea").unwrap()];
    });
    assert_eq!(rig.told(&request).len(), 2, "keywords are looked for, too");
}
