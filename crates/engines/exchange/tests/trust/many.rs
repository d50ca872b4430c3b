//! Many vouches: it ends, soon, and saturates (case 98).

use std::time::{Duration, Instant};

use counterfoil_exchange::trust::{Level, Record, Records, TrustSettings};

use crate::kit::{High, Low, Medium, NOW, domain, graph, key, parts, received, signed, trust};

const K: u32 = 9;

/// Adversarial case G98: settings at their limits overflow nothing.
#[test]
fn extreme_settings_saturate() {
    let edges = [(1, 3, High), (2, 4, Low), (3, K, Medium), (4, K, High)];
    let records = Records::gather(graph(&[1, 2], &edges));
    let domain = domain("memory-systems");
    for threshold_ppm in [0, 1, u64::MAX] {
        for decay_ppm in [0, 1, 1_000_000, u64::MAX] {
            for max_hops in [0, 1, 2, 3, u8::MAX] {
                let settings = TrustSettings {
                    max_hops,
                    threshold_ppm,
                    decay_ppm,
                    ..TrustSettings::default()
                };
                for now in [0, NOW, u64::MAX] {
                    let found = records.level(&key(K), Some(&domain), now, &settings);
                    assert!(found.level <= Level::Vouched);
                    assert!(found.score_ppm <= 2_000_000);
                }
            }
        }
    }
}

/// Adversarial case G98: a dense graph full of cycles, in which everyone vouches for everyone.
#[test]
fn a_graph_of_cycles_ends() {
    let all = || 1..=60_u32;
    let edges = all().flat_map(|a| all().map(move |b| (a, b)));
    let edges = edges.filter(|(a, b)| a != b).map(|(a, b)| {
        let how = [Low, Medium, High][usize::try_from((a * 7 + b * 3) % 3).unwrap()];
        received(signed(parts(a, b, how), a).bytes(), NOW)
    });
    let records: Vec<Record> = edges.chain((1..=10).map(trust)).collect();
    let records = Records::gather(records);
    let domain = domain("memory-systems");
    for max_hops in 1..=3 {
        let settings = TrustSettings {
            max_hops,
            threshold_ppm: u64::MAX,
            ..TrustSettings::default()
        };
        let begun = Instant::now();
        let found = records.level(&key(60), Some(&domain), NOW, &settings);
        assert!(found.paths.len() >= 10, "{}", found.paths.len());
        let taken = begun.elapsed();
        assert!(taken < Duration::from_secs(20), "{taken:?}");
    }
}
