//! Who said it first, in that one's own signature, over any number of hops (decision 0051).

use counterfoil_exchange::checks::{CheckResult, Disposition, FailCode, Flag, JudgedMemory};
use counterfoil_exchange::documents::{
    Attestation, AttestationParts, Chain, Claim, ClaimKind, Decay, MemoryProvenance, OriginClass,
    ProvenanceSource, Salience, StructuredClaim,
};
use counterfoil_exchange::trust::Level;
use counterfoil_types::DidKey;
use proptest::prelude::*;
use serde_json::json;

use crate::support::log::agent;
use crate::support::scene::{ME, PEER, Scene};
use crate::support::words::{DAY, NOW, attestation_parts, attested, key, result, text, time};

/// The agent that says it first.
const FIRST: u8 = 9;

fn claim() -> Claim {
    let identifier = |text| counterfoil_claims::Identifier::new("name", text).unwrap();
    Claim {
        kind: ClaimKind::Fact,
        structured: Some(StructuredClaim {
            subject: identifier("dog"),
            predicate: identifier("name"),
            value: counterfoil_claims::FactValue::new(&json!("Rex")).unwrap(),
            valid_from: None,
            valid_until: None,
        }),
        ..Claim::of_text(text("dog name Rex"))
    }
}

fn first(class: OriginClass) -> AttestationParts {
    let source = match class {
        OriginClass::Model => ProvenanceSource::Inference,
        _ => ProvenanceSource::DirectExperience,
    };
    AttestationParts {
        provenance: Some(MemoryProvenance {
            class: Some(class),
            ..MemoryProvenance::of_source(source)
        }),
        ..attestation_parts("first", claim(), FIRST)
    }
}

/// What the last of these agents attests: `origin`, handed on by each of them in turn.
fn handed_on(origin: &Attestation, relays: &[u8]) -> AttestationParts {
    let (hash, at) = (claim().hash(), time(NOW - DAY));
    let chain = relays.iter().fold(Chain::default(), |chain, relay| {
        let chain = chain.handed_on(hash, Some(origin.hash()), at, &agent(*relay));
        chain.unwrap()
    });
    AttestationParts {
        provenance: Some(MemoryProvenance {
            chain: Some(chain),
            origin: Some(Box::new(origin.clone())),
            ..MemoryProvenance::of_source(ProvenanceSource::Received)
        }),
        ..attestation_parts("second", claim(), *relays.last().unwrap())
    }
}

fn judged(trusted: &[u8], origin: &Attestation, relays: &[u8]) -> JudgedMemory {
    let last = *relays.last().unwrap();
    let attestation = attested(handed_on(origin, relays), last);
    judged_from_peer(trusted, attestation)
}

fn judged_from_peer(trusted: &[u8], attestation: Attestation) -> JudgedMemory {
    let scene = Scene::trusting(trusted);
    scene
        .judge(&scene.answer(vec![result(attestation)]))
        .remove(0)
}

fn keys(numbers: &[u8]) -> Vec<DidKey> {
    numbers.iter().map(|number| key(*number)).collect()
}

/// The testimony is of the one who said it first, and names all through whose hands it came.
#[test]
fn the_origin_is_the_source_over_any_number_of_hops() {
    let origin = attested(first(OriginClass::Tool), FIRST);
    for relays in [&[PEER][..], &[3, PEER], &[3, 4, 5, 6, 7, 8, 10, PEER]] {
        let all = [relays, &[FIRST]].concat();
        let memory = judged(&all, &origin, relays);
        assert_eq!(memory.source, Some(key(FIRST)));
        assert_eq!(memory.relays, keys(relays));
        assert_eq!(memory.disposition, Disposition::StoredHigh);
        assert_eq!(memory.flags, []);
    }
    // One more is refused where it is handed on.
    let (hash, at) = (claim().hash(), time(NOW - DAY));
    let chain = (0..8).fold(Chain::default(), |chain, _| {
        chain
            .handed_on(hash, Some(origin.hash()), at, &agent(3))
            .unwrap()
    });
    assert!(
        chain
            .handed_on(hash, Some(origin.hash()), at, &agent(3))
            .is_err()
    );
}

/// A stranger may relay what an origin signed, and raises nothing by it; what a trusted relay has from a stranger is a stranger's word.
#[test]
fn the_weakest_of_all_decides() {
    let origin = attested(first(OriginClass::User), FIRST);
    for (trusted, level) in [
        (&[FIRST, 3, PEER][..], Level::Direct),
        (&[FIRST, PEER], Level::Identified),
        (&[FIRST, 3], Level::Identified),
        (&[3, PEER], Level::Identified),
    ] {
        let memory = judged(trusted, &origin, &[3, PEER]);
        assert_eq!(memory.level(), level, "{trusted:?}");
        assert_eq!(memory.source, Some(key(FIRST)));
    }
}

/// What the origin did not sign, or signed of something else, is a forgery of the one who hands it on.
#[test]
fn what_the_origin_did_not_sign_is_refused() {
    let origin = first(OriginClass::User);
    let all = [FIRST, PEER];
    let refused = |origin: &AttestationParts, outer: &dyn Fn(&mut AttestationParts)| {
        let mut parts = handed_on(&attested(origin.clone(), FIRST), &[PEER]);
        outer(&mut parts);
        let memory = judged_from_peer(&all, attested(parts, PEER));
        memory.checks.signature == CheckResult::Fail(FailCode::BadOrigin)
            && memory.disposition == Disposition::Reject
    };
    assert!(!refused(&origin, &|_| ()));
    let mut other = origin.clone();
    let fact = other.claim.structured.as_mut().unwrap();
    fact.value = counterfoil_claims::FactValue::new(&json!("Tom")).unwrap();
    assert!(refused(&other, &|_| ()), "another value");
    let kind = AttestationParts {
        claim: Claim {
            kind: ClaimKind::Event,
            ..claim()
        },
        ..origin.clone()
    };
    assert!(refused(&kind, &|_| ()), "a kind that ages otherwise");
    let short = AttestationParts {
        salience: Some(Salience {
            expected_decay: Some(Decay::TimeBound(time(NOW))),
            ..Salience::default()
        }),
        ..origin.clone()
    };
    assert!(refused(&short, &|_| ()), "for longer than it holds");
    let newer = |parts: &mut AttestationParts| parts.created_at = Some(time(NOW));
    assert!(refused(&origin, &newer), "as newer than it is");
    // Words of its own are no forgery: the fact is bound.
    let reworded = AttestationParts {
        claim: Claim {
            content: text("The name of the dog is Rex."),
            ..claim()
        },
        ..origin.clone()
    };
    assert!(!refused(&reworded, &|_| ()));
    // Signed by another key than it names.
    let mut forged = attested(origin, FIRST).to_value().unwrap();
    forged["agent"]["public_key"] = key(3).to_string().into();
    let forged = Attestation::parse(
        counterfoil_types::json::canonical(&forged)
            .unwrap()
            .as_bytes(),
    );
    let memory = judged(&[FIRST, 3, PEER], &forged.unwrap(), &[PEER]);
    assert_eq!(
        memory.checks.signature,
        CheckResult::Fail(FailCode::BadOrigin)
    );
}

/// Behind hops that do not lead to it, an origin is shown by nothing: the memory is the relay's word, and flagged.
#[test]
fn a_broken_way_to_the_origin_is_the_relays_word() {
    let origin = attested(first(OriginClass::User), FIRST);
    let other = attested(first(OriginClass::FirstHand), FIRST);
    let hops = handed_on(&other, &[PEER]).provenance.unwrap().chain;
    for chain in [None, hops] {
        let mut parts = handed_on(&origin, &[PEER]);
        parts.provenance.as_mut().unwrap().chain = chain;
        let memory = judged_from_peer(&[FIRST, PEER], attested(parts, PEER));
        assert_eq!(memory.source, Some(key(PEER)));
        assert_eq!(memory.flags, [Flag::ChainBroken]);
        assert_eq!(memory.relays, []);
    }
}

/// R16: my own word that comes back is my own, whoever hands it on.
#[test]
fn an_origin_that_is_me_brings_back_my_own() {
    let parts = AttestationParts {
        agent: attestation_parts("first", claim(), ME).agent,
        ..first(OriginClass::User)
    };
    let memory = judged(&[PEER], &attested(parts, ME), &[PEER]);
    assert_eq!(memory.flags, [Flag::Own]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 24 } else { 128 }))]

    /// The algebra: never stronger than its weakest hop, and exactly as strong; one more hop raises nothing; the class is the
    /// weakest of all; and it is the same whether hops are joined from the one end or from the other.
    #[test]
    fn a_way_is_as_strong_as_its_weakest_hop(
        relays in prop::sample::subsequence(vec![3_u8, 4, 5, 6], 0..=4),
        trusted in prop::sample::subsequence(vec![3_u8, 4, 5, 6, FIRST, PEER], 0..=6),
        class in prop::sample::select(OriginClass::ALL.to_vec()),
        inferred in any::<bool>(),
    ) {
        let origin = attested(first(class), FIRST);
        let relays = [relays.as_slice(), &[PEER]].concat();
        let of = |number: &u8| match trusted.contains(number) {
            true => Level::Direct,
            false => Level::Identified,
        };
        let memory = judged(&trusted, &origin, &relays);
        let all = || relays.iter().chain([&FIRST]);
        let weakest = all().map(of).min().unwrap();
        prop_assert_eq!(memory.level(), weakest);
        prop_assert!(all().rev().map(of).fold(Level::Direct, Level::min) == weakest);
        // Monotone: with one agent more on the way, and with one trusted less.
        let longer = judged(&trusted, &origin, &[&[7], relays.as_slice()].concat());
        prop_assert!(longer.disposition <= memory.disposition);
        for out in &trusted {
            let fewer: Vec<u8> = trusted.iter().copied().filter(|it| it != out).collect();
            prop_assert!(judged(&fewer, &origin, &relays).disposition <= memory.disposition);
        }
        let mut parts = handed_on(&origin, &relays);
        if inferred {
            parts.provenance.as_mut().unwrap().source = ProvenanceSource::Inference;
        }
        prop_assert_eq!(parts.is_inferred(), inferred || class == OriginClass::Model);
    }
}
