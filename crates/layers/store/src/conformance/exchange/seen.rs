//! Cases: requests that were heard are remembered for their time, and nothing pushes them out (R4; cases 66, 68).

use counterfoil_exchange::answering::SeenQuotas;

use super::super::support::{Fault, all, opened};
use super::super::{Factory, Outcome, Setup};
use super::rig::{ROOM, START_US, hash, id, key, sighting};
use crate::{ExchangeStore, RequestState};

/// Time at which a request of these cases has expired.
const UNTIL_US: u64 = START_US + 361_000_000;

fn count(told: &[RequestState], state: RequestState) -> usize {
    told.iter().filter(|one| **one == state).count()
}

/// Adversarial case F66: a second later, at its last instant, and after it.
pub(super) async fn boundary<F: Factory<Store: ExchangeStore>>(factory: &F) -> Outcome {
    let store = factory.open(&Setup::new());
    let expected = [
        (START_US, RequestState::New),
        (START_US + 1_000_000, RequestState::Same),
        (UNTIL_US - 1, RequestState::Same),
        (UNTIL_US, RequestState::Same),
        (UNTIL_US + 1, RequestState::New),
    ];
    for (now_us, expected) in expected {
        let told = store.see(sighting(1, 1, UNTIL_US), now_us, ROOM).await?;
        ensure!(told == expected, "at {now_us} µs: {told:?}");
    }
    Ok(())
}

/// Adversarial case F66: after a restart, again to the last instant.
pub(super) async fn restart<F: Factory<Store: ExchangeStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    store.see(sighting(1, 1, UNTIL_US), START_US, ROOM).await?;
    let store = factory.reopen(&setup, store);
    let told = store.see(sighting(1, 1, UNTIL_US), UNTIL_US, ROOM).await?;
    ensure_eq!(told, RequestState::Same);
    let (store, after) = (factory.reopen(&setup, store), UNTIL_US + 1);
    let told = store.see(sighting(1, 1, UNTIL_US), after, ROOM).await?;
    ensure_eq!(told, RequestState::New);
    Ok(())
}

/// Adversarial case F66: 10,000 requests of 10,000 keys, where there is room for fewer.
pub(super) async fn flood<F: Factory<Store: ExchangeStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let quotas = SeenQuotas {
        per_key: 600,
        in_all: 5_000,
    };
    let first = || sighting(1, 1, UNTIL_US);
    store.see(first(), START_US, quotas).await?;
    let numbers: Vec<u32> = (2..10_002).collect();
    let mut told = Vec::new();
    for numbers in numbers.chunks(500) {
        let asking = numbers.iter().map(|of| sighting(*of, *of, UNTIL_US));
        told.extend(all(asking.map(|one| store.see(one, START_US, quotas))).await);
    }
    let told = told.into_iter().collect::<Result<Vec<_>, _>>()?;
    let count = [RequestState::New, RequestState::Full].map(|state| count(&told, state));
    ensure_eq!(count, [4_999, 5_001]);
    let store = factory.reopen(&setup, store);
    let replayed = store.see(first(), UNTIL_US, quotas).await?;
    ensure_eq!(replayed, RequestState::Same);
    let next = sighting(1, 2, UNTIL_US);
    let next = store.see(next, UNTIL_US, quotas).await?;
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
    let told = all(asking).await.into_iter();
    let told = told.collect::<Result<Vec<_>, _>>()?;
    ensure_eq!(count(&told, RequestState::Full), 100);
    let other = sighting(2, 1, UNTIL_US);
    let other = store.see(other, START_US, quotas).await?;
    ensure_eq!(other, RequestState::New);
    Ok(())
}

pub(super) async fn room_again<F: Factory<Store: ExchangeStore>>(factory: &F) -> Outcome {
    let store = factory.open(&Setup::new());
    for (per_key, in_all) in [(2, 9), (9, 2)] {
        let (quotas, base) = (SeenQuotas { per_key, in_all }, per_key * 100);
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
    let mut other = sighting(1, 1, UNTIL_US);
    other.hash = hash(2);
    for (one, expected) in [
        (sighting(1, 1, UNTIL_US), RequestState::New),
        (other, RequestState::Other),
        (sighting(2, 1, UNTIL_US), RequestState::New),
        (sighting(1, 1, UNTIL_US), RequestState::Same),
    ] {
        ensure_eq!(store.see(one, START_US, ROOM).await?, expected);
    }
    Ok(())
}

pub(super) async fn looking<F: Factory<Store: ExchangeStore>>(factory: &F) -> Outcome {
    let store = factory.open(&Setup::new());
    let seen = async |byte| store.seen(&key(1), &id(1), &hash(byte)).await;
    for _ in 0..2 {
        ensure_eq!(seen(1).await?, RequestState::New);
    }
    store.see(sighting(1, 1, UNTIL_US), START_US, ROOM).await?;
    ensure_eq!(seen(1).await?, RequestState::Same);
    ensure_eq!(seen(2).await?, RequestState::Other);
    Ok(())
}
