//! Cases: capsules that were sealed elsewhere (capsules 4.5; C15, C33, C40).

use counterfoil_capsule::delta::Change;
use counterfoil_types::UnixMillis;
use counterfoil_types::WorldId;
use serde_json::json;

use super::support::{Fault, draft, drafts, elsewhere, put, verify};
use super::{Factory, Outcome, Setup};
use crate::mutation::mutate_capsule;
use crate::{AppendReport, CapsuleLog, ContentState, StoreError, StoredCapsule};

/// A chain of `count` versions by agent 1, and its capsules.
async fn chain(
    store: &dyn CapsuleLog,
    setup: &Setup,
    count: u64,
) -> Result<(AppendReport, Vec<StoredCapsule>), Fault> {
    let first = put(store, setup, draft("c-0", "version 0")?).await?;
    for version in 1..count {
        let patch = json!([{ "op": "replace", "path": "/text", "value": version }]);
        let new = (
            WorldId::new(format!("c-{version}"))?,
            UnixMillis::new(1_700_000_000_000)?,
        );
        let change = Change::Patch(&patch);
        mutate_capsule(store, setup.agent(1), &first.chain, change, new).await?;
    }
    let mut capsules = Vec::new();
    for seq in 0..count {
        let stored = store.version(&first.chain, seq).await?;
        capsules.push(stored.ok_or("a version is missing")?);
    }
    Ok((first, capsules))
}

pub(super) async fn round<F: Factory>(factory: &F) -> Outcome {
    let (setup, other) = (Setup::new(), elsewhere());
    let (from, into) = (factory.open(&setup), factory.open(&other));
    let (first, capsules) = chain(&from, &setup, 70).await?;
    into.append(other.agent(2), drafts("own", 3)?).await?;
    let (some, rest) = capsules.split_at(30);
    into.receive("peer", some.to_vec()).await?;
    into.receive("peer", rest.to_vec()).await?;
    let head = into.head(&first.chain).await?;
    let there = from.head(&first.chain).await?;
    ensure_eq!(
        head.map(|head| (head.seq, head.capsule)),
        there.map(|head| (head.seq, head.capsule))
    );
    for (seq, capsule) in (0..).zip(&capsules) {
        let stored = into.version(&first.chain, seq).await?.ok_or("no version")?;
        let same = stored.header == capsule.header
            && stored.entry == capsule.entry
            && stored.signature == capsule.signature
            && stored.payload == capsule.payload
            && stored.delta == capsule.delta;
        ensure!(same, "version {seq} is another one here");
    }
    verify(&into, &other, "c-42").await?;
    let size = into.size().await?;
    let again = into.receive("peer", capsules.clone()).await?;
    ensure!(into.size().await? == size && again.iter().all(|place| !place.is_new));
    grows_on(&into, &other, &first).await
}

/// The same agent goes on with its chain where it was received.
async fn grows_on(store: &dyn CapsuleLog, setup: &Setup, first: &AppendReport) -> Outcome {
    let patch = json!([{ "op": "add", "path": "/here", "value": true }]);
    let new = (WorldId::new("c-here")?, UnixMillis::new(1_700_000_000_000)?);
    let change = Change::Patch(&patch);
    let place = mutate_capsule(store, setup.agent(1), &first.chain, change, new).await?;
    let before = store.version(&first.chain, 69).await?.ok_or("no version")?;
    ensure!(place.recorded_at > before.header.timestamp());
    Ok(())
}

pub(super) async fn refused<F: Factory>(factory: &F) -> Outcome {
    let (setup, other) = (Setup::new(), elsewhere());
    let (from, into) = (factory.open(&setup), factory.open(&other));
    let (_, capsules) = chain(&from, &setup, 4).await?;
    let answer = into
        .receive("peer", capsules.get(1..).unwrap_or_default().to_vec())
        .await;
    ensure_matches!(answer, Err(StoreError::HeadMoved { actual: None, .. }));
    into.append(other.agent(2), vec![draft("c-2", "taken")?])
        .await?;
    let answer = into.receive("peer", capsules.clone()).await;
    ensure_matches!(answer, Err(StoreError::WorldConflict { .. }));
    ensure_eq!(into.size().await?, 1);
    let head = into.receive("peer", capsules.get(..2).unwrap_or_default().to_vec());
    let place = head.await?.pop().ok_or("no place")?;
    let branch = draft("branch", "x")?.following(place.chain, place.capsule);
    into.append(other.agent(1), vec![branch]).await?;
    let rest = capsules.get(3..).unwrap_or_default().to_vec();
    let answer = into.receive("peer", rest).await;
    ensure_matches!(
        answer,
        Err(StoreError::HeadMoved {
            actual: Some(_),
            ..
        })
    );
    Ok(())
}

pub(super) async fn erased<F: Factory>(factory: &F) -> Outcome {
    let (setup, other) = (Setup::new(), elsewhere());
    let (from, into) = (factory.open(&setup), factory.open(&other));
    let (first, mut capsules) = chain(&from, &setup, 5).await?;
    for (seq, capsule) in (0..).zip(&mut capsules) {
        if seq == 2 {
            capsule.payload = None;
        }
        if seq == 2 || seq == 3 {
            capsule.delta = None;
        }
    }
    into.receive("peer", capsules.clone()).await?;
    for (seq, capsule) in (0..).zip(&capsules) {
        let stored = into.version(&first.chain, seq).await?.ok_or("no version")?;
        let same = stored.payload == capsule.payload && stored.delta == capsule.delta;
        ensure!(same, "version {seq} has other bodies here");
    }
    let states: Vec<_> = into.chain(&first.chain).await?;
    let states: Vec<_> = states.iter().map(|version| version.content).collect();
    let (here, gone) = (ContentState::Present, ContentState::Erased);
    ensure_eq!(states, [here, here, gone, here, here]);
    let new = (
        WorldId::new("restored")?,
        UnixMillis::new(1_700_000_000_000)?,
    );
    let answer = crate::mutation::rollback_to(&into, other.agent(1), &first.chain, 2, new).await;
    ensure_matches!(answer, Err(StoreError::RollbackUnavailable { seq: 2, .. }));
    Ok(())
}
