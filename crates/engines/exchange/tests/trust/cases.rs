//! The adversarial cases about vouches.

use counterfoil_capsule::integrity::{Binding, sign};
use counterfoil_exchange::documents::{Competence, Vouch};
use counterfoil_exchange::trust::{Level, Records, TrustSettings};
use counterfoil_types::json;

use crate::kit::{
    DAY, High, Low, Medium, NOW, SECOND, contact, distrust, domain, explained, graph, id, key,
    level, parts, received, revocation, revoking, signed, signer, time, trust, vouch, vouched,
};

const K: u32 = 9;

/// R8, MRP-19: two whom I trust vouch, or one is sure.
#[test]
fn those_whom_i_trust_vouch() {
    let two = [trust(1), trust(2), vouch(1, K, Medium), vouch(2, K, Low)];
    let found = explained(two, K);
    assert_eq!(
        (found.level, found.score_ppm, found.paths.len()),
        (Level::Vouched, 900_000, 2)
    );
    assert_eq!(found.paths[0].keys, [key(1), key(K)]);
    assert_eq!(
        (found.paths[0].weight_ppm, found.paths[1].weight_ppm),
        (600_000, 300_000)
    );
    assert_eq!(level([trust(1), vouch(1, K, High)], K), Level::Vouched);
    // One root is one root, however much it likes the key, unless it is sure.
    let one = explained([trust(1), vouch(1, K, Medium)], K);
    assert_eq!((one.level, one.score_ppm), (Level::Identified, 600_000));
}

/// A friend of each of two roots: 1,000,000 · 600,000 · 800,000 each.
#[test]
fn friends_of_two_roots_vouch() {
    let edges = [(1, 3, High), (2, 4, High), (3, K, Medium), (4, K, Medium)];
    let records = graph(&[1, 2], &edges);
    let found = explained(records, K);
    assert_eq!((found.level, found.score_ppm), (Level::Vouched, 960_000));
    assert_eq!(found.paths[0].edges_ppm, [1_000_000, 600_000]);
    assert_eq!(found.paths[0].vouches.len(), 2);
    assert_eq!(found.paths[0].keys.len(), 3);
}

/// Adversarial case G88: a thousand that vouch for one another and for the key, and nobody whom I trust is among them.
#[test]
fn strangers_vouch_for_one_another_in_vain() {
    let ring = (0..1000_u32).flat_map(|at| {
        let (voucher, next) = (100 + at, 100 + (at + 1) % 1000);
        [vouch(voucher, next, High), vouch(voucher, K, High)]
    });
    let found = explained(ring.chain([trust(1), trust(2)]), K);
    assert_eq!(
        (found.level, found.score_ppm, found.left_out),
        (Level::Identified, 0, 0)
    );
}

/// Adversarial case G89: one corrupted friend of a root vouches for a thousand that vouch for the key: one path.
#[test]
fn a_crowd_behind_one_friend_counts_as_one() {
    let settings = TrustSettings {
        max_hops: 3,
        ..TrustSettings::default()
    };
    let crowd = (0..1000_u32).flat_map(|at| [vouch(3, 100 + at, High), vouch(100 + at, K, High)]);
    let roots = [trust(1), trust(2), vouch(1, 3, High), vouch(2, 3, High)];
    let records = Records::gather(crowd.chain(roots));
    for settings in [TrustSettings::default(), settings] {
        let domain = domain("memory-systems");
        let found = records.level(&key(K), Some(&domain), NOW, &settings);
        assert_eq!(found.level, Level::Identified, "{settings:?}");
        assert!(found.paths.len() <= 1, "{:?}", found.paths);
    }
}

/// Adversarial case G89: and so do two roots that trust the same friend.
#[test]
fn two_roots_with_one_friend_have_one_path() {
    let records = graph(&[1, 2], &[(1, 3, High), (2, 3, High), (3, K, High)]);
    let found = explained(records, K);
    assert_eq!((found.level, found.score_ppm), (Level::Identified, 800_000));
    assert_eq!(found.paths.len(), 1);
}

/// Adversarial case G90: a key that vouches for itself, and two that vouch for each other.
#[test]
fn rings_and_self_vouches_count_for_nothing() {
    assert_eq!(explained([trust(1), vouch(K, K, High)], K).score_ppm, 0);
    let ring = graph(&[1], &[(8, K, High), (K, 8, High), (8, 8, High)]);
    assert_eq!(level(ring, K), Level::Identified);
    // A root behind the key does not come back through it.
    let back = graph(&[1], &[(1, 8, High), (8, K, High), (K, 8, High)]);
    assert_eq!(explained(back, K).paths.len(), 1);
}

/// Adversarial case G91: expired a second ago; dated ahead; without an end and 366 days old. And the last moment of each that counts.
#[test]
fn vouches_count_in_their_time_alone() {
    let at = |created: u64, until: Option<u64>| {
        let mut parts = parts(1, K, High);
        parts.created_at = time(created);
        parts.valid_until = until.map(time);
        level([trust(1), vouched(parts, 1)], K)
    };
    // No more than a year counts, whatever is said.
    for (created, until, counts) in [
        (NOW - DAY, Some(NOW - SECOND), false),
        (NOW - DAY, Some(NOW), true),
        (NOW + 301 * SECOND, None, false),
        (NOW + 300 * SECOND, None, true),
        (NOW - 366 * DAY, None, false),
        (NOW - 365 * DAY, None, true),
        (NOW - 366 * DAY, Some(NOW + DAY), false),
    ] {
        assert_eq!(
            at(created, until) == Level::Vouched,
            counts,
            "{created} {until:?}"
        );
    }
}

/// Adversarial case G92: another domain; one whose name begins the same; a wider one; a narrower one.
#[test]
fn a_vouch_counts_in_its_domain() {
    let about = |text: &str| {
        let mut parts = parts(1, K, High);
        parts.domain = domain(text);
        level([trust(1), vouched(parts, 1)], K)
    };
    for other in [
        "cooking",
        "memory-systems-evil",
        "memory",
        "memory-systems/pruning",
    ] {
        assert_eq!(about(other), Level::Identified, "{other}");
    }
    assert_eq!(about("memory-systems"), Level::Vouched);
    let records = Records::gather([trust(1), vouch(1, K, High)]);
    let of = |text: &str| {
        let settings = TrustSettings::default();
        records
            .level(&key(K), Some(&domain(text)), NOW, &settings)
            .level
    };
    assert_eq!(of("memory-systems/pruning"), Level::Vouched);
    assert_eq!(of("memory-systems-evil"), Level::Identified);
}

/// Adversarial case G93: a vouch that was taken back and is sent again; taken back by a third; taken back with an earlier date.
#[test]
fn what_was_taken_back_stays_so_from_receipt_on() {
    let given = vouch(1, K, High);
    let of = id(1 << 16 | K);
    let back = revocation(1, &given, of.clone(), NOW - SECOND);
    // Sent again: the same document, later.
    let again = received(given.bytes(), NOW);
    for more in [vec![], vec![again]] {
        let records = [trust(1), given.clone(), back.clone()]
            .into_iter()
            .chain(more);
        assert_eq!(level(records, K), Level::Identified);
    }
    // By another key than the voucher's.
    let third = revocation(5, &given, of.clone(), NOW - SECOND);
    assert_eq!(level([trust(1), given.clone(), third], K), Level::Vouched);
    // `effective_from` is long ago, and what counted before the revocation came still counted.
    let records = Records::gather([trust(1), given.clone(), back]);
    let domain = domain("memory-systems");
    let at = |now| {
        records
            .level(&key(K), Some(&domain), now, &TrustSettings::default())
            .level
    };
    assert_eq!(at(NOW - 2 * SECOND), Level::Vouched);
    assert_eq!(at(NOW - SECOND), Level::Identified);
}

/// Adversarial case G93: the same vouch under a second proof has another hash, and is taken back by its id.
#[test]
fn another_proof_over_a_revoked_vouch_does_not_revive_it() {
    let given = signed(parts(1, K, High), 1);
    let value = json::parse(given.bytes(), json::Limits::PROOF).unwrap();
    let mut unsigned = value;
    unsigned.as_object_mut().unwrap().remove("proof");
    let later = time(NOW - SECOND);
    let anew = sign(unsigned, &signer(1), later, &Binding::ASSERTION).unwrap();
    let anew = Vouch::parse(json::canonical(&anew).unwrap().as_bytes()).unwrap();
    assert_ne!(anew.hash(), given.hash());
    let back = received(
        revoking(1, given.hash(), id(1 << 16 | K)).bytes(),
        NOW - SECOND,
    );
    let records = [trust(1), received(anew.bytes(), NOW - DAY), back];
    assert_eq!(level(records, K), Level::Identified);
}

/// Adversarial case G95: the same witness twelve times, and a witness that is the author, are one vouch and none.
#[test]
fn the_same_vouch_twelve_times_is_one() {
    let twelve = (0..12_u32).map(|number| {
        let mut parts = parts(1, K, Medium);
        parts.id = id(number);
        vouched(parts, 1)
    });
    let found = explained(twelve.chain([trust(1), trust(2), vouch(K, K, High)]), K);
    assert_eq!(
        (found.level, found.score_ppm, found.paths.len()),
        (Level::Identified, 600_000, 1)
    );
}

/// Adversarial case G96, MRP-20: however many whom I trust are sure of it, nobody becomes one whom I trust myself.
#[test]
fn vouches_never_give_level_3() {
    let roots = (10..60_u32).flat_map(|root| [trust(root), vouch(root, K, High)]);
    assert_eq!(level(roots, K), Level::Vouched);
}

/// What is said of a learner does not count where competence is asked for.
#[test]
fn the_level_of_competence_must_be_the_one_required() {
    let as_learner = |required| {
        let mut parts = parts(1, K, High);
        parts.level = Competence::Learning;
        let settings = TrustSettings {
            required,
            ..TrustSettings::default()
        };
        crate::kit::explained_with([trust(1), vouched(parts, 1)], K, &settings).level
    };
    assert_eq!(as_learner(Competence::Competent), Level::Identified);
    assert_eq!(as_learner(Competence::Learning), Level::Vouched);
}

/// A vouch whose voucher nobody asked for more than 7 days weighs half; to ask is what cures it.
#[test]
fn what_nobody_asked_about_for_a_week_weighs_half() {
    let old = received(signed(parts(1, K, High), 1).bytes(), NOW - 7 * DAY - 1);
    let found = explained([trust(1), old.clone()], K);
    assert_eq!((found.level, found.score_ppm), (Level::Identified, 500_000));
    let asked = [trust(1), old, contact(1, NOW - 7 * DAY)];
    assert_eq!(level(asked, K), Level::Vouched);
}

/// Whom I distrust, or who is only trusted elsewhere, carries no trust on.
#[test]
fn roots_and_friends_must_be_in_good_standing() {
    let records = [trust(1), vouch(1, K, High)];
    let gone = distrust(1, None, NOW - DAY);
    assert_eq!(
        level(records.into_iter().chain([gone]), K),
        Level::Identified
    );
    let elsewhere = crate::kit::trust_in(1, Some("cooking"), NOW - DAY);
    assert_eq!(level([elsewhere, vouch(1, K, High)], K), Level::Identified);
    let mut friends = graph(
        &[1, 2],
        &[(1, 3, High), (2, 4, High), (3, K, High), (4, K, High)],
    );
    assert_eq!(level(friends.clone(), K), Level::Vouched);
    friends.push(distrust(3, None, NOW - DAY));
    assert_eq!(level(friends, K), Level::Identified);
}
