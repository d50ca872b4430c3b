//! Trust in other agents, as a belief takes it into account when it is read.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::sync::Arc;
use alloc::vec::Vec;

use counterfoil_types::DidKey;

use crate::belief::testing::{Log, MODEL, USER, at, body, line, value, values};
use crate::belief::{Belief, BeliefStatus, Marker, Question, Support, believe, timeline};
use crate::{Act, Identifier, PeerTrust, ProvenanceClass, Settings, SourceKey};

/// Levels by agent, each from a time on; 2 is the minimum. Agents above 100 are trusted by way of one third agent.
#[derive(Debug, Default)]
struct Levels(BTreeMap<u8, (u64, u8)>);

impl PeerTrust for Levels {
    fn level(&self, agent: &DidKey, _: &Identifier, as_of_us: u64) -> u8 {
        let found = self.0.iter().find(|(of, _)| key(**of) == *agent);
        found.map_or(1, |(_, (since, level))| match *since <= as_of_us {
            true => *level,
            false => 1,
        })
    }

    fn minimum(&self, about: &Identifier, _: u64) -> u8 {
        match about.as_str() {
            "cooking" => 3,
            _ => 2,
        }
    }

    fn independent(&self, agents: &BTreeSet<DidKey>, _: &Identifier, _: u64) -> usize {
        let by_way = (101..=u8::MAX)
            .filter(|of| agents.contains(&key(*of)))
            .count();
        agents.len() - by_way.saturating_sub(1)
    }
}

fn key(agent: u8) -> DidKey {
    DidKey::from_public_key([agent; 32])
}

/// An agent that was at level 1 when it stated something.
fn stranger(agent: u8) -> ProvenanceClass {
    ProvenanceClass::Peer {
        agent: key(agent),
        level: 1,
        inferred: false,
    }
}

fn model_of(agent: u8) -> ProvenanceClass {
    ProvenanceClass::Peer {
        agent: key(agent),
        level: 3,
        inferred: true,
    }
}

fn settings(levels: &[(u8, u64, u8)]) -> Settings {
    let levels = levels
        .iter()
        .map(|(agent, since, level)| (*agent, (*since, *level)));
    Settings {
        trust: Some(Arc::new(Levels(levels.collect()))),
        ..Settings::default()
    }
}

fn folded(log: &Log, as_of_us: u64, settings: &Settings) -> Belief {
    let question = Question {
        valid_at: at("2025"),
        as_of_us,
    };
    believe(&line(), &log.units, question, settings, None)
}

/// I4: an agent below the minimum contests nothing: its claim is an alternative.
#[test]
fn a_stranger_is_an_alternative() {
    let mut log = Log::default();
    log.dated(USER, "Lisbon", "2020..");
    log.dated(stranger(1), "Porto", "2020..");
    for settings in [Settings::default(), settings(&[])] {
        let belief = folded(&log, log.now(), &settings);
        assert_eq!(belief.status, BeliefStatus::Resolved);
        assert_eq!(values(&belief), ["Lisbon"]);
        assert_eq!(belief.markers, [Marker::Untrusted]);
        assert_eq!(
            belief.alternatives[0].markers,
            [Marker::PeerSourced, Marker::Untrusted]
        );
        let segments = timeline(&line(), &log.units, log.now(), &settings);
        assert!(
            segments
                .iter()
                .all(|(_, outline)| outline.status != BeliefStatus::Contested)
        );
    }
}

/// Trust and distrust act when a belief is read, on all that was kept, and are undone the same way.
#[test]
fn distrust_acts_at_once_and_is_undone() {
    let mut log = Log::default();
    // The level at receipt is of no account.
    log.dated(
        ProvenanceClass::Peer {
            agent: key(1),
            level: 3,
            inferred: false,
        },
        "Porto",
        "2020..",
    );
    log.dated(stranger(1), "Porto", "2020..2040");
    let now = log.now();
    let trusted = folded(&log, now, &settings(&[(1, 0, 3)]));
    assert_eq!(values(&trusted), ["Porto"]);
    assert_eq!(trusted.support, Some(Support::External));
    let distrusted = folded(&log, now, &settings(&[(1, 0, 0)]));
    assert_eq!(
        (distrusted.status, distrusted.support),
        (BeliefStatus::NoBelief, None)
    );
    assert_eq!(distrusted.alternative_count, 1);
}

/// I10: the trust is that of the asked time.
#[test]
fn trust_is_as_of_the_question() {
    let mut log = Log::default();
    log.dated(stranger(1), "Porto", "2020..");
    let now = log.now();
    let later = settings(&[(1, now + 1, 3)]);
    assert_eq!(folded(&log, now, &later).status, BeliefStatus::NoBelief);
    assert_eq!(values(&folded(&log, now + 1, &later)), ["Porto"]);
}

/// The weakest agent through whose hands a claim came decides, when it is read: a trusted source does not make up for a stranger
/// that handed the claim on, nor the other way round; one more never makes it stronger.
#[test]
fn a_claim_counts_if_all_count_through_whose_hands_it_came() {
    for trusted in 0..16_u8 {
        let levels: Vec<_> = (0..4)
            .map(|agent| (agent, 0, if trusted & (1 << agent) == 0 { 1 } else { 2 }))
            .collect();
        let settings = settings(&levels);
        let mut counted = true;
        for hops in 0..4_u8 {
            let mut log = Log::default();
            let act = Act::Claim(body("Porto", Some(crate::belief::testing::valid("2020.."))));
            log.put(stranger(0), act).via = (1..=hops).map(key).collect();
            let status = folded(&log, log.now(), &settings).status;
            let all = (0..=hops).all(|agent| trusted & (1 << agent) != 0);
            assert_eq!(status == BeliefStatus::Resolved, all, "{trusted:b} {hops}");
            assert!(counted || !all, "one hop more is never stronger");
            counted = all;
        }
    }
}

/// I6: what one agent said is one source, by however many ways it was heard, and counts by the ways that count.
#[test]
fn one_origin_by_two_ways_is_one_source() {
    let mut log = Log::default();
    let act = Act::Claim(body("Porto", Some(crate::belief::testing::valid("2020.."))));
    let claim = log.put(stranger(1), act);
    claim.via = [key(2)].into();
    let target = claim.reference.clone();
    let again = Act::Corroborate {
        target,
        sources: SourceKey::parse(&alloc::format!("peer:{}", key(1)))
            .into_iter()
            .collect(),
    };
    log.put(stranger(1), again);
    for (levels, status, sides) in [
        (&[(1, 0, 2), (2, 0, 2)][..], BeliefStatus::Resolved, 1),
        // By the other way it is heard from the agent itself.
        (&[(1, 0, 2)], BeliefStatus::Resolved, 1),
        (&[(2, 0, 2)], BeliefStatus::NoBelief, 0),
    ] {
        let belief = folded(&log, log.now(), &settings(levels));
        assert_eq!((belief.status, belief.sides.len()), (status, sides));
        let counts = belief.sides.iter().map(|side| side.corroborations);
        assert_eq!(counts.sum::<u32>(), 0, "{levels:?}");
    }
}

/// The minimum is that of the domain about which the agent was asked.
#[test]
fn a_minimum_is_of_a_domain() {
    let mut log = Log::default();
    let mut cooking = body("Porto", Some(crate::belief::testing::valid("2020..")));
    cooking.domain = Some(Identifier::new("domain", "cooking").unwrap());
    log.add(stranger(1), Act::Claim(cooking));
    let level = |level| folded(&log, log.now(), &settings(&[(1, 0, level)])).status;
    assert_eq!(level(2), BeliefStatus::NoBelief);
    assert_eq!(level(3), BeliefStatus::Resolved);
}

/// I4: a model's claim stays inferred, whichever agent hands it on.
#[test]
fn a_model_of_a_trusted_agent_contests_nothing() {
    let mut log = Log::default();
    log.dated(model_of(1), "Guess", "2020..");
    let trust = settings(&[(1, 0, 3)]);
    let alone = folded(&log, log.now(), &trust);
    assert_eq!(alone.support, Some(Support::Inferred));
    log.dated(USER, "Tom", "2020..");
    let belief = folded(&log, log.now(), &trust);
    assert_eq!(values(&belief), ["Tom"]);
    assert_eq!(belief.markers, [Marker::ModelDissent]);
    assert!(
        folded(&log, log.now(), &settings(&[(1, 0, 0)]))
            .markers
            .contains(&Marker::Untrusted)
    );
    log.dated(MODEL, "Guess", "2020..");
    assert_eq!(values(&folded(&log, log.now(), &trust)), ["Tom"]);
}

/// I6: distinct agents above the minimum corroborate; two that are trusted by way of one third agent count as one.
#[test]
fn independent_agents_corroborate() {
    let mut log = Log::default();
    let target = log.dated(stranger(1), "Porto", "2020..");
    for agent in [2, 3, 101, 102] {
        let sources =
            Vec::from([SourceKey::parse(&alloc::format!("peer:{}", key(agent))).unwrap()]);
        let target = target.clone();
        log.add(stranger(agent), Act::Corroborate { target, sources });
    }
    let count = |levels: &[(u8, u64, u8)]| {
        let belief = folded(&log, log.now(), &settings(levels));
        let side = belief.sides.first();
        side.map(|side| (side.corroborations, side.claims[0].corroborations))
    };
    let all = [(1, 0, 3), (2, 0, 3), (3, 0, 2), (101, 0, 2), (102, 0, 2)];
    assert_eq!(count(&all), Some((3, 3)));
    assert_eq!(count(&all[..2]), Some((1, 1)));
    assert_eq!(count(&all[..1]), Some((0, 0)));
    // The agent that stated it is not trusted, and one that says the same is: that one is the source, and no other supports it.
    assert_eq!(count(&all[1..2]), Some((0, 0)));
    assert_eq!(count(&all[1..3]), Some((1, 1)));
    assert_eq!(count(&[]), None);
}

/// I11: what an agent below the minimum confirms is not fresh for it.
#[test]
fn distrust_takes_a_confirmation_away() {
    let mut log = Log::default();
    let target = log.dated(USER, "Porto", "2020..");
    let stated = log.units[0].stamp();
    let sources = Vec::from([SourceKey::parse(&alloc::format!("peer:{}", key(1))).unwrap()]);
    log.add(stranger(1), Act::Corroborate { target, sources });
    let confirmed = |level| folded(&log, log.now(), &settings(&[(1, 0, level)])).sides[0].confirmed;
    assert!(confirmed(3) > stated);
    assert_eq!(confirmed(0), stated);
}

/// A stranger's claim of a trusted value adds nothing to it.
#[test]
fn a_stranger_does_not_hide_a_trusted_value() {
    let mut log = Log::default();
    log.dated(stranger(1), "Porto", "2020..");
    log.dated(USER, "Porto", "2020..2040");
    let belief = folded(&log, log.now(), &settings(&[]));
    assert_eq!(belief.sides[0].value, value("Porto"));
    assert_eq!(
        (belief.sides[0].claim_count, belief.alternative_count),
        (1, 0)
    );
    assert!(belief.markers.is_empty());
}

/// A forgotten claim is in no belief from then on, and what it took the place of does not come back; nor is what a model has
/// read from forgotten memories alone.
#[test]
fn what_is_forgotten_is_not_believed() {
    let mut log = Log::default();
    let first = log.dated(USER, "Lisbon", "2020..");
    let mut next = body("Porto", Some(crate::belief::testing::valid("2021..")));
    next.supersedes = Vec::from([first]);
    let next = log.add(USER, Act::Claim(next));
    let now = log.now() + 1;
    let forgetting = |world: &crate::ClaimRef| Settings {
        forgotten: Arc::new(BTreeMap::from([(world.clone(), now)])),
        ..Settings::default()
    };
    assert_eq!(
        values(&folded(&log, now - 1, &forgetting(&next))),
        ["Porto"]
    );
    let after = folded(&log, now, &forgetting(&next));
    assert_eq!((after.sides.len(), after.alternative_count), (0, 0));

    let mut read = Log::default();
    let cited = crate::ClaimRef::new("w-1").unwrap();
    read.dated(MODEL, "Faro", "2020..");
    read.units[0].anchors = Vec::from([crate::Anchor {
        world: cited.clone(),
        source: "chain".into(),
    }]);
    let after = folded(&read, now, &forgetting(&cited));
    assert_eq!(after.support, None);
}
