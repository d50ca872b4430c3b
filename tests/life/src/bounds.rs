//! Cost of a flood: rooms that no sender fills alone, and nothing that is read in vain (capsules D57).

use counterfoil_capsule::CapsuleDocument;
use serde_json::json;

use crate::LifeRig;
use crate::author::{
    Author, detector, events, hash, import, import_batch, is_refused, pending, texts, waits, with,
};
use crate::support::{Rig, agent, block_on};
use counterfoil_life::{Life as _, LineReport, Selection};

/// A thief's key can sign any number of branches; two of them prove it.
pub(crate) fn of_many_branches_at_one_place_some_are_kept_and_few_with_their_content<F: LifeRig>(
    factory: &F,
) {
    let rig = Rig::new(factory);
    let store = &rig.store;
    let mut author = Author::new(5);
    let chain = author.chain("c", 3);
    import(store, &texts(&chain));
    let others: Vec<CapsuleDocument> = (0..40)
        .map(|number| author.next(&chain[1], &format!("x-{number}"), 2_500_000))
        .collect();
    let outcomes = import(store, &texts(&others));
    let kept = |outcome: &&LineReport| **outcome == LineReport::Forked;
    assert_eq!(outcomes.iter().filter(kept).count(), 16);
    assert!(matches!(outcomes[39], LineReport::NoRoom { .. }));
    let branches = block_on(store.export_branches(Selection::All)).unwrap();
    let whole = branches.iter().filter(|line| line.contains("\"state\""));
    assert_eq!((branches.len(), whole.count()), (16, 4));
    let forks = block_on(store.forks()).unwrap();
    assert_eq!((forks.len(), forks[0].seq), (1, 2));
    let proof = block_on(store.fork_proof(chain[0].header().chain()));
    assert!(proof.unwrap().unwrap().check_alone().is_ok());
    let next = author.next(&chain[2], "c-3", 4_000_000);
    waits(store, next.to_text(), "forked");
}

/// A capsule of an unknown version needs no signature.
pub(crate) fn documents_that_nobody_signed_fill_a_small_part_of_the_room<F: LifeRig>(factory: &F) {
    let rig = Rig::new(factory);
    let store = &rig.store;
    let mut author = Author::new(5);
    let base = author.seed("junk", 0);
    let flood = |number: u32| {
        let text = format!("{number:04}{}", "y".repeat(900_000));
        let text = with(&base, "/payload/state/data/text", json!(text));
        text.replace("\"version\":\"1\"", "\"version\":\"2\"")
    };
    let outcomes: Vec<LineReport> = (0..12)
        .flat_map(|number| import(store, &[flood(number)]))
        .collect();
    assert_eq!(pending(&outcomes[0]), "unknown_version");
    assert!(matches!(outcomes[11], LineReport::NoRoom { .. }));
    let held = block_on(store.plan_collection(0)).unwrap();
    let bytes: u64 = held.iter().map(|(it, _)| it.bytes).sum();
    assert!(bytes <= 8 << 20);
    let chain = Author::new(6).chain("honest", 2);
    let outcome = import(store, &[chain[1].to_text()]);
    assert_eq!(pending(&outcome[0]), "missing_parent");
    let batch = import_batch(store, &[chain[0].to_text()]);
    assert_eq!(batch.settled, [hash(&chain[1])]);
    let settled = block_on(store.settle(detector(), "import test")).unwrap();
    assert!(settled.settled.is_empty() && !settled.more);
}

/// Bytes that are no capsule may hold content that is erased elsewhere, and no erasure could find it there.
pub(crate) fn of_bytes_that_are_no_capsule_nothing_is_kept_but_their_hash<F: LifeRig>(factory: &F) {
    let rig = Rig::new(factory);
    let store = &rig.store;
    let seed = Author::new(5).seed("a-very-private-sentence", 0);
    let line = format!("{} ", seed.to_text());
    is_refused(store, line, "E_NOT_CANONICAL");
    assert_eq!(rig.held(), 1);
    assert_eq!(rig.holding("private"), [""; 0]);
}

pub(crate) fn what_waits_unread_goes_when_its_chain_is_erased<F: LifeRig>(factory: &F) {
    let rig = Rig::new(factory);
    let store = &rig.store;
    let seed = Author::new(5).seed("a-very-private-sentence", 0);
    let other = Author::new(6).seed("another", 0);
    let unread = |document: &CapsuleDocument| {
        let text = document.to_text();
        text.replace("\"version\":\"1\"", "\"version\":\"2\"")
    };
    import(store, &[seed.to_text(), unread(&seed), unread(&other)]);
    assert_eq!(rig.held(), 2);
    block_on(store.erase(
        agent(200),
        &seed.header().world().unwrap().clone(),
        "asked for",
    ))
    .unwrap()
    .unwrap();
    assert_eq!(rig.held(), 1);
    assert_eq!(rig.collected().len(), 1);
}

pub(crate) fn junk_does_not_hide_that_an_agent_signed_two_capsules_for_one_place<F: LifeRig>(
    factory: &F,
) {
    let rig = Rig::new(factory);
    let store = &rig.store;
    let mut author = Author::new(5);
    let chain = author.chain("c", 2);
    let template = chain[0].to_text();
    let mut lines: Vec<String> = (0..150)
        .map(|number| template.replace("\"size\":", &format!("\"junk{number}\":0,\"size\":")))
        .collect();
    lines.extend(texts(&chain));
    lines.push(author.next(&chain[0], "x-1", 1_500_000).to_text());
    import(store, &lines);
    let events = events(store);
    let named = |kind: &str| events.iter().filter(|it| it["kind"] == kind).count();
    assert_eq!((named("equivocation"), named("summary")), (1, 1));
}
