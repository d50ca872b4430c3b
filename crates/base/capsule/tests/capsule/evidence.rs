//! Proofs of equivocation and contradictions: what they show, and of what nobody can be framed (E61 to E65).

use counterfoil_capsule::documents::{
    Contradiction, ContradictionKind, Evidence, Observation, Observed, Source, Suspect,
};
use counterfoil_capsule::keys::KeyError;
use counterfoil_capsule::{
    CapsuleDocument, CapsuleError, Equivocation, Extensions, Position, RecordKind, Signer,
    seal_record,
};
use counterfoil_types::json::canonical;
use serde_json::json;

use crate::blame::{blames, by, told};
use crate::chain::{Chain, seed, seed_by};
use crate::common::{NO_KEYS, NOW, SALT, at, id, signer, stamp, stranger};

/// Two chains with one seed and different second capsules.
fn forked() -> (CapsuleDocument, CapsuleDocument) {
    let branch = |data| {
        let mut chain = seed(json!({ "a": 1 }));
        chain.update(&data);
        chain.document(1)
    };
    (branch(json!({ "a": 2 })), branch(json!({ "a": 3 })))
}

/// Signed by someone else, in the same name.
fn badly_signed(document: &CapsuleDocument, by: &dyn Signer) -> CapsuleDocument {
    let signature = by.sign(document.entry().unwrap().to_text().as_bytes());
    CapsuleDocument::new(
        document.header().clone(),
        signature,
        document.fields(),
        document.payload().cloned(),
        document.delta().cloned(),
    )
}

/// Adversarial case C40: one number, two contents, both signed. The pair is the proof, for anyone, without
/// a store and without the contents.
#[test]
fn two_signed_capsules_at_one_place_are_a_proof() {
    let (one, other) = forked();
    let proof = Equivocation::new(one.clone(), other.clone()).unwrap();
    assert_eq!(proof.check(&NO_KEYS), Ok(()));
    assert_eq!((proof.agent(), proof.seq()), (signer().agent(), 1));
    assert_eq!(proof, Equivocation::new(other, one).unwrap());

    let text = canonical(&proof.to_value()).unwrap();
    assert!(!text.contains("state") && !text.contains("ops"));
    let read = Equivocation::parse(text.as_bytes()).unwrap();
    assert_eq!(read, proof);
    assert_eq!(read.check(&NO_KEYS), Ok(()));
}

/// Adversarial case C34: a second seed of one chain is a fork at its beginning.
#[test]
fn a_second_seed_of_a_chain_is_equivocation() {
    let (one, other) = (seed(json!(1)).document(0), seed(json!(2)).document(0));
    let proof = Equivocation::new(one, other).unwrap();
    assert_eq!((proof.seq(), proof.check(&NO_KEYS)), (0, Ok(())));
}

/// Adversarial case C41: one content signed twice, even with two good signatures, is one capsule. The link
/// is over the unsigned header.
#[test]
fn one_capsule_signed_twice_is_no_fork() {
    let one = seed(json!(1)).document(0);
    let again = badly_signed(&one, &stranger());
    let same = Equivocation::new(one.clone(), again).unwrap_err();
    assert!(matches!(same, CapsuleError::Same { .. }));
    assert!(Equivocation::new(one.clone(), one).is_err());
}

/// Adversarial case E62: one of the two signatures is bad, the chains are two, or both are one capsule.
#[test]
fn a_fake_proof_of_equivocation_is_refused() {
    let (one, other) = forked();
    let framed = Equivocation::new(one.clone(), badly_signed(&other, &stranger())).unwrap();
    let refused = framed.check(&NO_KEYS).unwrap_err();
    assert!(
        matches!(refused, KeyError::CapsuleSignature { .. }),
        "{refused}"
    );

    let elsewhere = seed_by(&signer(), json!(1), 7, NOW, Extensions::default()).document(0);
    let refused = Equivocation::new(seed(json!(1)).document(0), elsewhere).unwrap_err();
    assert_eq!(refused, CapsuleError::NoFork);

    let proof = Equivocation::new(one, other).unwrap().to_value();
    for (pointer, value) in [
        ("/capsules/0", proof["capsules"][1].clone()),
        (
            "/capsules",
            json!([proof["capsules"][1], proof["capsules"][0]]),
        ),
        ("/capsules", json!([proof["capsules"][0]])),
        ("/version", json!("2")),
    ] {
        let mut bad = proof.clone();
        *bad.pointer_mut(pointer).unwrap() = value;
        assert!(Equivocation::from_value(&bad).is_err(), "{pointer}");
    }
}

fn observed(
    kind: ContradictionKind,
    about: &CapsuleDocument,
    evidence: Vec<Evidence>,
) -> Observation {
    Observation {
        kind,
        code: "E_TEST".to_owned(),
        subject: Suspect::of(about.header()),
        source: Source {
            peer: Some(stranger().agent()),
            transport: "import".to_owned(),
        },
        expected: Some(Observed::Hash(about.header().hash())),
        actual: Some(Observed::Number(7)),
        evidence,
    }
}

fn told_of(seen: Observation) -> Contradiction {
    told(seen, &NO_KEYS)
}

#[test]
fn a_contradiction_comes_back_as_it_was_written() {
    let (one, other) = forked();
    let evidence = vec![Evidence::of(&one), Evidence::of(&other)];
    let event = told_of(observed(ContradictionKind::Equivocation, &one, evidence));
    assert!(event.is_attributable());
    let value = event.to_value();
    assert!(canonical(&value).unwrap().len() <= 64 << 10);
    let signed = event.sign(&stranger(), at(NOW)).unwrap();
    assert_eq!(Contradiction::parse(&signed, &NO_KEYS).unwrap(), event);
    for (pointer, bad) in [
        ("/kind", json!("belief")),
        ("/evidence", json!([])),
        ("/source/peer", json!("bob")),
        ("/subject/more", json!(1)),
        ("/actual", json!("the payload itself")),
    ] {
        let mut spoiled = value.clone();
        match pointer {
            "/subject/more" => spoiled["subject"]["more"] = bad,
            _ => *spoiled.pointer_mut(pointer).unwrap() = bad,
        }
        assert!(
            Contradiction::parse(&spoiled, &NO_KEYS).is_err(),
            "{pointer}"
        );
    }
}

/// Adversarial case E61: Mallory sends a capsule in Bob's name, badly signed. Bob is not to blame; the
/// source is Mallory. Nor does a claim in the document make it so.
#[test]
fn nobody_is_framed_by_a_bad_signature() {
    let bobs = seed(json!(1)).document(0);
    let forged = badly_signed(&bobs, &stranger());
    for kind in ContradictionKind::ALL {
        let event = told_of(observed(kind, &forged, vec![Evidence::of(&forged)]));
        assert!(!event.is_attributable(), "{}", kind.name());
        assert_eq!(event.observation().source.peer, Some(stranger().agent()));
        let mut claimed = event.to_value();
        claimed["attributable"] = json!(true);
        assert_eq!(
            Contradiction::parse(&claimed, &NO_KEYS),
            Err(CapsuleError::NotAttributable)
        );
    }
    // Nor by a good one that shows no fault, or by a digest beside it.
    let (one, other) = forked();
    for evidence in [
        vec![Evidence::of(&bobs)],
        vec![Evidence::of(&one), Evidence::Hash(other.header().hash())],
        vec![Evidence::of(&one), badly(&other)],
        vec![Evidence::of(&one), Evidence::of(&one)],
    ] {
        let kind = ContradictionKind::Equivocation;
        assert!(!blames(observed(kind, &one, evidence)));
    }
}

fn badly(document: &CapsuleDocument) -> Evidence {
    Evidence::of(&badly_signed(document, &stranger()))
}

/// A step back in time or in numbers is shown by the two capsules themselves.
#[test]
fn a_signed_step_back_is_its_agents_fault() {
    let mut chain = seed(json!(1));
    chain.update(&json!(2));
    let fits = vec![
        Evidence::of(&chain.document(0)),
        Evidence::of(&chain.document(1)),
    ];
    for kind in [ContradictionKind::Chronology, ContradictionKind::Sequence] {
        let event = told_of(observed(kind, &chain.document(1), fits.clone()));
        assert!(!event.is_attributable(), "{}", kind.name());
    }
    let late = seed_by(&signer(), json!(1), 1, NOW + 5, Extensions::default());
    let second = Chain(vec![late.0[0].clone()]).document(0);
    let shown = vec![Evidence::of(&second), Evidence::of(&chain.document(1))];
    for kind in [ContradictionKind::Chronology, ContradictionKind::Sequence] {
        let event = told_of(observed(kind, &chain.document(1), shown.clone()));
        assert!(event.is_attributable(), "{}", kind.name());
    }
}

/// Adversarial case E63: nobody tells a contradiction about a contradiction.
#[test]
fn there_is_no_event_about_an_event() {
    let about = seed(json!(1)).document(0);
    let first = told_of(observed(
        ContradictionKind::State,
        &about,
        vec![Evidence::of(&about)],
    ));
    let text = canonical(&first.to_value()).unwrap();
    assert_eq!(Evidence::of_bytes(text.as_bytes()), None);
    let position = Position::seed(id(5), stamp(NOW));
    let kind = RecordKind::Contradiction;
    let record = seal_record(kind, &first.to_value(), &position, SALT, &signer()).unwrap();
    let record = CapsuleDocument::of(&record, None);
    let seen = observed(
        ContradictionKind::State,
        &record,
        vec![Evidence::of(&record)],
    );
    assert_eq!(
        Contradiction::new(seen, id(3), by(), &NO_KEYS),
        Err(CapsuleError::AboutContradiction)
    );
}

/// Adversarial case E64: what is delivered a thousand times is one event, whoever sends it and when.
#[test]
fn the_same_thing_has_one_key() {
    let (one, other) = forked();
    let both = [Evidence::of(&one), Evidence::of(&other)];
    let kind = ContradictionKind::Equivocation;
    let first = observed(kind, &one, both.to_vec());
    let mut again = observed(kind, &other, both.iter().rev().cloned().collect());
    again.source = Source::way("another way");
    assert_eq!(again.dedupe_key(), first.dedupe_key());
    for (kind, evidence) in [(kind, &both[..1]), (ContradictionKind::State, &both[..])] {
        let other = observed(kind, &one, evidence.to_vec());
        assert_ne!(other.dedupe_key(), first.dedupe_key());
    }
}

/// Adversarial case E65: evidence that is too large, or no capsule, is a digest; contents never get in.
#[test]
fn evidence_holds_no_content() {
    let secret = "blood type A";
    let mut chain = seed(json!({ "note": secret }));
    chain.update(&json!({ "note": secret.repeat(1000) }));
    let line = chain.document(1).to_text();
    let large = format!("{{\"payload\":\"{}\"}}", secret.repeat(100_000));
    for bytes in [line.as_bytes(), large.as_bytes(), b"\xff\xfe"] {
        let evidence = Evidence::of_bytes(bytes).unwrap();
        let event = told_of(observed(
            ContradictionKind::Schema,
            &chain.document(1),
            vec![evidence],
        ));
        let text = canonical(&event.to_value()).unwrap();
        assert!(text.len() <= 64 << 10 && !text.contains(secret));
        assert!(!format!("{event:?}").contains(secret));
    }
}
