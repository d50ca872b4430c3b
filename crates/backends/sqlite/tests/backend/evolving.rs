//! Worlds that change in a file: many versions, keys, records, damage, and the same again after a
//! rebuild (capsules 4.3, 4.4, 4.7; C5, C15, C17).

#![cfg(test)]

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Barrier};

use counterfoil_capsule::delta::Change;
use counterfoil_capsule::keys::{KeyDocument, KeyHistory, KeyInception, KeyRotation};
use counterfoil_capsule::{AgentSigner, Extensions, SecretKey, Signer, Timestamp};
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::mutation::{NewVersion, derive, mutate, roll_back, state_at};
use counterfoil_store::{AppendReport, CapsuleLog, Draft, MemoryStore, StoreError, StoredCapsule};
use counterfoil_types::json::canonical;
use counterfoil_types::{UnixMillis, WorldId};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::common::{Place, agent, append, assert_refused, block_on, drafts, is_clean, world};

fn named(id: &str) -> NewVersion {
    (
        WorldId::new(id).unwrap(),
        UnixMillis::new(1_700_000_000_000).unwrap(),
    )
}

fn first(store: &SqliteStore, id: &str) -> AppendReport {
    let draft = Draft::new(world(id, "the key is under the pot"));
    append(store, vec![draft]).unwrap().remove(0)
}

fn set(store: &SqliteStore, place: &AppendReport, id: &str, value: &Value) -> AppendReport {
    let patch = json!([{ "op": "add", "path": "/value", "value": value }]);
    change(store, place, Change::Patch(&patch), id)
}

fn change(store: &SqliteStore, place: &AppendReport, change: Change<'_>, id: &str) -> AppendReport {
    block_on(mutate(store, agent(1), &place.chain, change, named(id))).unwrap()
}

/// The chain goes back to an earlier version.
fn back(store: &SqliteStore, place: &AppendReport, seq: u64, id: &str) {
    block_on(roll_back(store, agent(1), &place.chain, seq, named(id))).unwrap();
}

fn data_of(store: &SqliteStore, id: &str) -> Value {
    let world = block_on(store.get(&WorldId::new(id).unwrap()));
    world.unwrap().unwrap().data().cloned().unwrap()
}

/// Derived state follows from the ground, and everything that is stored is what was signed.
fn is_whole(store: &SqliteStore) {
    is_clean(store);
    let before = block_on(store.derived_digest()).unwrap();
    let (_, found, after) = block_on(store.rebuild()).unwrap();
    assert_eq!((found, after), (Some(before), before));
}

#[test]
fn versions_records_and_what_came_in_are_the_same_after_a_rebuild() {
    let (place, other) = (Place::new(), Place::new());
    let (store, source) = (place.create(), other.create());
    let chain = first(&store, "a");
    for number in 0..150 {
        set(&store, &chain, &format!("a-{number}"), &json!(number));
    }
    let large = json!({ "text": "x".repeat(300_000) });
    change(&store, &chain, Change::Replacement(&large), "large");
    back(&store, &chain, 70, "back");
    let from = (&chain.chain, 70);
    block_on(derive(&store, agent(3), from, None, named("derived"))).unwrap();

    let foreign = first(&source, "b");
    for number in 0..70 {
        set(&source, &foreign, &format!("b-{number}"), &json!(number));
    }
    let capsules: Vec<StoredCapsule> = (0..71)
        .map(|seq| block_on(source.version(&foreign.chain, seq)))
        .map(|stored| stored.unwrap().unwrap())
        .collect();
    block_on(store.receive("peer", capsules)).unwrap();
    rotate(&store);
    assert_eq!(data_of(&store, "back"), data_of(&store, "a-69"));
    assert_eq!(data_of(&store, "b-66")["value"], 66);
    is_whole(&store);
    drop(store);
    is_whole(&place.open());
}

/// The agent of key 1 rotates to key 2, and writes with it.
fn rotate(store: &SqliteStore) {
    let key = |seed: u8| AgentSigner::new(SecretKey::from_seed([seed; 32]));
    let created = Timestamp::from_micros(1_772_323_200_000_000).unwrap();
    let inception = KeyInception::sign(&key(1), &key(2).key(), &key(9).key(), created).unwrap();
    let document = KeyDocument::Inception(inception.clone());
    let draft = |document: &KeyDocument| {
        Draft::record(document.kind(), document.to_value().clone()).with(document.extensions())
    };
    let begun = append(store, vec![draft(&document)]).unwrap().remove(0);
    let stored = block_on(store.capsule(begun.index)).unwrap().unwrap();
    let history = KeyHistory::begin(&stored.header, &inception).unwrap();
    let rotation = KeyRotation::sign(&history, &key(1), &key(2), &key(4).key(), created).unwrap();
    let document = KeyDocument::Rotation(rotation);
    let rotation = draft(&document).following(begun.chain, begun.capsule);
    append(store, vec![rotation]).unwrap();

    assert_refused!(
        append(store, drafts("late", 1)),
        StoreError::KeyNotCurrent {
            used: 0,
            current: 1,
            ..
        }
    );
    let secret = SecretKey::from_seed([2; 32]);
    let rotated: Arc<dyn Signer> = Arc::new(AgentSigner::rotated(key(1).agent(), 1, secret));
    let place = block_on(store.append(rotated, drafts("rotated", 1))).unwrap();
    let stored = block_on(store.capsule(place[0].index)).unwrap().unwrap();
    assert_eq!(stored.key, key(2).key());
}

/// C17: the compare-and-swap of eight threads that all have read the same head.
#[test]
fn of_eight_threads_at_one_head_one_wins_and_the_others_are_told() {
    let (_place, store) = Place::created();
    let mut head = first(&store, "a");
    for round in 0..20 {
        let barrier = Barrier::new(8);
        let answers: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8)
                .map(|thread| {
                    let (store, barrier) = (&store, &barrier);
                    let next = Draft::new(world(&format!("b-{round}-{thread}"), "next"))
                        .following(head.chain, head.capsule);
                    scope.spawn(move || {
                        barrier.wait();
                        append(store, vec![next])
                    })
                })
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap())
                .collect()
        });
        let (won, lost): (Vec<_>, Vec<_>) = answers.into_iter().partition(Result::is_ok);
        assert_eq!((won.len(), lost.len()), (1, 7));
        head = won.into_iter().next().unwrap().unwrap().remove(0);
        for told in lost {
            let actual = match told {
                Err(StoreError::HeadMoved { actual, .. }) => actual,
                other => panic!("{other:?}"),
            };
            assert_eq!(actual, Some(head.capsule));
        }
    }
    let last = block_on(store.head(&head.chain)).unwrap().unwrap();
    assert_eq!((last.seq, last.capsule), (20, head.capsule));
    is_whole(&store);
}

const START_US: u64 = 1_772_323_200_000_000;
const DAY_US: u64 = 86_400_000_000;

/// Adversarial case C38, in a file: the clock is set back by a day between appends, and stands
/// still between others; across a restart too.
#[test]
fn times_increase_while_the_clock_is_set_back() {
    let place = Place::new();
    let clock = Arc::new(AtomicU64::new(START_US));
    let options = || place.options().with_clock(clock.clone());
    let store = SqliteStore::create(options()).unwrap();
    let chain = first(&store, "a");
    drop(store);
    let mut last = chain.recorded_at;
    for (number, now) in [START_US, START_US - DAY_US, START_US - DAY_US, START_US + 1]
        .into_iter()
        .enumerate()
    {
        let store = SqliteStore::open(options()).unwrap();
        clock.store(now, Ordering::SeqCst);
        let place = set(&store, &chain, &format!("b-{number}"), &json!(number));
        assert!(place.recorded_at > last, "{number}");
        last = place.recorded_at;
        let stored = block_on(store.capsule(place.index)).unwrap().unwrap();
        let held = stored.header.is_held();
        assert_eq!(held, now < START_US - 5_000_000, "{number}");
    }
    is_whole(&SqliteStore::open(options()).unwrap());
}

/// Adversarial case C39, in a file: a clock that once ran to 2038 holds what follows, and a chain
/// that continues the poisoned one begins its time anew.
#[test]
fn a_chain_that_continues_a_poisoned_one_has_true_times_again() {
    let place = Place::new();
    let clock = Arc::new(AtomicU64::new(START_US));
    let store = SqliteStore::create(place.options().with_clock(clock.clone())).unwrap();
    let chain = first(&store, "a");
    // Within the ten years that a clock may leap.
    let (year_us, years) = (31_557_600_000_000, 9);
    clock.store(START_US + years * year_us, Ordering::SeqCst);
    let poisoned = set(&store, &chain, "b", &json!(1));
    clock.store(START_US + DAY_US, Ordering::SeqCst);
    let held = set(&store, &chain, "c", &json!(2));
    assert_eq!(held.recorded_at.micros(), poisoned.recorded_at.micros() + 1);

    let continues = Extensions {
        continues: Some(held.capsule),
        ..Extensions::default()
    };
    let seed = Draft::new(world("d", "goes on")).with(continues);
    let anew = append(&store, vec![seed]).unwrap().remove(0);
    let next = set(&store, &anew, "e", &json!(3));
    let tomorrow = START_US + 2 * DAY_US;
    assert!(anew.recorded_at < next.recorded_at && next.recorded_at.micros() < tomorrow);
    for (place, expected) in [(&held, true), (&next, false)] {
        let stored = block_on(store.capsule(place.index)).unwrap().unwrap();
        assert_eq!(stored.header.is_held(), expected);
    }
}

/// Adversarial case C45, in a file: back to a version, new edits, and back to before the rollback.
#[test]
fn a_rollback_is_rolled_back_byte_for_byte() {
    let (_place, store) = Place::created();
    let chain = first(&store, "a");
    for number in 1..=130 {
        let value = json!({ "é/~": number });
        set(&store, &chain, &format!("v-{number}"), &value);
    }
    let state_of = |seq| {
        let world = block_on(state_at(&store, &chain.chain, seq)).unwrap();
        let hash = world.snapshot_hash().to_owned();
        (canonical(&world.state()).unwrap(), hash)
    };
    back(&store, &chain, 65, "back");
    set(&store, &chain, "edit", &json!(null));
    back(&store, &chain, 130, "forth");
    assert_eq!(state_of(131), state_of(65));
    assert_eq!(state_of(133), state_of(130));
    assert_ne!(state_of(132), state_of(131));
    is_whole(&store);
}

#[test]
fn a_delta_that_was_changed_is_named_and_nothing_is_read_over_it() {
    let (place, store) = Place::created();
    let chain = first(&store, "a");
    for number in 1..=5 {
        set(&store, &chain, &format!("v-{number}"), &json!(number));
    }
    drop(store);
    let raw = place.raw();
    raw.execute_batch(
        "DROP TRIGGER body_is_only_taken_away;
         UPDATE body SET delta = '[{\"old\":7,\"op\":\"remove\",\"path\":\"/x\"}]' WHERE idx = 3;",
    )
    .unwrap();
    drop(raw);
    let store = place.open();
    let refused = block_on(store.capsule(5)).unwrap_err();
    let named = matches!(&refused, StoreError::Corrupt { place, .. } if place.index() == Some(3));
    assert!(named, "{refused:?}");
    assert!(block_on(store.capsule(2)).unwrap().is_some());
    let report = block_on(store.audit_deep()).unwrap();
    assert!(!report.is_clean());
}

/// What a step of a walk does.
#[derive(Debug, Clone)]
enum Step {
    Set(u8, u16),
    Remove(u8),
    Back(prop::sample::Index),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..5_u8, any::<u16>()).prop_map(|(name, value)| Step::Set(name, value)),
        1 => (0..5_u8).prop_map(Step::Remove),
        2 => any::<prop::sample::Index>().prop_map(Step::Back),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    /// Any sequence of updates and rollbacks reads like a plain list of states, in any order.
    #[test]
    fn a_chain_reads_like_a_plain_list_of_states(
        steps in prop::collection::vec(step(), 1..90),
        order in prop::collection::vec(any::<prop::sample::Index>(), 20),
    ) {
        let (_place, store) = Place::created();
        let chain = first(&store, "a");
        let mut states = vec![data_of(&store, "a")];
        for (step, number) in steps.iter().zip(1..) {
            let new = format!("v-{number}");
            let mut data = states.last().unwrap().clone();
            let members = data.as_object_mut().unwrap();
            match step {
                Step::Set(name, value) => {
                    members.insert(format!("n{name}"), json!({ "is": value }));
                }
                Step::Remove(name) => drop(members.remove(&format!("n{name}"))),
                Step::Back(index) => data = index.get(&states).clone(),
            }
            match step {
                Step::Back(index) => {
                    let seq = u64::try_from(index.index(states.len())).unwrap();
                    back(&store, &chain, seq, &new);
                }
                _ => drop(change(&store, &chain, Change::Replacement(&data), &new)),
            }
            states.push(data);
        }
        for index in order {
            let seq = u64::try_from(index.index(states.len())).unwrap();
            let world = block_on(state_at(&store, &chain.chain, seq)).unwrap();
            prop_assert_eq!(world.data(), Some(index.get(&states)));
        }
    }
}
