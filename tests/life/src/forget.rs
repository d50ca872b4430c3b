//! Forgotten Worlds stay out of selections, and nothing else changes.

use counterfoil_capsule::Header;
use counterfoil_capsule::documents::{ApprovedForgetting, ForgetDecision, Tombstone};
use counterfoil_store::{CapsuleLog, MemoryStore, StoreError};

use crate::LifeRig;
use crate::support::{Rig, agent, assert_refused, block_on, id};
use counterfoil_life::Life as _;

fn forget<F: LifeRig>(
    rig: &Rig<'_, F>,
    world: &str,
    decision: Option<Box<ApprovedForgetting>>,
) -> ((u64, Header, Tombstone), bool) {
    block_on(
        rig.store
            .forget(agent(1), &id(world), decision, "out of date"),
    )
    .unwrap()
    .unwrap()
}

fn decided<F: LifeRig>(
    rig: &Rig<'_, F>,
    world: &str,
    actor: u8,
) -> Option<Box<ApprovedForgetting>> {
    let decision = ForgetDecision::sign(
        id(world),
        agent(actor).agent(),
        "asked to",
        &*agent(9),
        rig.now(),
    );
    let approved = decision.unwrap().approve(&[agent(9).agent()]).unwrap();
    Some(Box::new(approved))
}

fn did(number: u8) -> String {
    agent(number).agent().to_string()
}

/// MEM-MAINT-2, MEM-MAINT-3, MEM-MAINT-4, MEM-MAINT-8: an agent's tombstone leaves the World out of
/// its own selections and of no other agent's; the World itself is untouched.
pub(crate) fn an_agent_forgets_for_itself<F: LifeRig>(factory: &F) {
    let rig = Rig::new(factory);
    rig.remember("w-1", "the heron key");
    rig.remember("w-2", "another heron");
    let (tombstone, now) = forget(&rig, "w-1", None);
    assert!(now);
    assert_eq!(tombstone.2.actor.as_str(), did(1));
    assert_eq!(rig.found("heron", Some(&did(1))), ["w-2"]);
    for other in [None, Some(did(2))] {
        assert_eq!(rig.found("heron", other.as_deref()).len(), 2, "{other:?}");
    }
    assert!(block_on(rig.store.get(&id("w-1"))).unwrap().is_some());
    rig.is_sound();
    assert_eq!(
        rig.found("heron", Some(&did(1))),
        ["w-2"],
        "after a rebuild"
    );
    let rig = rig.reopened();
    assert_eq!(rig.found("heron", Some(&did(1))), ["w-2"]);
}

/// MEM-MAINT-5: to forget again writes nothing.
pub(crate) fn to_forget_again_writes_nothing<F: LifeRig>(factory: &F) {
    let rig = Rig::new(factory);
    rig.remember("w-1", "the heron key");
    let (first, _) = forget(&rig, "w-1", None);
    let size = block_on(rig.store.size()).unwrap();
    let again = forget(&rig, "w-1", None);
    assert_eq!(again, (first, false));
    assert_eq!(block_on(rig.store.size()).unwrap(), size);
}

/// MEM-MAINT-1, MEM-MAINT-9, MEM-MAINT-10: for all it is forgotten by the decision of an authority, about this World
/// and this actor; the decision is kept in the tombstone.
pub(crate) fn for_all_it_is_forgotten_by_decision<F: LifeRig>(factory: &F) {
    let rig = Rig::new(factory);
    rig.remember("w-1", "the heron key");
    rig.remember("w-2", "another heron");
    for wrong in [decided(&rig, "w-2", 1), decided(&rig, "w-1", 2)] {
        assert_refused!(
            block_on(rig.store.forget(agent(1), &id("w-1"), wrong, "asked to")),
            StoreError::NotDecided { .. }
        );
    }
    let (tombstone, now) = forget(&rig, "w-1", decided(&rig, "w-1", 1));
    assert!(now);
    let Some(decision) = &tombstone.2.decision else {
        panic!("{tombstone:?}")
    };
    let decision = serde_json::from_str(decision.as_str()).unwrap();
    assert!(ForgetDecision::parse(&decision).is_ok());
    for actor in [None, Some(did(1)), Some(did(2))] {
        assert_eq!(rig.found("heron", actor.as_deref()), ["w-2"]);
    }
    rig.is_sound();
    assert_eq!(rig.found("heron", None), ["w-2"], "after a rebuild");
}

/// MEM-MAINT-7: a World that is remembered or imported again stays forgotten, and so do all
/// versions of an evolving one.
pub(crate) fn nothing_brings_it_back<F: LifeRig>(factory: &F) {
    let rig = Rig::new(factory);
    let first = rig.remember("w-1", "the heron key");
    forget(&rig, "w-1", None);
    rig.remember("w-1", "the heron key");
    rig.update(&first, "w-2", "the heron key, again");
    assert_eq!(rig.found("heron", Some(&did(1))), [""; 0]);
    rig.is_sound();
    assert_eq!(rig.found("heron", Some(&did(1))), [""; 0]);
}

/// MEM-MAINT-6: forgotten Worlds are listed with agent and reason; without a reason none is forgotten.
pub(crate) fn what_was_forgotten_is_listed_with_its_reason<F: LifeRig>(factory: &F) {
    let rig = Rig::new(factory);
    rig.remember("w-1", "one");
    rig.remember("w-2", "two");
    forget(&rig, "w-2", None);
    forget(&rig, "w-1", None);
    let listed = block_on(rig.store.tombstones(None)).unwrap();
    let worlds: Vec<_> = listed.iter().map(|it| it.2.world.clone()).collect();
    assert_eq!(worlds, [id("w-2"), id("w-1")]);
    assert!(
        listed
            .iter()
            .all(|it| it.2.reason.as_str() == "out of date")
    );
    assert_refused!(
        block_on(rig.store.forget(agent(2), &id("w-1"), None, "")),
        StoreError::Seal { .. }
    );
    assert_eq!(
        block_on(rig.store.tombstones(Some(&id("w-1"))))
            .unwrap()
            .len(),
        1
    );
}
