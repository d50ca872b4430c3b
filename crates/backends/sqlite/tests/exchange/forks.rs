//! Forks: caught, frozen, proven, decided (capsules 4.5, C8; C40, C41).

use std::sync::Arc;

use counterfoil_capsule::{CapsuleDocument, CapsuleError, ChainId, Equivocation};
use counterfoil_sqlite::{LineReport, SqliteStore};
use counterfoil_store::text_index::Contest;
use counterfoil_store::{CapsuleLog, Draft, StoreError};
use serde_json::Value;

use crate::common::{
    Author, Place, agent, block_on, created, events, export, hash, import, is_clean, texts, world,
};

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
    let event = &events[0];
    assert_eq!(
        (&event["kind"], &event["attributable"]),
        (&"equivocation".into(), &Value::Bool(true))
    );
    assert_eq!(event["evidence"].as_array().unwrap().len(), 2);

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
    let refused = block_on(store.append(agent(5), vec![draft])).unwrap_err();
    assert!(
        matches!(refused, StoreError::ChainForked { at: 3, .. }),
        "{refused}"
    );

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
    let resolved =
        block_on(store.resolve_fork(agent(200), (id, hash(&chain[3])), None, "seen first"))
            .unwrap();
    assert_eq!((resolved.continued, resolved.abandoned), (0, 0));
    assert_eq!(block_on(store.contested(5)).unwrap(), None);
    let batch = block_on(store.settle(agent(200).agent_did(), "t")).unwrap();
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
    let resolved = block_on(store.resolve_fork(
        agent(200),
        (id, hash(&other[0])),
        None,
        "the first was a stolen laptop's",
    ))
    .unwrap();
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
    let again = block_on(store.resolve_fork(agent(200), (id, hash(&chain[3])), None, "no"));
    assert!(matches!(again, Err(StoreError::NoSuchBranch { .. })));
    assert!(
        block_on(store.fork_proof(id))
            .unwrap()
            .unwrap()
            .check_alone()
            .is_ok(),
        "it stays proven"
    );
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
    use counterfoil_capsule::keys::KeyInception;
    use counterfoil_capsule::{AgentSigner, RecordKind, SecretKey, Timestamp};

    let recovery = AgentSigner::new(SecretKey::from_seed([91; 32]));
    let (_one, store, author, chain, other) = forked();
    let now = Timestamp::from_micros(crate::common::START).unwrap();
    let next = AgentSigner::new(SecretKey::from_seed([90; 32]));
    let committed = [&next, &recovery].map(counterfoil_capsule::Signer::key);
    let inception = KeyInception::sign(&*author.signer, &committed[0], &committed[1], now).unwrap();
    let keys = counterfoil_capsule::keys::KeyDocument::Inception(inception);
    let draft =
        Draft::record(RecordKind::KeyInception, keys.to_value().clone()).with(keys.extensions());
    let signer: Arc<dyn counterfoil_capsule::Signer> = author.signer.clone();
    block_on(store.append(signer, vec![draft])).unwrap();
    import(&store, &texts(&chain));
    import(&store, &texts(&other));
    let id = chain[0].header().chain();
    let wrong = AgentSigner::new(SecretKey::from_seed([1; 32]));
    let refused = block_on(store.resolve_fork(
        agent(200),
        (id, hash(&other[0])),
        Some(Arc::new(wrong)),
        "mine",
    ));
    assert!(
        matches!(refused, Err(StoreError::ForkDecision { .. })),
        "{refused:?}"
    );
    block_on(store.resolve_fork(
        agent(200),
        (id, hash(&other[0])),
        Some(Arc::new(recovery)),
        "mine",
    ))
    .unwrap();

    let place = Place::new(2);
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
    block_on(store.resolve_fork(agent(200), (id, hash(&chain[3])), None, "here")).unwrap();
    let place = Place::new(2);
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

trait Did {
    fn agent_did(&self) -> counterfoil_types::DidKey;
}

impl Did for Arc<counterfoil_capsule::AgentSigner> {
    fn agent_did(&self) -> counterfoil_types::DidKey {
        counterfoil_capsule::Signer::agent(&**self)
    }
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
        let keep = if keep_other {
            hash(&other[0])
        } else {
            hash(&chain[3])
        };
        block_on(store.resolve_fork(agent(200), (id, keep), None, "r")).unwrap();
        // The parent of both branches, and the first of one of them.
        erase(&store, "c-2");
        erase(&store, if keep_other { "x-3" } else { "c-3" });
        drop(store);
        let held: String = place
            .raw()
            .query_row("SELECT group_concat(document) FROM fork", [], |row| {
                row.get(0)
            })
            .unwrap();
        assert!(!held.contains("\"text\":\"c-2\""), "{keep_other}");
        assert!(!keep_other || !held.contains("\"text\":\"x-3\""));
        same_after_a_rebuild(&place);
    }
}
