//! Chains go from one store to another and into a third: the same heads, and the same verdicts.

use std::collections::BTreeSet;

use counterfoil_capsule::{CapsuleDocument, ChainId};
use counterfoil_store::{CapsuleLog, StoredCapsule};

use crate::LifeRig;
use crate::author::{Author, export, import, texts};
use crate::support::{Rig, block_on};
use counterfoil_life::LineReport;

/// All capsules of a store, in the order of its log.
fn held(store: &dyn CapsuleLog) -> Vec<StoredCapsule> {
    let size = block_on(store.size()).unwrap();
    let at = |index| block_on(store.capsule(index)).unwrap().unwrap();
    (0..size).map(at).collect()
}

fn chains(store: &dyn CapsuleLog) -> BTreeSet<ChainId> {
    held(store).iter().map(|one| one.header.chain()).collect()
}

/// Of each chain its head, and of each of its capsules the hash and whether its content is there.
fn heads(store: &dyn CapsuleLog) -> Vec<String> {
    let told = |chain: &ChainId| {
        let head = block_on(store.head(chain)).unwrap();
        let versions = block_on(store.chain(chain)).unwrap();
        let versions = versions.iter().map(|one| (one.seq, one.content));
        format!("{chain} {head:?} {:?}", versions.collect::<Vec<_>>())
    };
    chains(store).iter().map(told).collect()
}

/// Answer of a store to capsules that are handed in.
fn verdict(store: &dyn CapsuleLog, capsules: &[StoredCapsule]) -> Result<usize, String> {
    let received = block_on(store.receive("test", capsules.to_vec()));
    received
        .map(|places| places.len())
        .map_err(|error| error.to_string())
}

/// Adversarial case H121: from one store through the traits into another, and from there as text into a third.
pub(crate) fn chains_go_through_another_store_and_come_back<F: LifeRig>(factory: &F) {
    let rigs = [(); 3].map(|()| Rig::new(factory));
    let [store, between, back] = rigs.each_ref().map(|rig| &rig.store);
    let mut author = Author::new(5);
    let long = author.chain("a", 70);
    let mut lines = texts(&long);
    lines.extend(texts(&author.chain("b", 3)));
    import(store, &lines);

    assert_eq!(verdict(between, &held(store)), Ok(lines.len()));
    assert_eq!(heads(between), heads(store));
    let carried = held(between)
        .into_iter()
        .map(|one| document(&one).to_text());
    let carried: Vec<String> = carried.collect();
    assert_eq!(carried, lines, "to the byte");
    assert!(
        import(back, &carried)
            .iter()
            .all(|it| *it == LineReport::Accepted)
    );
    assert_eq!(heads(back), heads(store));
    assert_eq!(export(back), export(store));
    rigs[2].is_sound();
    let again = import(back, &carried);
    assert!(again.iter().all(|it| *it == LineReport::AlreadyThere));

    let stores: [&dyn CapsuleLog; 3] = [store, between, back];
    for (capsules, accepted) in handed_in(&mut author, &long) {
        let said = stores.map(|store| verdict(store, &capsules));
        assert_eq!(said[0].is_ok(), accepted, "{said:?}");
        assert!(said.iter().all(|one| *one == said[0]), "{said:?}");
    }
    assert_eq!(heads(between), heads(store));
    assert_eq!(heads(back), heads(store));
}

/// The next capsules, one that is there already, one that does not follow, and one with a name that is taken.
fn handed_in(author: &mut Author, chain: &[CapsuleDocument]) -> Vec<(Vec<StoredCapsule>, bool)> {
    let last = chain.last().unwrap();
    let next = author.next(last, "a-70", 70_000_000);
    let after = author.next(&next, "a-71", 71_000_000);
    let beside = author.next(&chain[3], "a-beside", 80_000_000);
    let taken = author.seed("b-1", 90_000_000);
    vec![
        (vec![received(&after)], false),
        (vec![received(last)], true),
        (vec![received(&next), received(&after)], true),
        (vec![received(&beside)], false),
        (vec![received(&taken)], false),
    ]
}

fn received(document: &CapsuleDocument) -> StoredCapsule {
    StoredCapsule::received(document, document.header().agent()).unwrap()
}

/// The line of an export.
fn document(capsule: &StoredCapsule) -> CapsuleDocument {
    CapsuleDocument::new(
        capsule.header.clone(),
        capsule.signature,
        (capsule.entry.field_root, capsule.entry.field_count),
        capsule.payload.clone(),
        capsule.delta.clone(),
    )
}
