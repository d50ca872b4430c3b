//! Laws of trust: no order of the records matters, and what lowers never raises (MRP-49).

use counterfoil_exchange::documents::VouchConfidence;
use counterfoil_exchange::trust::{Level, LocalRecord, Mark, Record, Records, TrustSettings};
use proptest::prelude::*;

use crate::kit::{
    DAY, High, Low, Medium, NOW, clear, contact, dispute, distrust, domain, id, key, mark,
    revocation, succession, trust_in, vouch,
};

const DOMAINS: [Option<&str>; 5] = [
    None,
    Some("memory-systems"),
    Some("memory-systems/pruning"),
    Some("memory-systems/pruning/deep"),
    Some("cooking"),
];

fn agents() -> impl Strategy<Value = u32> {
    1..=6_u32
}

fn domains() -> impl Strategy<Value = Option<&'static str>> {
    proptest::sample::select(DOMAINS.to_vec())
}

fn times() -> impl Strategy<Value = u64> {
    (0..20_u64).prop_map(|days| NOW - days * DAY / 2)
}

fn confidences() -> impl Strategy<Value = VouchConfidence> {
    proptest::sample::select(vec![High, Medium, Low])
}

fn marks() -> impl Strategy<Value = Mark> {
    proptest::sample::select(Mark::ALL.to_vec())
}

/// What can only lower.
fn lowering() -> impl Strategy<Value = Record> {
    prop_oneof![
        (agents(), domains(), times()).prop_map(|(of, about, at)| distrust(of, about, at)),
        (agents(), agents(), domains(), times())
            .prop_map(|(by, of, about, at)| dispute(by, of, about, at)),
        (agents(), marks(), times()).prop_map(|(of, seen, at)| mark(of, seen, at)),
        (agents(), agents(), agents(), confidences(), times()).prop_map(|(by, of, to, how, at)| {
            revocation(by, &vouch(of, to, how), id(of << 16 | to), at)
        }),
    ]
}

fn anything() -> impl Strategy<Value = Record> {
    prop_oneof![
        6 => (agents(), agents(), confidences()).prop_map(|(by, of, how)| vouch(by, of, how)),
        4 => (agents(), domains(), times()).prop_map(|(of, about, at)| trust_in(of, about, at)),
        6 => lowering(),
        1 => (agents(), agents()).prop_map(|(from, to)| succession(from, to)),
        1 => (agents(), marks(), times()).prop_map(|(of, seen, at)| clear(of, seen, at)),
        1 => (agents(), times()).prop_map(|(of, at)| contact(of, at)),
    ]
}

fn many() -> impl Strategy<Value = Vec<Record>> {
    proptest::collection::vec(anything(), 0..30)
}

fn settings() -> impl Strategy<Value = TrustSettings> {
    (1..=3_u8).prop_map(|max_hops| TrustSettings {
        max_hops,
        ..TrustSettings::default()
    })
}

fn level(records: &Records, of: u32, about: Option<&str>, settings: &TrustSettings) -> Level {
    let domain = about.map(domain);
    records
        .level(&key(of), domain.as_ref(), NOW, settings)
        .level
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// MRP-49: the same records in another order, and some of them twice, say the same.
    #[test]
    fn the_order_of_the_records_changes_nothing(
        (records, shuffled) in many().prop_flat_map(|records| {
            let twice = records.iter().chain(records.iter().take(5)).cloned().collect::<Vec<_>>();
            (Just(records), Just(twice).prop_shuffle())
        }),
        about in domains(), settings in settings(),
    ) {
        let (one, other) = (Records::gather(records), Records::gather(shuffled));
        prop_assert_eq!(&one, &other);
        let domain = about.map(domain);
        for of in 1..=6 {
            let told = |records: &Records| records.level(&key(of), domain.as_ref(), NOW, &settings);
            prop_assert_eq!(told(&one), told(&other));
        }
    }

    /// MRP-30: a record that lowers raises nobody, where nobody is disputed: who is marked or distrusted disputes in
    /// vain. Of three hops see the oracle.
    #[test]
    fn what_lowers_never_raises(
        records in many(), more in lowering(), about in domains(), hops in 1..=2_u8,
    ) {
        let settings = TrustSettings { max_hops: hops, ..TrustSettings::default() };
        let undisputed = records.into_iter().filter(|record| !matches!(
            record.local_record(), Some(LocalRecord::Dispute { .. })
        ));
        let records: Vec<Record> = undisputed.collect();
        let before = Records::gather(records.clone());
        let after = Records::gather(records.into_iter().chain([more]));
        for of in 1..=6 {
            let (was, is) = (level(&before, of, about, &settings), level(&after, of, about, &settings));
            prop_assert!(is <= was, "{of}: {was} became {is}");
        }
    }

    /// MRP-30: and what is said against an agent never raises that agent.
    #[test]
    fn what_is_said_against_an_agent_never_raises_it(
        records in many(), more in lowering(), about in domains(), hops in 1..=2_u8,
    ) {
        let settings = TrustSettings { max_hops: hops, ..TrustSettings::default() };
        let Some(said) = more.local_record() else { return Ok(()) };
        let Some(of) = (1..=6).find(|of| Some(key(*of)) == said.key()) else { return Ok(()) };
        let before = Records::gather(records.clone());
        let after = Records::gather(records.into_iter().chain([more.clone()]));
        let (was, is) = (level(&before, of, about, &settings), level(&after, of, about, &settings));
        prop_assert!(is <= was, "{of}: {was} became {is}");
    }

    /// Adversarial case G96: without direct trust nobody reaches level 3, and who was trusted gets there by that alone.
    #[test]
    fn vouches_never_give_level_3(records in many(), about in domains(), settings in settings()) {
        let without = records.iter().filter(|record| !matches!(
            record.local_record(),
            Some(LocalRecord::DirectTrust { .. })
        ));
        let records = Records::gather(without.cloned());
        for of in 1..=6 {
            prop_assert!(level(&records, of, about, &settings) <= Level::Identified);
        }
    }

    /// MRP-30: to leave the domain away, or a part of it, raises nobody.
    #[test]
    fn a_wider_domain_is_never_trusted_more(records in many(), hops in 1..=2_u8) {
        let settings = TrustSettings { max_hops: hops, ..TrustSettings::default() };
        let records = Records::gather(records);
        for of in 1..=6 {
            for pair in DOMAINS[..4].windows(2) {
                let (wide, narrow) =
                    (level(&records, of, pair[0], &settings), level(&records, of, pair[1], &settings));
                prop_assert!(wide <= narrow, "{of}: {pair:?} {wide} {narrow}");
            }
        }
    }

    /// More hops never give less.
    #[test]
    fn more_hops_never_give_less(records in many(), about in domains()) {
        let records = Records::gather(records);
        let with = |of, max_hops| {
            level(&records, of, about, &TrustSettings { max_hops, ..TrustSettings::default() })
        };
        for of in 1..=6 {
            prop_assert!(with(of, 1) <= with(of, 2) && with(of, 2) <= with(of, 3));
        }
    }
}
