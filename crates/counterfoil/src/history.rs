//! Versions of a memory: their history, and the difference between two.

use counterfoil_capsule::World;
use counterfoil_capsule::delta::FORMAT;
use counterfoil_life::Life as _;
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::{CapsuleLog, StoreError, VersionRow};
use counterfoil_types::json::Value;
use serde::Serialize;
use serde_json::json;

use crate::error::Error;
use crate::memory::Memory;
use crate::recall::text_of;
use crate::report::{Report, object};
use crate::update::{head_of, version};
use crate::versions::{self, Changes, Located};

impl Memory {
    /// The newest `max` versions of a memory, oldest first, and what changed in each.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) when there is no such memory, or `max` is 0.
    pub async fn history(&self, id: &str, max: usize) -> Result<Report, Error> {
        if max == 0 {
            return Err(Error::input("--max 0 lists nothing", "choose --max from 1"));
        }
        let (whole, id) = self.reaching(id).await?;
        let store = whole.reader()?;
        let named = versions::locate(&store, &id).await?;
        let all = self
            .reached(&store, store.chain(&named.chain).await?)
            .await?;
        let shown = all.get(all.len().saturating_sub(max)..).unwrap_or(&all);
        let (versions, beside) = listed(&whole, &named, &all, shown).await?;
        let forgotten = forgotten(&store, &all).await?;
        let history = object()
            .with("chain", named.chain)
            .with("agent", head_of(&store, &named).await?.agent)
            .with("count", all.len())
            .with_some("forgotten", forgotten)
            .with("versions", versions);
        Ok(Report::new(&history)?.with("versions", beside))
    }

    /// Difference between two memories or versions, as a reversible patch.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) when one is not here, [`ErrorKind::Unproven`](crate::ErrorKind::Unproven)
    /// when one is erased.
    pub async fn diff(&self, from: &str, to: &str) -> Result<Report, Error> {
        let (whole, from) = self.reaching(from).await?;
        let (store, (_, to)) = (whole.reader()?, self.reaching(to).await?);
        let (from, before) = said(&store, &from).await?;
        let (to, after) = said(&store, &to).await?;
        let changes = Changes::between(&before, &after).ok_or_else(|| {
            Error::input(
                "they differ in more than 256 KiB",
                "look at each with `counterfoil show`",
            )
        })?;
        // Paths of the delta begin within `data`, as `update --patch` takes them; those of the others at the World.
        let others = changes.others();
        Report::new(
            &object()
                .with("from", from.world_id)
                .with("to", to.world_id)
                .with("sameChain", from.chain == to.chain)
                .with("format", FORMAT)
                .with("delta", changes.to_patch())
                .with_some("others", (!others.is_empty()).then_some(others)),
        )
    }
}

async fn said(store: &SqliteStore, id: &str) -> Result<(Located, World), Error> {
    let named = versions::locate(store, id).await?;
    let stored = version(store, &named, named.seq).await?;
    let world = versions::content(&stored)?.ok_or_else(|| {
        Error::unproven(
            format_args!(
                "{} is erased, so nobody knows any more what it said",
                named.world_id
            ),
            "compare versions that are there",
        )
    })?;
    Ok((named, world))
}

/// The log index of the tombstone of a memory, if it is forgotten.
async fn forgotten(store: &SqliteStore, all: &[VersionRow]) -> Result<Option<u64>, Error> {
    for version in all {
        let Some(world_id) = &version.world_id else {
            continue;
        };
        if let Some((index, ..)) = store.tombstones(Some(world_id)).await?.first() {
            return Ok(Some(*index));
        }
    }
    Ok(None)
}

async fn listed(
    memory: &Memory,
    named: &Located,
    all: &[VersionRow],
    shown: &[VersionRow],
) -> Result<(Vec<impl Serialize>, Vec<Value>), Error> {
    let store = &*memory.reader()?;
    let mut before = match shown.first().and_then(|first| first.seq.checked_sub(1)) {
        // What is withheld is named where it is shown.
        Some(seq) => read(store, named, seq).await.ok().and_then(|it| it.1),
        None => None,
    };
    let mut listed = Vec::with_capacity(shown.len());
    let mut beside = Vec::with_capacity(shown.len());
    for one in shown {
        let (key, world, content) = match read(store, named, one.seq).await {
            Err(error) if matches!(error.store(), Some(StoreError::Withheld { .. })) => {
                (None, None, "withheld")
            }
            read => {
                let (key, world) = read?;
                (key, world, one.content.name())
            }
        };
        let restored = |hash| all.iter().find(|version| version.capsule == hash);
        let changes = match (&before, &world) {
            (Some(before), Some(after)) => Some(Changes::between(before, after)),
            _ => None,
        };
        let contested = store.contested(one.index).await?;
        let mark = one.world_id.as_ref().and_then(|id| memory.mark(id));
        let contested = mark.or(contested.map(|reason| reason.to_string()));
        // The text is shown where the change is not known.
        beside.push(json!({
            "others": changes.as_ref().and_then(Option::as_ref).map(Changes::others),
            "tooLarge": matches!(changes, Some(None)),
            "text": world.as_ref().filter(|_| changes.is_none()).map(text_of),
        }));
        listed.push(
            object()
                .with("seq", one.seq)
                .with("id", one.world_id.clone())
                .with("index", one.index)
                .with("recordedAt", one.recorded_at)
                .with_some("key", key)
                .with_some(
                    "changes",
                    changes.flatten().map(|changes| changes.to_patch()),
                )
                .with_some(
                    "rollbackTo",
                    one.rollback_to.and_then(restored).map(|it| it.seq),
                )
                .with("content", content)
                .with_some("contested", contested),
        );
        before = world;
    }
    Ok((listed, beside))
}

/// The number of the key that signed a version, from 0, and its content; nothing of an archived one.
async fn read(
    store: &SqliteStore,
    named: &Located,
    seq: u64,
) -> Result<(Option<u64>, Option<World>), Error> {
    match version(store, named, seq).await {
        Ok(stored) => Ok((
            Some(stored.header.key_number()),
            versions::content(&stored)?,
        )),
        Err(failure) if matches!(failure.store(), Some(StoreError::Archived { .. })) => {
            Ok((None, None))
        }
        Err(other) => Err(other),
    }
}
