//! Order of arrival does not matter (C33, C36).

use counterfoil_capsule::CapsuleDocument;
use counterfoil_store::CapsuleLog;
use counterfoil_store::conformance::seeded_entropy;

use crate::LifeRig;
use crate::author::{Author, events, export, import, import_batch, pending, redaction, texts};
use crate::support::{Rig, block_on};
use counterfoil_life::LineReport;

/// Adversarial case C36
pub(crate) fn ten_thousand_in_reverse_wait_and_are_then_all_accepted<F: LifeRig>(factory: &F) {
    let rig = Rig::new(factory);
    let store = &rig.store;
    let mut lines = texts(&Author::new(5).chain("c", 10_000));
    lines.reverse();
    let (last, first) = (lines.pop().unwrap(), lines);
    for part in first.chunks(1000) {
        for outcome in import(store, part) {
            assert_eq!(pending(&outcome), "missing_parent");
        }
    }
    assert_eq!(block_on(store.size()).unwrap(), 0);
    assert_eq!(rig.held(), 9_999);
    let batch = import_batch(store, &[last]);
    assert_eq!(batch.outcomes[0].1, LineReport::Accepted);
    assert_eq!(batch.settled.len(), 9_999);
    assert_eq!(block_on(store.size()).unwrap(), 10_000);
    assert_eq!(rig.held(), 0, "nothing is left, nothing was collected");
    assert!(events(store).is_empty());
}

/// The same is accepted in any order, and nothing is left over; also where a version was erased: it comes
/// without its body and the next without its delta, before the redaction or after it.
pub(crate) fn any_order_comes_to_the_same<F: LifeRig>(factory: &F) {
    let random = seeded_entropy(36);
    for _ in 0..12 {
        let rig = Rig::new(factory);
        let mut author = Author::new(5);
        let mut lines = with_an_erased_version(&mut author);
        lines.extend(texts(&author.chain("b", 12)));
        let mut shuffled = lines.clone();
        shuffled.sort_by_cached_key(|_| {
            let mut drawn = [0; 8];
            random.fill(&mut drawn).unwrap();
            drawn
        });
        for part in shuffled.chunks(5) {
            import(&rig.store, part);
        }
        let mut found = export(&rig.store);
        found.sort();
        lines.sort();
        assert_eq!(found, lines, "{shuffled:?}");
        assert_eq!(rig.held(), 0);
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
