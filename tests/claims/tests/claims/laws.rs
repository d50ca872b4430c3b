//! The laws of claims as properties of random scripts (docs/format/claims.md 8).

use counterfoil_claims::belief::{self, Question};
use counterfoil_claims::{Settings, Unit};
use counterfoil_claims_tests::answer::{Answer, Disposition};
use counterfoil_claims_tests::request::{Cited, Request, Statement, Who, Wish};
use counterfoil_store::ClaimStore;
use counterfoil_store::conformance::block_on;
use counterfoil_store::text_index::{TextIndex as _, TextQuery};

use crate::backend::{Asked, Backend, Host, LineName, Naive};
use crate::engine;
use crate::machine::apply;
use crate::random::Random;
use crate::script::{Ask, BEGIN, Script, lines};
use crate::store::Stored;

const SCRIPTS: u64 = 60;
const READ_SCRIPTS: u64 = 2000;

/// A store and the oracle after a script.
fn played(script: &Script) -> (Stored, Naive) {
    let (mut stored, mut naive) = (Stored::new(&script.host(), BEGIN), naive(script));
    for step in &script.steps {
        apply(&mut naive, &mut stored, &step.op).unwrap();
    }
    (stored, naive)
}

fn naive(script: &Script) -> Naive {
    Naive::new(&script.host(), BEGIN)
}

fn scripts() -> impl Iterator<Item = Script> {
    (0..SCRIPTS).map(|seed| Script::generate(5_000_000 + seed, 14))
}

/// The units of a line as the store gives them.
fn units(stored: &Stored, line: &LineName) -> Vec<Unit> {
    block_on(stored.store().units(engine::line(0, line), None)).unwrap()
}

/// I3, I10, CLM-42: later units and the clock change no answer for a given instant and time of knowledge, and the same
/// question asked again has the same answer.
#[test]
fn what_was_answered_is_answered_again() {
    for script in scripts() {
        let (mut stored, mut naive) = (Stored::new(&script.host(), BEGIN), naive(&script));
        let mut said = Vec::new();
        for step in &script.steps {
            apply(&mut naive, &mut stored, &step.op).unwrap();
            for ask in &step.asks {
                let mut asked = ask.resolve(naive.oracle.entries());
                // A time of knowledge that is past: what is recorded later has a later stamp.
                let entries = naive.oracle.entries().iter();
                let own = entries.filter(|entry| entry.agent == 0);
                let last = own.map(|entry| entry.stamp).max().unwrap_or(0);
                let as_of = asked.as_of.unwrap_or(last).min(last);
                asked.as_of = Some(as_of);
                asked.valid_at = asked.valid_at.or(Some(as_of));
                for line in lines() {
                    let belief = stored.believe(0, &line, asked);
                    assert_eq!(stored.believe(0, &line, asked), belief, "read twice");
                    said.push((line.clone(), asked, belief, stored.history(0, &line, asked)));
                }
            }
        }
        for shift in [1, -400, 4000] {
            stored.clock(naive.now + shift * 86_400_000_000);
            for (line, asked, belief, history) in &said {
                assert_eq!(&stored.believe(0, line, *asked), belief);
                assert_eq!(&stored.history(0, line, *asked), history);
            }
        }
    }
}

/// I3, I10, CLM-7: reads inserted anywhere into any script change no answer of the gate, no belief, no provenance and no unit.
#[test]
fn reads_change_nothing() {
    let mut reads = 0;
    for seed in 0..READ_SCRIPTS {
        let script = Script::generate(6_000_000 + seed, 8);
        let (mut unread, mut naive) = played(&script);
        let mut random = Random::new(seed);
        let mut read = Stored::new(&script.host(), BEGIN);
        let mut twin = self::naive(&script);
        let asks: Vec<Ask> = script
            .steps
            .iter()
            .flat_map(|step| step.asks.clone())
            .collect();
        for step in &script.steps {
            for _ in 0..random.below(4) {
                let asked = random.of(&asks).resolve(twin.oracle.entries());
                read_one(&mut read, &mut random, asked);
                reads += 1;
            }
            apply(&mut twin, &mut read, &step.op).unwrap();
        }
        let names = |stored: &Stored| stored.names.units.len();
        assert_eq!(names(&read), names(&unread), "seed {seed}");
        for agent in [0, 1] {
            for line in lines() {
                let units = read.units(agent, &line);
                assert_eq!(units, unread.units(agent, &line), "seed {seed}");
                for asked in [Asked::default(), asks[0].resolve(naive.oracle.entries())] {
                    let belief = read.believe(agent, &line, asked);
                    assert_eq!(belief, unread.believe(agent, &line, asked), "seed {seed}");
                    assert_eq!(belief, naive.believe(agent, &line, asked), "seed {seed}");
                    let history = read.history(agent, &line, asked);
                    assert_eq!(history, unread.history(agent, &line, asked), "seed {seed}");
                }
            }
        }
    }
    assert!(reads > READ_SCRIPTS * 8, "{reads}");
}

/// One read of some kind, of an agent that is there or not.
fn read_one(stored: &mut Stored, random: &mut Random, asked: Asked) {
    let agent = u8::from(random.percent(20));
    let line = random.of(&lines().collect::<Vec<_>>());
    match random.below(7) {
        0 => drop(stored.believe(agent, &line, asked)),
        1 => drop(stored.subject(agent, &line.0, asked)),
        2 => drop(stored.history(agent, &line, asked)),
        3 => drop(stored.contested(agent, asked)),
        4 => drop(stored.pending(agent)),
        5 => drop(stored.ledger(agent, None, 10)),
        _ => {
            let query = TextQuery::new([line.0]).unwrap();
            drop(block_on(stored.store().search(&query)).unwrap());
        }
    }
}

/// I1, CLM-10: every submission is answered, what is written is a unit with the next number, and can be read by its
/// name.
#[test]
fn the_gate_is_total_and_what_it_lets_in_is_readable() {
    for script in scripts() {
        let (stored, _) = played(&script);
        for name in &stored.names.units {
            let unit = block_on(stored.store().unit_of(name)).unwrap().unwrap();
            assert_eq!(unit.reference(), name);
        }
        for line in lines() {
            let units = units(&stored, &line);
            let question = Question {
                valid_at: 0,
                as_of_us: u64::MAX,
            };
            let named = engine::line(0, &line);
            let history = belief::history(&named, &units, question, &Settings::default());
            let claims = units.iter().filter(|unit| unit.act().target().is_none());
            assert_eq!(history.len(), claims.count());
            for (number, unit) in units.iter().enumerate() {
                assert_eq!(unit.number(), u64::try_from(number).unwrap());
                let previous = number
                    .checked_sub(1)
                    .map(|before| units[before].reference());
                assert_eq!(unit.previous(), previous);
            }
        }
    }
}

/// I6, CLM-13: what was said once and comes back 808 times, under each label of no higher standing, leaves one claim. A label
/// from outside confirms it once, as a source of its own; a model and recall add nothing.
#[test]
fn eight_hundred_and_eight_turns_leave_one_claim() {
    let line: LineName = ("s".into(), "p".into());
    let peer = |number, level| Who::Peer { number, level };
    let labels = [
        Who::Model,
        Who::Recall,
        peer(40, 0),
        peer(41, 3),
        Who::FirstHand,
        Who::User,
    ];
    for (first, labels) in [(Who::User, &labels[..]), (peer(41, 3), &labels[..4])] {
        let mut stored = Stored::new(&Host::default(), BEGIN);
        stored.remember(0, 0);
        let mut said = statement(&line);
        said.anchors = vec![Cited::World(0)];
        write(&mut stored, first, said);
        let mut confirmed = Vec::new();
        for turn in 0..808 {
            let mut again = statement(&line);
            if turn % 3 == 0 {
                again.derived_from = vec![0];
            }
            if turn % 5 == 0 {
                again.anchors = vec![Cited::World(0)];
            }
            stored.clock(BEGIN + turn * 1_000_000);
            stored.believe(0, &line, Asked::default());
            let who = labels[usize::try_from(turn).unwrap() % labels.len()];
            let answer = write(&mut stored, who, again);
            let Answer::Done(done) = answer else {
                panic!("turn {turn} of {first:?}: {answer:?}");
            };
            let kept = (done.disposition, done.reference) == (Disposition::Corroborated, 0);
            assert!(kept, "{first:?}: {done:?}");
            confirmed.extend(done.written.map(|_| who));
        }
        let sources = labels
            .iter()
            .filter(|who| who.is_external() && **who != peer(40, 0));
        assert_eq!(confirmed.len(), sources.clone().count(), "{confirmed:?}");
        assert!(sources.clone().all(|who| confirmed.contains(who)));
        assert_eq!(stored.history(0, &line, Asked::default()).len(), 1);
        let belief = stored.believe(0, &line, Asked::default());
        // An agent that has cited a memory adds its own word, and is no other source for that.
        let own = usize::from(first == peer(41, 3));
        assert_eq!(belief.sides[0].corroborations, confirmed.len() - own);
    }
}

pub(crate) fn statement(line: &LineName) -> Statement {
    Statement::of(&line.0, &line.1, "\"a\"")
}

pub(crate) fn write(backend: &mut dyn Backend, who: Who, said: Statement) -> Answer {
    backend.write(&Request {
        agent: 0,
        who,
        key: None,
        wish: Wish::State(said),
    })
}
