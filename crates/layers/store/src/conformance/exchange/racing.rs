//! Cases: of callers at the same time one is the first.

use counterfoil_exchange::documents::DocumentHash;

use super::super::support::{all, opened};
use super::super::{Factory, Outcome, Setup};
use super::rig::{ROOM, START_US, answered, begin, document, hash, id, sighting};
use crate::{CapsuleLog, ExchangeStore, RequestState};

/// Callers at the same time.
const CALLERS: u8 = 64;

pub(super) async fn one_first<F: Factory<Store: ExchangeStore>>(factory: &F) -> Outcome {
    let store = factory.open(&Setup::new());
    let asking = (0..CALLERS).map(|caller| {
        let mut one = sighting(1, 1, START_US + 1);
        one.hash = hash(caller % 2);
        store.see(one, START_US, ROOM)
    });
    let told = all(asking)
        .await
        .into_iter()
        .collect::<Result<Vec<_>, _>>()?;
    let count = |wanted| told.iter().filter(|seen| **seen == wanted).count();
    let counts = (
        count(RequestState::New),
        count(RequestState::Same),
        count(RequestState::Other),
    );
    ensure!(counts == (1, 31, 32), "new, same, other: {counts:?}");
    Ok(())
}

pub(super) async fn one_row<F: Factory<Store: ExchangeStore>>(factory: &F) -> Outcome {
    let store = factory.open(&Setup::new());
    let one = id(1);
    begin(&store, 1).await?;
    let adding = (0..CALLERS).map(|caller| {
        let row = answered(1, DocumentHash::of(&[caller]), START_US);
        store.add_transition(&one, row)
    });
    let added = all(adding).await.iter().filter(|told| told.is_ok()).count();
    ensure!(added == 1, "{added} rows in one place");
    let found = store.exchange(&one).await?.ok_or("it is not there")?;
    ensure!(found.transitions.len() == 2, "{:?}", found.transitions);
    Ok(())
}

pub(super) async fn one_record<F: Factory<Store: ExchangeStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let adding = (0..CALLERS).map(|_| store.add_records(setup.agent(1), vec![document("one")]));
    let told = all(adding)
        .await
        .into_iter()
        .collect::<Result<Vec<_>, _>>()?;
    ensure!(told.iter().sum::<usize>() == 1, "{told:?}");
    let found = store.records(0).await?.unwrap_or_default();
    ensure!(found.len() == 1, "more than one");
    ensure_eq!(store.size().await?, 1);
    Ok(())
}
