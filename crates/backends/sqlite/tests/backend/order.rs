//! What comes first does not matter (C33, C36).

use counterfoil_capsule::CapsuleDocument;
use counterfoil_life::LineReport;
use counterfoil_store::CapsuleLog;
use proptest::prelude::*;

use crate::author::{
    Author, created, events, export, import, import_batch, pending, redaction, texts,
};
use crate::common::block_on;

/// Adversarial case C36
#[test]
fn ten_thousand_in_reverse_wait_and_are_then_all_accepted() {
    let (place, store) = created(1);
    let mut lines = texts(&Author::new(5).chain("c", 10_000));
    lines.reverse();
    let (last, first) = (lines.pop().unwrap(), lines);
    for part in first.chunks(1000) {
        for outcome in import(&store, part) {
            assert_eq!(pending(&outcome), "missing_parent");
        }
    }
    assert_eq!(block_on(store.size()).unwrap(), 0);
    assert_eq!(
        place.count("SELECT count(*) FROM held WHERE class = 'pending'"),
        9_999
    );
    let batch = import_batch(&store, &[last]);
    assert_eq!(batch.outcomes[0].1, LineReport::Accepted);
    assert_eq!(batch.settled.len(), 9_999);
    assert_eq!(block_on(store.size()).unwrap(), 10_000);
    assert_eq!(
        place.count("SELECT count(*) FROM held"),
        0,
        "nothing is left, nothing was collected"
    );
    assert!(events(&store).is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Whatever the order, the same is accepted, and nothing is left over; also where a version was erased: it comes
    /// without its body and the next without its delta, before the redaction or after it.
    #[test]
    fn any_order_comes_to_the_same(order in Just((0..26_usize).collect::<Vec<_>>()).prop_shuffle()) {
        let (place, store) = created(1);
        let mut author = Author::new(5);
        let mut lines = with_an_erased_version(&mut author);
        lines.extend(texts(&author.chain("b", 12)));
        let shuffled: Vec<String> = order.iter().map(|at| lines[*at].clone()).collect();
        for part in shuffled.chunks(5) {
            import(&store, part);
        }
        let mut found = export(&store);
        found.sort();
        lines.sort();
        prop_assert_eq!(found, lines);
        prop_assert_eq!(place.count("SELECT count(*) FROM held"), 0);
    }
}

/// Thirteen versions, of which the fourth is erased, and the redaction that says so.
fn with_an_erased_version(author: &mut Author) -> Vec<String> {
    let mut chain = author.chain("a", 13);
    let redaction = redaction(author, &chain[3]);
    chain[3] = chain[3].clone().without_bodies();
    let next = &chain[4];
    chain[4] = CapsuleDocument::new(
        next.header().clone(),
        *next.signature().unwrap(),
        next.fields(),
        next.payload().cloned(),
        None,
    );
    let mut lines = texts(&chain);
    lines.push(redaction);
    lines
}
