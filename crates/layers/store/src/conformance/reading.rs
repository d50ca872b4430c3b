//! Cases: what can be read, and that a failure is told from "nothing there" (specification 6.1).

use counterfoil_capsule::{CapsuleId, ChainId, Receipt};
use counterfoil_types::WorldId;

use super::support::{draft, drafts, fetch, opened, put, world};
use super::{Factory, Outcome, Setup};
use crate::{CapsuleLog, MemoryStore, StoreError};

pub(super) async fn unknown<F: Factory>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    put(&store, &setup, draft("known", "text")?).await?;
    for id in ["unknown", "Known", "known ", "know"] {
        let world_id = WorldId::new(id)?;
        ensure!(store.get(&world_id).await?.is_none(), "{id:?} was found");
        ensure!(!store.exists(&world_id).await?, "{id:?} exists");
        ensure_eq!(store.index_of(&world_id).await?, None);
    }
    ensure!(store.exists(&WorldId::new("known")?).await?);
    Ok(())
}

pub(super) async fn empty<F: Factory>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    ensure!(store.size().await? == 0, "a new log has entries");
    ensure!(store.checkpoint().await?.is_none());
    ensure!(store.latest_world().await?.is_none());
    ensure!(store.capsule(0).await?.is_none(), "a capsule of nothing");
    let appended = store.append(setup.agent(1), Vec::new()).await?;
    ensure!(appended.is_empty(), "an append of nothing has places");
    ensure_eq!(store.size().await?, 0);
    Ok(())
}

pub(super) async fn round_trip<F: Factory>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let given = world("w", "the key is under the blue pot")?;
    put(&store, &setup, crate::Draft::new(given.clone())).await?;
    let found = fetch(&store, "w").await?;
    ensure!(found.content()? == given.content()?, "the content differs");
    let receipt = Receipt::of(&found)?.ok_or("no receipt")?;
    ensure_eq!(receipt.agent(), setup.agent(1).agent());
    Ok(())
}

/// M-11: ids are compared as bytes, and nothing in them means anything.
pub(super) async fn opaque_ids<F: Factory>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let long = "x".repeat(1024);
    let ids = "a/b|a\nb|é|e\u{301}|' OR 1=1 --|%|_|\u{1f511}|nul\0";
    let ids: Vec<_> = ids.split('|').chain([&*long]).collect();
    for (number, id) in ids.iter().enumerate() {
        put(&store, &setup, draft(id, &format!("text {number}"))?).await?;
    }
    for (number, id) in ids.iter().enumerate() {
        let found = fetch(&store, id).await?;
        let expected = world(id, &format!("text {number}"))?.content()?;
        ensure!(found.content()? == expected, "{id:?} names other content");
    }
    Ok(())
}

pub(super) async fn by_index<F: Factory>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    store.append(setup.agent(1), drafts("w", 5)?).await?;
    for index in 0..5 {
        let id = WorldId::new(format!("w-{index}"))?;
        let stored = store.capsule(index).await?.ok_or("a capsule is missing")?;
        ensure_eq!(stored.index, index);
        ensure_eq!(stored.entry.world(), Some(&id));
        ensure_eq!(stored.entry.capsule, stored.header.hash());
        ensure_eq!(store.index_of(&id).await?, Some(index));
    }
    ensure!(store.capsule(5).await?.is_none());
    ensure!(store.capsule(u64::MAX).await?.is_none());
    ensure_eq!(store.latest_world().await?, Some(WorldId::new("w-4")?));
    Ok(())
}

pub(super) async fn failure<F: Factory>(factory: &F) -> Outcome {
    let setup = Setup::new();
    let store = factory.broken(&setup);
    let id = WorldId::new("w")?;
    let chain = ChainId::of_seed(CapsuleId::from_parts(1, [1; 10]));
    ensure_fails!(
        store.get(&id),
        store.exists(&id),
        store.index_of(&id),
        store.capsule(0),
        store.size(),
        store.checkpoint(),
        store.latest_world(),
        store.head(&chain),
        put(&store, &setup, draft("w", "text")?),
    );
    let proven = store.inclusion(0, 0).await;
    let out_of_range = matches!(proven, Err(StoreError::OutOfRange { .. }));
    ensure!(!out_of_range, "a broken store blames the caller");
    Ok(())
}
