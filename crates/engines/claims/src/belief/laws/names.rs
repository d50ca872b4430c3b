//! Laws of names: the lines of the names of a subject are folded as the line of one (docs/format/claims.md 7).

use alloc::vec::Vec;

use proptest::prelude::*;

use super::lines::{draws, instants, log};
use super::outline;
use crate::belief::testing::{Log, line};
use crate::belief::{HistoryEntry, Question, believe, changes, history, timeline};
use crate::{Act, Aliases, ClaimRef, Identifier, Line, Settings, Unit};

const OTHER: &str = "@other";

fn other() -> Line {
    Line {
        subject: Identifier::new("subject", OTHER).unwrap(),
        ..line()
    }
}

/// `OTHER` is another name of the subject since a time.
fn named(since_us: u64) -> Settings {
    let decided = (other().subject, since_us, Some(line().subject));
    Settings {
        aliases: Aliases::new([decided]).into(),
        ..Settings::default()
    }
}

/// Claims that a unit names.
fn names(unit: &Unit) -> Vec<ClaimRef> {
    let mut named: Vec<ClaimRef> = unit.act().target().into_iter().cloned().collect();
    match unit.act() {
        Act::Claim(body) => named.extend(body.supersedes.iter().cloned()),
        Act::Affirm { rivals, .. } => named.extend(rivals.iter().cloned()),
        Act::Retract { frees, .. } => named.extend(frees.iter().cloned()),
        Act::Reopen { undoes, .. } => named.extend(undoes.iter().cloned()),
        Act::Supersede { by, .. } => named.push(by.clone()),
        _ => {}
    }
    named
}

/// The log with some of its units under the other name: units that name one another stay together.
fn split(log: &Log, choice: u64) -> Log {
    let mut group: Vec<usize> = (0..log.units.len()).collect();
    for (at, unit) in log.units.iter().enumerate() {
        for name in names(unit) {
            let Some(to) = log.units.iter().position(|unit| *unit.reference() == name) else {
                continue;
            };
            let (from, to) = (group[at], group[to]);
            for one in group.iter_mut().filter(|one| **one == from) {
                *one = to;
            }
        }
    }
    let mut split = log.clone();
    for (unit, group) in split.units.iter_mut().zip(group) {
        if choice >> (group % 64) & 1 == 1 {
            unit.line = other();
        }
    }
    split
}

proptest! {
    /// I2, I3, CLM-40: from the record on, any name has the belief, the history and the timeline of one line with the units of both; until it,
    /// each name has that of its own line.
    #[test]
    fn lines_of_names_are_folded_as_one(draws in draws(), choice in any::<u64>()) {
        let log = log(&draws);
        let (split, plain) = (split(&log, choice), Settings::default());
        let since_us = log.now();
        let settings = named(since_us);
        let fold = |line: &Line, units: &[Unit], question, settings: &Settings| {
            let mut belief = believe(line, units, question, settings, None);
            belief.names.clear();
            for side in belief.sides.iter_mut().chain(&mut belief.alternatives) {
                side.claims.iter_mut().for_each(|claim| claim.said_of = None);
            }
            belief
        };
        let states = |entries: Vec<HistoryEntry>| {
            let states = entries.into_iter().map(|entry| (entry.state, entry.window, entry.because_of));
            states.collect::<Vec<_>>()
        };
        for valid_at in instants(&log) {
            let question = Question { valid_at, as_of_us: since_us };
            let expected = fold(&line(), &log.units, question, &plain);
            for name in [line(), other()] {
                let found = fold(&name, &split.units, question, &settings);
                prop_assert_eq!(outline(&found), outline(&expected));
                prop_assert_eq!(found, expected.clone());
                let found = states(history(&name, &split.units, question, &settings));
                prop_assert_eq!(found, states(history(&line(), &log.units, question, &plain)));
                let before = Question { as_of_us: since_us - 1, ..question };
                let found = fold(&name, &split.units, before, &settings);
                prop_assert_eq!(found, fold(&name, &split.units, before, &plain));
            }
            let of = |units: &[Unit], settings| {
                let (changes, _) = changes(&line(), units, question, usize::MAX, settings);
                changes.into_iter().map(|it| (it.unit.index(), it.after)).collect::<Vec<_>>()
            };
            prop_assert_eq!(of(&split.units, &settings), of(&log.units, &plain));
        }
        let found = timeline(&other(), &split.units, since_us, &settings);
        prop_assert_eq!(found, timeline(&line(), &log.units, since_us, &plain));
    }

    /// CLM-32: a unit of one line says nothing of the claims of another, though a name joins them.
    #[test]
    fn a_unit_acts_on_its_own_line(draws in draws(), cut in any::<prop::sample::Index>()) {
        let mut log = log(&draws);
        let is_act = |unit: &Unit| !matches!(unit.act(), Act::Claim(_));
        prop_assume!(log.units.iter().any(is_act));
        let acts: Vec<usize> = (0..log.units.len()).filter(|at| is_act(&log.units[*at])).collect();
        let at = acts[cut.index(acts.len())];
        let mut without = log.clone();
        without.units.remove(at);
        log.units[at].line = other();
        let settings = named(0);
        for valid_at in instants(&log) {
            let question = Question { valid_at, as_of_us: log.now() };
            let found = believe(&line(), &log.units, question, &settings, None);
            prop_assert_eq!(found, believe(&line(), &without.units, question, &settings, None));
        }
    }
}
