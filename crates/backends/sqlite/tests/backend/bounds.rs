//! What a flood may cost: rooms that nobody fills alone, and nothing that is read in vain (capsules D57).

use counterfoil_capsule::CapsuleDocument;
use counterfoil_life::Life as _;
use counterfoil_life::LineReport;
use serde_json::json;

use crate::author::{
    Author, created, detector, events, hash, import, import_batch, is_refused, pending, texts,
    waits, with,
};
use crate::common::{agent, block_on, is_clean};

#[test]
fn every_capsule_is_found_by_its_hash_and_again_in_a_store_that_did_not() {
    let (place, store) = created(1);
    import(&store, &texts(&Author::new(5).chain("c", 70)));
    let (_, before, after) = block_on(store.rebuild()).unwrap();
    assert_eq!(before, Some(after));
    drop(store);
    let sealed = "SELECT count(*) FROM sealed JOIN capsule USING (idx)";
    assert_eq!(place.count(sealed), 70);
    place.raw().execute("DELETE FROM sealed", []).unwrap();
    let store = place.open();
    assert_eq!(place.count(sealed), 70);
    is_clean(&store);
}

/// A thief's key can sign any number of branches; two of them prove it.
#[test]
fn of_many_branches_at_one_place_some_are_kept_and_few_with_their_content() {
    let (place, store) = created(1);
    let mut author = Author::new(5);
    let chain = author.chain("c", 3);
    import(&store, &texts(&chain));
    let others: Vec<CapsuleDocument> = (0..40)
        .map(|number| author.next(&chain[1], &format!("x-{number}"), 2_500_000))
        .collect();
    let outcomes = import(&store, &texts(&others));
    let kept = |outcome: &&LineReport| **outcome == LineReport::Forked;
    assert_eq!(outcomes.iter().filter(kept).count(), 16);
    assert!(matches!(outcomes[39], LineReport::NoRoom { .. }));
    assert_eq!(place.count("SELECT count(*) FROM fork"), 16);
    let whole = "SELECT count(*) FROM fork WHERE document LIKE '%\"state\"%'";
    assert_eq!(place.count(whole), 4);
    let forks = block_on(store.forks()).unwrap();
    assert_eq!((forks.len(), forks[0].seq), (1, 2));
    let proof = block_on(store.fork_proof(chain[0].header().chain()));
    assert!(proof.unwrap().unwrap().check_alone().is_ok());
    let next = author.next(&chain[2], "c-3", 4_000_000);
    waits(&store, next.to_text(), "forked");
}

/// Nobody has to sign a capsule of a version that is not known here.
#[test]
fn documents_that_nobody_signed_fill_a_small_part_of_the_room() {
    let (place, store) = created(1);
    let mut author = Author::new(5);
    let base = author.seed("junk", 0);
    let flood = |number: u32| {
        let text = format!("{number:04}{}", "y".repeat(900_000));
        let text = with(&base, "/payload/state/data/text", json!(text));
        text.replace("\"version\":\"1\"", "\"version\":\"2\"")
    };
    let outcomes: Vec<LineReport> = (0..12)
        .flat_map(|number| import(&store, &[flood(number)]))
        .collect();
    assert_eq!(pending(&outcomes[0]), "unknown_version");
    assert!(matches!(outcomes[11], LineReport::NoRoom { .. }));
    let bytes = "SELECT sum(octet_length(document)) FROM held";
    assert!(place.count(bytes) <= 8 << 20);
    let chain = Author::new(6).chain("honest", 2);
    let outcome = import(&store, &[chain[1].to_text()]);
    assert_eq!(pending(&outcome[0]), "missing_parent");
    let batch = import_batch(&store, &[chain[0].to_text()]);
    assert_eq!(batch.settled, [hash(&chain[1])]);
    let settled = block_on(store.settle(detector(), "import test")).unwrap();
    assert!(settled.settled.is_empty() && !settled.more);
}

/// Bytes that are no capsule may hold what is erased elsewhere, and nothing could find it there.
#[test]
fn of_bytes_that_are_no_capsule_nothing_is_kept_but_their_hash() {
    let (place, store) = created(1);
    let seed = Author::new(5).seed("a-very-private-sentence", 0);
    let line = format!("{} ", seed.to_text());
    is_refused(&store, line, "E_NOT_CANONICAL");
    assert_eq!(place.count("SELECT count(*) FROM held"), 1);
    let shown = "SELECT count(*) FROM held WHERE document LIKE '%private%'";
    assert_eq!(place.count(shown), 0);
}

#[test]
fn what_waits_unread_goes_when_its_chain_is_erased() {
    let (place, store) = created(1);
    let seed = Author::new(5).seed("a-very-private-sentence", 0);
    let other = Author::new(6).seed("another", 0);
    let unread = |document: &CapsuleDocument| {
        let text = document.to_text();
        text.replace("\"version\":\"1\"", "\"version\":\"2\"")
    };
    import(&store, &[seed.to_text(), unread(&seed), unread(&other)]);
    assert_eq!(place.count("SELECT count(*) FROM held"), 2);
    block_on(store.erase(
        agent(200),
        &seed.header().world().unwrap().clone(),
        "asked for",
    ))
    .unwrap()
    .unwrap();
    assert_eq!(place.count("SELECT count(*) FROM held"), 1);
    assert_eq!(place.count("SELECT count(*) FROM collected"), 1);
}

#[test]
fn junk_does_not_hide_that_an_agent_signed_two_capsules_for_one_place() {
    let (_place, store) = created(1);
    let mut author = Author::new(5);
    let chain = author.chain("c", 2);
    let template = chain[0].to_text();
    let mut lines: Vec<String> = (0..150)
        .map(|number| template.replace("\"size\":", &format!("\"junk{number}\":0,\"size\":")))
        .collect();
    lines.extend(texts(&chain));
    lines.push(author.next(&chain[0], "x-1", 1_500_000).to_text());
    import(&store, &lines);
    let events = events(&store);
    let named = |kind: &str| events.iter().filter(|it| it["kind"] == kind).count();
    assert_eq!((named("equivocation"), named("summary")), (1, 1));
}
