//! Lines at random: every act on every kind of claim, with boundaries that meet.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use counterfoil_types::Confidence;
use proptest::prelude::*;

use crate::belief::testing::{FIRST_HAND, Log, MODEL, USER, body, peer};
use crate::effective::instant_of;
use crate::time::{Boundary, Micros, ValidTime};
use crate::{Act, Cardinality, ClaimRef, Disposition, ProvenanceClass, SourceKey};

const DATES: [&str; 14] = [
    "2021",
    "2022",
    "2023",
    "2021-12",
    "2022-01",
    "2022-03",
    "2022-12",
    "2021-12-31",
    "2022-01-01",
    "2022-01-07",
    "2022-03-15",
    "2022-03-15T12:00:00Z",
    "2022-01-01T00:00:00Z",
    "2023-01-01",
];

/// A unit to be: what it does is chosen by numbers, so that it fits to any line.
#[derive(Debug, Clone)]
pub(super) struct Draw {
    who: u8,
    act: u8,
    value: u8,
    dates: (usize, usize),
    trusted: bool,
    target: usize,
    other: usize,
    odd: u8,
}

prop_compose! {
    fn draw()(
        (who, act, value) in (0_u8..6, 0_u8..26, 0_u8..3),
        dates in (0_usize..22, 0_usize..22),
        trusted in prop::bool::weighted(0.9),
        (target, other) in (any::<usize>(), any::<usize>()),
        odd in 0_u8..40,
    ) -> Draw {
        Draw { who, act, value, dates, trusted, target, other, odd }
    }
}

pub(super) fn draws() -> impl Strategy<Value = Vec<Draw>> {
    prop::collection::vec(draw(), 0..24)
}

pub(super) fn log(draws: &[Draw]) -> Log {
    let mut log = Log::default();
    for draw in draws {
        let claims: Vec<ClaimRef> = log
            .units
            .iter()
            .filter(|unit| matches!(unit.act(), Act::Claim(_)))
            .map(|unit| unit.reference().clone())
            .collect();
        let who = [USER, USER, FIRST_HAND, peer(), MODEL, MODEL][usize::from(draw.who)];
        if claims.is_empty() || draw.act < 12 {
            put_claim(&mut log, who, draw, &claims);
        } else {
            let act = act(&log, draw, &claims);
            log.put(who, act);
        }
    }
    log
}

fn put_claim(log: &mut Log, who: ProvenanceClass, draw: &Draw, claims: &[ClaimRef]) {
    let boundary = |at: usize| DATES.get(at).map(|text| Boundary::parse(text).unwrap());
    let valid = ValidTime {
        from: boundary(draw.dates.0),
        until: boundary(draw.dates.1),
        confidence: Confidence::new(if draw.trusted { 0.9 } else { 0.5 }).unwrap(),
    };
    let mut body = body(["a", "b", "c"][usize::from(draw.value)], Some(valid));
    match draw.odd {
        0 => body.registered = Some(Cardinality::Many),
        1 => body.registered = Some(Cardinality::One),
        2 | 3 => body.cardinality = Cardinality::Many,
        4 => body.cardinality = Cardinality::One,
        5..8 if !claims.is_empty() => {
            body.supersedes = [claims[draw.target % claims.len()].clone()].into();
        }
        _ => {}
    }
    let incoherent = valid.is_incoherent();
    let unit = log.put(who, Act::Claim(body));
    if incoherent || draw.odd == 8 {
        unit.disposition = Disposition::Quarantined;
    }
}

fn act(log: &Log, draw: &Draw, claims: &[ClaimRef]) -> Act {
    let target = claims[draw.target % claims.len()].clone();
    let other = claims[draw.other % claims.len()].clone();
    match draw.act {
        12..16 => Act::Bound {
            target,
            at: Boundary::parse(DATES[draw.dates.0 % DATES.len()]).unwrap(),
        },
        16 | 17 => Act::Reopen {
            target,
            undoes: log
                .units
                .iter()
                .map(|unit| unit.reference().clone())
                .collect(),
        },
        18 if target != other => Act::Supersede { target, by: other },
        19 if target != other => Act::Affirm {
            target,
            rivals: [other].into(),
        },
        20 => Act::Deny { target },
        21 => Act::Undecided { target },
        22 => Act::Release { target },
        23 => Act::Confirm { target },
        24 => Act::Retract {
            frees: (other != target).then_some(other).into_iter().collect(),
            target,
            reason: None,
        },
        _ => Act::Corroborate {
            target,
            sources: [SourceKey::parse(["first_hand", "world:x"][draw.other % 2]).unwrap()].into(),
        },
    }
}

/// Every instant at which something begins or ends, and those beside it.
pub(super) fn instants(log: &Log) -> BTreeSet<Micros> {
    let mut instants = BTreeSet::new();
    for text in DATES {
        let boundary = Boundary::parse(text).unwrap();
        instants.extend([boundary.begin(), boundary.end()]);
    }
    let stamps = log.units.iter().map(|unit| unit.stamp().micros());
    instants.extend(stamps.map(instant_of));
    let beside = instants.iter().flat_map(|at| [at - 1, at + 1]);
    let beside: Vec<Micros> = beside.collect();
    instants.extend(beside);
    instants
}
