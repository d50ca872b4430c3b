//! Complete feeds: any omission, swap or backdating shows, and an honest list has no finding (docs/format/feed.md).

use counterfoil_capsule::documents::{ContradictionKind, Evidence, Observation, Source, Suspect};
use counterfoil_capsule::{
    CapsuleDocument, Code, Document, Extensions, FeedCheck, FeedFault, FeedPart, Header, Position,
    Signed, Signer, feed_commitment, feed_salt, seal_world,
};
use counterfoil_types::Blake3Hash;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::blame::blames;
use crate::common::{NOW, SALT, at, id, note, signer, stamp, stranger};

const SECRET: [u8; 32] = [0x5e; 32];

/// Capsules of one agent, each in a chain of its own, after `earlier` ones without a commitment. `times` are those between them.
fn sealed(earlier: usize, times: &[u64]) -> Vec<Header> {
    let documents = documents(earlier, times);
    documents.iter().map(|it| it.header().clone()).collect()
}

fn documents(earlier: usize, times: &[u64]) -> Vec<CapsuleDocument> {
    let mut documents: Vec<CapsuleDocument> = Vec::new();
    let mut micros = NOW;
    for (number, time) in times.iter().enumerate() {
        micros += time;
        let last = documents.last().map(|it| it.header().hash());
        let place = u64::try_from(number).unwrap();
        let feed = feed_commitment(&feed_salt(&SECRET, place), place, last.as_ref());
        let named = id(u8::try_from(number).unwrap());
        let position = Position::seed(named, stamp(micros)).with(Extensions {
            feed: (number >= earlier).then_some(feed),
            ..Extensions::default()
        });
        let capsule = seal_world(&note(), &position, SALT, &signer()).unwrap();
        documents.push(CapsuleDocument::of(&capsule, None));
    }
    documents
}

/// A list of these capsules behind `earlier` ones, as an agent would sign it, in parts of three.
fn listed(earlier: &[Header], capsules: &[Header]) -> Vec<Signed<FeedPart>> {
    let size = u64::try_from(earlier.len() + capsules.len()).unwrap();
    let mut place = (
        u64::try_from(earlier.len()).unwrap(),
        earlier.last().map(Header::hash),
    );
    let hashes: Vec<Blake3Hash> = capsules.iter().map(Header::hash).collect();
    let parts = hashes.chunks(3).map(|chunk| {
        let claim = (size, at(NOW + 1_000_000));
        let part = FeedPart::sign(&signer(), &SECRET, place, chunk.to_vec(), claim).unwrap();
        place = (
            place.0 + u64::try_from(chunk.len()).unwrap(),
            chunk.last().copied(),
        );
        part
    });
    parts.collect()
}

fn faults(parts: &[Signed<FeedPart>], shown: &[Header], known: &[Header]) -> Vec<FeedFault> {
    let mut check = FeedCheck::new(&parts[0]);
    parts[1..].iter().for_each(|part| check.append(part));
    shown.iter().for_each(|header| check.show(header));
    known.iter().for_each(|header| check.known(header));
    check.faults()
}

fn has(faults: &[FeedFault], number: usize, code: Code) -> bool {
    let number = u64::try_from(number).unwrap();
    faults
        .iter()
        .any(|fault| (fault.0, fault.2) == (Some(number), code))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// (CAP-11, CAP-24)
    #[test]
    fn whatever_an_agent_leaves_out_swaps_or_backdates_shows(
        times in prop::collection::vec(1_u64..1000, 2..12),
        earlier in 0_usize..3,
        at in any::<prop::sample::Index>(),
        other in any::<prop::sample::Index>(),
    ) {
        let earlier = earlier.min(times.len() - 1);
        let all = sealed(earlier, &times);
        let (before, feed) = all.split_at(earlier);
        let honest = listed(before, feed);
        let mut turned = all.clone();
        turned.reverse();
        prop_assert_eq!(faults(&honest, &turned, &all), []);
        let (cut, other) = (earlier + at.index(feed.len()), earlier + other.index(feed.len()));

        // One is not in the file.
        let mut shown = all.clone();
        shown.remove(cut);
        prop_assert!(has(&faults(&honest, &shown, &[]), cut, Code::FeedMissing));

        // The list is without it as well, with salts of either numbers.
        let listed_without = listed(before, &shown[earlier..]);
        if cut + 1 < all.len() {
            prop_assert!(has(&faults(&listed_without, &shown, &[]), cut, Code::FeedLink));
            let whole: Vec<Value> = honest.iter().map(|part| part.to_value().clone()).collect();
            let salts: Vec<&Value> = whole.iter().flat_map(|part| part["salts"].as_array().unwrap()).collect();
            let mut kept = salts.clone();
            kept.remove(cut - earlier);
            let parts = listed_without.iter().enumerate().map(|(part, signed)| {
                let mut value = signed.to_value().clone();
                let from = part * 3;
                let count = value["capsules"].as_array().unwrap().len();
                value["salts"] = json!(kept[from..from + count]);
                Signed::parse(&value).unwrap()
            });
            let parts: Vec<_> = parts.collect();
            prop_assert!(has(&faults(&parts, &shown, &[]), cut, Code::FeedLink));
        } else if !listed_without.is_empty() {
            // The last one is missed by those who have it.
            let found = faults(&listed_without, &shown, &all);
            prop_assert!(found.contains(&(None, Some(all[cut].hash()), Code::FeedUnlisted)));
        }

        // Two are listed in the other order.
        if cut != other {
            let mut swapped = feed.to_vec();
            swapped.swap(cut - earlier, other - earlier);
            let found = faults(&listed(before, &swapped), &all, &[]);
            prop_assert!(has(&found, cut.min(other), Code::FeedLink));
        }

        // One from before the feed is left out, or added later.
        if earlier > 0 {
            let found = faults(&honest, &all[1..], &[]);
            prop_assert!(found.iter().any(|fault| fault.2 == Code::FeedMissing));
        }
        let position = Position::seed(id(99), stamp(NOW + times[..=earlier].iter().sum::<u64>()));
        let added = seal_world(&note(), &position, SALT, &signer()).unwrap().header;
        let mut shown = all.clone();
        shown.push(added.clone());
        let found = faults(&honest, &shown, &[]);
        prop_assert!(found.contains(&(None, Some(added.hash()), Code::FeedUnlisted)));
    }

    /// A capsule that is dated back stands behind a later one, in whatever chain. (CAP-24)
    #[test]
    fn a_capsule_that_is_dated_back_stands_behind_a_later_one(count in 2_usize..8, at in any::<prop::sample::Index>()) {
        let mut times = vec![5; count];
        let back = 1 + at.index(count - 1);
        times[back] = 0;
        let all = sealed(0, &times);
        prop_assert_eq!(
            faults(&listed(&[], &all), &all, &[]),
            [(Some(u64::try_from(back).unwrap()), Some(all[back].hash()), Code::Chronology)]
        );
    }
}

#[test]
fn a_list_is_its_agents_and_says_where_it_ends() {
    let all = sealed(0, &[1, 1, 1, 1]);
    let parts = listed(&[], &all);
    let (agent, own) = (signer().agent(), [signer().key()]);
    assert!(parts.iter().all(|part| part.verify(agent, &own).is_ok()));
    assert!(parts[0].verify(agent, &[stranger().key()]).is_err());
    let found = faults(&parts[..1], &all, &[]);
    assert!(has(&found, 3, Code::FeedMissing), "{found:?}");
    let again = faults(&[parts[0].clone(), parts[0].clone()], &all, &[]);
    assert!(has(&again, 0, Code::FeedLink), "{again:?}");
    for (member, wrong) in [
        ("salts", json!([])),
        ("previous", json!(all[0].hash().to_string())),
        ("more", json!(1)),
    ] {
        let mut value = parts[0].to_value().clone();
        value[member] = wrong;
        assert!(Signed::<FeedPart>::parse(&value).is_err(), "{member}");
    }
    assert_eq!(FeedPart::TYPE, "feed");
}

/// Number, predecessor and salt are each bound, and no commitment says anything without its salt.
#[test]
fn a_commitment_is_to_number_and_predecessor_under_its_salt() {
    let hash = Blake3Hash::from_bytes([1; 32]);
    let all = [
        feed_commitment(&feed_salt(&SECRET, 1), 1, Some(&hash)),
        feed_commitment(&feed_salt(&SECRET, 2), 1, Some(&hash)),
        feed_commitment(&feed_salt(&SECRET, 1), 2, Some(&hash)),
        feed_commitment(&feed_salt(&SECRET, 1), 1, None),
        feed_commitment(&feed_salt(&[0; 32], 1), 1, Some(&hash)),
    ];
    let mut different = all.to_vec();
    different.sort_unstable();
    different.dedup();
    assert_eq!(different.len(), all.len());
}

/// A capsule and the one before it in its agent's feed blame the agent, if the later one's opening shows that it stands behind
/// the other. (CAP-24, CAP-28, C11)
#[test]
fn a_capsule_that_is_dated_back_blames_its_agent() {
    let seen = |times: &[u64], number: u64, salted: u64, named: usize| {
        let all = sealed(0, times);
        let documents = documents(0, times);
        Observation {
            kind: ContradictionKind::Chronology,
            code: "E_CHRONOLOGY".to_owned(),
            subject: Suspect::of(&all[1]),
            source: Source::way("import"),
            expected: None,
            actual: None,
            evidence: vec![
                Evidence::Placed {
                    capsule: documents[1].clone().into(),
                    number,
                    previous: Some(all[named].hash()),
                    salt: feed_salt(&SECRET, salted),
                },
                Evidence::of(&documents[0]),
            ],
        }
    };
    assert!(blames(seen(&[5, 0], 1, 1, 0)));
    assert!(!blames(seen(&[5, 1], 1, 1, 0)), "it is later");
    assert!(!blames(seen(&[5, 0], 2, 2, 0)), "another number");
    assert!(!blames(seen(&[5, 0], 1, 2, 0)), "another salt");
    assert!(!blames(seen(&[5, 0], 1, 1, 1)), "another predecessor");
}
