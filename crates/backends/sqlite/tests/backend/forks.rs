//! Forks: caught, frozen, proven, decided (capsules 4.5, C8; C40, C41).

use counterfoil_life::Life as _;
use std::sync::Arc;

use counterfoil_capsule::{
    AgentSigner, CapsuleDocument, CapsuleError, ChainId, Equivocation, Signer,
};
use counterfoil_life::{LineReport, ResolveReport};
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::text_index::Contest;
use counterfoil_store::{CapsuleLog, Draft, StoreError};

use crate::author::{Author, begun, created, events, export, has_kind, hash, import, key, texts};
use crate::common::{Place, agent, assert_refused, block_on, is_clean, world};

/// A store, the capsules 0..=5 of the accepted branch, and 3..=5 of the other one.
type Forked = (
    Place,
    SqliteStore,
    Author,
    Vec<CapsuleDocument>,
    Vec<CapsuleDocument>,
);

/// A chain of six capsules that forks at 3.
fn forked() -> Forked {
    let (place, store) = created(1);
    let mut author = Author::new(5);
    let chain = author.chain("c", 6);
    let mut other = vec![author.next(&chain[2], "x-3", 3_500_000)];
    for seq in 4..6 {
        let next = author.next(other.last().unwrap(), &format!("x-{seq}"), seq * 1_000_000);
        other.push(next);
    }
    (place, store, author, chain, other)
}

/// The same, with both branches in the store.
fn imported() -> (Forked, ChainId) {
    let forked = forked();
    let (_, store, _, chain, other) = &forked;
    import(store, &texts(chain));
    import(store, &texts(other));
    let id = chain[0].header().chain();
    (forked, id)
}

/// Keeps the branch that begins with `keep`, by the operator or with a recovery key.
fn resolve(
    store: &SqliteStore,
    chain: ChainId,
    keep: &CapsuleDocument,
    recovery: Option<AgentSigner>,
) -> Result<ResolveReport, StoreError> {
    let recovery = recovery.map(|key| -> Arc<dyn Signer> { Arc::new(key) });
    block_on(store.resolve_fork(agent(200), (chain, hash(keep)), recovery, "a reason"))
}

/// Adversarial case C40
/// (CAP-28, C8)
#[test]
fn a_fork_is_caught_frozen_proven_and_contested() {
    let (_place, store, mut author, chain, other) = forked();
    import(&store, &texts(&chain));
    let outcomes = import(&store, &texts(&other));
    assert_eq!(outcomes[0], LineReport::Forked);
    let events = events(&store);
    assert_eq!(events.len(), 1, "one fork is one contradiction: {events:?}");
    has_kind(&events[0], "equivocation", true);
    assert_eq!(events[0]["evidence"].as_array().unwrap().len(), 2);

    let forks = block_on(store.forks()).unwrap();
    assert_eq!(forks.len(), 1);
    assert_eq!((forks[0].seq, forks[0].resolved), (3, None));
    assert_eq!(
        (forks[0].accepted, &forks[0].others),
        (Some(hash(&chain[3])), &vec![hash(&other[0])])
    );

    for (index, contested) in [
        (2, None),
        (3, Some(Contest::Fork { at: 3 })),
        (5, Some(Contest::Fork { at: 3 })),
    ] {
        assert_eq!(block_on(store.contested(index)).unwrap(), contested);
    }
    let seven = author.next(&chain[5], "c-6", 9_000_000);
    assert_eq!(
        import(&store, &[seven.to_text()])[0],
        LineReport::Pending { code: "forked" }
    );
    let id = chain[0].header().chain();
    let draft = Draft::new(world("mine", "mine")).following(id, hash(&chain[5]));
    let refused = block_on(store.append(agent(5), vec![draft]));
    assert_refused!(refused, StoreError::ChainForked { at: 3, .. });

    let proof = block_on(store.fork_proof(id)).unwrap().unwrap();
    proof.check_alone().unwrap();
    let text = counterfoil_types::json::canonical(&proof.to_value()).unwrap();
    assert!(!text.contains("\"state\""), "a proof shows no content");
    assert_eq!(Equivocation::parse(text.as_bytes()).unwrap(), proof);
    let broken = text.replacen("\"signature\":\"", "\"signature\":\"AA", 1);
    let broken = Equivocation::parse(broken.as_bytes());
    assert!(broken.map_or(true, |it| it.check_alone().is_err()));
}

/// Adversarial case C41
#[test]
fn the_same_header_signed_twice_is_no_fork() {
    let (_place, store, _, chain, _) = forked();
    import(&store, &texts(&chain));
    assert_eq!(
        import(&store, &texts(&chain[3..4]))[0],
        LineReport::AlreadyThere
    );
    let same = Equivocation::new(chain[3].clone(), chain[3].clone());
    assert!(matches!(same, Err(CapsuleError::Same { .. })));
    assert!(block_on(store.forks()).unwrap().is_empty());
}

/// The branch in any order: what is its own parent's child is no contradiction.
#[test]
fn a_branch_may_come_in_reverse() {
    let (_place, store, _, chain, other) = forked();
    import(&store, &texts(&chain[..3]));
    import(&store, &texts(&chain[3..4]));
    let mut lines = texts(&other);
    lines.reverse();
    import(&store, &lines);
    let forks = block_on(store.forks()).unwrap();
    assert_eq!((forks.len(), forks[0].seq, forks[0].capsules), (1, 3, 3));
    assert_eq!(block_on(store.size()).unwrap(), 4);
}

#[test]
fn the_operator_keeps_the_accepted_branch_and_the_chain_goes_on() {
    let ((place, store, mut author, chain, other), id) = imported();
    let seven = author.next(&chain[5], "c-6", 9_000_000);
    import(&store, &[seven.to_text()]);
    let resolved = resolve(&store, id, &chain[3], None).unwrap();
    assert_eq!((resolved.continued, resolved.abandoned), (0, 0));
    assert_eq!(block_on(store.contested(5)).unwrap(), None);
    let batch = block_on(store.settle(agent(200).agent(), "t")).unwrap();
    assert_eq!(batch.settled, [hash(&seven)]);
    let more = author.next(&other[2], "x-6", 9_500_000);
    import(&store, &[more.to_text()]);
    assert_eq!(
        block_on(store.contested(5)).unwrap(),
        None,
        "an abandoned branch freezes nothing"
    );
    drop(store);
    same_after_a_rebuild(&place);
}

#[test]
fn the_operator_keeps_the_other_branch_and_the_chain_goes_on_there() {
    let ((place, store, mut author, chain, other), id) = imported();
    let resolved = resolve(&store, id, &other[0], None).unwrap();
    assert_eq!((resolved.continued, resolved.abandoned), (3, 3));
    let head = block_on(store.head(&id)).unwrap().unwrap();
    assert_eq!((head.seq, head.capsule), (5, hash(&other[2])));
    for index in 3..6 {
        assert_eq!(
            block_on(store.contested(index)).unwrap(),
            Some(Contest::Abandoned)
        );
    }
    assert_eq!(block_on(store.contested(head.index)).unwrap(), None);
    let more = author.next(&other[2], "x-6", 9_500_000);
    assert_eq!(import(&store, &[more.to_text()])[0], LineReport::Accepted);
    let again = resolve(&store, id, &chain[3], None);
    assert_refused!(again, StoreError::NoSuchBranch { .. });
    let proof = block_on(store.fork_proof(id)).unwrap().unwrap();
    assert!(proof.check_alone().is_ok(), "it stays proven");
    for index in 3..6 {
        let stored = block_on(store.capsule(index)).unwrap().unwrap();
        assert!(
            stored.payload.is_some(),
            "what is abandoned keeps its content"
        );
    }
    drop(store);
    same_after_a_rebuild(&place);
}

/// A resolution by the recovery key holds in another store as well.
#[test]
fn the_owners_decision_travels() {
    let (_one, store, author, chain, other) = forked();
    begun(&store, &author);
    import(&store, &texts(&chain));
    import(&store, &texts(&other));
    let id = chain[0].header().chain();
    let refused = resolve(&store, id, &other[0], Some(key(1)));
    assert_refused!(refused, StoreError::ForkDecision { .. });
    resolve(&store, id, &other[0], Some(key(91))).unwrap();

    let place = Place::numbered(2);
    let copy = place.create();
    for line in export(&store) {
        import(&copy, &[line]);
    }
    let head = block_on(copy.head(&id)).unwrap().unwrap();
    assert_eq!((head.seq, head.capsule), (5, hash(&other[2])));
    let again = import(&copy, &texts(&chain[3..4]));
    assert_eq!(again[0], LineReport::AlreadyThere, "abandoned, and known");
    drop(copy);
    same_after_a_rebuild(&place);
}

/// An operator's decision is its own store's.
#[test]
fn an_operators_decision_does_not_travel() {
    let ((_place, store, _, chain, _), id) = imported();
    resolve(&store, id, &chain[3], None).unwrap();
    let place = Place::numbered(2);
    let copy = place.create();
    import(&copy, &export(&store));
    let forks = block_on(copy.forks()).unwrap();
    assert_eq!(forks[0].resolved, None);
}

fn same_after_a_rebuild(place: &Place) {
    let store = place.open();
    let (_, before, after) = block_on(store.rebuild()).unwrap();
    assert_eq!(before, Some(after));
    is_clean(&store);
}

/// Erasure reaches the branches beside a chain: their capsules, and the deltas that hold what was
/// there before (capsules 4.6, C20).
#[test]
fn what_is_erased_is_in_no_branch_either() {
    use counterfoil_types::WorldId;

    let erase = |store: &SqliteStore, world: &str| {
        block_on(store.erase(agent(200), &WorldId::new(world).unwrap(), "asked for"))
            .unwrap()
            .unwrap();
    };
    for keep_other in [false, true] {
        let ((place, store, _, chain, other), id) = imported();
        let keep = if keep_other { &other[0] } else { &chain[3] };
        resolve(&store, id, keep, None).unwrap();
        // The parent of both branches, and the first of one of them.
        erase(&store, "c-2");
        erase(&store, if keep_other { "x-3" } else { "c-3" });
        drop(store);
        let says = |text: &str| {
            let says = format!("%\"text\":\"{text}\"%");
            place.count(&format!(
                "SELECT count(*) FROM fork WHERE document LIKE '{says}'"
            ))
        };
        assert_eq!(says("c-2"), 0, "{keep_other}");
        assert!(!keep_other || says("x-3") == 0);
        same_after_a_rebuild(&place);
    }
}
