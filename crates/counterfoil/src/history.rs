//! Versions of a memory: their history, and the difference between two.

use counterfoil_capsule::World;
use counterfoil_capsule::delta::FORMAT;
use counterfoil_sqlite::{ContestReason, SqliteStore};
use counterfoil_store::{CapsuleLog, ContentState, StoreError, VersionRow};
use counterfoil_types::WorldId;
use counterfoil_types::json::Value;
use serde::Serialize;

use crate::error::Error;
use crate::memory::Memory;
use crate::recall::text_of;
use crate::report::Report;
use crate::update::{head_of, version};
use crate::versions::{self, Changes, Located};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct History {
    chain: String,
    agent: String,
    /// Number of versions; the listed ones are the newest.
    count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    forgotten: Option<u64>,
    versions: Vec<Listed>,
}

/// Facts of a version for people, beside the document.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Beside {
    /// Changes beside `data`.
    others: Option<Vec<Value>>,
    /// True if the change is too large for a delta.
    too_large: bool,
    /// The text, where the change is not known.
    text: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Different {
    from: WorldId,
    to: WorldId,
    same_chain: bool,
    format: &'static str,
    /// Paths begin within `data`: `update --patch` takes it.
    delta: Vec<Value>,
    /// Differences beside `data`; paths begin at the World.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    others: Vec<Value>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    seq: u64,
    world_id: Option<WorldId>,
    index: u64,
    recorded_at: String,
    /// The number of the key that signed; the first has 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<u64>,
    /// Paths begin within `data`. Absent for the first version, and where it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<Vec<Value>>,
    /// The number of the version whose state this one restores.
    #[serde(skip_serializing_if = "Option::is_none")]
    rollback_to: Option<u64>,
    /// State of the content: "present", "erased" or "archived".
    content: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    contested: Option<String>,
}

impl Memory {
    /// The newest `max` versions of a memory, oldest first, and what changed in each.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) when there is no such memory, or `max` is 0.
    pub async fn history(&self, id: &str, max: usize) -> Result<Report, Error> {
        if max == 0 {
            return Err(Error::input("--max 0 lists nothing", "choose --max from 1"));
        }
        let store = self.reader()?;
        let named = versions::locate(store.as_ref(), id).await?;
        let all = store.chain(&named.chain).await?;
        let shown = all.get(all.len().saturating_sub(max)..).unwrap_or(&all);
        let (versions, beside) = listed(&store, &named, &all, shown).await?;
        let history = History {
            chain: named.chain.to_string(),
            agent: head_of(&store, &named).await?.agent.to_string(),
            count: u64::try_from(all.len()).unwrap_or(u64::MAX),
            forgotten: forgotten(&store, &all).await?,
            versions,
        };
        Ok(Report::new(&history)?.with("versions", beside))
    }

    /// Difference between two memories or versions, as a reversible patch.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) when one is not here, [`ErrorKind::Unproven`](crate::ErrorKind::Unproven)
    /// when one is erased.
    pub async fn diff(&self, from: &str, to: &str) -> Result<Report, Error> {
        let store = self.reader()?;
        let (from, before) = said(&store, from).await?;
        let (to, after) = said(&store, to).await?;
        let changes = Changes::between(&before, &after).ok_or_else(|| {
            Error::input(
                "they differ in more than 256 KiB",
                "look at each with `counterfoil show`",
            )
        })?;
        Report::new(&Different {
            same_chain: from.chain == to.chain,
            from: from.world_id,
            to: to.world_id,
            format: FORMAT,
            delta: changes.to_patch(),
            others: changes.others(),
        })
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
        if let Some(tombstone) = store.tombstones_of(world_id).await?.first() {
            return Ok(Some(tombstone.index));
        }
    }
    Ok(None)
}

async fn listed(
    store: &SqliteStore,
    named: &Located,
    all: &[VersionRow],
    shown: &[VersionRow],
) -> Result<(Vec<Listed>, Vec<Beside>), Error> {
    let mut before = match shown.first().and_then(|first| first.seq.checked_sub(1)) {
        Some(seq) => read(store, named, seq).await?.world,
        None => None,
    };
    let mut listed = Vec::with_capacity(shown.len());
    let mut beside = Vec::with_capacity(shown.len());
    for one in shown {
        let read = read(store, named, one.seq).await?;
        let restored = |hash| all.iter().find(|version| version.capsule == hash);
        let rollback_to = one.rollback_to.and_then(restored).map(|it| it.seq);
        let changes = match (&before, &read.world) {
            (Some(before), Some(after)) => Some(Changes::between(before, after)),
            _ => None,
        };
        let contested = store.contested(one.index).await?;
        beside.push(Beside {
            others: changes
                .as_ref()
                .and_then(Option::as_ref)
                .map(Changes::others),
            too_large: matches!(changes, Some(None)),
            text: match (&changes, &read.world) {
                (None, Some(world)) => Some(text_of(world)),
                _ => None,
            },
        });
        listed.push(Listed {
            seq: one.seq,
            world_id: one.world_id.clone(),
            index: one.index,
            recorded_at: one.recorded_at.to_string(),
            key: read.key,
            changes: changes.flatten().map(|changes| changes.to_patch()),
            rollback_to,
            content: content(one.content),
            contested: contested.as_ref().map(ContestReason::to_string),
        });
        before = read.world;
    }
    Ok((listed, beside))
}

/// Readable parts of a version.
struct Read {
    key: Option<u64>,
    world: Option<World>,
}

async fn read(store: &SqliteStore, named: &Located, seq: u64) -> Result<Read, Error> {
    match version(store, named, seq).await {
        Ok(stored) => Ok(Read {
            key: Some(stored.header.key_number()),
            world: versions::content(&stored)?,
        }),
        Err(failure) if matches!(failure.store(), Some(StoreError::Archived { .. })) => Ok(Read {
            key: None,
            world: None,
        }),
        Err(other) => Err(other),
    }
}

const fn content(state: ContentState) -> &'static str {
    match state {
        ContentState::Erased => "erased",
        ContentState::Archived => "archived",
        _ => "present",
    }
}
