//! What lowers a level: distrust, disputes, marks; and what is decided last.

use counterfoil_exchange::trust::{Cap, Level, LocalRecord, Mark, Records, TrustSettings};

use crate::kit::{
    DAY, High, NOW, SECOND, clear, dispute, distrust, domain, explained, key, level, mark, own,
    time, trust, trust_in, vouch,
};

const K: u32 = 9;

/// MRP-17, MRP-18, MRP-20: nothing recorded is level 1 of whoever proves a key, distrust is 0, direct trust is 3.
#[test]
fn the_last_decision_counts() {
    assert_eq!(level([], K), Level::Identified);
    assert_eq!(level([trust(K)], K), Level::Direct);
    assert_eq!(
        level([trust(K), distrust(K, None, NOW - DAY)], K),
        Level::Anonymous
    );
    let again = trust_in(K, None, NOW - SECOND);
    assert_eq!(
        level([trust(K), distrust(K, None, NOW - DAY), again], K),
        Level::Direct
    );
}

#[test]
fn direct_trust_ends_when_it_expires() {
    let until = |expires: u64| {
        let expires = Some(time(expires));
        own(
            LocalRecord::DirectTrust {
                key: key(K),
                domain: None,
                expires,
            },
            NOW - DAY,
        )
    };
    assert_eq!(level([until(NOW)], K), Level::Direct);
    assert_eq!(level([until(NOW - 1)], K), Level::Identified);
}

/// The least of what caps a level counts.
#[test]
fn marks_and_disputes_cap_even_direct_trust() {
    for (seen, left) in [
        (Mark::Equivocation, Level::Identified),
        (Mark::Framing, Level::Identified),
        (Mark::Compromise, Level::Anonymous),
    ] {
        let marked = [trust(K), mark(K, seen, NOW - DAY)];
        assert_eq!(level(marked.clone(), K), left, "{seen:?}");
        let cleared = marked.into_iter().chain([clear(K, seen, NOW - SECOND)]);
        assert_eq!(level(cleared, K), Level::Direct, "{seen:?}");
    }
    let disputed = [trust(K), trust(1), dispute(1, K, None, NOW - DAY)];
    let found = explained(disputed.clone(), K);
    assert_eq!(
        (found.level, found.caps),
        (Level::Identified, vec![Cap::Disputed { by: key(1) }])
    );
    let both = disputed.into_iter().chain([distrust(K, None, NOW - DAY)]);
    assert_eq!(level(both, K), Level::Anonymous);
}

/// A dispute by somebody whom I do not trust directly, or trusted once, says nothing.
#[test]
fn only_those_whom_i_trust_dispute() {
    let by_stranger = [trust(K), dispute(1, K, None, NOW - DAY)];
    assert_eq!(level(by_stranger.clone(), K), Level::Direct);
    let taken_back = [trust(1), distrust(1, None, NOW - DAY)];
    assert_eq!(
        level(by_stranger.clone().into_iter().chain(taken_back), K),
        Level::Direct
    );
    let marked = [trust(1), mark(1, Mark::Framing, NOW - DAY)];
    assert_eq!(
        level(by_stranger.into_iter().chain(marked), K),
        Level::Direct
    );
}

/// Two that dispute each other are both lowered, whichever is read first.
#[test]
fn two_that_dispute_each_other_are_both_lowered() {
    let records = [
        trust(1),
        trust(2),
        dispute(1, 2, None, NOW - DAY),
        dispute(2, 1, None, NOW - DAY),
    ];
    assert_eq!(level(records.clone(), 1), Level::Identified);
    assert_eq!(level(records, 2), Level::Identified);
}

/// A root that is capped is none, and neither is a friend that is.
#[test]
fn who_is_capped_carries_no_trust() {
    let records = [trust(1), vouch(1, K, High)];
    let capped = [
        mark(1, Mark::Equivocation, NOW - DAY),
        mark(1, Mark::Compromise, NOW - DAY),
    ];
    for mark in capped {
        let records = records.clone().into_iter().chain([mark]);
        assert_eq!(level(records, K), Level::Identified);
    }
    let disputed = records
        .into_iter()
        .chain([trust(2), dispute(2, 1, None, NOW - DAY)]);
    assert_eq!(level(disputed, K), Level::Identified);
}

/// Without a domain only what is said of everything raises, and what lowers anywhere lowers.
#[test]
fn a_wider_domain_is_never_trusted_more() {
    let records = Records::gather([
        trust_in(K, Some("cooking"), NOW - DAY),
        trust(1),
        distrust(1, Some("cooking/meat"), NOW - DAY),
    ]);
    let at = |agent: u32, about: Option<&str>| {
        let domain = about.map(domain);
        records
            .level(&key(agent), domain.as_ref(), NOW, &TrustSettings::default())
            .level
    };
    assert_eq!(at(K, Some("cooking/meat")), Level::Direct);
    assert_eq!(at(K, Some("cooking")), Level::Direct);
    assert_eq!(at(K, None), Level::Identified);
    assert_eq!(at(1, Some("cooking/meat/raw")), Level::Anonymous);
    assert_eq!(at(1, Some("cooking")), Level::Anonymous);
    assert_eq!(at(1, Some("cooking/fish")), Level::Direct);
    assert_eq!(at(1, None), Level::Anonymous);
}
