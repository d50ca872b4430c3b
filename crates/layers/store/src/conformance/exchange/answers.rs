//! Cases: the bytes of answers (case 73, as far as a store holds it).

use counterfoil_exchange::documents::DocumentHash;

use super::super::support::opened;
use super::super::{Factory, Outcome, Setup};
use super::rig::{START_US, asked, begin, begun, id};
use crate::exchange_limits::{MAX_ANSWERS, MAX_BYTES};
use crate::{ExchangeStore, StoreError};

pub(super) async fn kept<F: Factory<Store: ExchangeStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    for number in [1, 2] {
        store
            .begin_exchange(begun(number, START_US), asked(START_US))
            .await?;
    }
    // No text: bytes are kept as they came.
    let bytes = vec![0, 0xff, b'{'];
    let hash = DocumentHash::of(&bytes);
    store.keep_answer(&id(1), hash, bytes.clone()).await?;
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
            let bytes = number.to_string().into_bytes();
            store
                .keep_answer(&id(1), DocumentHash::of(&bytes), bytes)
                .await?;
        }
    }
    let refused = store
        .keep_answer(&id(1), DocumentHash::of(b"more"), b"more".to_vec())
        .await;
    ensure_matches!(refused, Err(StoreError::ExchangeConflict { .. }));
    ensure!(
        store
            .answer(&id(1), &DocumentHash::of(b"more"))
            .await?
            .is_none(),
        "kept"
    );
    ensure!(
        store
            .answer(&id(1), &DocumentHash::of(b"0"))
            .await?
            .is_some(),
        "the first is gone"
    );
    Ok(())
}

pub(super) async fn too_large<F: Factory<Store: ExchangeStore>>(factory: &F) -> Outcome {
    let store = factory.open(&Setup::new());
    begin(&store, 1).await?;
    let just = vec![b'x'; MAX_BYTES];
    store
        .keep_answer(&id(1), DocumentHash::of(&just), just)
        .await?;
    let more = vec![b'x'; MAX_BYTES + 1];
    let refused = store
        .keep_answer(&id(1), DocumentHash::of(&more), more)
        .await;
    ensure_matches!(refused, Err(StoreError::ExchangeLimit { .. }));
    Ok(())
}
