//! Currency, markers and lineage (docs/format/claims.md 7), by example.

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use crate::belief::testing::{DAY_US, EPOCH_US, Log, MODEL, USER, body, line, peer};
use crate::belief::{Currency, MAX_ANCESTORS, Marker, Question, believe, parents_in_view};
use crate::effective::instant_of;
use crate::{Act, Cardinality, ClaimRef, CurrencyLimits, Provenance, Settings};

/// I11, CLM-44: confirmations age in whole days at `as_of`; corroborations renew them; nothing is lost.
#[test]
fn currency_fades_at_as_of_and_corroborations_renew_it() {
    let mut log = Log::default();
    let claim = log.undated(USER, "a");
    let stamp = log.now();
    let currency = |log: &Log, as_of_us: u64| {
        let belief = log.belief_as_of(instant_of(stamp), as_of_us);
        (belief.sides[0].currency, belief.markers.clone())
    };
    let aging = vec![Marker::AgingUnconfirmed];
    assert_eq!(
        currency(&log, stamp + 30 * DAY_US - 1),
        (Currency::Fresh, vec![])
    );
    assert_eq!(
        currency(&log, stamp + 30 * DAY_US),
        (Currency::AgingUnconfirmed, aging.clone())
    );
    assert_eq!(
        currency(&log, stamp + 90 * DAY_US - 1),
        (Currency::AgingUnconfirmed, aging.clone())
    );
    assert_eq!(
        currency(&log, stamp + 90 * DAY_US),
        (Currency::Decayed, aging.clone())
    );
    assert_eq!(currency(&log, u64::MAX), (Currency::Decayed, aging));
    log.corroborate(&claim, "first_hand");
    log.corroborate(&claim, "world:c-1");
    log.corroborate(&claim, "first_hand");
    let renewed = log.now();
    assert_eq!(currency(&log, renewed + 30 * DAY_US - 1).0, Currency::Fresh);
    let side = &log.present().sides[0];
    assert_eq!((side.corroborations, side.claims[0].corroborations), (2, 2));
    assert_eq!(side.confirmed.micros(), renewed);
}

/// CLM-44: limits are part of the question: other limits, another currency.
#[test]
fn limits_of_currency_are_part_of_the_question() {
    let mut log = Log::default();
    log.undated(USER, "a");
    let question = Question {
        valid_at: instant_of(log.now()),
        as_of_us: log.now() + DAY_US,
    };
    for (fresh_days, aging_days, currency) in [
        (2, 3, Currency::Fresh),
        (1, 2, Currency::AgingUnconfirmed),
        (0, 1, Currency::Decayed),
    ] {
        let limits = CurrencyLimits {
            fresh_days,
            aging_days,
        };
        let settings = Settings {
            currency: limits,
            ..Settings::default()
        };
        let belief = believe(&line(), &log.units, question, &settings, None);
        assert_eq!(belief.sides[0].currency, currency);
    }
}

/// A member of a set that is not fresh is marked on its side.
#[test]
fn an_old_member_of_a_set_is_marked() {
    let mut log = Log::default();
    let mut old = body("old", None);
    old.registered = Some(Cardinality::Many);
    log.add(USER, Act::Claim(old));
    let mut new = body("new", None);
    new.registered = Some(Cardinality::Many);
    log.put(USER, Act::Claim(new)).stamp = crate::TransactionTime::recorded(EPOCH_US + 60 * DAY_US);
    let belief = log.present();
    assert_eq!(belief.sides[0].markers, [Marker::AgedSetMember]);
    assert_eq!(belief.sides[1].markers, []);
    assert_eq!(
        belief.markers,
        [Marker::AgingUnconfirmed, Marker::AgedSetMember]
    );
}

/// Only peers decide: the belief says so; with the user beside them, no longer.
#[test]
fn what_only_peers_say_is_marked() {
    let mut log = Log::default();
    log.undated(peer(), "a");
    assert_eq!(log.present().markers, [Marker::PeerSourced]);
    log.undated(USER, "a");
    assert_eq!(log.present().markers, []);
}

fn review(lines: &[&Log], log: &Log) -> bool {
    let lineage = |reference: &ClaimRef, question: Question| {
        let here = |log: &&&Log| log.units.iter().any(|unit| unit.reference() == reference);
        let log = lines.iter().find(here)?;
        let claim = log
            .units
            .iter()
            .find(|unit| unit.reference() == reference)?;
        parents_in_view(&log.view(claim), question, &Settings::default(), || {
            let views = log
                .units
                .iter()
                .filter(|unit| matches!(unit.act(), Act::Claim(_)));
            (
                Cardinality::Unknown,
                views.map(|unit| log.view(unit)).collect(),
            )
        })
    };
    let as_of_us = log.now() + 100 * DAY_US;
    let question = Question {
        valid_at: instant_of(as_of_us),
        as_of_us,
    };
    let belief = believe(
        &line(),
        &log.units,
        question,
        &Settings::default(),
        Some(&lineage),
    );
    belief.markers.contains(&Marker::PendingReview)
}

/// A line whose references begin otherwise.
fn other_line(name: &str) -> Log {
    let mut log = Log::default();
    let unit = log.put(USER, Act::Claim(body("parent", None)));
    unit.reference = ClaimRef::new(name).unwrap();
    log
}

/// CLM-41: an ancestor that was superseded, denied, contested or erased puts a derived claim under review (vector
/// vC04).
#[test]
fn what_no_longer_stands_puts_the_derived_under_review() {
    let name = ClaimRef::new("p").unwrap();
    let mut child = Log::default();
    child
        .put(MODEL, Act::Claim(body("child", None)))
        .derived_from = vec![name.clone()];
    assert!(!review(&[&other_line("p")], &child));
    assert!(
        review(&[], &child),
        "an ancestor that was erased cannot speak for it"
    );
    let overturn: [fn(&mut Log, ClaimRef); 4] = [
        |log, target| {
            let by = log.undated(USER, "parent");
            log.supersede(target, by);
        },
        |log, target| {
            log.add(USER, Act::Deny { target });
        },
        |log, _| {
            log.undated(USER, "another");
        },
        |log, target| {
            let affirmed = log.undated(USER, "another");
            log.affirm(USER, affirmed, vec![target]);
        },
    ];
    for overturn in overturn {
        let mut parent = other_line("p");
        overturn(&mut parent, name.clone());
        assert!(review(&[&parent], &child));
    }
    let mut ended = other_line("p");
    ended.bound(&name, "2022-02-01");
    assert!(
        !review(&[&ended], &child),
        "what has ended was right in its time"
    );
}

/// CLM-41: an ancestor that others contest among themselves, and that is on no side of theirs, was not overturned.
#[test]
fn a_contest_without_the_ancestor_leaves_it() {
    let name = ClaimRef::new("p").unwrap();
    let mut child = Log::default();
    child
        .put(MODEL, Act::Claim(body("child", None)))
        .derived_from = vec![name];
    let mut parent = other_line("p");
    parent.units[0].provenance = Provenance::assigned(MODEL);
    parent.undated(USER, "another");
    parent.undated(USER, "a third");
    assert!(!review(&[&parent], &child));
}

/// CLM-41: ancestors of ancestors count, cycles end, and beyond the budget review is due.
#[test]
fn lineage_is_transitive_and_bounded() {
    let chain = |length: usize, denied: Option<usize>, cyclic: bool| {
        let mut lines: Vec<Log> = Vec::new();
        for place in 0..length {
            let mut log = other_line(&format!("p-{place}"));
            let next = if place + 1 < length {
                Some(place + 1)
            } else {
                cyclic.then_some(0)
            };
            log.units[0].derived_from = next
                .map(|next| ClaimRef::new(format!("p-{next}")).unwrap())
                .into_iter()
                .collect();
            if denied == Some(place) {
                let target = log.units[0].reference().clone();
                log.add(USER, Act::Deny { target });
            }
            lines.push(log);
        }
        let mut child = Log::default();
        child
            .put(MODEL, Act::Claim(body("child", None)))
            .derived_from = vec![ClaimRef::new("p-0").unwrap()];
        let lines: Vec<&Log> = lines.iter().collect();
        review(&lines, &child)
    };
    assert!(!chain(5, None, false));
    assert!(!chain(5, None, true));
    assert!(chain(5, Some(4), false));
    assert!(!chain(MAX_ANCESTORS, None, false));
    assert!(chain(MAX_ANCESTORS + 1, None, false));
}

/// The budget is that of a side: many derived claims of one value do not multiply it.
#[test]
fn all_claims_of_a_side_share_a_budget() {
    let lines: Vec<Log> = (0..=MAX_ANCESTORS)
        .map(|place| other_line(&format!("p-{place}")))
        .collect();
    let all: Vec<&Log> = lines.iter().collect();
    let derived = |many: usize| {
        let mut child = Log::default();
        for place in 0..many {
            let parent = ClaimRef::new(format!("p-{place}")).unwrap();
            child
                .put(MODEL, Act::Claim(body("child", None)))
                .derived_from = vec![parent];
        }
        review(&all, &child)
    };
    assert!(!derived(MAX_ANCESTORS));
    assert!(derived(MAX_ANCESTORS + 1));
}
