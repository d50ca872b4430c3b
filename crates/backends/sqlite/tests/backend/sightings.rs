//! Requests that are heard: durable together, by several processes, beside appends (R4; cases 66, 68).

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use counterfoil_exchange::answering::{SeenQuotas, Sighting};
use counterfoil_exchange::documents::RequestId;
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::{CapsuleLog, ExchangeStore, RequestState};
use counterfoil_types::{DidKey, Sha256Hash};

use crate::common::{Place, append, block_on, drafts, is_clean};

pub(crate) const ROOM: SeenQuotas = SeenQuotas {
    per_key: 1_000_000,
    in_all: 1_000_000,
};
pub(crate) const NOW_US: u64 = 1_772_323_200_000_000;

pub(crate) fn sighting(key: u32, number: u32) -> Sighting {
    let mut bytes = [9; 32];
    bytes[..4].copy_from_slice(&key.to_le_bytes());
    let mut id = [7; 16];
    id[..4].copy_from_slice(&number.to_be_bytes());
    Sighting {
        key: DidKey::from_public_key(bytes),
        request_id: RequestId::from_bytes(id),
        hash: Sha256Hash::from_bytes([1; 32]),
        until_us: NOW_US + 361_000_000,
    }
}

pub(crate) fn see(store: &SqliteStore, key: u32, number: u32) -> RequestState {
    block_on(store.see(sighting(key, number), NOW_US, ROOM)).unwrap()
}

/// Callers at the same time share a commit: 64 callers are not 64 times as slow as one.
#[test]
fn callers_at_the_same_time_share_a_commit() {
    let (_place, store) = Place::created();
    let begun = store.commits();
    let barrier = Barrier::new(64);
    thread::scope(|scope| {
        for caller in 0..64 {
            let (store, barrier) = (&store, &barrier);
            scope.spawn(move || {
                barrier.wait();
                for number in 0..20 {
                    assert_eq!(see(store, caller, number), RequestState::New);
                }
            });
        }
    });
    let commits = store.commits() - begun;
    assert!(
        commits < 64 * 20 / 2,
        "{commits} commits for 1,280 requests"
    );
}

/// Adversarial case F66: two stores on one file, as two processes have it, hear each request: one of them is the first.
#[test]
fn of_two_stores_on_one_file_one_is_the_first() {
    let place = Place::new();
    let stores = [place.create(), place.open()];
    let first = AtomicUsize::new(0);
    thread::scope(|scope| {
        for caller in 0..8 {
            let (stores, first) = (&stores, &first);
            scope.spawn(move || {
                for number in 0..50 {
                    match see(&stores[caller % 2], 1, number) {
                        RequestState::New => drop(first.fetch_add(1, Ordering::SeqCst)),
                        told => assert_eq!(told, RequestState::Same),
                    }
                }
            });
        }
    });
    assert_eq!(first.into_inner(), 50);
}

/// Appends are not refused while requests are heard, and do not wait for long.
#[test]
fn appends_go_on_while_requests_are_heard() {
    let (_place, store) = Place::created();
    let done = AtomicBool::new(false);
    let longest = thread::scope(|scope| {
        for caller in 0..32 {
            let (store, done) = (&store, &done);
            scope.spawn(move || {
                let numbers = (0..).take_while(|_| !done.load(Ordering::SeqCst));
                numbers
                    .for_each(|number| assert_eq!(see(store, caller, number), RequestState::New));
            });
        }
        let mut longest = Duration::ZERO;
        for round in 0..20 {
            let begun = Instant::now();
            append(&store, drafts(&format!("w-{round}"), 1)).unwrap();
            longest = longest.max(begun.elapsed());
        }
        done.store(true, Ordering::SeqCst);
        longest
    });
    assert!(
        longest < Duration::from_secs(2),
        "an append took {longest:?}"
    );
    assert_eq!(block_on(store.size()).unwrap(), 20);
    is_clean(&store);
}
