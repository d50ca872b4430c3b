//! Lines that hold more than an answer should, and units that others have sealed.

use alloc::format;
use alloc::vec::Vec;

use crate::belief::testing::{Log, MODEL, USER, at, body, line, peer, value, values};
use crate::belief::{
    BeliefStatus, ClaimState, Currency, MAX_LISTED, Marker, Question, believe, believe_from,
    history, statement, timeline,
};
use crate::effective::instant_of;
use crate::{Act, Cardinality, Identifier, Settings, TransactionTime, Unit};

/// I7: however many others contradict him, the user's side is listed, and the rest is counted.
#[test]
fn an_answer_is_bounded_and_lists_who_weighs_most() {
    let mut log = Log::default();
    for number in 0..MAX_LISTED + 44 {
        log.undated(peer(), &format!("city {number}"));
        log.undated(MODEL, &format!("guess {number}"));
    }
    log.undated(USER, "Lisbon");
    let belief = log.present();
    assert_eq!(belief.status, BeliefStatus::Contested);
    assert_eq!(
        (belief.sides.len(), belief.side_count),
        (MAX_LISTED, MAX_LISTED + 45)
    );
    assert_eq!(values(&belief).last(), Some(&"Lisbon"));
    assert_eq!(values(&belief).first(), Some(&"city 0"));
    assert_eq!(belief.alternatives.len(), MAX_LISTED);
    assert_eq!(belief.alternative_count, MAX_LISTED + 44);
    assert_eq!(belief.primary(), None);
    let json = belief.to_json();
    assert_eq!(json["sideCount"], MAX_LISTED + 45);
    assert_eq!(json["alternativeCount"], MAX_LISTED + 44);
    let stated = statement(&belief);
    assert_eq!(stated["sideCount"], format!("{}", MAX_LISTED + 45));
}

/// A set is listed whole: it is the answer.
#[test]
fn a_set_is_listed_whole() {
    let mut log = Log::default();
    for number in 0..=MAX_LISTED {
        let mut member = body(&format!("city {number}"), None);
        member.cardinality = Cardinality::Many;
        log.add(USER, Act::Claim(member));
    }
    let belief = log.present();
    assert_eq!(belief.sides.len(), MAX_LISTED + 1);
    assert_eq!(belief.to_json().get("sideCount"), None);
}

/// I11: what is not listed counts for the markers, and for what a side rests on.
#[test]
fn what_is_not_listed_counts() {
    let mut log = Log::default();
    for _ in 0..MAX_LISTED + 44 {
        log.undated(peer(), "Porto");
    }
    let own = log.undated(USER, "Porto");
    let side = log.present().sides.remove(0);
    assert_eq!(
        (side.claims.len(), side.claim_count),
        (MAX_LISTED, MAX_LISTED + 45)
    );
    assert_eq!(side.claims.last().unwrap().reference, own);
    assert!(!side.markers.contains(&Marker::PeerSourced));

    let mut log = Log::default();
    log.undated(peer(), "old");
    for number in 0..MAX_LISTED {
        log.undated(USER, &format!("city {number}"));
    }
    let now = log.now();
    for unit in log.units.iter_mut().skip(1) {
        unit.stamp = TransactionTime::recorded(now - unit.number);
    }
    assert_eq!(
        log.belief_as_of(instant_of(now), now).markers,
        [Marker::AgingUnconfirmed]
    );
    let belief = log.belief_as_of(instant_of(now), now);
    assert!(
        belief
            .sides
            .iter()
            .all(|side| side.currency == Currency::Fresh)
    );
}

/// I1: units of another line are no part of this one.
#[test]
fn units_of_another_line_are_left_out() {
    let mut log = Log::default();
    let claim = log.undated(USER, "Lisbon");
    let (asked, now) = (at("2023"), log.now());
    let alone = log.belief_as_of(asked, now + 10);
    log.undated(USER, "Porto");
    log.bound(&claim, "2022-02");
    for unit in log.units.iter_mut().skip(1) {
        unit.line.subject = Identifier::new("subject", "bob").unwrap();
        unit.stamp = TransactionTime::recorded(now + 1);
    }
    assert_eq!(log.belief_as_of(asked, now + 10), alone);
    let views: Vec<_> = log
        .units
        .iter()
        .take(2)
        .map(|unit| log.view(unit))
        .collect();
    let question = Question {
        valid_at: asked,
        as_of_us: now + 10,
    };
    let settings = &Settings::default();
    let looked_up = believe_from(
        &line(),
        Cardinality::Unknown,
        &views,
        question,
        settings,
        None,
    );
    assert_eq!(looked_up, alone);
}

/// I8: units that share a number, which only forks of a log have, are told apart, in whatever order they come.
#[test]
fn shared_numbers_do_not_mix_claims_up() {
    let mut log = Log::default();
    for text in ["Lisbon", "Porto", "Faro"] {
        let mut said = body(text, None);
        said.registered = Some(match text {
            "Faro" => Cardinality::One,
            _ => Cardinality::Unknown,
        });
        log.add(USER, Act::Claim(said));
    }
    for unit in &mut log.units {
        unit.number = 0;
    }
    let mut reversed: Vec<Unit> = log.units.clone();
    reversed.reverse();
    let question = Question {
        valid_at: at("2023"),
        as_of_us: log.now(),
    };
    let settings = &Settings::default();
    let fold = |units: &[Unit]| believe(&line(), units, question, settings, None);
    assert_eq!(fold(&log.units), fold(&reversed));
    assert_eq!(fold(&log.units).sides.len(), 3);
    let last = |units: &[Unit]| {
        timeline(&line(), units, log.now(), settings)
            .pop()
            .unwrap()
            .1
    };
    assert_eq!(last(&log.units), last(&reversed));
    assert_eq!(last(&log.units).claim_count, 3);
    let entries = history(&line(), &reversed, question, settings);
    assert!(
        entries
            .iter()
            .all(|entry| entry.state == ClaimState::Contested)
    );
    assert_eq!(values(&fold(&reversed)), ["Lisbon", "Porto", "Faro"]);
    let first = fold(&reversed).sides.remove(0);
    assert_eq!(first.value, value("Lisbon"));
}

/// A proof's belief names each side, and each of its claims with its window.
#[test]
fn a_stated_belief_names_its_sides_and_their_claims() {
    let mut log = Log::default();
    let claim = log.dated(USER, "Lisbon", "2020..2022");
    let belief = log.belief(at("2021"));
    let [side] = &belief.sides[..] else {
        panic!("one side: {belief:?}");
    };
    let stated = &statement(&belief)["sides"][0];
    assert_eq!(stated["value"], side.value.canonical());
    assert_eq!(
        stated["claims"][0]["ref"],
        super::super::json::reference(&claim)
    );
    let end = side.claims[0].window.end.expect("it is bounded");
    assert_eq!(stated["claims"][0]["until"], format!("{end}"));
}
