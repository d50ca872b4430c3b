//! Cases: order, idempotency, all or nothing, and appends that come at once (F4, C17).

use std::collections::BTreeSet;

use counterfoil_types::WorldId;

use super::support::{all, checkpoint, draft, drafts, fetch, opened, put, verify};
use super::{Factory, Outcome};
use crate::{CapsuleLog, MAX_DRAFTS, MemoryStore, StoreError};

pub(super) async fn in_order<F: Factory>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let first = store.append(setup.agent(1), drafts("a", 3)?).await?;
    let second = store.append(setup.agent(2), drafts("b", 2)?).await?;
    for (expected, place) in (0..).zip(first.iter().chain(&second)) {
        ensure_eq!(place.index, expected);
        ensure!(place.is_new, "entry {expected} is not new");
        ensure!(
            place.tree_size > place.index,
            "entry {expected} is beyond its checkpoint"
        );
    }
    ensure!(second.iter().all(|place| place.tree_size == 5));
    ensure_eq!(checkpoint(&setup, &store).await?.0, 5);
    Ok(())
}

pub(super) async fn repeated<F: Factory>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let first = store.append(setup.agent(1), drafts("w", 3)?).await?;
    store.append(setup.agent(1), drafts("other", 1)?).await?;
    let note = store.checkpoint().await?;
    for agent in [1, 2] {
        let again = store.append(setup.agent(agent), drafts("w", 3)?).await?;
        for (before, now) in first.iter().zip(&again) {
            ensure!(!now.is_new);
            let same = (
                before.index,
                before.capsule,
                before.recorded_at,
                before.chain,
            ) == (now.index, now.capsule, now.recorded_at, now.chain);
            ensure!(same, "a repetition has another place");
        }
    }
    ensure!(store.size().await? == 4, "a repetition has grown the log");
    ensure_eq!(store.checkpoint().await?, note);
    Ok(())
}

pub(super) async fn conflict<F: Factory>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    put(&store, &setup, draft("w", "first")?).await?;
    let refused = store
        .append(setup.agent(1), vec![draft("w", "second")?])
        .await;
    let Err(StoreError::WorldConflict { world_id, index: 0 }) = refused else {
        return Err(format!("other content was answered with {refused:?}").into());
    };
    ensure_eq!(world_id, WorldId::new("w")?);
    let found = fetch(&store, "w").await?;
    ensure!(found.content()?.contains("first"));
    ensure!(store.size().await? == 1, "a conflict has grown the log");
    Ok(())
}

pub(super) async fn whole<F: Factory>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    put(&store, &setup, draft("taken", "first")?).await?;
    let mut drafts = drafts("w", 3)?;
    drafts.push(draft("taken", "second")?);
    let refused = store.append(setup.agent(1), drafts).await;
    ensure!(refused.is_err(), "an append with a conflict was taken");
    ensure_eq!(store.size().await?, 1);
    for number in 0..3 {
        let id = WorldId::new(format!("w-{number}"))?;
        ensure!(!store.exists(&id).await?);
    }
    let after = store
        .append(setup.agent(1), vec![draft("w-0", "other text")?])
        .await?;
    ensure!(after.iter().all(|place| place.index == 1));
    verify(&store, &setup, "w-0").await
}

pub(super) async fn twice<F: Factory>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let same = vec![draft("w", "text")?, draft("w", "text")?];
    let places = store.append(setup.agent(1), same).await?;
    ensure!(places.iter().all(|place| place.index == 0));
    let refused = store
        .append(setup.agent(1), vec![draft("x", "a")?, draft("x", "b")?])
        .await;
    ensure_matches!(refused, Err(StoreError::WorldConflict { .. }));
    ensure_eq!(store.size().await?, 1);
    Ok(())
}

pub(super) async fn limit<F: Factory>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let too_many = vec![draft("w", "text")?; MAX_DRAFTS + 1];
    let refused = store.append(setup.agent(1), too_many).await;
    ensure_matches!(refused, Err(StoreError::TooManyDrafts { .. }));
    ensure_eq!(store.size().await?, 0);
    Ok(())
}

pub(super) async fn at_once<F: Factory>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let mut waiting = Vec::new();
    for agent in 0..16_u8 {
        for round in 0..4 {
            let drafts = drafts(&format!("w-{agent}-{round}"), 2)?;
            waiting.push(store.append(setup.agent(agent), drafts));
        }
    }
    let mut indices = BTreeSet::new();
    for places in all(waiting).await {
        for place in places? {
            ensure!(indices.insert(place.index), "two entries have one index");
        }
    }
    ensure!(indices == (0..128).collect(), "there are gaps in the log");
    let (size, _) = checkpoint(&setup, &store).await?;
    ensure!(size == 128, "the checkpoint has another size");
    for agent in 0..16_u8 {
        verify(&store, &setup, &format!("w-{agent}-3-1")).await?;
    }
    Ok(())
}

pub(super) async fn one_fails<F: Factory>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    put(&store, &setup, draft("taken", "first")?).await?;
    let mut waiting = Vec::new();
    for number in 0..8 {
        let good = draft(&format!("good-{number}"), "text")?;
        waiting.push(store.append(setup.agent(1), vec![good]));
        let bad = vec![
            draft(&format!("bad-{number}"), "text")?,
            draft("taken", "second")?,
        ];
        waiting.push(store.append(setup.agent(1), bad));
    }
    for (number, places) in all(waiting).await.into_iter().enumerate() {
        let expected = number % 2 == 0;
        ensure_eq!(places.is_ok(), expected);
    }
    ensure_eq!(store.size().await?, 9);
    verify(&store, &setup, "good-7").await
}
