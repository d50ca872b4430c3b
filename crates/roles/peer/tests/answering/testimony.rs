//! What an agent says of its own memory (MRP-40, R9; case 99), and of itself.

use std::sync::Arc;

use counterfoil_exchange::answering::Refusal;
use counterfoil_exchange::documents::{
    RequestedCheck, Signature, Testimony, Text, VerifyParts, VerifyRequest, VerifyResult,
};
use counterfoil_store::conformance::block_on;
use serde_json::json;

use crate::support::{Rig, agent, home, rule, settings};

const ALL: [RequestedCheck; 3] = [
    RequestedCheck::SignatureValid,
    RequestedCheck::EvidenceAccessible,
    RequestedCheck::VouchesPresent,
];

fn request(rig: &Rig, id: &str, by: u8) -> VerifyRequest {
    let parts = rig.parts();
    let parts = VerifyParts {
        header: parts.header,
        requester: parts.requester,
        audience: parts.audience,
        attestation_id: Text::new(id).unwrap(),
        checks_requested: ALL.to_vec(),
    };
    VerifyRequest::sign(parts, &agent(by)).unwrap()
}

fn verify(rig: &Rig, request: &VerifyRequest) -> Result<Arc<[u8]>, Refusal> {
    block_on(rig.answering.verify(request.bytes(), home()))
}

fn said(rig: &Rig, id: &str, by: u8) -> Vec<Testimony> {
    let request = request(rig, id, by);
    let result = VerifyResult::parse(&verify(rig, &request).unwrap()).unwrap();
    assert_eq!(result.signature_for(&request), Signature::Holds(rig.key()));
    assert_eq!(result.parts().attestation_id.as_str(), id);
    result.parts().checks.values().copied().collect()
}

/// Adversarial case G99, R9: of what it has handed out it says what it can; it fetches nothing because somebody asks.
#[test]
fn an_agent_says_of_its_own_memory_what_it_can() {
    let rig = Rig::new(settings(vec![rule("friends")]));
    rig.remember_tea(&["a"], "friends");
    assert_eq!(
        said(&rig, "a", 21),
        [Testimony::Pass, Testimony::Skip, Testimony::Fail]
    );
}

/// R14: of what the asker may not have as little as of what there is not.
#[test]
fn of_what_is_not_for_the_asker_it_says_nothing() {
    let mut for_ann = rule("friends");
    for_ann.to = Some(vec![crate::support::ann_key()]);
    let rig = Rig::new(settings(vec![for_ann]));
    rig.remember_tea(&["a"], "friends");
    rig.remember(
        "secret",
        json!({"text": "tea", "share": "friends", "private": true}),
    );
    for (id, by) in [("a", 22), ("secret", 21), ("nothing", 21), ("nothing", 22)] {
        assert_eq!(said(&rig, id, by), [Testimony::Skip; 3], "{id} {by}");
    }
    assert_eq!(said(&rig, "a", 21)[0], Testimony::Pass);
}

/// R4: a verification is heard once, as a request is, under ids of the same kind.
#[test]
fn a_verification_is_answered_once() {
    let rig = Rig::new(settings(vec![rule("friends")]));
    rig.remember_tea(&["a"], "friends");
    let request = request(&rig, "a", 21);
    let first = verify(&rig, &request).unwrap();
    assert_eq!(verify(&rig, &request), Ok(first));
    let rig = rig.restarted();
    assert_eq!(verify(&rig, &request), Err(Refusal::Replayed));
    let as_request = rig.try_bytes(request.bytes()).unwrap_err();
    assert_eq!(as_request.word(), "malformed");
}

/// MRP-1: what an agent says of itself is signed, and holds no more than it was told to say.
#[test]
fn an_agent_says_of_itself_what_it_was_told_to_say() {
    let mut settings = settings(vec![rule("friends")]);
    settings.domains = vec!["tea/green".parse().unwrap()];
    let rig = Rig::new(settings);
    let card = block_on(rig.answering.capability(Some("https://babel.example"))).unwrap();
    assert_eq!(card.signature(), Signature::Holds(rig.key()));
    assert_eq!(card.parts().domains.len(), 1);
    assert!(card.parts().signs);
}
