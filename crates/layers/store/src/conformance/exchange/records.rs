//! Cases: documents about others, and the secret.

use super::super::support::opened;
use super::super::{Factory, Outcome, Setup};
use super::rig::{ROOM, START_US, begin, claim, hash, id, key, record, sighting};
use crate::exchange_limits::MAX_RECORD_BYTES;
use crate::{ExchangeStore, StoreError};

pub(super) async fn kept<F: Factory<Store: ExchangeStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    ensure!(store.records().await?.is_empty());
    let mut expected = Vec::new();
    for text in ["second by name", "a first by name", "third"] {
        let (hash, record) = record(text, START_US);
        ensure!(store.add_record(hash, record.clone()).await?);
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
    ensure_fails!(
        store.add_record(document, kept),
        store.records(),
        begin(&store, 1),
        store.answer(&id(1), &document),
        store.exchange(&id(1)),
        store.exchanges(None, 10),
        store.heard(&claim(1)),
        store.note_heard(claim(1), None, START_US),
        store.seen(&key(1), &id(1), &hash(1)),
        store.see(sighting(1, 1, START_US), START_US, ROOM),
        store.exchange_secret([1; 32]),
    );
    Ok(())
}
