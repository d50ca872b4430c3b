//! Collection takes documents that were never accepted, after their time, and nothing else.

use counterfoil_capsule::{AgentSigner, SecretKey};
use counterfoil_store::collect::{Fate, HeldCapsule};
use serde_json::Value;

use crate::LifeRig;
use crate::author::{Author, import, is_refused, pending, seed_by, with};
use crate::support::{DAY_US, Rig, block_on};
use counterfoil_life::Life as _;

/// Later than any clock of a case.
const FAR_US: u64 = 400 * 31_557_600_000_000;

/// Number of capsules with a fate.
fn of_fate(fates: &[(HeldCapsule, Fate)], fate: Fate) -> usize {
    fates.iter().filter(|(_, it)| *it == fate).count()
}

fn collect<F: LifeRig>(rig: &Rig<'_, F>) -> usize {
    of_fate(&block_on(rig.store.collect(0)).unwrap(), Fate::Collect)
}

/// Adversarial case D51. A parent, a key, a version or a time that is missing is no reason to go;
/// only the time that was waited is.
/// (CAP-33, C10)
pub(crate) fn what_waits_is_not_collected_before_its_time<F: LifeRig>(factory: &F) {
    let rig = Rig::new(factory);
    let mut author = Author::new(5);
    let chain = author.chain("c", 2);
    let unread = author.seed("u", 0).to_text();
    let rotated = AgentSigner::rotated(author.did(), 1, SecretKey::from_seed([77; 32]));
    for (document, code) in [
        (chain[1].to_text(), "missing_parent"),
        (seed_by(&rotated, 3, "w").to_text(), "missing_key"),
        (
            unread.replace("\"version\":\"1\"", "\"version\":\"2\""),
            "unknown_version",
        ),
        (author.seed("far", FAR_US).to_text(), "future_timestamp"),
    ] {
        assert_eq!(pending(&import(&rig.store, &[document])[0]), code);
    }
    for days in [0, 7, 22, 7] {
        rig.wait(days * DAY_US);
        assert_eq!(
            (collect(&rig), rig.held()),
            (0, 4),
            "after {days} more days"
        );
    }
    rig.wait(2 * DAY_US);
    assert_eq!((collect(&rig), rig.held()), (4, 0), "after 38 days");
}

/// A document that is refused for good goes after its grace, leaves its hash and the reason, and a dry run
/// says so without doing it.
/// (CAP-33)
pub(crate) fn what_is_refused_leaves_its_hash_and_the_reason<F: LifeRig>(factory: &F) {
    let rig = Rig::new(factory);
    rig.remember("w-1", "accepted");
    let mut author = Author::new(5);
    let other: Value = serde_json::from_str(&author.seed("other", 9).to_text()).unwrap();
    let unsigned = with(
        &author.seed("s", 0),
        "/signature",
        other["signature"].clone(),
    );
    is_refused(&rig.store, unsigned, "E_SIGNATURE");
    assert_eq!(collect(&rig), 0, "in its grace");
    rig.wait(8 * DAY_US);
    let planned = block_on(rig.store.plan_collection(0)).unwrap();
    assert_eq!((of_fate(&planned, Fate::Collect), rig.held()), (1, 1));
    let none = block_on(rig.store.collect(20 * DAY_US)).unwrap();
    assert_eq!(none.len(), 1);
    assert_eq!(none[0].1, Fate::Grace, "older ones only");
    assert_eq!((collect(&rig), rig.held()), (1, 0));
    assert_eq!(rig.collected(), ["E_SIGNATURE"]);
    rig.is_sound();
}
