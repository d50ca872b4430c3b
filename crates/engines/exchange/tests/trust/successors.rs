//! Agents that change their key: what passes on, and what does not (cases 90 and 94).

use counterfoil_exchange::trust::{Level, Mark, Records};
use serde_json::json;

use crate::kit::{
    DAY, High, Medium, NOW, SECOND, distrust, explained, graph, id, key, level, mark, own,
    revocation, succession, trust, vouch,
};

const OLD: u32 = 8;
const NEW: u32 = 9;

/// Adversarial case G94: a vouch for the old key counts for the new one with the succession, and only with it.
#[test]
fn vouches_follow_a_key_with_its_succession_alone() {
    let records = [trust(1), vouch(1, OLD, High)];
    assert_eq!(level(records.clone(), NEW), Level::Identified);
    let shown = records.into_iter().chain([succession(OLD, NEW)]);
    assert_eq!(level(shown, NEW), Level::Vouched);
    // Not the other way round: the old key may be in other hands by now.
    let back = [trust(1), vouch(1, NEW, High), succession(OLD, NEW)];
    assert_eq!(level(back, OLD), Level::Identified);
}

/// Adversarial case G90: a vouch by the key's own successor, or predecessor, is by itself.
#[test]
fn an_agent_does_not_vouch_for_itself_with_another_key() {
    for (voucher, subject) in [(OLD, NEW), (NEW, OLD)] {
        let mut records = graph(&[voucher], &[(voucher, subject, High)]);
        records.push(succession(OLD, NEW));
        let found = explained(records, subject);
        assert_eq!((found.score_ppm, found.paths.len()), (0, 0));
    }
}

/// Two keys of one agent are one root.
#[test]
fn two_keys_of_one_root_are_one_path() {
    let records = graph(&[OLD, NEW], &[(OLD, 5, Medium), (NEW, 5, Medium)]);
    assert_eq!(level(records.clone(), 5), Level::Vouched);
    let found = explained(records.into_iter().chain([succession(OLD, NEW)]), 5);
    assert_eq!((found.level, found.paths.len()), (Level::Identified, 1));
}

/// Trust passes on, and nobody gets rid of distrust or a mark with a new key; that a key was stolen is cured by it.
#[test]
fn standing_passes_on() {
    let next = || succession(OLD, NEW);
    assert_eq!(level([trust(OLD), next()], NEW), Level::Direct);
    assert_eq!(level([trust(NEW), next()], OLD), Level::Identified);
    assert_eq!(
        level([distrust(OLD, None, NOW - DAY), next()], NEW),
        Level::Anonymous
    );
    let framed = [trust(OLD), mark(OLD, Mark::Framing, NOW - DAY), next()];
    assert_eq!(level(framed, NEW), Level::Identified);
    let stolen = [trust(OLD), mark(OLD, Mark::Compromise, NOW - DAY), next()];
    assert_eq!(level(stolen.clone(), NEW), Level::Direct);
    assert_eq!(level(stolen, OLD), Level::Anonymous);
}

/// Only the voucher's key, or the one that took its place, takes a vouch back.
#[test]
fn a_successor_revokes() {
    let given = vouch(OLD, 5, High);
    let of = id(OLD << 16 | 5);
    let back = revocation(NEW, &given, of, NOW - SECOND);
    let records = [trust(OLD), given, back];
    assert_eq!(level(records.clone(), 5), Level::Vouched);
    let shown = records.into_iter().chain([succession(OLD, NEW)]);
    assert_eq!(level(shown, 5), Level::Identified);
}

/// Successions that go in a circle end.
#[test]
fn a_circle_of_successions_ends() {
    let circle = [(7, 8), (8, 9), (9, 7)].map(|(from, to)| succession(from, to));
    let records = circle.into_iter().chain([trust(7)]);
    assert_eq!(level(records.clone(), 9), Level::Direct);
    let known = Records::gather(records).of_key(&key(8)).unwrap();
    assert_eq!(known.same_agent.len(), 2);
}

/// A name means the key that the agent signs with now.
#[test]
fn a_name_follows_the_key() {
    let peer = json!({ "name": "B", "key": key(OLD), "addresses": ["https://b.example"] });
    let peer = own(json!({ "peer": peer }), NOW - DAY);
    let records = Records::gather([peer, succession(OLD, NEW)]);
    let found = records.named("B").unwrap();
    assert_eq!((found.key, found.addresses.len()), (key(NEW), 1));
    assert_eq!(found.same_agent, [key(OLD)]);
    assert_eq!(records.named(&key(OLD).to_string()).unwrap().key, key(OLD));
}
