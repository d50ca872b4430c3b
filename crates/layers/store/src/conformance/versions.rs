//! Cases: Worlds that change, over many versions, back and forth (capsules 4.3, C15, C17; CAP-3).

use counterfoil_capsule::delta::{Change, Delta};
use counterfoil_capsule::{delta_hash, mutation_hash, state_of};
use counterfoil_types::json::Value;
use serde_json::json;

use super::model::{Model, new_version};
use super::support::{all, draft, fetch, opened, put, verify, world};
use super::{Factory, Outcome};
use crate::mutation::{derive, mutate_capsule, rollback_to, state_at, undone};
use crate::{CapsuleLog, Draft, StoreError};

pub(super) async fn many<F: Factory>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let data = json!({ "text": "the key is under the pot", "count": 0, "log": [] });
    let mut model = Model::begin(&store, &setup, data).await?;
    for count in 1..200 {
        model
            .patch(json!([
                { "op": "replace", "path": "/count", "value": count },
                { "op": "add", "path": "/log/-", "value": format!("entry {count}") },
            ]))
            .await?;
    }
    model.check().await?;
    for seq in [0, 1, 63, 64, 65, 127, 128, 199] {
        verify(&store, &setup, &format!("v-{seq}")).await?;
    }
    Ok(())
}

pub(super) async fn walk<F: Factory>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let mut model = Model::begin(&store, &setup, json!({ "a": 0 })).await?;
    let mut random = [0_u8; 4];
    for step in 0..150_u64 {
        setup.entropy.fill(&mut random)?;
        let [choice, name, value, long] = random;
        if choice % 4 == 0 {
            let seq = usize::from(value) % model.states.len();
            model.back(seq).await?;
            continue;
        }
        let name = format!("/{}", char::from(b'a' + name % 6));
        let value = match long % 16 {
            0 => json!("x".repeat(300 + usize::from(value))),
            1..4 => json!({ "at": step, "list": [value, null, true] }),
            _ => json!(value),
        };
        model
            .patch(json!([{ "op": "add", "path": name, "value": value }]))
            .await?;
    }
    // What the deltas undo is the version that a rollback names.
    let versions = store.chain(&model.chain).await?;
    let last = versions.last().ok_or("no version")?.index;
    let last = store.capsule(last).await?.ok_or("no capsule")?;
    for (seq, state) in (0..).zip(&model.states) {
        let content = undone(&store, &last, seq).await?;
        let reached = content.map(|content| state_of(&content)).transpose()?;
        let expected = (seq < last.header.seq()).then(|| state.clone());
        ensure_eq!(reached, expected);
    }
    model.check().await
}

/// The delta is the caller's, operation by operation, and `hash(capsule, delta)` is what the next capsule names; its id
/// is its own, and it is later.
pub(super) async fn given<F: Factory>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let mut model = Model::begin(&store, &setup, json!({ "a": 1, "b": 2 })).await?;
    // A comparison of the contents finds one replacement.
    model
        .patch(json!([
            { "op": "remove", "path": "/a" },
            { "op": "add", "path": "/a", "value": 3 },
        ]))
        .await?;
    model.back(0).await?;
    model.check().await?;
    let mut before = store.version(&model.chain, 0).await?.ok_or("no seed")?;
    let mut ids = vec![before.header.id()];
    for seq in 1..3 {
        let next = store
            .version(&model.chain, seq)
            .await?
            .ok_or("no version")?;
        let body = next.delta.clone().ok_or("a version without a delta")?;
        let delta = Delta::parse(body.text.as_bytes())?;
        let on_data = delta
            .operations()
            .filter(|(path, _)| path.starts_with("/data"));
        let on_data: Vec<_> = on_data
            .map(|(path, effect)| (path, effect.name()))
            .collect();
        let expected = match seq {
            1 => vec![("/data/a", "remove"), ("/data/a", "add")],
            _ => vec![("/data/a", "replace")],
        };
        ensure_eq!(on_data, expected);
        let hash = delta_hash(&body.salt, body.text.as_bytes());
        let mutation = mutation_hash(&before.header.hash(), &hash);
        ensure_eq!(next.header.mutation(), Some(mutation));
        ensure!(next.header.timestamp() > before.header.timestamp());
        ensure!(!ids.contains(&next.header.id()), "an id that is there");
        ids.push(next.header.id());
        before = next;
    }
    Ok(())
}

pub(super) async fn back<F: Factory>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let mut model = Model::begin(&store, &setup, json!({ "text": "zero" })).await?;
    for text in ["one", "two", "three"] {
        model
            .patch(json!([{ "op": "replace", "path": "/text", "value": text }]))
            .await?;
    }
    let restored = model.back(1).await?;
    model
        .patch(json!([{ "op": "add", "path": "/after", "value": 1 }]))
        .await?;
    let again = model.back(3).await?;
    model.check().await?;
    let versions = store.chain(&restored.chain).await?;
    let hashes: Vec<_> = versions.iter().map(|version| version.capsule).collect();
    for (place, target) in [(&restored, 1), (&again, 3)] {
        let stored = store.capsule(place.index).await?.ok_or("no capsule")?;
        ensure_eq!(
            stored.header.extensions().rollback_to,
            hashes.get(target).copied()
        );
    }
    let snapshots = [1, 4].map(|seq: u64| state_at(&store, &restored.chain, seq));
    let [old, new] = snapshots;
    let (old, new) = (old.await?, new.await?);
    ensure!(old.snapshot_hash() == new.snapshot_hash() && old.world_id() != new.world_id());
    let refused = rollback_to(
        &store,
        setup.agent(1),
        &restored.chain,
        99,
        new_version("x")?,
    )
    .await;
    ensure_matches!(refused, Err(StoreError::UnknownVersion { seq: 99, .. }));
    Ok(())
}

pub(super) async fn large<F: Factory>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let mut model = Model::begin(&store, &setup, json!({ "text": "short" })).await?;
    for letter in ["a", "b"] {
        let data = json!({ "text": letter.repeat(200_000) });
        model.change(Change::Replacement(&data)).await?;
    }
    model
        .patch(json!([{ "op": "add", "path": "/after", "value": 1 }]))
        .await?;
    model.back(1).await?;
    model.check().await?;
    let stored = store.version(&model.chain, 2).await?.ok_or("no version")?;
    let delta = stored.delta.ok_or("a version without a delta")?;
    ensure!(delta.text.len() < 400 && delta.text.contains("new_hash"));
    Ok(())
}

pub(super) async fn derived<F: Factory>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let first = put(&store, &setup, draft("a", "mine")?).await?;
    let patch = json!([{ "op": "replace", "path": "/text", "value": "yours" }]);
    let change = Change::Patch(&patch);
    let refused = mutate_capsule(
        &store,
        setup.agent(2),
        &first.chain,
        change,
        new_version("b")?,
    )
    .await;
    ensure_matches!(refused, Err(StoreError::ForeignChain { .. }));
    let own = derive(
        &store,
        setup.agent(2),
        (&first.chain, 0),
        Some(change),
        new_version("b")?,
    )
    .await?;
    let stored = store.capsule(own.index).await?.ok_or("no capsule")?;
    ensure!(own.chain != first.chain && stored.header.extensions().derived_from == [first.capsule]);
    let text = fetch(&store, "b")
        .await?
        .data()
        .cloned()
        .unwrap_or_default();
    ensure_eq!(text.get("text"), Some(&json!("yours")));
    ensure_eq!(store.chain(&first.chain).await?.len(), 1);
    Ok(())
}

pub(super) async fn race<F: Factory>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let first = put(&store, &setup, draft("a", "a")?).await?;
    let patches: Vec<Value> = (0..8)
        .map(|number| json!([{ "op": "replace", "path": "/text", "value": number }]))
        .collect();
    let updates = patches.iter().zip(0..).map(|(patch, number)| {
        let (store, setup, chain) = (&store, &setup, &first.chain);
        async move {
            let new = new_version(&format!("b-{number}")).map_err(|_| StoreError::Bug("id"))?;
            mutate_capsule(store, setup.agent(1), chain, Change::Patch(patch), new).await
        }
    });
    let answers = all(updates).await;
    let lost = answers.iter().filter_map(|answer| answer.as_ref().err());
    for error in lost {
        ensure_matches!(error, StoreError::HeadMoved { .. });
    }
    // Without waiting anywhere they follow one another; with it one wins each round.
    let won: u64 = answers
        .iter()
        .filter(|answer| answer.is_ok())
        .count()
        .try_into()?;
    let head = store.head(&first.chain).await?.ok_or("no head")?;
    ensure!(won >= 1 && head.seq == won);
    Ok(())
}

pub(super) async fn unfit<F: Factory>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let first = put(&store, &setup, Draft::new(world("a", "a")?)).await?;
    for patch in [
        json!([{ "op": "replace", "path": "/absent", "value": 1 }]),
        json!([{ "op": "test", "path": "/text", "value": "b" }]),
        json!([{ "op": "add", "path": "/text/0", "value": 1 }]),
        json!({ "not": "a patch" }),
    ] {
        let (change, new) = (Change::Patch(&patch), new_version("b")?);
        let signer = setup.agent(1);
        let refused = mutate_capsule(&store, signer, &first.chain, change, new).await;
        ensure!(
            matches!(refused, Err(StoreError::Change(_))),
            "{patch} was answered with {refused:?}"
        );
    }
    ensure_eq!(store.size().await?, 1);
    Ok(())
}
