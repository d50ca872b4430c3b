//! Attempts to make an agent believe what nobody outside of it has said (I4-I7).

use counterfoil_claims_tests::answer::{
    Answer, Belief, Currency, Disposition, Marker, Side, Status, Support,
};
use counterfoil_claims_tests::calendar::{DAY, Micros};
use counterfoil_claims_tests::request::{
    Asserted, Cardinality, Cited, Id, Request, Statement, Target, Valid, Who, Wish,
};

use crate::backend::{Asked, Backend, Host, LineName};
use crate::laws::{statement, write};
use crate::random::Random;
use crate::script::{BEGIN, DATES};
use crate::store::Stored;

fn line() -> LineName {
    ("s".into(), "p".into())
}

/// What the user and the host have said of the line, with what the model said in between.
fn scene(random: &mut Random) -> Stored {
    let host = Host {
        has_oracle: random.percent(30),
        registered: Vec::new(),
    };
    let mut stored = Stored::new(&host, BEGIN);
    for chain in 0..3 {
        stored.remember(0, chain);
    }
    for _ in 0..=random.below(3) {
        let mut said = random_statement(random);
        said.said = random.of(&[Cardinality::Unknown, Cardinality::One, Cardinality::Many]);
        said.anchors.clear();
        said.supersedes.clear();
        write(&mut stored, random.of(&[Who::User, Who::FirstHand]), said);
        if random.percent(30) {
            let rumour = random_statement(random);
            write(&mut stored, Who::Model, rumour);
        }
    }
    stored
}

fn random_statement(random: &mut Random) -> Statement {
    let mut said = statement(&line());
    said.value = random.of(&["\"a\"", "\"b\"", "\"c\""]).to_owned();
    said.extracted = random.percent(30);
    said.said = random.of(&[Cardinality::Unknown, Cardinality::One, Cardinality::Many]);
    if random.percent(60) {
        let mut date = |chance| random.percent(chance).then(|| random.of(DATES).to_owned());
        let (from, until) = (date(80), date(40));
        said.extracted = true;
        said.valid = Some(Valid {
            from,
            until,
            confidence: random.of(&[0.5, 0.9, 1.0]),
        });
    }
    if random.percent(30) {
        said.anchors = vec![Cited::World(random.below(3))];
    }
    if random.percent(40) {
        said.supersedes = vec![random.below(4)];
    }
    if random.percent(40) {
        said.derived_from = vec![random.below(4)];
    }
    said
}

/// Something that a model does, or that comes back from recall.
fn attack(random: &mut Random) -> Request {
    let who = if random.percent(85) {
        Who::Model
    } else {
        Who::Recall
    };
    let wish = if random.percent(60) {
        Wish::State(random_statement(random))
    } else {
        let target = if random.percent(80) {
            Target::Claim(random.below(6))
        } else {
            Target::Line("s".into(), "p".into())
        };
        let asserted = match random.below(7) {
            0 => Asserted::End(Some(random.of(DATES).to_owned())),
            1 => Asserted::Reopen,
            2 => Asserted::Supersede(random.below(6)),
            3 => Asserted::Release,
            4 => Asserted::Affirm,
            5 => Asserted::Deny,
            _ => Asserted::Undecided,
        };
        let evidence = match random.below(3) {
            0 => Vec::new(),
            1 => vec![Cited::World(random.below(3))],
            _ => vec![Cited::Unit(random.below(6))],
        };
        let target = match (&asserted, target) {
            (Asserted::End(_), target) => target,
            (_, Target::Line(..)) => Target::Claim(0),
            (_, target) => target,
        };
        Wish::Assert(target, asserted, evidence)
    };
    Request {
        agent: 0,
        who,
        key: None,
        wish,
    }
}

/// Status, and of each side value, claims and windows.
type Stands = (
    Status,
    Vec<(String, Vec<(Id, (Option<Micros>, Option<Micros>))>)>,
);

fn stands(belief: &Belief) -> Stands {
    let side = |side: &Side| (side.value.clone(), side.claims.clone());
    (belief.status, belief.sides.iter().map(side).collect())
}

/// I5, CLM-21: in 10,000 attacks by a model, with claims, assertions, verdicts and derivations, none changes what
/// external claims decide; and its currency does only where the model agrees and cites a memory.
#[test]
fn no_rumour_overturns_what_was_said_from_outside() {
    let each = 20;
    let scenes = 10_000 / each;
    let threads = 4;
    std::thread::scope(|scope| {
        for thread in 0..threads {
            scope.spawn(move || {
                for number in (thread..scenes).step_by(usize::try_from(threads).unwrap()) {
                    attacked(&mut Random::new(number), each);
                }
            });
        }
    });
}

fn attacked(random: &mut Random, attacks: u64) {
    let mut stored = scene(random);
    let instants: Vec<Asked> = (0..3)
        .map(|_| Asked {
            valid_at: Some(BEGIN + i64::try_from(random.below(800)).unwrap() * DAY - 400 * DAY),
            as_of: Some(BEGIN + 40 * DAY),
        })
        .collect();
    let beliefs = |stored: &mut Stored| -> Vec<Belief> {
        let believed = instants.iter();
        believed
            .map(|asked| stored.believe(0, &line(), *asked))
            .collect()
    };
    let mut before = beliefs(&mut stored);
    for _ in 0..attacks {
        let request = attack(random);
        let answer = stored.write(&request);
        let after = beliefs(&mut stored);
        let agrees_with_evidence = matches!(&request.wish, Wish::State(said) if !said.anchors.is_empty())
            && matches!(&answer, Answer::Done(done) if done.disposition == Disposition::Corroborated);
        let external = |belief: &Belief| belief.support == Some(Support::External);
        for (before, after) in before.iter().zip(&after).filter(|(one, _)| external(one)) {
            assert_eq!(stands(after), stands(before), "{request:?}");
            assert_eq!(after.support, before.support, "{request:?}");
            if !agrees_with_evidence {
                assert_eq!(confirmed(after), confirmed(before), "{request:?}");
            }
        }
        before = after;
    }
}

/// How far each side is confirmed. That something which it was derived from does not stand any longer is no part of it.
fn confirmed(belief: &Belief) -> Vec<(usize, Micros, Currency)> {
    let sides = belief.sides.iter();
    sides
        .map(|side| (side.corroborations, side.confirmed, side.currency))
        .collect()
}

/// I6, I7: agents of level 0 and 1 add nothing to what is believed, however many they are; those of a level that counts
/// confirm, and never outweigh the user.
#[test]
fn many_peers_do_not_outweigh_the_user() {
    let peer = |number: u8, level| Who::Peer { number, level };
    let mut stored = Stored::new(&Host::default(), BEGIN);
    write(&mut stored, Who::User, statement(&line()));
    let before = stored.believe(0, &line(), Asked::default());
    for number in 0..120 {
        write(&mut stored, peer(number, number % 2), statement(&line()));
    }
    assert_eq!(stored.believe(0, &line(), Asked::default()), before);
    for number in 120..140 {
        write(
            &mut stored,
            peer(number, 2 + number % 2),
            statement(&line()),
        );
    }
    let confirmed = stored.believe(0, &line(), Asked::default());
    assert_eq!(confirmed.sides[0].corroborations, 20);

    let mut other = statement(&line());
    other.value = "\"b\"".into();
    other.supersedes = vec![0];
    for number in 140..240 {
        let answer = write(&mut stored, peer(number, 3), other.clone());
        let Answer::Done(done) = answer else {
            panic!("{answer:?}");
        };
        let expected = if number == 140 {
            Disposition::Contested
        } else {
            Disposition::Corroborated
        };
        assert_eq!(done.disposition, expected);
    }
    for asserted in [Asserted::End(None), Asserted::Deny, Asserted::Supersede(21)] {
        stored.remember(0, 0);
        let answer = stored.write(&Request {
            agent: 0,
            who: peer(140, 3),
            key: None,
            wish: Wish::Assert(Target::Claim(0), asserted, vec![Cited::World(0)]),
        });
        assert!(matches!(answer, Answer::Refused(_)), "{answer:?}");
    }
    let belief = stored.believe(0, &line(), Asked::default());
    assert_eq!(belief.status, Status::Contested);
    assert_eq!(belief.sides[0].claims.len(), 1);
    assert!(!belief.markers.contains(&Marker::PeerSourced));
}
