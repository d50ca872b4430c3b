//! What comes first does not matter (C33, C36), and a round trip changes nothing.

use counterfoil_capsule::documents::{RedactedField, Redaction};
use counterfoil_capsule::{CapsuleDocument, Document, RecordKind};
use counterfoil_sqlite::{LineReport, SqliteStore};
use counterfoil_store::{CapsuleLog, Head};
use proptest::prelude::*;

use crate::common::{
    Author, Place, block_on, created, events, export, hash, import, import_batch, is_clean,
    pending, texts,
};

fn heads(store: &SqliteStore, lines: &[String]) -> Vec<Option<(u64, String)>> {
    let chains: std::collections::BTreeSet<String> = lines
        .iter()
        .map(|line| {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            value["chain"].as_str().unwrap().to_owned()
        })
        .collect();
    let head = |chain: &String| block_on(store.head(&chain.parse().unwrap())).unwrap();
    let shown = |head: Head| (head.seq, head.capsule.to_string());
    chains.iter().map(|chain| head(chain).map(shown)).collect()
}

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

/// A round trip into another store: the same heads, and an export of the same lines.
#[test]
fn an_export_comes_back_from_another_store() {
    let (one, other) = (Place::new(1), Place::new(2));
    let (store, copy) = (one.create(), other.create());
    let mut author = Author::new(5);
    let mut lines = texts(&author.chain("a", 70));
    lines.extend(texts(&author.chain("b", 3)));
    import(&store, &lines);
    let exported = export(&store);
    assert_eq!(exported, lines);
    assert!(
        import(&copy, &exported)
            .iter()
            .all(|it| *it == LineReport::Accepted)
    );
    assert!(
        import(&copy, &exported)
            .iter()
            .all(|it| *it == LineReport::AlreadyThere)
    );
    assert_eq!(export(&copy), exported);
    assert_eq!(heads(&store, &lines), heads(&copy, &lines));
    is_clean(&copy);
    let (_, before, after) = block_on(copy.rebuild()).unwrap();
    assert_eq!(before, Some(after));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Whatever the order, the same is accepted, and nothing is left over.
    #[test]
    fn any_order_comes_to_the_same(order in Just((0..24_usize).collect::<Vec<_>>()).prop_shuffle()) {
        let place = Place::new(1);
        let store = place.create();
        let mut author = Author::new(5);
        let mut lines = texts(&author.chain("a", 12));
        lines.extend(texts(&author.chain("b", 12)));
        let shuffled: Vec<String> = order.iter().map(|at| lines[*at].clone()).collect();
        for part in shuffled.chunks(5) {
            import(&store, part);
        }
        let (mut found, mut wanted) = (export(&store), lines.clone());
        found.sort();
        wanted.sort();
        prop_assert_eq!(found, wanted);
        prop_assert_eq!(place.count("SELECT count(*) FROM held"), 0);
    }

    /// The same where a version was erased: it comes without its body and the next without its
    /// delta, before the redaction or after it.
    #[test]
    fn any_order_comes_to_the_same_with_an_erased_version(
        order in Just((0..14_usize).collect::<Vec<_>>()).prop_shuffle()
    ) {
        let place = Place::new(1);
        let store = place.create();
        let mut author = Author::new(5);
        let lines = with_an_erased_version(&mut author);
        let shuffled: Vec<String> = order.iter().map(|at| lines[*at].clone()).collect();
        for part in shuffled.chunks(3) {
            import(&store, part);
        }
        let (mut found, mut wanted) = (export(&store), lines);
        found.sort();
        wanted.sort();
        prop_assert_eq!(found, wanted);
        prop_assert_eq!(place.count("SELECT count(*) FROM held"), 0);
    }
}

/// Thirteen versions, of which the fourth is erased, and the redaction that says so.
fn with_an_erased_version(author: &mut Author) -> Vec<String> {
    let mut chain = author.chain("a", 13);
    let redaction = Redaction::new(
        hash(&chain[3]),
        chain[3].header().world().cloned(),
        3,
        vec![RedactedField::Payload, RedactedField::PayloadSalt],
        "asked for",
        author.did(),
    );
    let document = redaction.unwrap().to_value();
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
    lines.push(
        author
            .record(RecordKind::Redaction, &document, 99_000_000)
            .to_text(),
    );
    lines
}
