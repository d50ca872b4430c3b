//! Cases: documents about others, and the secret.

use counterfoil_capsule::documents::ClockCorrection;
use counterfoil_capsule::{Document, RecordKind};
use counterfoil_exchange::documents::DocumentHash;
use counterfoil_exchange::trust::MAX_RECORD_BYTES;

use super::super::support::opened;
use super::super::{Factory, Outcome, Setup};
use super::rig::{ROOM, START_US, begin, claim, document, hash, id, key, sighting};
use crate::{CapsuleLog, Draft, ExchangeStore, StoreError};

/// Documents are received when their record was recorded, each decision later than the one before it: under a clock that does
/// not move, after it went back, and once a wrong one is corrected.
pub(super) async fn kept<F: Factory<Store: ExchangeStore>>(factory: &F) -> Outcome {
    const YEAR_US: u64 = 365 * 86_400 * 1_000_000;
    let (setup, mut store) = opened(factory);
    let agent = setup.agent(1);
    ensure!(store.records(0).await? == Some(Vec::new()));
    let mut clocks = [START_US, START_US + YEAR_US, START_US].into_iter().cycle();
    let mut expected = Vec::new();
    for text in [
        "second by name",
        "a first by name",
        "third",
        "fourth",
        "fifth",
    ] {
        setup.set_clock(clocks.next().unwrap_or(START_US));
        let documents = vec![document(text), document("again")];
        let new = store.add_records(setup.agent(1), documents.clone()).await?;
        let first = if expected.is_empty() { 2 } else { 1 };
        ensure_eq!(new, first);
        expected.extend(documents.into_iter().take(first));
        let found = store.records(0).await?.unwrap_or_default();
        ensure!(
            found.iter().map(|(document, _)| document).eq(&expected),
            "{found:?}"
        );
        // Documents of one record are received together.
        let times = found.iter().skip(1).map(|(_, at)| *at);
        ensure!(
            times.is_sorted_by(|earlier, later| earlier < later),
            "{found:?}"
        );
        let known = u64::try_from(found.len())?;
        ensure!(store.records(known).await?.is_none(), "nothing is new");
    }
    setup.set_clock(START_US + 9);
    let correction = ClockCorrection::new("the clock was a year ahead")?.to_value();
    let correction = Draft::record(RecordKind::ClockCorrection, correction);
    store.append_one(agent, correction).await?;
    store = factory.reopen(&setup, store);
    let found = store.records(0).await?.unwrap_or_default();
    ensure!(
        found.iter().map(|(document, _)| document).eq(&expected),
        "{found:?}"
    );
    let times = found.iter().skip(1).map(|(_, at)| *at);
    ensure!(
        times.is_sorted_by(|earlier, later| earlier < later),
        "{found:?}"
    );
    ensure!(found.iter().all(|(_, at)| *at <= START_US + 9), "{found:?}");
    Ok(())
}

pub(super) async fn too_large<F: Factory<Store: ExchangeStore>>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let just = document(&"x".repeat(MAX_RECORD_BYTES - document("").len()));
    let more = [&just[..], b" "].concat();
    let refused = store.add_records(setup.agent(1), vec![just.clone(), more]);
    ensure_matches!(refused.await, Err(StoreError::Seal { .. }));
    ensure_eq!(store.size().await?, 0);
    ensure_eq!(store.add_records(setup.agent(1), vec![just; 1]).await?, 1);
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
    let (setup, answer) = (Setup::new(), DocumentHash::of(b"one"));
    ensure_fails!(
        store.add_records(setup.agent(1), vec![document("one")]),
        store.records(0),
        begin(&store, 1),
        store.answer(&id(1), &answer),
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
