//! Forks: caught, frozen, proven, decided (capsules 4.5, C8; C40, C41).

use std::collections::BTreeMap;
use std::sync::Arc;

use counterfoil_capsule::documents::{
    Contradiction, ContradictionKind, Evidence, Observation, Source, Suspect,
};
use counterfoil_capsule::keys::{KeyDocument, KeyRotation};
use counterfoil_capsule::{
    AgentSigner, CapsuleDocument, CapsuleError, CapsuleId, ChainId, Equivocation, RecordKind,
    SecretKey, Signer, Timestamp,
};
use counterfoil_store::text_index::Contest;
use counterfoil_store::{CapsuleLog, Draft, StoreError};

use crate::LifeRig;
use crate::author::{
    Author, begun, events, export, has_kind, hash, import, key, of_keys, seed_by, texts,
};
use crate::support::{Rig, START, agent, assert_refused, block_on, id, world};
use counterfoil_life::{DerivedPolicy, ErasureScope, Life, LineReport, ResolveReport, Selection};

/// A store, the capsules 0..=5 of the accepted branch, and 3..=5 of the other one.
type Forked<'f, F> = (
    Rig<'f, F>,
    Author,
    Vec<CapsuleDocument>,
    Vec<CapsuleDocument>,
);

/// A chain of six capsules that forks at 3.
fn forked<F: LifeRig>(factory: &F) -> Forked<'_, F> {
    let rig = Rig::new(factory);
    let mut author = Author::new(5);
    let chain = author.chain("c", 6);
    let mut other = vec![author.next(&chain[2], "x-3", 3_500_000)];
    for seq in 4..6 {
        let next = author.next(other.last().unwrap(), &format!("x-{seq}"), seq * 1_000_000);
        other.push(next);
    }
    (rig, author, chain, other)
}

/// The same, with both branches in the store.
fn imported<F: LifeRig>(factory: &F) -> (Forked<'_, F>, ChainId) {
    let forked = forked(factory);
    let (rig, _, chain, other) = &forked;
    import(&rig.store, &texts(chain));
    import(&rig.store, &texts(other));
    let id = chain[0].header().chain();
    (forked, id)
}

/// Keeps the branch that begins with `keep`, by the operator or with a recovery key.
fn resolve<S: Life>(
    store: &S,
    chain: ChainId,
    keep: &CapsuleDocument,
    recovery: Option<AgentSigner>,
) -> Result<ResolveReport, StoreError> {
    let recovery = recovery.map(|key| -> Arc<dyn Signer> { Arc::new(key) });
    block_on(store.resolve_fork(agent(200), (chain, hash(keep)), recovery, "a reason"))
}

/// Adversarial case C40
/// (CAP-28, C8)
pub(crate) fn a_fork_is_caught_frozen_proven_and_contested<F: LifeRig>(factory: &F) {
    let (rig, mut author, chain, other) = forked(factory);
    let store = &rig.store;
    import(store, &texts(&chain));
    let outcomes = import(store, &texts(&other));
    assert_eq!(outcomes[0], LineReport::Forked);
    let events = events(store);
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
        import(store, &[seven.to_text()])[0],
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
pub(crate) fn the_same_header_signed_twice_is_no_fork<F: LifeRig>(factory: &F) {
    let (rig, _, chain, _) = forked(factory);
    let store = &rig.store;
    import(store, &texts(&chain));
    assert_eq!(
        import(store, &texts(&chain[3..4]))[0],
        LineReport::AlreadyThere
    );
    let same = Equivocation::new(chain[3].clone(), chain[3].clone());
    assert!(matches!(same, Err(CapsuleError::Same { .. })));
    assert!(block_on(store.forks()).unwrap().is_empty());
}

/// A branch comes in any order: the child of its own parent is no contradiction.
pub(crate) fn a_branch_may_come_in_reverse<F: LifeRig>(factory: &F) {
    let (rig, _, chain, other) = forked(factory);
    let store = &rig.store;
    import(store, &texts(&chain[..3]));
    import(store, &texts(&chain[3..4]));
    let mut lines = texts(&other);
    lines.reverse();
    import(store, &lines);
    let forks = block_on(store.forks()).unwrap();
    assert_eq!((forks.len(), forks[0].seq, forks[0].capsules), (1, 3, 3));
    assert_eq!(block_on(store.size()).unwrap(), 4);
}

pub(crate) fn the_operator_keeps_the_accepted_branch_and_the_chain_goes_on<F: LifeRig>(
    factory: &F,
) {
    let ((rig, mut author, chain, other), id) = imported(factory);
    let store = &rig.store;
    let seven = author.next(&chain[5], "c-6", 9_000_000);
    import(store, &[seven.to_text()]);
    let resolved = resolve(store, id, &chain[3], None).unwrap();
    assert_eq!((resolved.continued, resolved.abandoned), (0, 0));
    assert_eq!(block_on(store.contested(5)).unwrap(), None);
    let batch = block_on(store.settle(agent(200).agent(), "t")).unwrap();
    assert_eq!(batch.settled, [hash(&seven)]);
    let more = author.next(&other[2], "x-6", 9_500_000);
    import(store, &[more.to_text()]);
    assert_eq!(
        block_on(store.contested(5)).unwrap(),
        None,
        "an abandoned branch freezes nothing"
    );
    rig.is_sound();
}

pub(crate) fn the_operator_keeps_the_other_branch_and_the_chain_goes_on_there<F: LifeRig>(
    factory: &F,
) {
    let ((rig, mut author, chain, other), id) = imported(factory);
    let store = &rig.store;
    let resolved = resolve(store, id, &other[0], None).unwrap();
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
    assert_eq!(import(store, &[more.to_text()])[0], LineReport::Accepted);
    let again = resolve(store, id, &chain[3], None);
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
    rig.is_sound();
}

/// Appends records of the forks that the log does not have, and returns the number of records.
fn recorded<S: Life>(store: &S) -> u64 {
    let records = block_on(store.record_forks(agent(200))).unwrap();
    assert_eq!(block_on(store.unrecorded_forks()).unwrap(), 0);
    records
}

/// The record by which each memory is forked, as the map of the log has it.
fn forked_by<S: CapsuleLog>(store: &S, names: [&str; 3]) -> [Option<u64>; 3] {
    let standings = block_on(store.standings(&names.map(id))).unwrap().unwrap();
    let by = standings.of.into_iter().map(|lookups| {
        let value = lookups?.memory.value?;
        let mut lines = value.lines();
        let by = lines.find_map(|line| line.strip_prefix("forked "))?;
        Some(by.parse().unwrap())
    });
    by.collect::<Vec<_>>().try_into().unwrap()
}

/// The map of the log said that the memories of an undecided fork are current, since the other branch lies beside the log.
/// (C8)
pub(crate) fn an_undecided_fork_is_recorded_in_the_log_once<F: LifeRig>(factory: &F) {
    for keep_other in [false, true] {
        let (rig, _, chain, other) = forked(factory);
        let store = &rig.store;
        // The log is the operator's.
        let own = Draft::new(world("own", "own"));
        block_on(store.append(agent(200), vec![own])).unwrap();
        import(store, &texts(&chain));
        assert_eq!(recorded(store), 0);
        import(store, &texts(&other));
        assert_eq!(forked_by(store, ["c-2", "c-3", "c-5"]), [None; 3]);
        assert_eq!(block_on(store.unrecorded_forks()).unwrap(), 1);
        assert_eq!(recorded(store), 1);
        let record = block_on(store.capsule(7)).unwrap().unwrap();
        assert_eq!(record.header.agent(), agent(200).agent());
        let document = record.payload.unwrap().text;
        let document: serde_json::Value = serde_json::from_str(&document).unwrap();
        assert_eq!(document, events(store)[0], "it is that of the event");
        let marked = Some(7);
        assert_eq!(
            forked_by(store, ["c-2", "c-3", "c-5"]),
            [None, marked, marked]
        );
        assert_eq!(recorded(store), 0, "once");
        rig.is_sound();

        let keep = if keep_other { &other[0] } else { &chain[3] };
        resolve(store, chain[0].header().chain(), keep, None).unwrap();
        assert_eq!(recorded(store), 0, "not after it is decided");
        let marked = marked.filter(|_| keep_other);
        assert_eq!(
            forked_by(store, ["c-2", "c-3", "c-5"]),
            [None, marked, marked]
        );
        if keep_other {
            assert_eq!(forked_by(store, ["c-2", "x-3", "x-5"]), [None; 3]);
        }
        rig.is_sound();
    }
}

/// A source that causes too many forks hides none of them from the map: the event is missing, and the record is made anew.
pub(crate) fn a_fork_without_an_event_is_recorded_too<F: LifeRig>(factory: &F) {
    let rig = Rig::new(factory);
    let store = &rig.store;
    let own = Draft::new(world("own", "own"));
    block_on(store.append(agent(200), vec![own])).unwrap();
    for chain in 0..102 {
        let seeds =
            ["one", "other"].map(|name| seed_by(&key(5), chain, &format!("{name}-{chain}")));
        import(store, &texts(&seeds));
    }
    let seen = block_on(store.events(0, Some(ContradictionKind::Equivocation))).unwrap();
    assert_eq!(seen.len(), 100);
    assert_eq!(recorded(store), 102);
    let marked = forked_by(store, ["one-0", "one-100", "one-101"]);
    assert!(marked.iter().all(Option::is_some), "{marked:?}");
    rig.is_sound();
}

/// Records of contradictions would be made about each other for ever. (C11)
pub(crate) fn no_fork_of_contradictions_is_recorded<F: LifeRig>(factory: &F) {
    let rig = Rig::new(factory);
    let store = &rig.store;
    let [one, other] = ["E_ONE", "E_OTHER"].map(|code| {
        let mut author = Author::new(5);
        let seen = Observation {
            kind: ContradictionKind::Corruption,
            code: code.to_owned(),
            subject: Suspect::Request {
                request_id: "r".to_owned(),
            },
            source: Source::way("store"),
            expected: None,
            actual: None,
            evidence: vec![Evidence::hash_of(b"r")],
        };
        let at = (author.did(), Timestamp::from_micros(START).unwrap());
        let named = CapsuleId::from_parts(START / 1000, [1; 10]);
        let document = Contradiction::new(seen, named, at, &BTreeMap::new()).unwrap();
        author.record(RecordKind::Contradiction, &document.to_value(), 1_000_000)
    });
    let outcomes = import(store, &texts(&[one, other]));
    assert_eq!(outcomes, [LineReport::Accepted, LineReport::Forked]);
    assert_eq!(recorded(store), 0);
}

/// A resolution by the recovery key holds in another store as well.
pub(crate) fn the_owners_decision_travels<F: LifeRig>(factory: &F) {
    let (rig, author, chain, other) = forked(factory);
    let store = &rig.store;
    begun(store, &author);
    import(store, &texts(&chain));
    import(store, &texts(&other));
    let id = chain[0].header().chain();
    let refused = resolve(store, id, &other[0], Some(key(1)));
    assert_refused!(refused, StoreError::ForkDecision { .. });
    resolve(store, id, &other[0], Some(key(91))).unwrap();

    let copy_rig = Rig::new(factory);
    let copy = &copy_rig.store;
    for line in export(store) {
        import(copy, &[line]);
    }
    let head = block_on(copy.head(&id)).unwrap().unwrap();
    assert_eq!((head.seq, head.capsule), (5, hash(&other[2])));
    let again = import(copy, &texts(&chain[3..4]));
    assert_eq!(again[0], LineReport::AlreadyThere, "abandoned, and known");
    copy_rig.is_sound();
}

/// An operator's decision is its own store's.
pub(crate) fn an_operators_decision_does_not_travel<F: LifeRig>(factory: &F) {
    let ((rig, _, chain, _), id) = imported(factory);
    let store = &rig.store;
    resolve(store, id, &chain[3], None).unwrap();
    let copy_rig = Rig::new(factory);
    let copy = &copy_rig.store;
    import(copy, &export(store));
    let forks = block_on(copy.forks()).unwrap();
    assert_eq!(forks[0].resolved, None);
}

/// C12: after a rotation the event blames by the key chain of this log, and the proof brings it along.
pub(crate) fn a_fork_after_a_rotation_is_proven_by_the_key_chain<F: LifeRig>(factory: &F) {
    let rig = Rig::new(factory);
    let store = &rig.store;
    let author = Author::new(5);
    let (history, begun) = begun(store, &author);
    let (then, now) = (key(92).key(), Timestamp::from_micros(START).unwrap());
    let rotation = KeyRotation::sign(&history, &*author.signer, &key(90), &then, now).unwrap();
    let rotation = of_keys(&KeyDocument::Rotation(rotation));
    let rotation = rotation.following(begun.chain, begun.capsule);
    block_on(store.append(author.signer.clone(), vec![rotation])).unwrap();

    let rotated = AgentSigner::rotated(author.did(), 1, SecretKey::from_seed([90; 32]));
    let [one, other] = ["one", "other"].map(|name| seed_by(&rotated, 3, name));
    let outcomes = import(store, &texts(&[one.clone(), other]));
    assert_eq!(outcomes, [LineReport::Accepted, LineReport::Forked]);
    has_kind(&events(store)[0], "equivocation", true);
    let chain = one.header().chain();
    let proof = block_on(store.fork_proof(chain)).unwrap().unwrap();
    assert_eq!(proof.check_alone(), Ok(()));
}

/// Erasure reaches the branches beside a chain: their capsules, and the deltas that hold the content
/// before (capsules 4.6, C20).
pub(crate) fn what_is_erased_is_in_no_branch_either<F: LifeRig>(factory: &F) {
    for keep_other in [false, true] {
        let ((rig, _, chain, other), forked) = imported(factory);
        let store = &rig.store;
        let keep = if keep_other { &other[0] } else { &chain[3] };
        resolve(store, forked, keep, None).unwrap();
        // The parent of both branches, and the first of one of them.
        rig.erase(&id("c-2"));
        rig.erase(&id(if keep_other { "x-3" } else { "c-3" }));
        let says = |text: &str| rig.holding(&format!("\"text\":\"{text}\""));
        assert_eq!(says("c-2"), [""; 0], "{keep_other}");
        assert!(!keep_other || says("x-3").is_empty());
        rig.is_sound();
    }
}

/// Erasure that takes derived memories reaches all branches of them (capsules 4.6, C20).
pub(crate) fn what_was_made_from_an_erased_memory_is_in_no_branch_either<F: LifeRig>(factory: &F) {
    let rig = Rig::new(factory);
    let store = &rig.store;
    let secret = rig.remember("secret", "the secret");
    let mut author = Author::new(5);
    let made = author.derived("d-0", 0, vec![secret.capsule]);
    let accepted = author.next(&made, "d-1", 1_000_000);
    let other = author.next(&made, "e-1", 1_500_000);
    let last = author.next(&other, "e-2", 2_000_000);
    import(store, &texts(&[made, accepted, other, last]));

    let secret = id("secret");
    let derived = block_on(store.derived(&secret, false)).unwrap().unwrap();
    let places = derived
        .iter()
        .map(|it| (it.world.to_string(), it.index.is_some()));
    let mut places: Vec<(String, bool)> = places.collect();
    places.sort();
    let expected = [("d-0", true), ("d-1", true), ("e-1", false), ("e-2", false)];
    assert_eq!(
        places,
        expected.map(|(id, is_in_log)| (id.to_owned(), is_in_log))
    );
    let scope = ErasureScope {
        all_versions: false,
        derived: DerivedPolicy::Take,
    };
    let erased = block_on(store.erase_scope(agent(200), &secret, "asked for", scope));
    assert_eq!(erased.unwrap().unwrap().capsules.len(), 3);
    assert_eq!(
        block_on(store.derived(&secret, false)).unwrap(),
        Some(Vec::new())
    );
    for word in ["d-0", "d-1", "e-1", "e-2"] {
        assert_eq!(rig.holding(&format!("\"text\":\"{word}\"")), [""; 0]);
    }
    assert_eq!(
        block_on(store.export_branches(Selection::All))
            .unwrap()
            .len(),
        2
    );
    rig.is_sound();
}
