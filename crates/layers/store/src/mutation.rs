//! Worlds that change: a new version on their chain, a state brought back, a chain derived from
//! another (CAP-3, capsules 4.3, C15, C17).

use std::sync::Arc;

use counterfoil_capsule::delta::{self, Change, Delta, DeltaError, Effect, normalise};
use counterfoil_capsule::{ChainId, Extensions, Signer, World, state_of, with_identity};
use counterfoil_types::json::Value;
use counterfoil_types::{UnixMillis, WorldId};
use serde_json::json;

use crate::append::claims::none_before;
use crate::capsule_log::{AppendReport, CapsuleLog, Draft, StoredCapsule};
use crate::{SNAPSHOT_INTERVAL, StoreError, StoreLocation};

/// WorldId of a version, which no other version has, and its time of creation in its source.
pub type NewVersion = (WorldId, UnixMillis);

/// Appends a version that differs from the last one of `chain` by `change` of its `data`,
/// below which paths begin: the protocol's `mutate_capsule(capsule, delta)`, as [`mutated`] drafts it.
///
/// The head is read and compared again inside the transaction that writes, so of two writers one
/// wins and the other gets an error.
///
/// # Errors
/// [`StoreError::HeadMoved`] for the one who came second, [`StoreError::ForeignChain`] for another
/// agent, and those of [`mutated`] and [`CapsuleLog::append`].
pub async fn mutate_capsule(
    store: &dyn CapsuleLog,
    signer: Arc<dyn Signer>,
    chain: &ChainId,
    change: Change<'_>,
    new: NewVersion,
) -> Result<AppendReport, StoreError> {
    let draft = mutated(&last_of(store, chain).await?, change, new)?;
    store.append_one(signer, draft).await
}

/// Appends a version whose state is that of number `seq` of `chain`, byte for byte, and which says
/// so (`ext.rollback_to`). The deltas since are undone, the newest first, from the last version, or from the next one that is
/// kept whole; where one of them is erased, archived or no reversible delta, the content of version `seq` is taken.
/// Nothing is rewound: the versions between stay, and the rollback can be rolled back like any other.
///
/// # Errors
/// [`StoreError::UnknownVersion`], [`StoreError::RollbackUnavailable`] when the content of that
/// version is erased or archived, [`StoreError::IsClaim`] for a claim unit, [`StoreError::Corrupt`] when the deltas lead
/// elsewhere, and those of [`CapsuleLog::append`].
pub async fn rollback_to(
    store: &dyn CapsuleLog,
    signer: Arc<dyn Signer>,
    chain: &ChainId,
    seq: u64,
    new: NewVersion,
) -> Result<AppendReport, StoreError> {
    let (stored, before) = state_of_version(store, chain, seq).await?;
    none_before(&stored.header)?;
    let last = last_of(store, chain).await?;
    let undone = undone(store, &last, seq).await?;
    let state = undone.as_ref().unwrap_or(before.content_value());
    if state_of(state).ok() != state_of(before.content_value()).ok() {
        return Err(StoreError::corrupt(
            StoreLocation::entry("body", stored.index),
            "the deltas since do not lead back to it",
        ));
    }
    let draft = following(&last, renamed(state, &new)?).with(Extensions {
        rollback_to: Some(stored.header.hash()),
        ..Extensions::default()
    });
    store.append_one(signer, draft).await
}

/// Content of version `seq` as the deltas of later versions lead back to it; `None` where they do not reach.
pub(crate) async fn undone(
    store: &dyn CapsuleLog,
    last: &StoredCapsule,
    seq: u64,
) -> Result<Option<Value>, StoreError> {
    let (chain, head) = (last.header.chain(), last.header.seq());
    let whole = (seq / SNAPSHOT_INTERVAL + 1).saturating_mul(SNAPSHOT_INTERVAL);
    let newest = head.min(whole);
    if newest <= seq {
        return Ok(None);
    }
    let Some(deltas) = store.deltas(&chain, seq + 1..=newest).await? else {
        return Ok(None);
    };
    let content = match newest == head {
        true => content_of(last),
        false => state_at(store, &chain, newest).await,
    };
    let content = content.ok();
    let content = content.map(|content| delta::roll_back(content.content_value(), &deltas));
    content.transpose().map_err(StoreError::Change)
}

/// Begins a chain of the signer's own with the state of another's version, changed or not, and records
/// the source capsule (`ext.derived_from`): no agent extends the chain of another one
/// (C15).
///
/// # Errors
/// As [`rollback_to`], and [`StoreError::Change`] when the change does not fit.
pub async fn derive(
    store: &dyn CapsuleLog,
    signer: Arc<dyn Signer>,
    (chain, seq): (&ChainId, u64),
    change: Option<Change<'_>>,
    new: NewVersion,
) -> Result<AppendReport, StoreError> {
    let (stored, _) = state_of_version(store, chain, seq).await?;
    store
        .append_one(signer, derived(&stored, change, new)?)
        .await
}

/// Draft of a chain of its own with the state of `source`, changed or not.
///
/// # Errors
/// [`StoreError::IsClaim`] for a claim unit, [`StoreError::ContentErased`], [`StoreError::Change`] when the change does not
/// fit, [`StoreError::NoWorld`] when no World comes out.
pub fn derived(
    source: &StoredCapsule,
    change: Option<Change<'_>>,
    new: NewVersion,
) -> Result<Draft, StoreError> {
    none_before(&source.header)?;
    let world = content_of(source)?;
    let world = match change {
        Some(change) => changed(&world, change, &new)?.0,
        None => renamed(world.content_value(), &new)?,
    };
    Ok(Draft::new(world).with(Extensions {
        derived_from: vec![source.header.hash()],
        ..Extensions::default()
    }))
}

/// Draft of the version after `before`, with `change` made to its `data`. The delta that is sealed is this change, normalised
/// (docs/format/delta.md), and then what each version has of its own.
///
/// # Errors
/// As [`derived`].
pub fn mutated(
    before: &StoredCapsule,
    change: Change<'_>,
    new: NewVersion,
) -> Result<Draft, StoreError> {
    none_before(&before.header)?;
    let (world, delta) = changed(&content_of(before)?, change, &new)?;
    let draft = following(before, world);
    Ok(match delta {
        Some(delta) => draft.by(delta),
        None => draft,
    })
}

/// The World that number `seq` of a chain holds, without a receipt.
///
/// # Errors
/// [`StoreError::UnknownVersion`] when there is none, or no World;
/// [`StoreError::RollbackUnavailable`] when its content is erased or archived.
pub async fn state_at(
    store: &dyn CapsuleLog,
    chain: &ChainId,
    seq: u64,
) -> Result<World, StoreError> {
    state_of_version(store, chain, seq)
        .await
        .map(|(_, world)| world)
}

/// The World with `change` made to its `data`, under a name of its own, and the delta between the two contents; `None` for a
/// replacement that is larger than any delta. `snapshotHash` follows its `data`.
fn changed(
    world: &World,
    change: Change<'_>,
    new: &NewVersion,
) -> Result<(World, Option<Delta>), StoreError> {
    let content = world.content_value();
    let before = world.data().unwrap_or(&Value::Null);
    let (mut operations, data) = match (normalise(before, change), change) {
        (Ok(delta), _) => {
            let data = delta.apply(before).map_err(StoreError::Change)?;
            (delta.operations().map(in_data).collect(), data)
        }
        (Err(DeltaError::TooLarge { .. } | DeltaError::Delta(_)), Change::Replacement(new)) => {
            (vec![set("data", new)], new.clone())
        }
        (Err(error), _) => return Err(StoreError::Change(error)),
    };
    let mut own = vec![
        ("createdAt", Value::from(new.1.value())),
        ("worldId", new.0.to_string().into()),
    ];
    if data != *before {
        let hash = counterfoil_capsule::memory_snapshot_hash(&data).map_err(StoreError::NoWorld)?;
        own.push(("snapshotHash", hash.into()));
    }
    operations.extend(own.iter().map(|(name, value)| set(name, value)));
    let (content, delta) = match normalise(content, Change::Patch(&operations.into())) {
        Ok(delta) => (
            delta.apply(content).map_err(StoreError::Change)?,
            Some(delta),
        ),
        Err(DeltaError::TooLarge { .. } | DeltaError::Delta(_)) => {
            let mut members = content.as_object().cloned().unwrap_or_default();
            own.push(("data", data));
            members.extend(
                own.into_iter()
                    .map(|(name, value)| (name.to_owned(), value)),
            );
            (members.into(), None)
        }
        Err(error) => return Err(StoreError::Change(error)),
    };
    let world = World::try_from(content).map_err(|error| StoreError::NoWorld(error.into()))?;
    Ok((world, delta))
}

/// Operation that puts a member of the content there, or in the place of the one that is there.
fn set(name: &str, value: &Value) -> Value {
    json!({ "op": "add", "path": format!("/{name}"), "value": value })
}

/// An operation on `data` as one on the content.
fn in_data((path, effect): (&str, Effect<&Value>)) -> Value {
    match effect {
        Effect::Replace { value, .. } if path.is_empty() => set("data", value),
        Effect::Add(value) | Effect::Replace { value, .. } => {
            json!({ "op": effect.name(), "path": format!("/data{path}"), "value": value })
        }
        Effect::Remove(_) => json!({ "op": "remove", "path": format!("/data{path}") }),
    }
}

/// A state as a World of this name.
fn renamed(state: &Value, new: &NewVersion) -> Result<World, StoreError> {
    with_identity(state, &new.0, new.1)
        .and_then(|content| Ok(World::try_from(content)?))
        .map_err(StoreError::NoWorld)
}

fn following(last: &StoredCapsule, world: World) -> Draft {
    Draft::new(world).following(last.header.chain(), last.header.hash())
}

async fn last_of(store: &dyn CapsuleLog, chain: &ChainId) -> Result<StoredCapsule, StoreError> {
    let unknown = |seq| StoreError::UnknownVersion { chain: *chain, seq };
    let head = store.head(chain).await?.ok_or_else(|| unknown(0))?;
    let last = store.version(chain, head.seq).await?;
    last.ok_or_else(|| unknown(head.seq))
}

async fn state_of_version(
    store: &dyn CapsuleLog,
    chain: &ChainId,
    seq: u64,
) -> Result<(StoredCapsule, World), StoreError> {
    let unavailable = || StoreError::RollbackUnavailable { chain: *chain, seq };
    let stored = match store.version(chain, seq).await {
        Err(StoreError::Archived { .. }) => return Err(unavailable()),
        other => other?,
    };
    let stored = stored
        .filter(|stored| stored.entry.world().is_some())
        .ok_or(StoreError::UnknownVersion { chain: *chain, seq })?;
    if stored.payload.is_none() {
        return Err(unavailable());
    }
    let world = content_of(&stored)?;
    Ok((stored, world))
}

/// The World of a capsule whose content the next one changes.
fn content_of(stored: &StoredCapsule) -> Result<World, StoreError> {
    let chain = stored.header.chain();
    let payload = stored
        .payload
        .as_ref()
        .ok_or(StoreError::ContentErased { chain })?;
    let place = || StoreLocation::entry("body", stored.index);
    World::from_json(payload.text.as_bytes()).map_err(|error| StoreError::corrupt(place(), error))
}
