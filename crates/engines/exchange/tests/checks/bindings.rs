//! The agent and the question that an answer belongs to (R1, R2, R3, R10, R19, R21).

use counterfoil_exchange::checks::{CheckResult, Disposition, FailCode, SkipReason};
use counterfoil_exchange::documents::{
    Attestation, Audience, Request, RequestId, RequestParts, Response,
};
use counterfoil_exchange::trust::Level;
use counterfoil_types::json::canonical;
use serde_json::{Value, json};

use crate::support::log::agent;
use crate::support::scene::{ME, PEER, Scene, local, recorded, trust};
use crate::support::words::{key, request, request_parts, response_parts, result, said, text};

const PASS: CheckResult = CheckResult::Pass;
const OTHER_BINDING: CheckResult = CheckResult::Fail(FailCode::OtherBinding);
const MISSING: CheckResult = CheckResult::Fail(FailCode::MissingSignature);

fn is_rejected(scene: &Scene, answer: &Response) -> bool {
    let mut dispositions = scene.dispositions(answer).into_iter();
    !scene.whole(answer).is_authentic && dispositions.all(|it| it == Disposition::Reject)
}

fn pinned_as_signing() -> Scene {
    Scene {
        records: recorded([local(json!({ "pin": { "key": key(PEER), "signs": true } }))]),
        ..Scene::new()
    }
}

/// Where I know no key of the peer.
fn unpinned(scene: Scene) -> Scene {
    Scene {
        pinned: None,
        ..scene
    }
}

/// Changes a document and signs nothing again.
fn edited(response: &Response, edit: impl FnOnce(&mut Value)) -> Option<Response> {
    let mut value: Value = serde_json::from_slice(response.bytes()).unwrap();
    edit(&mut value);
    Response::parse(canonical(&value).unwrap().as_bytes()).ok()
}

/// What a document says, without any proof or key.
fn unsigned(response: &Response) -> Response {
    edited(response, |value| {
        value.as_object_mut().unwrap().remove("proof");
        let responder = value["responder"].as_object_mut().unwrap();
        responder.remove("public_key");
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
    let answer = scene.answer(vec![result(said("a", PEER))]);
    let whole = scene.whole(&answer);
    assert_eq!((whole.identity, whole.signature), (PASS, PASS));
    assert!(whole.is_authentic);
    assert_eq!(whole.responder, Some(key(PEER)));
    assert_eq!(scene.dispositions(&answer), [Disposition::StoredHigh]);
}

/// Adversarial case F69: an answer to one question is none to another, nor to the same of another asker.
#[test]
fn an_answer_to_another_question_or_asker_is_none() {
    let mut scene = Scene::trusting(&[PEER]);
    let answer = scene.answer(vec![result(said("a", PEER))]);
    for other in [request(8, ME, PEER), request(7, 3, PEER)] {
        scene.request = other;
        assert_eq!(scene.whole(&answer).identity, OTHER_BINDING);
        assert!(is_rejected(&scene, &answer));
    }
}

/// R1: each of the five bindings is compared by itself, though the signature holds.
#[test]
fn each_of_the_five_bindings_is_compared() {
    let scene = Scene::trusting(&[PEER]);
    let changed = |nonce: u8, change: fn(&mut RequestParts)| {
        let mut parts = request_parts(nonce, Audience::One(key(PEER)));
        parts.header.request_id = RequestId::from_bytes([7; 16]);
        change(&mut parts);
        Request::sign(parts, &agent(ME)).unwrap()
    };
    let id = |number| RequestId::from_bytes([number; 16]);
    let others = [
        // Another nonce under the same name, so another challenge and hash.
        changed(8, |_| ()),
        // Another asker, so another audience and domain.
        request(7, 3, PEER),
        // Another question with the same id and nonce, so another hash alone.
        changed(7, |parts| {
            parts.query.natural = text("What do you not know?")
        }),
        // Another id with the same nonce and words.
        changed(7, |parts| {
            parts.header.request_id = RequestId::from_bytes([9; 16])
        }),
    ];
    for other in others {
        let parts = response_parts(&other, PEER, vec![]);
        let whole = scene.whole(&Response::sign(parts, &other, &agent(PEER)).unwrap());
        assert_eq!((whole.is_authentic, whole.identity), (false, OTHER_BINDING));
    }
    let answer = scene.answer(vec![result(said("a", PEER))]);
    for (member, value) in [
        ("/header/request_id", id(0).to_string()),
        ("/in_response_to", "00".repeat(32)),
        ("/audience", key(3).to_string()),
        ("/proof/domain", key(3).to_string()),
        ("/proof/challenge", "A".repeat(22)),
    ] {
        let changed = edited(&answer, |document| {
            *document.pointer_mut(member).unwrap() = value.into()
        });
        assert!(is_rejected(&scene, &changed.unwrap()), "{member}");
    }
}

/// Adversarial case F80: more than was asked for is no answer to what was asked.
#[test]
fn more_memories_than_were_asked_for_are_no_answer() {
    let scene = Scene::new();
    let mut many = request_parts(7, Audience::One(key(PEER)));
    many.preferences.max_results = 100;
    let many = Request::sign(many, &agent(ME)).unwrap();
    let results = vec![result(said("a", PEER)); 6];
    let answer = Response::sign(response_parts(&many, PEER, results), &many, &agent(PEER)).unwrap();
    assert_eq!(scene.whole(&answer).identity, OTHER_BINDING);
}

/// R3: another key than the pinned one, whatever it calls itself.
#[test]
fn another_key_than_the_one_that_was_asked_is_not_the_responder() {
    let scene = Scene::trusting(&[PEER, 3]);
    let answer = scene.answer_by(3, vec![result(said("a", 3))]);
    let other = CheckResult::Fail(FailCode::OtherKey);
    assert_eq!(scene.whole(&answer).identity, other);
    assert!(is_rejected(&scene, &answer));
}

/// Adversarial case F72, R21: an unsigned or draft answer in the name of a peer whose key is known changes nothing, nor does one that
/// anybody else has signed; not even by the same way.
#[test]
fn a_forged_answer_in_the_name_of_a_known_peer_is_not_authentic() {
    let scene = Scene::new();
    let forged = [
        unsigned(&scene.answer(vec![])),
        draft(&scene, None),
        draft(&scene, Some(PEER)),
        scene.answer_by(3, vec![]),
    ];
    for answer in forged {
        assert!(!scene.whole(&answer).is_authentic);
    }
}

/// Adversarial case F72: of somebody without a key, what came back the same way is all that there is; it is shown and never stored as theirs.
#[test]
fn of_a_peer_without_a_key_only_the_way_back_counts() {
    let scene = unpinned(Scene::trusting(&[PEER]));
    let mut elsewhere = unpinned(Scene::trusting(&[PEER]));
    elsewhere.came_back = false;
    let signed = scene.answer(vec![result(said("a", PEER))]);
    for answer in [unsigned(&signed), draft(&scene, None)] {
        let whole = scene.whole(&answer);
        assert!(whole.is_authentic);
        assert_eq!(whole.identity, CheckResult::Skip(SkipReason::NoKey));
        assert_eq!(scene.dispositions(&answer), [Disposition::RawOnly]);
        assert!(!elsewhere.whole(&answer).is_authentic);
    }
    assert!(
        !elsewhere.whole(&signed).is_authentic,
        "anyone can sign in his own name"
    );
}

/// R2, adversarial case F70: a draft is at most shown, whatever signature it bears; where its peer signs, it is a downgrade (R19).
#[test]
fn a_draft_is_never_more_than_shown() {
    let scene = unpinned(Scene::trusting(&[PEER]));
    let answer = draft(&scene, Some(3));
    let whole = scene.whole(&answer);
    assert_eq!(whole.signature, CheckResult::Skip(SkipReason::Draft));
    assert_eq!(whole.level, Level::Anonymous);
    assert_eq!(scene.dispositions(&answer), [Disposition::RawOnly]);
    let pinned = unpinned(pinned_as_signing());
    let answer = draft(&pinned, Some(PEER));
    assert_eq!(pinned.whole(&answer).signature, MISSING);
    assert!(is_rejected(&pinned, &answer));
}

/// R2, R10: what was changed after it was signed fails, in a memory of an answer and in an answer.
#[test]
fn a_signature_that_does_not_hold_is_a_failure() {
    let scene = Scene::trusting(&[PEER]);
    let bad = CheckResult::Fail(FailCode::BadSignature);
    let changed = said("tea", PEER).text().replace("tea", "gin");
    let forged = scene.judged(Attestation::parse(changed.as_bytes()).unwrap());
    let told = (forged.checks.signature, forged.disposition);
    assert_eq!(told, (bad, Disposition::Reject));
    let answer = scene.answer(vec![result(said("tea", PEER))]);
    let edited = edited(&answer, |value| {
        value["results"][0]["relevance"] = 0.25.into()
    })
    .unwrap();
    assert_eq!(scene.whole(&edited).signature, bad);
    assert!(is_rejected(&scene, &edited));
}

/// R10: who is known to sign and does not is not heard.
#[test]
fn a_signature_that_is_missing_where_one_is_due_is_a_failure() {
    let scene = pinned_as_signing();
    let stripped = unsigned(&scene.answer(vec![result(said("a", PEER))]));
    assert_eq!(scene.whole(&stripped).signature, MISSING);
    assert_eq!(scene.dispositions(&stripped), [Disposition::Reject]);
}

/// Adversarial case F81: whoever answers what everyone was asked is nobody in particular.
#[test]
fn an_answer_to_a_broadcast_is_shown_and_never_stored_as_somebodys() {
    let scene = Scene {
        request: Request::sign(request_parts(7, Audience::Everyone), &agent(ME)).unwrap(),
        pinned: None,
        ..Scene::trusting(&[PEER])
    };
    let answer = scene.answer(vec![result(said("a", PEER))]);
    let whole = scene.whole(&answer);
    assert_eq!((whole.is_authentic, whole.signature), (true, PASS));
    assert_eq!(whole.level, Level::Anonymous);
    assert_eq!(scene.dispositions(&answer), [Disposition::RawOnly]);
}

/// Adversarial case G99, R9: what a responder says of its own trustworthiness is not looked at.
#[test]
fn a_recommendation_of_oneself_counts_for_nothing() {
    let scene = unpinned(Scene::new());
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
    let mark = local(json!({ "mark": { "key": key(PEER), "mark": "equivocation" } }));
    let distrust = local(json!({ "distrust": { "key": key(PEER) } }));
    for (records, disposition) in [
        (vec![trust(PEER), mark], Disposition::StoredUnverified),
        (vec![distrust], Disposition::RawOnly),
    ] {
        let scene = Scene {
            records: recorded(records),
            ..Scene::new()
        };
        let memory = scene.judged(said("a", PEER));
        assert_eq!(memory.checks.vouch, CheckResult::Fail(FailCode::Disputed));
        assert_eq!(memory.disposition, disposition);
    }
}

/// The level is the lesser of who attests and who answers.
#[test]
fn a_memory_is_worth_no_more_than_who_attests_and_who_answers() {
    let (high, low) = (Level::Direct, Level::Identified);
    for (trusted, level) in [(&[PEER, 3][..], high), (&[PEER], low), (&[3], low)] {
        let memory = Scene::trusting(trusted).judged(said("a", 3));
        assert_eq!((memory.level(), memory.source), (level, Some(key(3))));
    }
}
