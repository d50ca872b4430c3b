//! Cases: requests that were heard are remembered for their time, and nothing pushes them out (R4; cases 66, 68).

use counterfoil_exchange::answering::SeenQuotas;

use super::super::support::{Fault, all, opened};
use super::super::{Factory, Outcome, Setup};
use super::rig::{ROOM, START_US, hash, id, key, sighting};
use crate::{ExchangeStore, RequestState};

/// Time at which a request of these cases has expired.
const UNTIL_US: u64 = START_US + 361_000_000;

/// Adversarial case F66: a second later, at its last instant, and after it.
pub(super) async fn boundary<F: Factory<Store: ExchangeStore>>(factory: &F) -> Outcome {
    let store = factory.open(&Setup::new());
    let one = || sighting(1, 1, UNTIL_US);
    let expected = [
        (START_US, RequestState::New),
        (START_US + 1_000_000, RequestState::Same),
        (UNTIL_US - 1, RequestState::Same),
        (UNTIL_US, RequestState::Same),
        (UNTIL_US + 1, RequestState::New),
    ];
    for (now_us, expected) in expected {
        let told = store.see(one(), now_us, ROOM).await?;
        ensure!(
            told == expected,
            "{} µs after its time: {told:?}",
            now_us.wrapping_sub(UNTIL_US)
        );
    }
    Ok(())
}

/// Adversarial case F66: after a restart, again to the last instant.
pub(super) async fn restart<F: Factory<Store: ExchangeStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    store.see(sighting(1, 1, UNTIL_US), START_US, ROOM).await?;
    let store = factory.reopen(&setup, store);
    let told = store.see(sighting(1, 1, UNTIL_US), UNTIL_US, ROOM).await?;
    ensure!(told == RequestState::Same, "after a restart: {told:?}");
    let store = factory.reopen(&setup, store);
    let told = store
        .see(sighting(1, 1, UNTIL_US), UNTIL_US + 1, ROOM)
        .await?;
    ensure!(told == RequestState::New, "after its time: {told:?}");
    Ok(())
}

/// Adversarial case F66: 10,000 requests of 10,000 keys, where there is room for fewer.
pub(super) async fn flood<F: Factory<Store: ExchangeStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let quotas = SeenQuotas {
        per_key: 600,
        in_all: 5_000,
    };
    store
        .see(sighting(1, 1, UNTIL_US), START_US, quotas)
        .await?;
    let numbers: Vec<u32> = (2..10_002).collect();
    let mut told = Vec::new();
    for numbers in numbers.chunks(500) {
        let asking = numbers
            .iter()
            .map(|of| store.see(sighting(*of, *of, UNTIL_US), START_US, quotas));
        told.extend(all(asking).await);
    }
    let told = told.into_iter().collect::<Result<Vec<_>, _>>()?;
    let new = told
        .iter()
        .filter(|seen| **seen == RequestState::New)
        .count();
    let full = told
        .iter()
        .filter(|seen| **seen == RequestState::Full)
        .count();
    ensure!((new, full) == (4_999, 5_001), "{new} new, {full} refused");
    let store = factory.reopen(&setup, store);
    let replayed = store
        .see(sighting(1, 1, UNTIL_US), UNTIL_US, quotas)
        .await?;
    ensure_eq!(replayed, RequestState::Same);
    let next = store
        .see(sighting(1, 2, UNTIL_US), UNTIL_US, quotas)
        .await?;
    ensure_eq!(next, RequestState::Full);
    Ok(())
}

pub(super) async fn flood_of_one<F: Factory<Store: ExchangeStore>>(factory: &F) -> Outcome {
    let store = factory.open(&Setup::new());
    let quotas = SeenQuotas {
        per_key: 600,
        in_all: 100_000,
    };
    let asking = (0..700).map(|number| store.see(sighting(1, number, UNTIL_US), START_US, quotas));
    let told = all(asking)
        .await
        .into_iter()
        .collect::<Result<Vec<_>, _>>()?;
    let full = told
        .iter()
        .filter(|seen| **seen == RequestState::Full)
        .count();
    ensure!(full == 100, "{full} of 700 refused");
    let other = store
        .see(sighting(2, 1, UNTIL_US), START_US, quotas)
        .await?;
    ensure!(other == RequestState::New, "another key: {other:?}");
    Ok(())
}

pub(super) async fn room_again<F: Factory<Store: ExchangeStore>>(factory: &F) -> Outcome {
    let store = factory.open(&Setup::new());
    for quotas in [
        SeenQuotas {
            per_key: 2,
            in_all: 9,
        },
        SeenQuotas {
            per_key: 9,
            in_all: 2,
        },
    ] {
        let base = quotas.per_key * 100;
        let see = async |number, now_us: u64| -> Result<RequestState, Fault> {
            let one = sighting(base, base + number, now_us + 10);
            Ok(store.see(one, now_us, quotas).await?)
        };
        let begin = START_US + u64::from(base) * 1_000;
        for (number, now_us, expected) in [
            (1, begin, RequestState::New),
            (2, begin + 5, RequestState::New),
            (3, begin + 10, RequestState::Full),
            (3, begin + 11, RequestState::New),
            (4, begin + 15, RequestState::Full),
            (4, begin + 16, RequestState::New),
        ] {
            let told = see(number, now_us).await?;
            ensure!(told == expected, "{quotas:?}, request {number}: {told:?}");
        }
    }
    Ok(())
}

/// Adversarial case F68.
pub(super) async fn same_id<F: Factory<Store: ExchangeStore>>(factory: &F) -> Outcome {
    let store = factory.open(&Setup::new());
    store.see(sighting(1, 1, UNTIL_US), START_US, ROOM).await?;
    let mut other = sighting(1, 1, UNTIL_US);
    other.hash = hash(2);
    let told = store.see(other, START_US, ROOM).await?;
    ensure!(told == RequestState::Other, "another question: {told:?}");
    let told = store.see(sighting(2, 1, UNTIL_US), START_US, ROOM).await?;
    ensure!(told == RequestState::New, "of another key: {told:?}");
    let told = store.see(sighting(1, 1, UNTIL_US), START_US, ROOM).await?;
    ensure!(told == RequestState::Same, "the first: {told:?}");
    Ok(())
}

pub(super) async fn looking<F: Factory<Store: ExchangeStore>>(factory: &F) -> Outcome {
    let store = factory.open(&Setup::new());
    for _ in 0..2 {
        let told = store.seen(&key(1), &id(1), &hash(1)).await?;
        ensure!(told == RequestState::New, "{told:?}");
    }
    store.see(sighting(1, 1, UNTIL_US), START_US, ROOM).await?;
    let told = store.seen(&key(1), &id(1), &hash(1)).await?;
    ensure!(told == RequestState::Same, "{told:?}");
    let told = store.seen(&key(1), &id(1), &hash(2)).await?;
    ensure!(told == RequestState::Other, "{told:?}");
    Ok(())
}
