//! Archives: a segment holds all that was taken, and a restore brings nothing else back.

use counterfoil_store::{CapsuleLog, Draft, MemoryStore, StoreError};

use crate::LifeRig;
use crate::support::{DAY_US, Rig, agent, assert_refused, block_on, id, world};
use counterfoil_life::{Life as _, SegmentReport};

pub(super) const SUFFIX: &str = ".jsonl.zst";

/// Ten turns and an evolving World of four versions, ten days old; one turn of today.
pub(crate) fn old<F: LifeRig>(factory: &F) -> Rig<'_, F> {
    let rig = Rig::new(factory);
    for number in 0..10 {
        rig.remember(&format!("w-{number}"), &format!("the heron {number}"));
    }
    let mut head = rig.remember("v-20", "the stork 0");
    for number in 1..4 {
        head = rig.update(
            &head,
            &format!("v-2{number}"),
            &format!("the stork {number}"),
        );
    }
    rig.wait(10 * DAY_US);
    rig.remember("w-30", "the heron of today");
    rig
}

pub(crate) fn restore<F: LifeRig>(
    rig: &Rig<'_, F>,
    names: &[&str],
) -> Result<Vec<SegmentReport>, StoreError> {
    let names = names.iter().map(|name| (*name).to_owned()).collect();
    block_on(rig.store.restore(rig.archive(), names))
}

pub(crate) fn get<F: LifeRig>(
    rig: &Rig<'_, F>,
    world: &str,
) -> Result<Option<counterfoil_capsule::World>, StoreError> {
    Ok(block_on(rig.store.get(&id(world)))?)
}

/// C9: archived content is in the segment and nowhere else; its chain, its proofs and all other
/// Worlds stay, and it comes back as it was.
/// (CAP-31)
pub(crate) fn what_is_archived_comes_back_as_it_was<F: LifeRig>(factory: &F) {
    let rig = old(factory);
    let before = get(&rig, "w-3").unwrap().unwrap();
    let size = block_on(rig.store.size()).unwrap();
    let before_then = rig.five_days_ago();
    let planned = rig.store.plan_archive(before_then, Some(before_then));
    let planned = block_on(planned).unwrap();
    assert_eq!((planned.0[0].capsules, planned.1), (13, 1));
    let segment = rig.archives();
    assert_eq!((segment.capsules, segment.entries), (13, (0, 12)));
    assert_eq!(segment.receipt, Some(size));
    assert_eq!(
        rig.holding("the heron 3"),
        std::slice::from_ref(&segment.name)
    );

    let refused = get(&rig, "w-3").unwrap_err();
    assert!(
        matches!(&refused, StoreError::Archived { segment: named, .. } if *named == segment.name),
        "{refused}"
    );
    assert!(
        refused.to_string().contains("counterfoil restore"),
        "{refused}"
    );
    assert_eq!(rig.found("heron", None), ["w-30"]);
    assert_eq!(
        rig.found("stork", None),
        ["v-23"],
        "the current version stays"
    );
    let current = get(&rig, "v-23").unwrap().unwrap();
    assert_eq!(current.data().unwrap()["text"], "the stork 3");
    let later = block_on(rig.store.size()).unwrap();
    for index in 0..later {
        assert!(
            block_on(rig.store.inclusion(index, later)).is_ok(),
            "{index}"
        );
    }
    rig.is_sound();

    let known = block_on(rig.store.segments()).unwrap();
    assert_eq!((known[0].capsules, known[0].archived), (13, 13));
    let restored = restore(&rig, &[segment.name.trim_end_matches(SUFFIX)]).unwrap();
    assert_eq!(restored[0].restored, 13);
    assert_eq!(
        get(&rig, "w-3").unwrap().unwrap().content_value(),
        before.content_value()
    );
    for (number, world) in ["v-20", "v-21", "v-22", "v-23"].iter().enumerate() {
        let world = get(&rig, world).unwrap().unwrap();
        assert_eq!(world.data().unwrap()["text"], format!("the stork {number}"));
    }
    assert!(rig.found("heron", None).len() > 10);
    rig.is_sound();
    let again = restore(&rig, &[&segment.name]).unwrap();
    assert_eq!((again[0].restored, again[0].capsules), (0, 13));
    let rig = rig.reopened();
    rig.is_sound();
}

/// Superseded versions go; each current one is found as before, however old it is, unless a time is given for it too.
pub(crate) fn what_is_current_stays<F: LifeRig>(factory: &F) {
    let rig = old(factory);
    let found = rig.found("heron", None);
    let (before, folder) = (rig.five_days_ago(), rig.archive());
    let archived = block_on(rig.store.archive(agent(1), before, None, folder)).unwrap();
    assert_eq!((archived.0[0].capsules, archived.1), (3, 11));
    assert_eq!(rig.found("heron", None), found);
    assert_eq!(rig.found("stork", None), ["v-23"]);
    assert!(get(&rig, "w-3").unwrap().is_some());
}

/// Adversarial case D58, second half. Content that is erased after it was archived and restored stays
/// erased although the segment still holds it; the certificate names the segment, and it can be
/// removed once everything else is back.
pub(crate) fn a_restore_does_not_bring_back_what_was_erased<F: LifeRig>(factory: &F) {
    let rig = old(factory);
    let first = rig.archives().name.clone();
    assert_refused!(rig.erasure(&id("w-3")), StoreError::Archived { .. });
    restore(&rig, &[&first]).unwrap();
    let certificate = rig.erase(&id("w-3"));
    assert_eq!(certificate.segments[0].0, first);
    assert_eq!(rig.holding("the heron 3"), std::slice::from_ref(&first));
    rig.erase(&id("v-21"));

    let second = rig.archives().name.clone();
    assert_ne!(second, first);
    let restored = restore(&rig, &[&first]).unwrap();
    assert_eq!((restored[0].restored, restored[0].erased), (11, 2));
    for world in ["w-3", "v-21"] {
        assert_eq!(get(&rig, world).unwrap(), None, "{world}");
    }
    assert!(get(&rig, "v-22").unwrap().is_some());
    assert!(rig.found("heron", None).len() > 9);
    rig.is_sound();
    block_on(rig.store.discard_segment(rig.archive(), &first)).unwrap();
    assert_eq!(rig.holding("the heron 3"), [""; 0]);
    assert_eq!(rig.holding("the stork 1"), [""; 0]);
    let kept = rig.holding("the stork 2");
    assert!(kept.contains(&second) && kept.len() > 1, "{kept:?}");
}

/// A segment of which something is nowhere else is not removed.
pub(crate) fn a_segment_that_is_needed_is_not_removed<F: LifeRig>(factory: &F) {
    let rig = old(factory);
    let name = rig.archives().name.clone();
    assert_refused!(
        block_on(rig.store.discard_segment(rig.archive(), &name)),
        StoreError::SegmentRefused { .. }
    );
    let other = block_on(rig.store.discard_segment(rig.archive(), "segment-1"));
    assert_refused!(other, StoreError::SegmentRefused { .. });
    assert!(rig.archive().join(&name).exists());
}

/// MEM-MAINT-7: a restore does not bring back a forgotten World.
pub(crate) fn a_restore_does_not_bring_back_what_is_forgotten<F: LifeRig>(factory: &F) {
    let rig = old(factory);
    let name = rig.archives().name.clone();
    block_on(rig.store.forget(agent(1), &id("w-3"), None, "out of date")).unwrap();
    restore(&rig, &[&name]).unwrap();
    let actor = agent(1).agent().to_string();
    assert!(!rig.found("heron", Some(&actor)).contains(&"w-3".to_owned()));
    assert!(rig.found("heron", None).contains(&"w-3".to_owned()));
    rig.is_sound();
}

/// C9: a stub keeps the chain checkable and growing: the version after an archived one follows.
/// (CAP-32)
pub(crate) fn a_chain_goes_on_over_its_stubs<F: LifeRig>(factory: &F) {
    let rig = old(factory);
    rig.archives();
    let index = block_on(rig.store.index_of(&id("v-23"))).unwrap().unwrap();
    let stored = block_on(rig.store.capsule(index)).unwrap().unwrap();
    let draft = Draft::new(world("v-24", "the stork 4"));
    let draft = draft.following(stored.header.chain(), stored.header.hash());
    block_on(rig.store.append(agent(1), vec![draft])).unwrap();
    assert_eq!(rig.found("stork", None), ["v-24"]);
    rig.is_sound();
    let archived = rig.archives();
    assert_eq!(
        archived.capsules, 1,
        "the version that is not current any more"
    );
    let names: Vec<String> = block_on(rig.store.segments())
        .unwrap()
        .into_iter()
        .map(|segment| segment.name)
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    restore(&rig, &[names[1]]).unwrap();
    assert!(get(&rig, "v-23").unwrap().is_some());
    rig.is_sound();
    restore(&rig, &[names[0]]).unwrap();
    rig.is_sound();
}
