//! Cases: documents about others, and the secret.

use super::super::support::{Fault, opened};
use super::super::{Factory, Outcome, Setup};
use super::rig::{START_US, asked, begun, claim, hash, id, key, record};
use crate::exchange_limits::MAX_RECORD_BYTES;
use crate::{ExchangeStore, StoreError};

pub(super) async fn kept<F: Factory<Store: ExchangeStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    ensure!(store.records().await?.is_empty());
    let mut expected = Vec::new();
    for text in ["second by name", "a first by name", "third"] {
        let (hash, record) = record(text, START_US);
        ensure!(
            store.add_record(hash, record.clone()).await?,
            "{text} was there"
        );
        expected.push(record);
    }
    let (hash, later) = record("third", START_US + 5);
    ensure!(!store.add_record(hash, later).await?);
    let store = factory.reopen(&setup, store);
    let found = store.records().await?;
    ensure!(found == expected, "{found:?}");
    Ok(())
}

pub(super) async fn too_large<F: Factory<Store: ExchangeStore>>(factory: &F) -> Outcome {
    let store = factory.open(&Setup::new());
    let (hash, just) = record(&"x".repeat(MAX_RECORD_BYTES), START_US);
    ensure!(store.add_record(hash, just).await?, "not kept");
    let (hash, more) = record(&"x".repeat(MAX_RECORD_BYTES + 1), START_US);
    let refused = store.add_record(hash, more).await;
    ensure_matches!(refused, Err(StoreError::ExchangeLimit { .. }));
    ensure!(store.records().await?.len() == 1, "kept all the same");
    Ok(())
}

pub(super) async fn another_hash<F: Factory<Store: ExchangeStore>>(factory: &F) -> Outcome {
    let store = factory.open(&Setup::new());
    let (hash, _) = record("one", START_US);
    let (_, other) = record("other", START_US);
    ensure!(store.add_record(hash, other).await.is_err());
    ensure!(store.records().await?.is_empty(), "kept all the same");
    Ok(())
}

pub(super) async fn secret<F: Factory<Store: ExchangeStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    ensure_eq!(store.exchange_secret([1; 32]).await?, [1; 32]);
    ensure_eq!(store.exchange_secret([2; 32]).await?, [1; 32]);
    let store = factory.reopen(&setup, store);
    ensure_eq!(store.exchange_secret([3; 32]).await?, [1; 32]);
    Ok(())
}

pub(super) async fn broken<F: Factory<Store: ExchangeStore>>(factory: &F) -> Outcome {
    let store = factory.broken(&Setup::new());
    let (document, kept) = record("one", START_US);
    let outcomes: Vec<(&str, Result<(), Fault>)> = vec![
        ("add_record", told(store.add_record(document, kept).await)),
        ("records", told(store.records().await)),
        (
            "begin",
            told(
                store
                    .begin_exchange(begun(1, START_US), asked(START_US))
                    .await,
            ),
        ),
        ("answer", told(store.answer(&id(1), &document).await)),
        ("exchange", told(store.exchange(&id(1)).await)),
        ("exchanges", told(store.exchanges(None, 10).await)),
        ("heard", told(store.heard(&claim(1)).await)),
        (
            "note_heard",
            told(store.note_heard(claim(1), None, START_US).await),
        ),
        ("seen", told(store.seen(&key(1), &id(1), &hash(1)).await)),
        ("see", {
            let sighting = super::rig::sighting(1, 1, START_US);
            told(store.see(sighting, START_US, super::rig::ROOM).await)
        }),
        ("secret", told(store.exchange_secret([1; 32]).await)),
    ];
    for (call, outcome) in outcomes {
        ensure!(outcome.is_err(), "{call} answered");
    }
    Ok(())
}

fn told<T>(outcome: Result<T, StoreError>) -> Result<(), Fault> {
    outcome.map(drop).map_err(Fault::from)
}
