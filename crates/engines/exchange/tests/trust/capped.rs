//! What lowers a level: distrust, disputes, marks; and what is decided last.

use counterfoil_exchange::trust::{Cap, Level, Mark, Records, TrustSettings};
use serde_json::json;

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
    let mut records = vec![trust(K), distrust(K, None, NOW - DAY)];
    assert_eq!(level(records.clone(), K), Level::Anonymous);
    records.push(trust_in(K, None, NOW - SECOND));
    assert_eq!(level(records, K), Level::Direct);
}

#[test]
fn direct_trust_ends_when_it_expires() {
    let until = |expires: u64| {
        let trust = json!({ "key": key(K), "expires": time(expires) });
        own(json!({ "direct_trust": trust }), NOW - DAY)
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
    for more in [
        vec![],
        vec![trust(1), distrust(1, None, NOW - DAY)],
        vec![trust(1), mark(1, Mark::Framing, NOW - DAY)],
    ] {
        let records = by_stranger.clone().into_iter().chain(more);
        assert_eq!(level(records, K), Level::Direct);
    }
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
    for capped in [
        vec![mark(1, Mark::Equivocation, NOW - DAY)],
        vec![mark(1, Mark::Compromise, NOW - DAY)],
        vec![trust(2), dispute(2, 1, None, NOW - DAY)],
    ] {
        let records = records.clone().into_iter().chain(capped);
        assert_eq!(level(records, K), Level::Identified);
    }
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
    for (agent, about, level) in [
        (K, Some("cooking/meat"), Level::Direct),
        (K, Some("cooking"), Level::Direct),
        (K, None, Level::Identified),
        (1, Some("cooking/meat/raw"), Level::Anonymous),
        (1, Some("cooking"), Level::Anonymous),
        (1, Some("cooking/fish"), Level::Direct),
        (1, None, Level::Anonymous),
    ] {
        assert_eq!(at(agent, about), level, "{agent} {about:?}");
    }
}
