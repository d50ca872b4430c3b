//! Whose answer it is, and to which question (R1, R2, R3, R10, R19, R21).

use counterfoil_capsule::Signer;
use counterfoil_exchange::checks::{
    Authentic, Bound, CheckResult, Demands, Disposition, Examination, FailCode, JudgedMemory,
    SkipReason, conclude,
};
use counterfoil_exchange::documents::{Audience, Request, Response};
use counterfoil_exchange::trust::{Level, LocalRecord, Mark};
use serde_json::{Value, json};

use crate::support::log::agent;
use crate::support::scene::{ME, PEER, Scene, recorded};
use crate::support::words::{key, request, request_parts, response_parts, result, said};

fn judged(examination: &Examination) -> Vec<JudgedMemory> {
    conclude(examination, &[], Demands::default())
}

fn dispositions(examination: &Examination) -> Vec<Disposition> {
    judged(examination)
        .iter()
        .map(|memory| memory.outcome.disposition)
        .collect()
}

/// Changes a document and signs nothing again.
fn edited(response: &Response, edit: impl FnOnce(&mut Value)) -> Option<Response> {
    let mut value: Value = serde_json::from_slice(response.bytes()).unwrap();
    edit(&mut value);
    Response::parse(
        counterfoil_types::json::canonical(&value)
            .unwrap()
            .as_bytes(),
    )
    .ok()
}

/// What a document says, without any proof or key.
fn unsigned(response: &Response) -> Response {
    edited(response, |value| {
        value.as_object_mut().unwrap().remove("proof");
        value["responder"]
            .as_object_mut()
            .unwrap()
            .remove("public_key");
    })
    .unwrap()
}

/// A draft that somebody made of an answer.
fn draft(scene: &Scene, public_key: Option<u8>) -> Response {
    let mut value = json!({
        "type": "memory_response", "version": "0.1", "request_id": scene.request.parts().header.request_id.as_str(),
        "timestamp": "2026-09-21T12:00:00Z", "responder": {"agent_id": "Agent-A"}, "status": "success",
        "memories": [{"attestation": {"claim": "pruning is identity"}, "relevance": 0.85, "context": "I wrote it"}],
        "meta": {"total_matches": 1, "returned": 1, "processing_time_ms": 150},
        "aggregate": {"trust_score": 1.0, "recommendation": "accept"}, "signature": "c2lnbmVk",
    });
    if let Some(number) = public_key {
        value["responder"]["public_key"] = key(number).to_string().into();
    }
    Response::parse(value.to_string().as_bytes()).unwrap()
}

/// MRP-21, MRP-22: the answer of whoever was asked, to what was asked.
#[test]
fn an_answer_of_the_one_who_was_asked_is_authentic() {
    let scene = Scene::trusting(&[PEER]);
    let examined = scene.examine(&scene.answer(vec![result(said("a", PEER))]));
    assert_eq!(
        (examined.answer.identity, examined.answer.signature),
        (CheckResult::Pass, CheckResult::Pass)
    );
    assert_eq!(
        (examined.answer.authentic, examined.answer.responder),
        (Authentic::Yes, Some(key(PEER)))
    );
    assert_eq!(dispositions(&examined), [Disposition::StoredHigh]);
}

/// Adversarial case F69: an answer to one question is none to another, nor to the same of another asker.
#[test]
fn an_answer_to_another_question_or_asker_is_none() {
    let mut scene = Scene::trusting(&[PEER]);
    let answer = scene.answer(vec![result(said("a", PEER))]);
    for other in [request(8, ME, PEER), request(7, 3, PEER)] {
        scene.request = other;
        let examined = scene.examine(&answer);
        assert_eq!(
            examined.answer.identity,
            CheckResult::Fail(FailCode::OtherBinding)
        );
        assert_eq!(
            (examined.answer.authentic, dispositions(&examined)),
            (Authentic::No, vec![Disposition::Reject])
        );
    }
}

/// R1: each of the five bindings is compared by itself, though the signature holds.
#[test]
fn each_of_the_five_bindings_is_compared() {
    let scene = Scene::trusting(&[PEER]);
    let others = [
        // Another nonce under the same name, so another challenge and hash.
        {
            let mut parts = request_parts(8, Audience::One(key(PEER)));
            parts.header.request_id = scene.request.parts().header.request_id.clone();
            Request::sign(parts, &agent(ME)).unwrap()
        },
        // Another asker, so another audience and domain.
        request(7, 3, PEER),
        // Another question with the same id and nonce, so another hash alone.
        {
            let mut parts = request_parts(7, Audience::One(key(PEER)));
            parts.query.natural = crate::support::words::text("What do you not know?");
            Request::sign(parts, &agent(ME)).unwrap()
        },
        // Another id with the same nonce and words.
        {
            let mut parts = request_parts(7, Audience::One(key(PEER)));
            parts.header.request_id =
                counterfoil_exchange::documents::RequestId::from_bytes([9; 16]);
            Request::sign(parts, &agent(ME)).unwrap()
        },
    ];
    for other in others {
        let answer =
            Response::sign(response_parts(&other, PEER, vec![]), &other, &agent(PEER)).unwrap();
        assert_eq!(scene.examine(&answer).answer.authentic, Authentic::No);
        assert_eq!(
            scene.examine(&answer).answer.identity,
            CheckResult::Fail(FailCode::OtherBinding)
        );
    }
    for (member, value) in [
        (
            "/header/request_id",
            json!("00000000-0000-0000-0000-000000000000"),
        ),
        ("/in_response_to", json!("00".repeat(32))),
        ("/audience", json!(key(3).to_string())),
        ("/proof/domain", json!(key(3).to_string())),
        ("/proof/challenge", json!("AAAAAAAAAAAAAAAAAAAAAA")),
    ] {
        let answer = scene.answer(vec![result(said("a", PEER))]);
        let changed = edited(&answer, |document| {
            *document.pointer_mut(member).unwrap() = value.clone()
        })
        .unwrap();
        let examined = scene.examine(&changed);
        assert_eq!(
            (examined.answer.authentic, dispositions(&examined)),
            (Authentic::No, vec![Disposition::Reject]),
            "{member}"
        );
    }
}

/// Adversarial case F80: more than was asked for is no answer to what was asked.
#[test]
fn more_memories_than_were_asked_for_are_no_answer() {
    let scene = Scene::new();
    let many = request_parts(7, Audience::One(key(PEER)));
    let many = Request::sign(
        counterfoil_exchange::documents::RequestParts {
            preferences: counterfoil_exchange::documents::Preferences {
                max_results: 100,
                ..many.preferences
            },
            ..many
        },
        &agent(ME),
    )
    .unwrap();
    let results = (0..6)
        .map(|number| result(said(&number.to_string(), PEER)))
        .collect();
    let answer = Response::sign(response_parts(&many, PEER, results), &many, &agent(PEER)).unwrap();
    assert_eq!(
        scene.examine(&answer).answer.identity,
        CheckResult::Fail(FailCode::OtherBinding)
    );
}

/// R3: another key than the pinned one, whatever it calls itself.
#[test]
fn another_key_than_the_one_that_was_asked_is_not_the_responder() {
    let scene = Scene::trusting(&[PEER, 3]);
    let examined = scene.examine(&scene.answer_by(3, vec![result(said("a", 3))]));
    assert_eq!(
        examined.answer.identity,
        CheckResult::Fail(FailCode::OtherKey)
    );
    assert_eq!(
        (examined.answer.authentic, dispositions(&examined)),
        (Authentic::No, vec![Disposition::Reject])
    );
}

/// Adversarial case F72, R21: an unsigned or draft answer in the name of a peer whose key is known changes nothing, nor does one that
/// anybody else has signed; not even by the same way.
#[test]
fn a_forged_answer_in_the_name_of_a_known_peer_is_not_authentic() {
    let scene = Scene::new();
    let signed = scene.answer(vec![]);
    let forged = [
        unsigned(&signed),
        draft(&scene, None),
        draft(&scene, Some(PEER)),
        scene.answer_by(3, vec![]),
    ];
    for answer in forged {
        assert_eq!(scene.examine(&answer).answer.authentic, Authentic::No);
    }
}

/// Adversarial case F72: of somebody without a key, what came back the same way is all that there is; it is shown and never stored as theirs.
#[test]
fn of_a_peer_without_a_key_only_the_way_back_counts() {
    let scene = Scene {
        pinned: None,
        ..Scene::trusting(&[PEER])
    };
    let elsewhere = Scene {
        pinned: None,
        bound: Bound::Unknown,
        ..Scene::trusting(&[PEER])
    };
    let signed = scene.answer(vec![result(said("a", PEER))]);
    for answer in [unsigned(&signed), draft(&scene, None)] {
        let examined = scene.examine(&answer);
        assert_eq!(
            (examined.answer.authentic, examined.answer.identity),
            (Authentic::Yes, CheckResult::Skip(SkipReason::NoKey))
        );
        assert_eq!(dispositions(&examined), [Disposition::RawOnly]);
        assert_eq!(elsewhere.examine(&answer).answer.authentic, Authentic::No);
    }
    assert_eq!(
        elsewhere.examine(&signed).answer.authentic,
        Authentic::No,
        "anyone can sign in his own name"
    );
}

/// R2, adversarial case F70: a draft is at most shown, whatever signature it bears; where its peer signs, it is a downgrade (R19).
#[test]
fn a_draft_is_never_more_than_shown() {
    let scene = Scene {
        pinned: None,
        ..Scene::trusting(&[PEER])
    };
    let examined = scene.examine(&draft(&scene, Some(3)));
    assert_eq!(
        examined.answer.signature,
        CheckResult::Skip(SkipReason::Draft)
    );
    assert_eq!(
        (examined.answer.level, dispositions(&examined)),
        (Level::Anonymous, vec![Disposition::RawOnly])
    );
    let pinned = Scene {
        pinned: None,
        records: recorded([LocalRecord::Pin {
            key: key(PEER),
            signs: true,
        }]),
        ..Scene::new()
    };
    let downgraded = pinned.examine(&draft(&pinned, Some(PEER)));
    assert_eq!(
        downgraded.answer.signature,
        CheckResult::Fail(FailCode::MissingSignature)
    );
    assert_eq!(
        (downgraded.answer.authentic, dispositions(&downgraded)),
        (Authentic::No, vec![Disposition::Reject])
    );
}

/// R10: who is known to sign and does not is not heard.
#[test]
fn a_signature_that_is_missing_where_one_is_due_is_a_failure() {
    let scene = Scene {
        records: recorded([LocalRecord::Pin {
            key: key(PEER),
            signs: true,
        }]),
        ..Scene::new()
    };
    let stripped = unsigned(&scene.answer(vec![result(said("a", PEER))]));
    let examined = scene.examine(&stripped);
    assert_eq!(
        examined.answer.signature,
        CheckResult::Fail(FailCode::MissingSignature)
    );
    assert_eq!(dispositions(&examined), [Disposition::Reject]);
}

/// Adversarial case F81: whoever answers what everyone was asked is nobody in particular.
#[test]
fn an_answer_to_a_broadcast_is_shown_and_never_stored_as_somebodys() {
    let broadcast = Request::sign(request_parts(7, Audience::Everyone), &agent(ME)).unwrap();
    let scene = Scene {
        request: broadcast,
        pinned: None,
        ..Scene::trusting(&[PEER])
    };
    let examined = scene.examine(&scene.answer(vec![result(said("a", PEER))]));
    assert_eq!(
        (examined.answer.authentic, examined.answer.signature),
        (Authentic::Yes, CheckResult::Pass)
    );
    assert_eq!(
        (examined.answer.level, dispositions(&examined)),
        (Level::Anonymous, vec![Disposition::RawOnly])
    );
}

/// Adversarial case G99, R9: what a responder says of its own trustworthiness is not looked at.
#[test]
fn a_recommendation_of_oneself_counts_for_nothing() {
    let scene = Scene {
        pinned: None,
        ..Scene::new()
    };
    let with = draft(&scene, None);
    let without = edited(&with, |value| {
        value.as_object_mut().unwrap().remove("aggregate");
    });
    assert_eq!(scene.judge(&with), scene.judge(&without.unwrap()));
    let signed = Scene::new();
    let strict = edited(&signed.answer(vec![]), |value| {
        value["aggregate"] = json!({"trust_score": 1.0})
    });
    assert_eq!(strict, None, "and in version 1 it has no place");
}

/// MRP-25: what I have recorded of a peer lowers what its answers are worth.
#[test]
fn a_mark_or_a_distrust_shows_in_the_vouch_check() {
    let trust = LocalRecord::DirectTrust {
        key: key(PEER),
        domain: None,
        expires: None,
    };
    let mark = LocalRecord::Mark {
        key: key(PEER),
        mark: Mark::Equivocation,
        evidence: None,
    };
    let scene = Scene {
        records: recorded([trust, mark]),
        ..Scene::new()
    };
    let memory = scene.judged(said("a", PEER));
    assert_eq!(memory.checks.vouch, CheckResult::Fail(FailCode::Disputed));
    assert_eq!(
        (memory.outcome.disposition, memory.outcome.level),
        (Disposition::StoredUnverified, Level::Identified)
    );
    let distrust = LocalRecord::Distrust {
        key: key(PEER),
        domain: None,
        reason: None,
    };
    let scene = Scene {
        records: recorded([distrust]),
        ..Scene::new()
    };
    assert_eq!(
        scene.judged(said("a", PEER)).outcome.disposition,
        Disposition::RawOnly
    );
}

/// The level is the lesser of who attests and who answers.
#[test]
fn a_memory_is_worth_no_more_than_who_attests_and_who_answers() {
    let level = |trusted: &[u8]| Scene::trusting(trusted).judged(said("a", 3));
    assert_eq!(level(&[PEER, 3]).outcome.level, Level::Direct);
    assert_eq!(level(&[PEER]).outcome.level, Level::Identified);
    assert_eq!(level(&[3]).outcome.level, Level::Identified);
    assert_eq!(level(&[3]).source, Some(agent(3).key()));
}
