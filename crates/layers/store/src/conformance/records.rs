//! Cases: records beside Worlds, and keys that change hands in time (capsules 4.7; B23, B24).

use std::sync::Arc;

use counterfoil_capsule::keys::{KeyDocument, KeyHistory, KeyInception, KeyRotation};
use counterfoil_capsule::{AgentSigner, RecordKind, SecretKey, Signed, Signer, Timestamp};
use serde_json::json;

use super::support::{Fault, draft, opened, verify};
use super::{Factory, Outcome, Setup};
use crate::{CapsuleLog, Draft, StoreError};

const CREATED_US: u64 = 1_772_323_200_000_000;

fn key(seed: u8) -> AgentSigner {
    AgentSigner::new(SecretKey::from_seed([seed; 32]))
}

/// The agent of key 1, whose next key is 2 and whose recovery key is 9.
struct Keys {
    created: Timestamp,
    inception: Signed<KeyInception>,
}

impl Keys {
    fn new() -> Result<Self, Fault> {
        let created = Timestamp::from_micros(CREATED_US)?;
        let inception = KeyInception::sign(&key(1), &key(2).key(), &key(9).key(), created)?;
        Ok(Self { created, inception })
    }

    /// Appends the inception; the history that begins with it.
    async fn begin(&self, store: &dyn CapsuleLog) -> Result<KeyHistory, Fault> {
        let document = KeyDocument::Inception(self.inception.clone());
        let place = store
            .append_one(Arc::new(key(1)), of_keys(&document))
            .await?;
        let stored = store.capsule(place.index).await?.ok_or("no inception")?;
        Ok(KeyHistory::begin(&stored.header, &self.inception)?)
    }

    fn rotation(&self, history: &KeyHistory) -> Result<KeyDocument, Fault> {
        let then = key(3).key();
        let rotation = KeyRotation::sign(history, &key(1), &key(2), &then, self.created)?;
        Ok(KeyDocument::Rotation(rotation))
    }
}

fn of_keys(document: &KeyDocument) -> Draft {
    let draft = Draft::record(document.kind(), document.to_value().clone());
    draft.with(document.extensions())
}

/// The agent of key 1 once it has rotated to key 2.
fn rotated() -> Arc<dyn Signer> {
    let agent = key(1).agent();
    Arc::new(AgentSigner::rotated(
        agent,
        1,
        SecretKey::from_seed([2; 32]),
    ))
}

pub(super) async fn record<F: Factory>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    store
        .append_one(setup.agent(1), draft("w", "something")?)
        .await?;
    let document = json!({ "type": "contradiction", "version": "1" });
    let draft = Draft::record(RecordKind::Contradiction, document.clone());
    let place = store.append_one(setup.agent(1), draft).await?;
    ensure!(place.world_id.is_none(), "a record has a WorldId");
    let stored = store.capsule(place.index).await?.ok_or("no record")?;
    let payload = stored.payload.ok_or("a record without content")?;
    let read: serde_json::Value = serde_json::from_str(&payload.text)?;
    ensure!(read == document, "a record says something else");
    ensure!(stored.entry.world().is_none());
    let latest = store.latest_world().await?.map(|id| id.to_string());
    ensure_eq!(latest.as_deref(), Some("w"));
    ensure!(store.size().await? == 2, "a record is no entry of the log");
    Ok(())
}

pub(super) async fn rotation<F: Factory>(factory: &F) -> Outcome {
    let (setup, store) = opened(factory);
    let keys = Keys::new()?;
    let history = keys.begin(&store).await?;
    let before = store
        .append_one(Arc::new(key(1)), draft("before", "by key 0")?)
        .await?;
    let document = keys.rotation(&history)?;
    let rotation = of_keys(&document).following(history.chain(), history.head());
    store.append_one(Arc::new(key(1)), rotation).await?;

    let late = draft("late", "by key 0 again")?;
    let next = draft("next", "x")?.following(before.chain, before.capsule);
    for draft in [late, next] {
        let refused = store.append_one(Arc::new(key(1)), draft).await;
        let named = matches!(
            refused,
            Err(StoreError::KeyNotCurrent {
                used: 0,
                current: 1,
                ..
            })
        );
        ensure!(named, "the old key was answered with {refused:?}");
    }
    let follows = draft("after", "by key 1")?.following(before.chain, before.capsule);
    let place = store.append_one(rotated(), follows).await?;
    let stored = store.capsule(place.index).await?.ok_or("no capsule")?;
    ensure!(stored.key == key(2).key() && stored.header.agent() == key(1).agent());
    let old = store.capsule(before.index).await?.ok_or("no capsule")?;
    ensure_eq!(old.key, key(1).key());
    for id in ["before", "after"] {
        verify(&store, &setup, id).await?;
    }
    ensure_eq!(
        store.head(&before.chain).await?.map(|head| head.seq),
        Some(1)
    );
    Ok(())
}

pub(super) async fn unfit<F: Factory>(factory: &F) -> Outcome {
    let store = factory.open(&Setup::new());
    let keys = Keys::new()?;
    let history = keys.begin(&store).await?;
    let again = of_keys(&KeyDocument::Inception(keys.inception.clone()));
    let document = keys.rotation(&history)?;
    let elsewhere = of_keys(&document);
    let mut forged = document.to_value().clone();
    if let Some(members) = forged.as_object_mut() {
        members.remove("proof");
    }
    let forged = Draft::record(RecordKind::KeyRotation, forged)
        .with(document.extensions())
        .following(history.chain(), history.head());
    for draft in [again, elsewhere, forged] {
        let refused = store.append_one(Arc::new(key(1)), draft).await;
        ensure_matches!(
            refused,
            Err(StoreError::KeyChain { .. } | StoreError::Seal { .. })
        );
    }
    let refused = store.append_one(rotated(), draft("w", "by key 1")?).await;
    ensure_matches!(refused, Err(StoreError::KeyNotCurrent { used: 1, .. }));
    ensure_eq!(store.size().await?, 1);
    Ok(())
}
