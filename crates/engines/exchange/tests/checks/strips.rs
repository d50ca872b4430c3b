//! What is taken away from an answer never makes more of it (R10, MRP-30; case 97).

use std::sync::Arc;

use counterfoil_capsule::integrity::{Binding, Purpose, sign};
use counterfoil_exchange::checks::Disposition;
use counterfoil_exchange::documents::{
    AttestationParts, Chain, Claim, Decay, EvidenceLink, MemoryProvenance, ProvenanceSource,
    Response, ResultParts, Salience,
};
use counterfoil_types::Sha256Hash;
use counterfoil_types::json::canonical;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::log::{Log, Unit, agent};
use crate::support::scene::{ME, PEER, Scene, local, recorded, trust};
use crate::support::words::{DAY, NOW, attestation_parts, attested, key, result, text, time};

/// The pointers to all members and elements of a document, no name of which holds `/` or `~`.
fn places(document: &Value) -> Vec<String> {
    let names: Vec<String> = match document {
        Value::Object(members) => members.keys().cloned().collect(),
        Value::Array(items) => (0..items.len()).map(|at| at.to_string()).collect(),
        _ => Vec::new(),
    };
    let under = |name: String| {
        let below = places(document.pointer(&format!("/{name}")).unwrap());
        let below = below.into_iter().map(|place| format!("/{name}{place}"));
        below.chain([format!("/{name}")]).collect::<Vec<_>>()
    };
    names.into_iter().flat_map(under).collect()
}

fn without(document: &Value, place: &str) -> Value {
    let mut document = document.clone();
    let (outer, name) = place.rsplit_once('/').unwrap();
    match document.pointer_mut(outer).unwrap() {
        Value::Object(members) => drop(members.remove(name).unwrap()),
        Value::Array(items) => drop(items.remove(name.parse().unwrap())),
        other => panic!("{other}"),
    }
    document
}

/// The most that becomes of any memory in these bytes; what is no response is nothing at all.
fn most(scene: &Scene, document: &Value) -> Disposition {
    let parsed = Response::parse(canonical(document).unwrap().as_bytes());
    let judged = parsed.map(|response| scene.dispositions(&response));
    let most = judged.unwrap_or_default().into_iter().max();
    most.unwrap_or(Disposition::Reject)
}

/// The same, signed again by whoever answers: a responder that strips what others have said.
fn signed_again(scene: &Scene, mut document: Value) -> Value {
    document.as_object_mut().unwrap().remove("proof");
    let header = &scene.request.parts().header;
    let binding = Binding {
        purpose: Purpose::Assertion,
        domain: Some(key(ME).to_string()),
        challenge: header.nonce.as_ref().map(ToString::to_string),
    };
    sign(document, &agent(PEER), time(NOW), &binding).unwrap()
}

#[derive(Debug, Clone)]
struct Case {
    trusted: Vec<u8>,
    signs: bool,
    pinned: bool,
    same_way: bool,
    require_evidence: bool,
    attester: u8,
    chained: bool,
    has_origin: bool,
    receipt: bool,
    evidence: bool,
    age_days: u64,
    decay: Option<Decay>,
}

prop_compose! {
    fn any_case()(
        // An attester of whom less is thought than of the responder has the most to gain.
        trusted in prop_oneof![2 => Just(vec![PEER]), 1 => prop::sample::subsequence(vec![PEER, 3, 4], 0..=3)],
        (signs, pinned, same_way, require_evidence) in any::<(bool, bool, bool, bool)>(),
        (chained, has_origin, receipt, evidence) in any::<(bool, bool, bool, bool)>(),
        attester in prop::sample::select(vec![PEER, 3, 3]),
        age_days in 0_u64..60,
        decay in prop::option::of(prop_oneof![
            Just(Decay::Permanent),
            (0_u64..4).prop_map(|days| Decay::TimeBound(time(NOW - DAY + days * DAY))),
            Just(Decay::Conditional(None)),
        ]),
    ) -> Case {
        Case { trusted, signs, pinned, same_way, require_evidence, attester, chained, has_origin, receipt, evidence, age_days, decay }
    }
}

fn scene(case: &Case, log: &Log) -> Scene {
    let pin = || local(json!({ "pin": { "key": key(PEER), "signs": true } }));
    let trusted = case.trusted.iter().map(|number| trust(*number));
    let mut scene = Scene {
        records: recorded(trusted.chain(case.signs.then(pin))),
        anchors: Some(Arc::new(log.anchors())),
        came_back: case.same_way,
        ..Scene::new()
    };
    scene.demands.require_evidence = case.require_evidence;
    scene.pinned = scene.pinned.filter(|_| case.pinned);
    scene
}

fn memory(case: &Case, log: &Log) -> ResultParts {
    let claim = Claim::of_text(text("tea"));
    let hash = claim.hash();
    let created_at = Some(time(NOW - case.age_days * DAY));
    let salience = Some(Salience {
        expected_decay: case.decay.clone(),
        why_kept: Some(text("why")),
        ..Salience::default()
    });
    let origin = case.has_origin.then(|| {
        let parts = AttestationParts {
            created_at,
            salience: salience.clone(),
            ..attestation_parts("b", claim.clone(), 4)
        };
        Box::new(attested(parts, 4))
    });
    let first = origin.as_ref().map(|origin| origin.hash());
    let chain = Chain::default()
        .handed_on(hash, first, time(NOW - DAY), &agent(4))
        .and_then(|chain| chain.handed_on(hash, first, time(NOW - DAY), &agent(case.attester)))
        .unwrap();
    let evidence = EvidenceLink {
        url: text("https://a.example/"),
        media_type: None,
        hash: Some(Sha256Hash::from_bytes([1; 32]).into()),
    };
    let parts = AttestationParts {
        created_at,
        salience,
        provenance: Some(MemoryProvenance {
            witnesses: vec![text("somebody")],
            chain: case.chained.then_some(chain),
            origin,
            ..MemoryProvenance::of_source(ProvenanceSource::Received)
        }),
        evidence: case.evidence.then_some(evidence).into_iter().collect(),
        ..attestation_parts("a", claim, case.attester)
    };
    let receipt = case.receipt.then(|| log.open(0));
    ResultParts {
        receipt,
        context: Some(text("context")),
        ..result(attested(parts, case.attester))
    }
}

fn log() -> Log {
    let mut log = Log::new(PEER, "peer.example");
    log.remember("w1", json!({"kind": "note", "text": "tea"}), Unit::Memory);
    log.remember("w2", json!({"kind": "note", "text": "milk"}), Unit::Memory);
    log
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 10 } else { 64 }))]

    /// Adversarial case G97, R10: every member and element taken out of a signed answer, one at a time, read by the real parser; and every
    /// one of them in a memory, signed again by the responder.
    #[test]
    fn nothing_that_is_taken_out_of_a_signed_answer_raises_it(case in any_case()) {
        let log = log();
        let scene = scene(&case, &log);
        let signed: Value = serde_json::from_slice(scene.answer(vec![memory(&case, &log)]).bytes()).unwrap();
        let whole = most(&scene, &signed);
        for place in places(&signed) {
            let stripped = without(&signed, &place);
            prop_assert!(most(&scene, &stripped) <= whole, "{place} {case:?}");
            if place.starts_with("/results/0/") {
                let again = most(&scene, &signed_again(&scene, stripped));
                prop_assert!(again <= whole, "signed again: {place} {case:?}: {again:?} > {whole:?}");
            }
        }
    }

    /// Adversarial case G97: a signature that fails, taken away together with the key that it names: nothing where the peer is known to
    /// sign, and what anyone can say where it is not.
    #[test]
    fn a_failing_signature_taken_away_gains_nothing(case in any_case(), bit in 0_usize..64) {
        let log = log();
        let scene = scene(&case, &log);
        let mut broken: Value = serde_json::from_slice(scene.answer(vec![memory(&case, &log)]).bytes()).unwrap();
        let place = broken.pointer_mut("/proof/proofValue").unwrap();
        let mut letters = place.as_str().unwrap().as_bytes().to_vec();
        let at = 1 + bit;
        letters[at] = if letters[at] == b'2' { b'3' } else { b'2' };
        *place = String::from_utf8(letters).unwrap().into();
        prop_assert_eq!(most(&scene, &broken), Disposition::Reject);
        let proof = without(&broken, "/proof");
        prop_assert_eq!(most(&scene, &proof), Disposition::Reject, "a key without a proof");
        let both = without(&proof, "/responder/public_key");
        let left = most(&scene, &both);
        let known = case.pinned && case.signs;
        let most_left = if known { Disposition::Reject } else { Disposition::RawOnly };
        prop_assert!(left <= most_left);
    }
}
