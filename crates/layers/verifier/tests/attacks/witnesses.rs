//! Witnesses: as many distinct ones as the anchors ask for, beside the proof and never in it (M-8).

use counterfoil_verifier::note::{Algorithm, VerifierKey, signed_note};
use counterfoil_verifier::{
    AnchorError, Anchors, Examiner, Expected, Refusal, Session, VerifierSet,
};

use crate::support::{Case, Witness};

fn invalid(witness: &Witness) -> Refusal {
    Refusal::SignatureInvalid {
        name: witness.key.name().into(),
    }
}

#[test]
fn a_quorum_is_enough() {
    let case = Case::witnessed(3, 2);
    let two = case.cosigned_note(&case.cosignatures()[1..]);
    assert!(case.with(|it| it.cosigned = vec![two]).verdict().is_ok());
}

#[test]
fn too_few_witnesses_are_refused() {
    let case = Case::witnessed(3, 2);
    let one = case.cosigned_note(&case.cosignatures()[..1]);
    case.refuses_cosigned(vec![one], Refusal::QuorumMissed { have: 1, need: 2 });
    let none = case.cosigned_note(&[]);
    case.refuses_cosigned(vec![none], Refusal::QuorumMissed { have: 0, need: 2 });
    case.refuses_cosigned(vec![], Refusal::CosignedMissing { need: 2 });
}

/// A quorum over several notes is no quorum that anybody has put together.
#[test]
fn witnesses_of_two_notes_are_not_added_up() {
    let case = Case::witnessed(2, 2);
    let notes = case.cosignatures();
    let notes = notes
        .iter()
        .map(|line| case.cosigned_note(std::slice::from_ref(line)));
    case.refuses_cosigned(notes.collect(), Refusal::QuorumMissed { have: 1, need: 2 });
}

#[test]
fn one_witness_twice_is_refused() {
    let case = Case::witnessed(2, 2);
    let witness = &case.witnesses[0];
    let [first, second] = [1_700_000_000, 1_700_000_001].map(|at| witness.line(at, &case.text()));
    for second in [first.clone(), second] {
        let note = case.cosigned_note(&[first.clone(), second]);
        let name = "witness-0.example".into();
        case.refuses_cosigned(vec![note], Refusal::SignatureTwice { name });
    }
}

#[test]
fn a_cosignature_of_another_checkpoint_is_refused() {
    let case = Case::witnessed(1, 1);
    let witness = &case.witnesses[0];
    let other = case.log.text_at(12);
    let pasted = case.cosigned_note(&[witness.line(1_700_000_000, &other)]);
    case.refuses_cosigned(vec![pasted], invalid(witness));
    let honest = signed_note(
        &other,
        &[case.log.line(&other), witness.line(1_700_000_000, &other)],
    );
    case.refuses_cosigned(vec![honest], Refusal::CosignedMissing { need: 1 });
}

#[test]
fn an_edited_time_is_refused() {
    let case = Case::witnessed(1, 1);
    let witness = &case.witnesses[0];
    let signature = {
        let message = counterfoil_verifier::note::cosigned_message(1_700_000_000, &case.text());
        crate::support::sign(60, message.as_bytes())
    };
    for time_s in [1_700_000_001, 0, u64::MAX] {
        let line = counterfoil_verifier::note::cosignature_line(&witness.key, time_s, &signature);
        let note = case.cosigned_note(&[line]);
        case.refuses_cosigned(vec![note], invalid(witness));
    }
}

/// C2SP tlog-cosignature: a time never exceeds 2^63 - 1.
#[test]
fn a_time_beyond_63_bits_is_refused_though_it_is_signed() {
    let case = Case::witnessed(1, 1);
    let witness = &case.witnesses[0];
    let note = case.cosigned_note(&[witness.line(1 << 63, &case.text())]);
    case.refuses_cosigned(vec![note], invalid(witness));
}

#[test]
fn one_key_under_two_names_is_refused_when_anchors_are_loaded() {
    let case = Case::merkle();
    let (first, second) = (Witness::new("a.example", 60), Witness::new("b.example", 60));
    let twice = |first: &Witness, second: &Witness| {
        let keys = vec![first.key.clone(), second.key.clone()];
        case.anchors.clone().with_witnesses(keys, 0)
    };
    let expected = AnchorError::WitnessTwice {
        first: "a.example".into(),
        second: "b.example".into(),
    };
    assert_eq!(twice(&first, &second), Err(expected));
    assert!(matches!(
        twice(&first, &first),
        Err(AnchorError::WitnessTwice { .. })
    ));
    let other_key = Witness::new("a.example", 61);
    assert!(matches!(
        twice(&first, &other_key),
        Err(AnchorError::WitnessTwice { .. })
    ));
}

#[test]
fn a_log_can_not_be_its_own_witness() {
    let case = Case::merkle();
    let key = VerifierKey::new(
        "w.example",
        Algorithm::CosignatureV1,
        case.log.key.public_key(),
    );
    let anchors = case.anchors.with_witnesses(vec![key.unwrap()], 0);
    let name = "w.example".into();
    assert_eq!(anchors, Err(AnchorError::WitnessIsLog { name }));
}

#[test]
fn a_key_stands_only_where_its_kind_belongs() {
    let case = Case::merkle();
    let name = "stranger.example".into();
    let log_key = crate::support::Log::new("stranger.example", 61).key;
    assert_eq!(
        case.anchors.with_witnesses(vec![log_key], 0),
        Err(AnchorError::KeyKind { name })
    );
    let witness = Witness::new("w.example", 60).key;
    let name = "w.example".into();
    let anchors = Anchors::new(vec![counterfoil_verifier::LogAnchor::new(witness)]);
    assert_eq!(anchors, Err(AnchorError::KeyKind { name }));
}

#[test]
fn a_quorum_above_the_number_of_witnesses_is_refused() {
    let case = Case::merkle();
    for quorum in [2, u64::MAX] {
        let keys = vec![Witness::new("a.example", 60).key];
        assert_eq!(
            case.anchors.clone().with_witnesses(keys, quorum),
            Err(AnchorError::Quorum {
                quorum,
                witnesses: 1
            })
        );
    }
}

/// M-8: a cosignature carries a time.
#[test]
fn a_cosignature_inside_a_proof_is_refused_known_or_not() {
    let case = Case::witnessed(1, 1);
    let name = "witness-0.example".into();
    case.refuses_note(
        &case.cosigned_note(&case.cosignatures()),
        Refusal::CosignatureInProof { name },
    );
    let unanchored = Case::merkle();
    let stranger = Witness::new("stranger.example", 90).line(1_700_000_000, &unanchored.text());
    let name = "stranger.example".into();
    let refusal = unanchored.refusal_of_note(&unanchored.cosigned_note(&[stranger]));
    assert_eq!(refusal, Refusal::CosignatureInProof { name });
}

/// Cosignatures are not part of a proof, so a proof alone can't reach a quorum.
#[test]
fn verify_proof_alone_is_false_where_witnesses_are_asked_for() {
    let case = Case::witnessed(1, 1);
    let proof = case.wire();
    let verifiers = VerifierSet::new(case.anchors.clone());
    assert!(!verifiers.verifies(&proof));
    let mut session = Session::with_cosigned(case.cosigned.clone());
    assert!(
        verifiers
            .examine(&proof, Expected::AnyWorld, &mut session)
            .is_ok()
    );
}

#[test]
fn more_cosigned_notes_than_are_looked_at_are_refused() {
    let case = Case::witnessed(1, 1);
    let notes = vec![case.cosigned[0].clone(); 17];
    let refusal = case.refusal_of_cosigned(notes);
    assert!(matches!(refusal, Refusal::TooMuch { max: 16, .. }));
}

/// What was judged under one set of anchors is judged again under another.
#[test]
fn a_session_does_not_carry_trust_from_one_verifier_to_another() {
    let plain = Case::merkle();
    let strict = Case::witnessed(1, 1);
    let proof = plain.wire();
    let mut session = Session::new();
    let examine = |case: &Case, session: &mut Session| {
        VerifierSet::new(case.anchors.clone()).examine(&proof, Expected::AnyWorld, session)
    };
    assert!(examine(&plain, &mut session).is_ok());
    assert_eq!(
        examine(&strict, &mut session),
        Err(Refusal::CosignedMissing { need: 1 })
    );
    assert!(examine(&plain, &mut session).is_ok());
}

/// Notes that differ in signatures of strangers alone are judged against the same cosigned ones.
#[test]
fn cosigned_notes_serve_every_proof_of_a_session() {
    let case = Case::witnessed(31, 31);
    let verifiers = VerifierSet::new(case.anchors.clone());
    let mut session = Session::with_cosigned(vec![case.cosigned[0].clone(); 16]);
    for stranger in 100..110 {
        let mut proof = case.proof();
        let line = crate::support::Log::new("stranger.example", stranger).line(&case.text());
        proof.checkpoint += &line;
        let data = crate::support::merkle_data(&case.target().entry, &proof);
        let proof = case.with(|it| it.data = data).wire();
        assert!(
            verifiers
                .examine(&proof, Expected::AnyWorld, &mut session)
                .is_ok()
        );
    }
}

#[test]
fn a_cosigned_note_that_is_none_refuses() {
    let case = Case::witnessed(1, 1);
    let good = case.cosigned[0].clone();
    case.refuses_cosigned(
        vec![good, "no note".into()],
        Refusal::Note { part: "separation" },
    );
}
