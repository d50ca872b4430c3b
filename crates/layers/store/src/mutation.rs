//! Worlds that change: a new version on their chain, a state brought back, a chain derived from
//! another (CAP-3, capsules 4.3, C15, C17).

use std::sync::Arc;

use counterfoil_capsule::delta::{Change, DeltaError, normalise};
use counterfoil_capsule::{ChainId, Extensions, Signer, World, with_identity};
use counterfoil_types::json::Value;
use counterfoil_types::{UnixMillis, WorldId};

use crate::append::claims::none_before;
use crate::capsule_log::{AppendReport, CapsuleLog, Draft, StoredCapsule};
use crate::{StoreError, StoreLocation};

/// WorldId of a version, which no other version has, and its time of creation in its source.
pub type NewVersion = (WorldId, UnixMillis);

/// Appends a version that differs from the last one of `chain` by `change` of its `data`,
/// below which paths begin: the protocol's `mutate_capsule(capsule, delta)`.
///
/// The head is read and compared again inside the transaction that writes, so of two writers one
/// wins and the other gets an error.
///
/// # Errors
/// [`StoreError::HeadMoved`] for the one who came second, [`StoreError::ForeignChain`] for another
/// agent, [`StoreError::IsClaim`] for a claim unit, [`StoreError::Change`] when the change does not fit,
/// and those of [`CapsuleLog::append`].
pub async fn mutate(
    store: &dyn CapsuleLog,
    signer: Arc<dyn Signer>,
    chain: &ChainId,
    change: Change<'_>,
    new: NewVersion,
) -> Result<AppendReport, StoreError> {
    let last = last_of(store, chain).await?;
    none_before(&last.header)?;
    let world = changed(&content_of(&last)?, change, new)?;
    store.append_one(signer, following(&last, world)).await
}

/// Appends a version whose state is that of number `seq` of `chain`, byte for byte, and which says
/// so (`ext.rollback_to`). Nothing is rewound: the versions between stay, and the rollback can be
/// rolled back like any other.
///
/// # Errors
/// [`StoreError::UnknownVersion`], [`StoreError::RollbackUnavailable`] when the content of that
/// version is erased or archived, [`StoreError::IsClaim`] for a claim unit, and those of [`CapsuleLog::append`].
pub async fn roll_back(
    store: &dyn CapsuleLog,
    signer: Arc<dyn Signer>,
    chain: &ChainId,
    seq: u64,
    new: NewVersion,
) -> Result<AppendReport, StoreError> {
    let (stored, before) = state_of(store, chain, seq).await?;
    none_before(&stored.header)?;
    let world = renamed(before.content_value(), &new)?;
    let last = last_of(store, chain).await?;
    let draft = following(&last, world).with(Extensions {
        rollback_to: Some(stored.header.hash()),
        ..Extensions::default()
    });
    store.append_one(signer, draft).await
}

/// Begins a chain of the signer's own with the state of another's version, changed or not, and records
/// the source capsule (`ext.derived_from`): no agent extends the chain of another one
/// (C15).
///
/// # Errors
/// As [`roll_back`], and [`StoreError::Change`] when the change does not fit.
pub async fn derive(
    store: &dyn CapsuleLog,
    signer: Arc<dyn Signer>,
    (chain, seq): (&ChainId, u64),
    change: Option<Change<'_>>,
    new: NewVersion,
) -> Result<AppendReport, StoreError> {
    let (stored, source) = state_of(store, chain, seq).await?;
    none_before(&stored.header)?;
    let world = match change {
        Some(change) => changed(&source, change, new)?,
        None => renamed(source.content_value(), &new)?,
    };
    let draft = Draft::new(world).with(Extensions {
        derived_from: vec![stored.header.hash()],
        ..Extensions::default()
    });
    store.append_one(signer, draft).await
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
    state_of(store, chain, seq).await.map(|(_, world)| world)
}

/// The World with `change` made to its `data`, under a name of its own. `snapshotHash` follows its `data`.
///
/// # Errors
/// [`StoreError::Change`] when the change does not fit, [`StoreError::NoWorld`] when no World comes
/// out.
pub fn changed(world: &World, change: Change<'_>, new: NewVersion) -> Result<World, StoreError> {
    let mut state = world.state();
    let before = state.get("data").unwrap_or(&Value::Null);
    // A replacement may be larger than any delta: it is kept whole then.
    let data = match (normalise(before, change), change) {
        (Ok(delta), _) => delta.apply(before).map_err(StoreError::Change)?,
        (Err(DeltaError::TooLarge { .. } | DeltaError::Delta(_)), Change::Replacement(new)) => {
            new.clone()
        }
        (Err(error), _) => return Err(StoreError::Change(error)),
    };
    let snapshot = (Some(&data) != world.data())
        .then(|| counterfoil_capsule::remember(new.0.clone(), new.1, data.clone()))
        .transpose()
        .map_err(StoreError::NoWorld)?;
    if let Some(members) = state.as_object_mut() {
        members.insert("data".into(), data);
        if let Some(snapshot) = snapshot {
            members.insert("snapshotHash".into(), snapshot.snapshot_hash().into());
        }
    }
    renamed(&state, &new)
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

async fn state_of(
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
