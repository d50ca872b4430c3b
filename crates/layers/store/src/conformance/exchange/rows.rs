//! Cases: exchanges and their rows, which are only added (R6).

use counterfoil_exchange::documents::DocumentHash;

use super::super::support::{all, opened};
use super::super::{Factory, Outcome, Setup};
use super::rig::{START_US, answered, asked, begin, begun, id, item};
use crate::exchange_limits::{MAX_BYTES, MAX_TRANSITIONS};
use crate::{ExchangeStore, StoreError, StoredExchange};
use counterfoil_exchange::machine::ItemState;

pub(super) async fn as_begun<F: Factory<Store: ExchangeStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    for number in [1, 2] {
        begin(&store, number).await?;
    }
    let second = answered(1, DocumentHash::of(b"answer"), START_US + 1);
    store.add_transition(&id(1), second.clone()).await?;
    let store = factory.reopen(&setup, store);
    let found = store.exchange(&id(1)).await?.ok_or("it is not there")?;
    let expected = StoredExchange {
        begun: begun(1, START_US),
        transitions: vec![asked(START_US), second],
        items: Vec::new(),
    };
    ensure_eq!(found, expected);
    let other = store.exchange(&id(2)).await?;
    ensure_eq!(other.map(|other| other.begun), Some(begun(2, START_US)));
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
    ensure!(found.len() == 1 && found.iter().all(|one| one.transitions.len() == 1));
    Ok(())
}

pub(super) async fn following<F: Factory<Store: ExchangeStore>>(factory: &F) -> Outcome {
    let store = factory.open(&Setup::new());
    begin(&store, 1).await?;
    let row = |number| answered(number, DocumentHash::of(b"answer"), START_US);
    for (number, fits) in [
        (0, false),
        (2, false),
        (u32::MAX, false),
        (1, true),
        (1, false),
    ] {
        match store.add_transition(&id(1), row(number)).await {
            Ok(()) => ensure!(fits, "row {number} was added"),
            Err(StoreError::ExchangeConflict { .. }) => ensure!(!fits, "row {number} was refused"),
            Err(other) => return Err(other.into()),
        }
    }
    let found = store.exchange(&id(1)).await?.ok_or("it is not there")?;
    ensure!(found.transitions.len() == 2, "{:?}", found.transitions);
    Ok(())
}

pub(super) async fn unknown<F: Factory<Store: ExchangeStore>>(factory: &F) -> Outcome {
    let store = factory.open(&Setup::new());
    let answer = DocumentHash::of(b"answer");
    let (row, item) = (
        answered(0, answer, START_US),
        item(0, ItemState::Checked, None)?,
    );
    for refused in [
        store.add_transition(&id(1), row).await,
        store.keep_answer(&id(1), answer, b"answer".to_vec()).await,
        store.set_item(&id(1), item).await,
    ] {
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
        ensure_eq!(found, numbers);
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
    let rows: Vec<_> = (1..=MAX_TRANSITIONS)
        .map(|number| answered(number, answer, START_US))
        .collect();
    let (one, mut refused) = (id(1), Vec::new());
    for rows in rows.chunks(256) {
        let adding = rows
            .iter()
            .map(|row| store.add_transition(&one, row.clone()));
        refused.extend(all(adding).await.into_iter().filter_map(Result::err));
    }
    let limited = matches!(refused.as_slice(), [StoreError::ExchangeLimit { .. }]);
    ensure!(limited, "{refused:?}");
    Ok(())
}
