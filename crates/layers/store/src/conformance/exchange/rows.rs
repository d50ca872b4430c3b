//! Cases: exchanges and their rows, which are only added (R6).

use counterfoil_exchange::documents::DocumentHash;

use super::super::support::opened;
use super::super::{Factory, Outcome, Setup};
use super::rig::{START_US, answered, asked, begin, begun, id, item};
use crate::exchange_limits::{MAX_BYTES, MAX_TRANSITIONS};
use crate::{ExchangeStore, StoreError};
use counterfoil_exchange::machine::ItemState;

pub(super) async fn as_begun<F: Factory<Store: ExchangeStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    for number in [1, 2] {
        store
            .begin_exchange(begun(number, START_US), asked(START_US))
            .await?;
    }
    let answer = DocumentHash::of(b"answer");
    store
        .add_transition(&id(1), answered(1, answer, START_US + 1))
        .await?;
    let store = factory.reopen(&setup, store);
    let found = store.exchange(&id(1)).await?.ok_or("it is not there")?;
    ensure!(found.begun == begun(1, START_US), "{:?}", found.begun);
    let rows = [asked(START_US), answered(1, answer, START_US + 1)];
    ensure!(found.transitions == rows, "{:?}", found.transitions);
    ensure!(found.items.is_empty(), "{:?}", found.items);
    let other = store
        .exchange(&id(2))
        .await?
        .ok_or("the other is not there")?;
    ensure!(other.begun == begun(2, START_US), "{:?}", other.begun);
    ensure!(store.exchange(&id(3)).await?.is_none());
    Ok(())
}

pub(super) async fn once<F: Factory<Store: ExchangeStore>>(factory: &F) -> Outcome {
    let store = factory.open(&Setup::new());
    begin(&store, 1).await?;
    for at_us in [START_US, START_US + 1] {
        let again = store.begin_exchange(begun(1, at_us), asked(at_us)).await;
        ensure_matches!(again, Err(StoreError::ExchangeConflict { .. }));
    }
    let mut late = asked(START_US);
    late.number = 1;
    let refused = store.begin_exchange(begun(2, START_US), late).await;
    ensure_matches!(refused, Err(StoreError::ExchangeConflict { .. }));
    let found = store.exchanges(None, 10).await?;
    ensure!(
        found.len() == 1 && found.iter().all(|one| one.transitions.len() == 1),
        "{found:?}"
    );
    Ok(())
}

pub(super) async fn following<F: Factory<Store: ExchangeStore>>(factory: &F) -> Outcome {
    let store = factory.open(&Setup::new());
    begin(&store, 1).await?;
    let answer = DocumentHash::of(b"answer");
    for number in [0, 2, u32::MAX] {
        let refused = store
            .add_transition(&id(1), answered(number, answer, START_US))
            .await;
        let conflict = matches!(refused, Err(StoreError::ExchangeConflict { .. }));
        ensure!(conflict, "row {number}: {refused:?}");
    }
    store
        .add_transition(&id(1), answered(1, answer, START_US))
        .await?;
    let again = store
        .add_transition(&id(1), answered(1, answer, START_US))
        .await;
    ensure_matches!(again, Err(StoreError::ExchangeConflict { .. }));
    let found = store.exchange(&id(1)).await?.ok_or("it is not there")?;
    ensure!(found.transitions.len() == 2, "{:?}", found.transitions);
    Ok(())
}

pub(super) async fn unknown<F: Factory<Store: ExchangeStore>>(factory: &F) -> Outcome {
    let store = factory.open(&Setup::new());
    let answer = DocumentHash::of(b"answer");
    let refusals = [
        store
            .add_transition(&id(1), answered(0, answer, START_US))
            .await,
        store.keep_answer(&id(1), answer, b"answer".to_vec()).await,
        store
            .set_item(&id(1), item(0, ItemState::Checked, None)?)
            .await,
    ];
    for refused in refusals {
        ensure_matches!(refused, Err(StoreError::ExchangeConflict { .. }));
    }
    ensure!(store.exchanges(None, 10).await?.is_empty());
    Ok(())
}

pub(super) async fn newest<F: Factory<Store: ExchangeStore>>(factory: &F) -> Outcome {
    let store = factory.open(&Setup::new());
    for (number, later) in [(1, 30), (2, 10), (3, 20), (4, 20)] {
        store
            .begin_exchange(begun(number, START_US + later), asked(START_US))
            .await?;
    }
    let expected: [(Option<u64>, usize, &[u32]); 5] = [
        (None, 10, &[1, 4, 3, 2]),
        (None, 2, &[1, 4]),
        (Some(START_US + 30), 10, &[4, 3, 2]),
        (Some(START_US + 20), 10, &[2]),
        (Some(START_US), 10, &[]),
    ];
    for (before, limit, numbers) in expected {
        let found = store.exchanges(before, limit).await?;
        let found: Vec<_> = found.into_iter().map(|one| one.begun.id).collect();
        let numbers: Vec<_> = numbers.iter().map(|number| id(*number)).collect();
        ensure!(
            found == numbers,
            "before {before:?}, at most {limit}: {found:?}"
        );
    }
    Ok(())
}

pub(super) async fn too_large<F: Factory<Store: ExchangeStore>>(factory: &F) -> Outcome {
    let store = factory.open(&Setup::new());
    let mut large = begun(1, START_US);
    large.request = vec![b'x'; MAX_BYTES + 1];
    let mut terms = begun(2, START_US);
    terms.terms = "x".repeat(MAX_BYTES + 1);
    for one in [large, terms] {
        let refused = store.begin_exchange(one, asked(START_US)).await;
        ensure_matches!(refused, Err(StoreError::ExchangeLimit { .. }));
    }
    let mut just = begun(3, START_US);
    just.request = vec![b'x'; MAX_BYTES];
    just.terms = "x".repeat(MAX_BYTES);
    store.begin_exchange(just, asked(START_US)).await?;
    ensure_eq!(store.exchanges(None, 10).await?.len(), 1);
    Ok(())
}

pub(super) async fn too_many<F: Factory<Store: ExchangeStore>>(factory: &F) -> Outcome {
    let store = factory.open(&Setup::new());
    begin(&store, 1).await?;
    let answer = DocumentHash::of(b"answer");
    let rows = (1..=MAX_TRANSITIONS).map(|number| answered(number, answer, START_US));
    let rows: Vec<_> = rows.collect();
    let one = id(1);
    let mut refused = Vec::new();
    for rows in rows.chunks(256) {
        let adding = rows
            .iter()
            .map(|row| store.add_transition(&one, row.clone()));
        let told = super::super::support::all(adding).await;
        refused.extend(told.into_iter().filter_map(Result::err));
    }
    let limited = matches!(refused.as_slice(), [StoreError::ExchangeLimit { .. }]);
    ensure!(limited, "{refused:?}");
    Ok(())
}
