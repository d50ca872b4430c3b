//! Candidates and status (docs/format/claims.md 7), by example.

use alloc::vec;
use alloc::vec::Vec;

use crate::belief::testing::{
    EPOCH_US, FIRST_HAND, Log, MODEL, USER, at, became, body, peer, valid, value, values,
};
use crate::belief::{BeliefStatus, ClaimState, Marker, Support};
use crate::effective::instant_of;
use crate::{Act, Cardinality, Disposition};

/// I2, CLM-33: a claim without a window holds from when it was recorded, and says that its timing is uncertain.
#[test]
fn an_undated_claim_is_of_uncertain_timing() {
    let mut log = Log::default();
    log.undated(USER, "a");
    let belief = log.present();
    assert_eq!(belief.status, BeliefStatus::TimingUncertain);
    assert_eq!(belief.support, Some(Support::External));
    assert_eq!(belief.primary(), Some(&value("a")));
    assert_eq!(belief.markers, []);
    let before = log.belief(instant_of(log.now()) - 1);
    assert_eq!(
        (before.status, before.primary()),
        (BeliefStatus::NoBelief, None)
    );
}

/// I2: timing is uncertain only where it matters: an undated claim holds for certain from its statement on, unless dates
/// that are not trusted speak against that, and within a coarse boundary it is not known.
#[test]
fn what_holds_by_each_reading_of_its_dates_is_settled() {
    let guess = |window: &str| {
        let mut valid = valid(window);
        valid.confidence = counterfoil_types::Confidence::new(0.5).unwrap();
        Some(valid)
    };
    for (window, settled) in [
        (None, true),
        (guess("2020.."), true),
        (guess("2020..2021"), false),
        (guess("9000.."), false),
        (Some(valid("2020..")), true),
    ] {
        let mut log = Log::default();
        log.add(USER, Act::Claim(body("a", window)));
        assert_eq!(log.present().is_settled(), settled, "{window:?}");
    }
    let mut log = Log::default();
    log.dated(USER, "a", "2020-03..2021");
    let settled = |when| log.belief(at(when)).is_settled();
    assert!(settled("2020-06-01"));
    assert!(!settled("2020-03-15") && !settled("2021-02-01") && !settled("2022-01-01"));
    let mut log = Log::default();
    log.undated(USER, "a");
    log.undated(FIRST_HAND, "b");
    assert!(!log.present().is_settled(), "contested");
    let mut log = Log::default();
    let ended = log.undated(USER, "a");
    log.add(
        USER,
        Act::Bound {
            target: ended,
            at: crate::time::Boundary::parse("2020").unwrap(),
        },
    );
    let before = log.belief(at("2019-06-01"));
    assert_eq!(before.status, BeliefStatus::TimingUncertain);
    assert!(!before.is_settled(), "before it was stated");
}

/// I2, CLM-5, CLM-38: at 0.7 a window is not trusted; above it is (vectors vS07, vS08, decision 0011).
#[test]
fn a_window_counts_above_the_threshold_alone() {
    for (confidence, status) in [
        (0.69, BeliefStatus::TimingUncertain),
        (0.7, BeliefStatus::TimingUncertain),
        (0.71, BeliefStatus::Resolved),
    ] {
        let mut log = Log::default();
        let mut window = valid("2020..");
        window.confidence = counterfoil_types::Confidence::new(confidence).unwrap();
        log.add(USER, Act::Claim(body("a", Some(window))));
        assert_eq!(log.present().status, status, "{confidence}");
    }
}

/// I2, CLM-38: within a boundary that is known to a month or a year, and only there, the timing is uncertain.
#[test]
fn a_coarse_boundary_is_uncertain_within() {
    let mut log = Log::default();
    log.dated(USER, "a", "2020-03..2021");
    for (when, status) in [
        ("2020-02-29", BeliefStatus::NoBelief),
        ("2020-03-01", BeliefStatus::TimingUncertain),
        ("2020-03-31T23:59:59.999999Z", BeliefStatus::TimingUncertain),
        ("2020-04-01", BeliefStatus::Resolved),
        ("2020-12-31", BeliefStatus::Resolved),
        ("2021-01-01", BeliefStatus::TimingUncertain),
        ("2021-12-31", BeliefStatus::TimingUncertain),
        ("2022-01-01", BeliefStatus::Ended),
    ] {
        assert_eq!(log.belief(at(when)).status, status, "{when}");
    }
    log.dated(USER, "a", "2020-01-01..2023-01-01");
    assert_eq!(log.belief(at("2021-06-01")).status, BeliefStatus::Resolved);
}

/// I7, CLM-24, CLM-35: several values of external claims are contested, and none is primary.
#[test]
fn differing_values_contest_each_other() {
    let mut log = Log::default();
    let first = log.undated(USER, "Berlin");
    let second = log.undated(peer(), "Paris");
    let third = log.undated(USER, "Berlin");
    let belief = log.present();
    assert_eq!(belief.status, BeliefStatus::Contested);
    assert_eq!(values(&belief), ["Berlin", "Paris"]);
    assert_eq!(belief.primary(), None);
    assert_eq!(belief.sides[1].markers, [Marker::PeerSourced]);
    assert_eq!(belief.markers, []);
    let states: Vec<_> = log
        .history(instant_of(log.now()))
        .into_iter()
        .map(|entry| {
            (
                entry.claim.reference().clone(),
                entry.state,
                entry.because_of,
            )
        })
        .collect();
    assert_eq!(
        states,
        [
            (first, ClaimState::Contested, Some(second.clone())),
            (second, ClaimState::Contested, None),
            (third, ClaimState::Contested, None),
        ]
    );
}

/// CLM-35: the members of a set do not contest each other, and do not hand over to each other.
#[test]
fn a_set_holds_all_its_members() {
    let mut log = Log::default();
    for text in ["en", "fr"] {
        let mut said = body(text, None);
        said.cardinality = Cardinality::Many;
        log.add(USER, Act::Claim(said));
    }
    log.dated(USER, "de", "2020..2022-03-01");
    log.dated(USER, "nl", "2022-03-01..");
    let belief = log.belief(at("2022-03-01"));
    assert_eq!(belief.status, BeliefStatus::Resolved);
    assert_eq!(values(&belief), ["en", "fr", "de", "nl"]);
    assert_eq!(belief.primary(), None);
}

/// CLM-3: `one` weighs more than `many`; what the host has registered last weighs most; what models say weighs nothing.
#[test]
fn cardinality_is_what_the_last_registration_says_else_one_before_many() {
    let mut log = Log::default();
    let mut say = |who, text, said, registered| {
        let mut claim = body(text, None);
        (claim.cardinality, claim.registered) = (said, registered);
        log.add(who, Act::Claim(claim));
        log.present().status
    };
    let (many, one, unknown) = (Cardinality::Many, Cardinality::One, Cardinality::Unknown);
    assert_eq!(say(USER, "a", unknown, None), BeliefStatus::TimingUncertain);
    assert_eq!(say(MODEL, "x", many, None), BeliefStatus::TimingUncertain);
    assert_eq!(say(USER, "b", many, None), BeliefStatus::Resolved);
    assert_eq!(say(USER, "c", one, None), BeliefStatus::Contested);
    assert_eq!(say(USER, "d", one, Some(many)), BeliefStatus::Resolved);
    assert_eq!(say(USER, "e", many, Some(one)), BeliefStatus::Contested);
}

/// I5, CLM-36, CLM-37: a model's differing value is an alternative; alone it is believed, as inferred.
#[test]
fn models_decide_only_among_themselves() {
    let mut log = Log::default();
    log.undated(MODEL, "m");
    let belief = log.present();
    assert_eq!(belief.status, BeliefStatus::TimingUncertain);
    assert_eq!(belief.support, Some(Support::Inferred));
    log.undated(USER, "u");
    log.undated(MODEL, "u");
    let belief = log.present();
    assert_eq!(belief.support, Some(Support::External));
    assert_eq!(values(&belief), ["u"]);
    assert_eq!(belief.sides[0].claims.len(), 1);
    assert_eq!(belief.alternatives[0].value, value("m"));
    assert_eq!(belief.markers, [Marker::ModelDissent]);
    let states = log.history(instant_of(log.now()));
    assert!(
        states
            .iter()
            .all(|entry| entry.state == ClaimState::Current)
    );
}

/// A model's claim that has handed over by the instant does not dissent; one that still holds does.
#[test]
fn a_model_dissents_while_its_claim_holds() {
    for (window, markers) in [
        ("2020..2030", vec![]),
        ("2020..2040", vec![Marker::ModelDissent]),
    ] {
        let mut log = Log::default();
        log.dated(MODEL, "m", window);
        log.dated(USER, "u", "2030-06..");
        let belief = log.belief(at("2030-10"));
        assert_eq!((values(&belief), belief.alternative_count), (vec!["u"], 1));
        assert_eq!(belief.markers, markers);
    }
}

/// CLM-36: what only models say of a time is settled, and called inferred; of two models' values neither is.
#[test]
fn what_only_models_say_is_resolved_as_inferred() {
    let mut log = Log::default();
    log.dated(MODEL, "m", "2020..");
    let belief = log.present();
    assert_eq!(
        (belief.status, belief.support),
        (BeliefStatus::Resolved, Some(Support::Inferred))
    );
    assert_eq!(belief.primary(), Some(&value("m")));
    log.dated(MODEL, "n", "2021..");
    let belief = log.present();
    assert_eq!(
        (belief.status, belief.support),
        (BeliefStatus::Contested, Some(Support::Inferred))
    );
    log.dated(USER, "u", "2019..");
    let belief = log.present();
    assert_eq!(
        (belief.status, belief.support),
        (BeliefStatus::Resolved, Some(Support::External))
    );
}

/// I1, CLM-34: what is denied or in quarantine is no candidate; a reopen and a release bring it back.
#[test]
fn denied_and_quarantined_claims_are_kept_apart() {
    let mut log = Log::default();
    let denied = log.undated(USER, "a");
    let denial = log.add(
        FIRST_HAND,
        Act::Deny {
            target: denied.clone(),
        },
    );
    assert_eq!(log.present().status, BeliefStatus::NoBelief);
    let entry = log.history(instant_of(log.now()))[0].clone();
    became(&entry, ClaimState::Denied, Some(denial.clone()));
    log.reopen(denied, vec![denial]);
    assert_eq!(log.present().status, BeliefStatus::TimingUncertain);

    let mut log = Log::default();
    let incoherent = Act::Claim(body("q", Some(valid("2022..2020"))));
    let unit = log.put(USER, incoherent);
    unit.disposition = Disposition::Quarantined;
    let claim = unit.reference().clone();
    assert_eq!(log.present().status, BeliefStatus::NoBelief);
    assert_eq!(
        log.history(instant_of(log.now()))[0].state,
        ClaimState::Quarantined
    );
    log.add(USER, Act::Release { target: claim });
    assert_eq!(log.present().status, BeliefStatus::TimingUncertain);
    let entry = log.history(instant_of(log.now()))[0].clone();
    assert_eq!(
        entry.window.start,
        Some(instant_of(log.units[0].stamp().micros()))
    );
}

/// A claim of the future is accepted and scheduled (vector vG06).
#[test]
fn a_claim_of_the_future_is_scheduled() {
    let mut log = Log::default();
    log.dated(USER, "a", "2030-01-01..");
    assert_eq!(log.present().status, BeliefStatus::NoBelief);
    assert_eq!(
        log.history(instant_of(log.now()))[0].state,
        ClaimState::Scheduled
    );
    assert_eq!(log.belief(at("2031")).status, BeliefStatus::Resolved);
}

/// CLM-30: later units are left out.
#[test]
fn only_what_was_recorded_counts() {
    let mut log = Log::default();
    log.undated(USER, "a");
    assert_eq!(
        log.belief_as_of(at("2030"), EPOCH_US).status,
        BeliefStatus::NoBelief
    );
}
