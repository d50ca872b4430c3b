//! Laws of belief (docs/format/claims.md 8), held by lines at random.

mod lines;
mod names;

use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;

use proptest::prelude::*;

use self::lines::{draws, instants, log};
use super::facts::{believe_from, has_ended, own_window};
use super::testing::{DAY_US, Log, line, value};
use super::{
    Belief, BeliefStatus, ClaimState, HistoryEntry, Marker, Outline, Question, Support, believe,
    changes, history, timeline,
};
use crate::effective::{Effective, instant_of};
use crate::{Act, Cardinality, ClaimInView, ClaimRef, Disposition, Settings, Unit, Vocabulary};

fn outline(belief: &Belief) -> Outline {
    let mut claims: Vec<_> = belief.sides.iter().flat_map(|side| &side.claims).collect();
    claims.sort_by_key(|claim| claim.index);
    let (values, claims): (Vec<_>, Vec<_>) = (
        belief.sides.iter().map(|side| side.value.clone()).collect(),
        claims.iter().map(|claim| claim.reference.clone()).collect(),
    );
    Outline {
        status: belief.status,
        support: belief.support,
        value_count: values.len(),
        values: values.into_iter().take(16).collect(),
        claim_count: claims.len(),
        claims: claims.into_iter().take(16).collect(),
    }
}

fn fold(units: &[Unit], question: Question) -> Belief {
    believe(&line(), units, question, &Settings::default(), None)
}

/// Returns whether a `bound` lies at or before the stamp of its target: an undated claim then holds before its stamp.
fn ends_before_stamp(bound: &Unit, target: &Unit) -> bool {
    let is_undated = match target.act() {
        Act::Claim(body) => !body.valid.as_ref().is_some_and(crate::effective::dates),
        _ => false,
    };
    let stamp = instant_of(target.stamp().micros());
    matches!(bound.act(), Act::Bound { at, .. } if at.begin() <= stamp) && is_undated
}

/// The claims of section 7 step 1, pair by pair, as the page has it.
fn naive(log: &Log, question: Question, cardinality: Cardinality) -> Vec<(u64, bool)> {
    let views: Vec<ClaimInView> = claims(log).map(|claim| log.view(claim)).collect();
    let live: Vec<Effective<'_>> = views
        .iter()
        .filter_map(|view| Effective::of_view(view, question.as_of_us))
        .filter(|claim| claim.is_live(question.valid_at))
        .collect();
    let external = |claim: &Effective<'_>| claim.claim.provenance().is_external();
    let yields = |one: &Effective<'_>, other: &Effective<'_>| {
        let hands_over = one.extent.hands_over_to(&other.extent);
        let takes_over = other.extent.hands_over_to(&one.extent);
        one.body.value != other.body.value
            && (external(other) || !external(one))
            && (hands_over.is_some_and(|from| from <= question.valid_at)
                || takes_over.is_some_and(|from| question.valid_at < from))
    };
    let holding = live.iter().filter(|one| {
        cardinality == Cardinality::Many || !live.iter().any(|other| yields(one, other))
    });
    holding
        .map(|claim| (claim.claim.number(), external(claim)))
        .collect()
}

fn claims(log: &Log) -> impl Iterator<Item = &Unit> {
    log.units
        .iter()
        .filter(|unit| matches!(unit.act(), Act::Claim(_)))
}

/// The cardinality of the line as the page has it.
fn cardinality(log: &Log, as_of_us: u64) -> Cardinality {
    let known: Vec<&Unit> = claims(log)
        .filter(|unit| unit.stamp().micros() <= as_of_us)
        .collect();
    let body = |unit: &Unit| match unit.act() {
        Act::Claim(body) => body.clone(),
        _ => unreachable!("only claims"),
    };
    let registered = known.iter().rev().find_map(|unit| body(unit).registered);
    let said = |what| {
        known.iter().any(|unit| {
            unit.provenance().is_external()
                && unit.disposition() != Disposition::Quarantined
                && body(unit).cardinality == what
        })
    };
    Cardinality::of_line(registered, said(Cardinality::One), said(Cardinality::Many))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// I8: the order in which units are given is of no account.
    #[test]
    fn order_is_of_no_account(draws in draws(), seed in any::<u64>()) {
        let log = log(&draws);
        let mut shuffled = log.units.clone();
        shuffled.sort_by_key(|unit| unit.number().wrapping_add(seed).wrapping_mul(0x9E37_79B9_7F4A_7C15));
        for valid_at in instants(&log) {
            let question = Question { valid_at, as_of_us: log.now() };
            prop_assert_eq!(fold(&log.units, question), fold(&shuffled, question));
        }
        let question = Question { valid_at: instant_of(log.now()), as_of_us: log.now() };
        let settings = &Settings::default();
        prop_assert_eq!(history(&line(), &log.units, question, settings), history(&line(), &shuffled, question, settings));
        prop_assert_eq!(timeline(&line(), &log.units, log.now(), &Settings::default()), timeline(&line(), &shuffled, log.now(), &Settings::default()));
    }

    /// I10, CLM-30, CLM-42: later units change no answer for an earlier `as_of`.
    #[test]
    fn later_units_change_no_answer(draws in draws(), cut in any::<prop::sample::Index>()) {
        let log = log(&draws);
        let kept = cut.index(log.units.len() + 1);
        let earlier = Log { units: log.units[..kept].to_vec() };
        for valid_at in instants(&log) {
            let question = Question { valid_at, as_of_us: earlier.now() };
            prop_assert_eq!(fold(&log.units, question), fold(&earlier.units, question));
        }
        prop_assert_eq!(timeline(&line(), &log.units, earlier.now(), &Settings::default()), timeline(&line(), &earlier.units, earlier.now(), &Settings::default()));
    }

    /// I8, CLM-34: the candidates are those that the page names, pair by pair.
    #[test]
    fn the_fold_is_what_the_page_says(draws in draws()) {
        let log = log(&draws);
        let cardinality = cardinality(&log, log.now());
        for valid_at in instants(&log) {
            let question = Question { valid_at, as_of_us: log.now() };
            let belief = fold(&log.units, question);
            let holding = naive(&log, question, cardinality);
            let outside = holding.iter().any(|(_, external)| *external);
            let expected: BTreeSet<u64> =
                holding.iter().filter(|(_, external)| *external == outside).map(|(number, _)| *number).collect();
            let found: BTreeSet<u64> =
                belief.sides.iter().flat_map(|side| &side.claims).map(|claim| claim.index).collect();
            prop_assert_eq!(found, expected, "{:?}", question);
            let inferred = belief.support == Some(Support::Inferred);
            prop_assert!(!inferred || !outside);
        }
    }

    /// A store that reads only what it must gives the answer of the whole line.
    #[test]
    fn a_part_of_the_line_answers_as_the_whole(draws in draws(), cut in any::<prop::sample::Index>()) {
        let log = log(&draws);
        let as_of_us = log.units.get(cut.index(log.units.len() + 1)).map_or(log.now(), |unit| unit.stamp().micros());
        let known = |claim: &&Unit| claim.stamp().micros() <= as_of_us;
        for valid_at in instants(&log) {
            let question = Question { valid_at, as_of_us };
            let around: Vec<ClaimInView> = claims(&log).filter(known).map(|claim| log.view(claim)).filter(|view| {
                let bounds_back = view.assertions.iter().any(|unit| ends_before_stamp(unit, &view.claim));
                own_window(&view.claim).is_some_and(|window| window.contains(valid_at))
                    || (bounds_back && valid_at < instant_of(view.claim.stamp().micros()))
            }).collect();
            let ended = claims(&log).any(|claim| has_ended(&log.view(claim), question));
            let settings = &Settings::default();
            let mut part = believe_from(&line(), cardinality(&log, as_of_us), &around, question, settings, None);
            if ended && part.status == BeliefStatus::NoBelief {
                part.status = BeliefStatus::Ended;
            }
            prop_assert_eq!(part, fold(&log.units, question));
        }
    }

    /// I5: what this agent has decided of a predicate acts from then on on all that is kept, as if each claim had been written
    /// under it, and a newer decision takes its place.
    #[test]
    fn a_decision_about_a_predicate_acts_on_what_is_kept(draws in draws(), cut in any::<prop::sample::Index>()) {
        let log = log(&draws);
        let since_us = log.units.get(cut.index(log.units.len() + 1)).map_or(log.now(), |unit| unit.stamp().micros());
        let decided = |cardinality| (line().predicate, since_us, cardinality);
        for (list, last) in [
            (vec![decided(Cardinality::Many)], Cardinality::Many),
            (vec![decided(Cardinality::Many), decided(Cardinality::One)], Cardinality::One),
        ] {
            let settings = &Settings { vocabulary: Vocabulary::new(list).into(), ..Settings::default() };
            let mut rewritten = log.clone();
            for unit in &mut rewritten.units {
                if let Act::Claim(body) = &mut unit.act {
                    body.registered = Some(last);
                }
            }
            for valid_at in instants(&log) {
                for as_of_us in [since_us - 1, since_us, log.now()] {
                    let (question, plain) = (Question { valid_at, as_of_us }, &Settings::default());
                    let as_if = if as_of_us < since_us { &log.units } else { &rewritten.units };
                    let found = believe(&line(), &log.units, question, settings, None);
                    let (expected, of_log) = (fold(as_if, question), history(&line(), &log.units, question, settings));
                    prop_assert_eq!(outline(&found), outline(&expected));
                    prop_assert_eq!(found.markers, expected.markers);
                    let states = |entries: Vec<HistoryEntry>| entries.into_iter().map(|entry| (entry.state, entry.window)).collect::<Vec<_>>();
                    prop_assert_eq!(states(of_log), states(history(&line(), as_if, question, plain)));
                    let segments = timeline(&line(), &log.units, as_of_us, settings);
                    prop_assert_eq!(segments, timeline(&line(), as_if, as_of_us, plain));
                }
            }
        }
    }

    /// CLM-40: belief, timeline and history name the same claims.
    #[test]
    fn belief_history_and_timeline_agree(draws in draws()) {
        let log = log(&draws);
        let segments = timeline(&line(), &log.units, log.now(), &Settings::default());
        prop_assert_eq!(segments.first().unwrap().0.start, None);
        prop_assert_eq!(segments.last().unwrap().0.end, None);
        for pair in segments.windows(2) {
            prop_assert_eq!(pair[0].0.end, pair[1].0.start);
            prop_assert!(pair[0].1 != pair[1].1);
        }
        for valid_at in instants(&log) {
            let question = Question { valid_at, as_of_us: log.now() };
            let belief = fold(&log.units, question);
            let (_, held) = segments.iter().find(|(window, _)| window.contains(valid_at)).unwrap();
            prop_assert_eq!(held, &outline(&belief));
            let entries = history(&line(), &log.units, question, &Settings::default());
            prop_assert_eq!(entries.len(), claims(&log).count());
            let deciding: BTreeSet<&ClaimRef> =
                belief.sides.iter().flat_map(|side| &side.claims).map(|claim| &claim.reference).collect();
            for entry in &entries {
                let decides = deciding.contains(entry.claim.reference());
                let holds = matches!(entry.state, ClaimState::Current | ClaimState::Contested);
                let of_a_model = !entry.claim.provenance().is_external();
                prop_assert!(!decides || holds, "{:?}", entry);
                prop_assert!(!holds || decides || of_a_model, "{:?}", entry);
                prop_assert_eq!(entry.state == ClaimState::Contested, decides && belief.status == BeliefStatus::Contested);
            }
        }
    }

    /// I10, CLM-43: a belief becomes another one with a unit that is named, and with no other.
    #[test]
    fn every_change_has_its_unit(draws in draws()) {
        let log = log(&draws);
        for valid_at in instants(&log) {
            let at = |as_of_us| Question { valid_at, as_of_us };
            let mut before = outline(&fold(&[], at(0)));
            let mut expected = Vec::new();
            for (place, unit) in log.units.iter().enumerate() {
                let after = outline(&fold(&log.units[..=place], at(unit.stamp().micros())));
                if before != after {
                    expected.push((unit.reference().clone(), before, after.clone()));
                }
                before = after;
            }
            let (found, complete) = changes(&line(), &log.units, at(log.now()), usize::MAX, &Settings::default());
            prop_assert!(complete);
            let (last, is_all) = changes(&line(), &log.units, at(log.now()), 1, &Settings::default());
            prop_assert_eq!(last.as_slice(), &found[found.len().saturating_sub(1)..]);
            prop_assert!(!is_all || found.len() < 2);
            let found: Vec<_> =
                found.into_iter().map(|it| (it.unit.reference().clone(), it.before, it.after)).collect();
            prop_assert_eq!(found, expected);
        }
    }

    /// I5, CLM-37: whatever models say, what external claims decide stays.
    #[test]
    fn models_change_nothing_that_others_decide(draws in draws()) {
        let log = log(&draws);
        let mut other = log.clone();
        for unit in &mut other.units {
            if !unit.provenance.is_external() && let Act::Claim(body) = &mut unit.act {
                body.value = value("something else");
            }
        }
        for valid_at in instants(&log) {
            let question = Question { valid_at, as_of_us: log.now() };
            let (one, two) = (fold(&log.units, question), fold(&other.units, question));
            prop_assert_eq!(one.support, two.support);
            if one.support == Some(Support::External) {
                prop_assert_eq!(one.status, two.status);
                prop_assert_eq!(one.sides, two.sides);
            }
        }
    }

    /// CLM-35: equal values are one side, in the order of first claims; no value both decides and does not.
    #[test]
    fn equal_values_merge(draws in draws()) {
        let log = log(&draws);
        for valid_at in instants(&log) {
            let belief = fold(&log.units, Question { valid_at, as_of_us: log.now() });
            let all: Vec<_> = belief.sides.iter().chain(&belief.alternatives).collect();
            let distinct: BTreeSet<_> = all.iter().map(|side| side.value.clone()).collect();
            prop_assert_eq!(distinct.len(), all.len());
            for sides in [&belief.sides, &belief.alternatives] {
                let firsts: Vec<u64> = sides.iter().map(|side| side.claims[0].index).collect();
                prop_assert!(firsts.is_sorted());
                prop_assert!(sides.iter().all(|side| side.claims.is_sorted_by_key(|claim| claim.index)));
            }
            prop_assert_eq!(belief.sides.is_empty(), matches!(belief.status, BeliefStatus::Ended | BeliefStatus::NoBelief));
            prop_assert!(belief.markers.is_sorted());
        }
    }

    /// I11, CLM-45: without a new unit, currency only fades; nothing else changes.
    #[test]
    fn age_changes_currency_alone(draws in draws(), days in 0_u64..400) {
        let log = log(&draws);
        for valid_at in instants(&log) {
            let now = log.belief_as_of(valid_at, log.now());
            let later = log.belief_as_of(valid_at, log.now() + days * DAY_US);
            let end = log.belief_as_of(valid_at, u64::MAX);
            for (one, two) in [(&now, &later), (&later, &end)] {
                prop_assert_eq!(outline(one), outline(two));
                prop_assert!(one.sides.iter().zip(&two.sides).all(|(one, two)| one.currency <= two.currency));
                prop_assert!(one.markers.iter().all(|marker| two.markers.contains(marker)));
            }
            prop_assert_eq!(end.sides.is_empty(), !end.markers.contains(&Marker::AgingUnconfirmed));
        }
    }

    /// Two windows overlap at most one way, and a handover lies where both hold or touch.
    #[test]
    fn a_handover_goes_one_way(draws in draws()) {
        let log = log(&draws);
        let views: Vec<ClaimInView> = claims(&log).map(|claim| log.view(claim)).collect();
        let all: Vec<Effective<'_>> = views.iter().filter_map(|view| Effective::of_view(view, u64::MAX)).collect();
        for one in &all {
            for other in &all {
                let there = one.extent.hands_over_to(&other.extent);
                let back = other.extent.hands_over_to(&one.extent);
                prop_assert!(there.is_none() || back.is_none());
                prop_assert_eq!(one.extent.overlaps(&other.extent), other.extent.overlaps(&one.extent));
                let coarse = one.extent.end.is_some_and(|end| !end.is_instant());
                if let Some(from) = there && coarse {
                    let end = one.extent.window().end;
                    prop_assert!(end.is_some_and(|end| from <= end));
                }
            }
        }
    }
}
