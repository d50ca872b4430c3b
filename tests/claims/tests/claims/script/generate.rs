//! Scripts by chance: what happens how often.

use counterfoil_claims_tests::calendar::DAY;
use counterfoil_claims_tests::request::{Cardinality, Valid, Who};

use super::{
    Ask, DATES, Evidence, HostIs, NAMES, Op, Pick, Said, Script, Step, VALUES, Verb, When,
};
use crate::random::Random;

impl Script {
    pub(crate) fn generate(seed: u64, length: usize) -> Self {
        let mut random = Random::new(seed);
        let random = &mut random;
        let cardinality = [Cardinality::One, Cardinality::Many, Cardinality::Unknown];
        let host = HostIs {
            has_oracle: random.percent(30),
            registered: random
                .percent(15)
                .then(|| (random.below(2), random.of(&cardinality))),
        };
        let chains = [0, 0, 1, 2];
        let mut steps: Vec<Step> = chains
            .into_iter()
            .take(random.below(5))
            .map(|chain| Op::Remember { agent: 0, chain })
            .map(|op| Step {
                op,
                asks: Vec::new(),
            })
            .collect();
        for _ in 0..length {
            let asks = (0..2).map(|_| ask(random)).collect();
            steps.push(Step {
                op: op(random),
                asks,
            });
        }
        Self { host, steps }
    }
}

fn op(random: &mut Random) -> Op {
    let agent = u8::from(random.percent(8));
    match random.below(100) {
        0..14 => Op::Clock(random.of(&[
            1,
            3_600_000_000,
            DAY,
            20 * DAY,
            40 * DAY,
            100 * DAY,
            -DAY,
            -30 * DAY,
        ])),
        14..16 => Op::Remember {
            agent,
            chain: random.below(4),
        },
        16..17 => Op::Reopen,
        17..20 => {
            let (name, main) = random.of(NAMES);
            Op::Name(name, main)
        }
        20..64 => state(random, agent),
        _ => assertion(random, agent),
    }
}

fn who(random: &mut Random) -> Who {
    match random.below(20) {
        0..10 => Who::User,
        10..12 => Who::FirstHand,
        12..15 => Who::Peer {
            number: u8::try_from(40 + random.below(2)).unwrap(),
            level: u8::try_from(random.below(4)).unwrap(),
        },
        15..19 => Who::Model,
        _ => Who::Recall,
    }
}

fn state(random: &mut Random, agent: u8) -> Op {
    let cardinalities = [
        Cardinality::Unknown,
        Cardinality::Unknown,
        Cardinality::Unknown,
        Cardinality::One,
        Cardinality::Many,
    ];
    let mut some = |chance, pick: &dyn Fn(&mut Random) -> Pick| {
        let count = if random.percent(chance) {
            1 + random.below(2)
        } else {
            0
        };
        (0..count).map(|_| pick(random)).collect()
    };
    let supersedes = some(12, &|random| {
        if random.percent(90) {
            Pick::OnLine(random.below(8))
        } else {
            pick(random)
        }
    });
    let derived_from = some(20, &pick);
    let anchors = match random.below(5) {
        0 => vec![random.below(5)],
        1 if random.percent(30) => vec![0, 2],
        _ => Vec::new(),
    };
    Op::State(Said {
        agent,
        who: who(random),
        key: random
            .percent(10)
            .then(|| u8::try_from(random.below(3)).unwrap()),
        line: random.of(&[0, 0, 0, 0, 1, 2]),
        value: random.below(VALUES.len()),
        valid: random.percent(60).then(|| valid(random)),
        cardinality: random.of(&cardinalities),
        extracted: random.percent(25),
        replaces: random.percent(15),
        asks: random.percent(20),
        supersedes,
        anchors,
        derived_from,
    })
}

fn valid(random: &mut Random) -> Valid {
    let date = |random: &mut Random| random.of(DATES).to_owned();
    let shape = random.below(8);
    Valid {
        from: (shape != 0).then(|| date(random)),
        until: (shape < 4).then(|| date(random)),
        confidence: random.of(&[0.9, 0.9, 0.9, 0.95, 0.71, 0.7, 0.5]),
    }
}

fn assertion(random: &mut Random, agent: u8) -> Op {
    let verb = random.below(16);
    let asserted = match verb {
        0..4 => Verb::End(random.percent(80).then(|| random.below(DATES.len()))),
        4..6 => Verb::Reopen,
        6 => Verb::Supersede(pick(random)),
        7 => Verb::Release,
        8..11 => Verb::Affirm,
        11..13 => Verb::Deny,
        13..15 => Verb::Retract(random.percent(50)),
        _ => Verb::Undecided,
    };
    Op::Assert {
        agent,
        who: if random.percent(60) {
            Who::User
        } else {
            who(random)
        },
        key: random
            .percent(6)
            .then(|| u8::try_from(random.below(3)).unwrap()),
        target: pick(random),
        by_line: verb < 4 && random.percent(30),
        asserted,
        evidence: match random.below(10) {
            0 => None,
            1..3 => Some(Evidence::Claim(pick(random))),
            _ => Some(Evidence::World(random.below(5))),
        },
    }
}

fn pick(random: &mut Random) -> Pick {
    match random.below(40) {
        0 => Pick::Nobody,
        1 => Pick::Unit(random.below(16)),
        _ => Pick::Claim(random.below(12)),
    }
}

fn ask(random: &mut Random) -> Ask {
    let when = |random: &mut Random| {
        if random.percent(70) {
            When::Date(
                random.below(DATES.len()),
                random.percent(50),
                random.of(&[0, 0, -1, 1, DAY]),
            )
        } else {
            When::Stamp(random.below(16), random.of(&[0, 0, -1, 1]))
        }
    };
    Ask {
        valid_at: random.percent(75).then(|| when(random)),
        as_of: random.percent(40).then(|| {
            When::Stamp(
                random.below(16),
                random.of(&[0, 0, -1, 1, 20 * DAY, 70 * DAY]),
            )
        }),
    }
}
