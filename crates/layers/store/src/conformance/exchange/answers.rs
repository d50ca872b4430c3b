//! Cases: the bytes of answers (case 73, as far as a store holds it).

use counterfoil_exchange::documents::DocumentHash;

use super::super::support::opened;
use super::super::{Factory, Outcome, Setup};
use super::rig::{begin, id};
use crate::exchange_limits::{MAX_ANSWERS, MAX_BYTES};
use crate::{ExchangeStore, StoreError};

/// Keeps `bytes` as an answer of exchange 1.
async fn keep(store: &impl ExchangeStore, bytes: Vec<u8>) -> Result<(), StoreError> {
    store
        .keep_answer(&id(1), DocumentHash::of(&bytes), bytes)
        .await
}

pub(super) async fn kept<F: Factory<Store: ExchangeStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    for number in [1, 2] {
        begin(&store, number).await?;
    }
    // No text: bytes are kept as they came.
    let bytes = vec![0, 0xff, b'{'];
    let hash = DocumentHash::of(&bytes);
    keep(&store, bytes.clone()).await?;
    let store = factory.reopen(&setup, store);
    ensure_eq!(store.answer(&id(1), &hash).await?, Some(bytes));
    ensure!(store.answer(&id(2), &hash).await?.is_none());
    let other = DocumentHash::of(b"other");
    ensure!(store.answer(&id(1), &other).await?.is_none());
    ensure!(store.answer(&id(3), &hash).await?.is_none());
    Ok(())
}

pub(super) async fn four<F: Factory<Store: ExchangeStore>>(factory: &F) -> Outcome {
    let store = factory.open(&Setup::new());
    begin(&store, 1).await?;
    for number in 0..MAX_ANSWERS {
        for _ in 0..3 {
            keep(&store, number.to_string().into_bytes()).await?;
        }
    }
    let refused = keep(&store, b"more".to_vec()).await;
    ensure_matches!(refused, Err(StoreError::ExchangeConflict { .. }));
    for (bytes, is_kept) in [("more", false), ("0", true)] {
        let hash = DocumentHash::of(bytes.as_bytes());
        ensure_eq!(store.answer(&id(1), &hash).await?.is_some(), is_kept);
    }
    Ok(())
}

pub(super) async fn too_large<F: Factory<Store: ExchangeStore>>(factory: &F) -> Outcome {
    let store = factory.open(&Setup::new());
    begin(&store, 1).await?;
    keep(&store, vec![b'x'; MAX_BYTES]).await?;
    let refused = keep(&store, vec![b'x'; MAX_BYTES + 1]).await;
    ensure_matches!(refused, Err(StoreError::ExchangeLimit { .. }));
    Ok(())
}
