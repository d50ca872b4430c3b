//! The memory as recorded by a time, listed or recalled from (I2).

use counterfoil_capsule::Timestamp;
use counterfoil_sqlite::{PastState, SqliteStore};
use counterfoil_store::CapsuleLog;
use counterfoil_types::json::Value;
use counterfoil_types::{DidKey, WorldId};
use serde::Serialize;

use crate::error::Error;
use crate::memory::Memory;
use crate::recall::{RecallOptions, Recalled, member, text_of};
use crate::report::Report;
use crate::versions;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AsOf {
    as_of: String,
    at_world_id: WorldId,
    /// Number of memories at that checkpoint.
    memories: u64,
    skipped: usize,
    listed: Vec<Listed>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    world_id: WorldId,
    index: u64,
    seq: u64,
    recorded_at: String,
    data: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    contested: Option<String>,
}

impl Memory {
    /// The memory as recorded by a time: `max` of the versions that were current then, after the first `skip`.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) when nothing was recorded by then.
    pub async fn as_of(&self, time: Timestamp, skip: usize, max: usize) -> Result<Report, Error> {
        let agent = self.home().agent_public()?;
        let store = self.reader()?;
        let standing = standing(&store, time, &agent).await?;
        let ids = store
            .current_at(standing.index, &agent, (skip, max))
            .await?;
        let (mut listed, mut beside) = (Vec::new(), Vec::new());
        for world_id in ids {
            if let Some((one, about)) = one(&store, world_id).await? {
                listed.push(one);
                beside.push(about);
            }
        }
        let answer = AsOf {
            as_of: time.to_string(),
            at_world_id: standing.world_id,
            memories: standing.memories,
            skipped: skip,
            listed,
        };
        Ok(Report::new(&answer)?.with("listed", beside))
    }

    /// Recall from the memory as recorded by a time.
    ///
    /// # Errors
    /// As [`Memory::as_of`] and [`Memory::recall`].
    pub async fn recall_as_of(
        &self,
        time: Timestamp,
        query: &str,
        options: &RecallOptions,
    ) -> Result<Recalled, Error> {
        let agent = self.home().agent_public()?;
        let standing = standing(self.reader()?.as_ref(), time, &agent).await?;
        self.recall_at(query, options, Some(standing.world_id))
            .await
    }
}

async fn standing(
    store: &SqliteStore,
    time: Timestamp,
    agent: &DidKey,
) -> Result<PastState, Error> {
    let standing = store.standing_at(time, agent).await?;
    standing.ok_or_else(|| {
        Error::input(
            format_args!("nothing was recorded by {time}"),
            "the time is that of recording (`counterfoil show` gives it); name a later one",
        )
    })
}

/// Facts of a listed memory for people, beside the document.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Beside {
    created_at: u64,
    who: Option<String>,
    text: String,
}

async fn one(store: &SqliteStore, world_id: WorldId) -> Result<Option<(Listed, Beside)>, Error> {
    let index = store.index_of(&world_id).await?;
    let stored = match index {
        Some(index) => store.capsule(index).await?,
        None => None,
    };
    let Some(stored) = stored else {
        return Ok(None);
    };
    let contested = store.contested(stored.index).await?;
    let contested = contested.map(|contested| contested.to_string());
    Ok(versions::content(&stored)?.map(|world| {
        let beside = Beside {
            created_at: world.created_at().value(),
            who: member(&world, "speaker").map(str::to_owned),
            text: text_of(&world),
        };
        let listed = Listed {
            world_id,
            index: stored.index,
            seq: stored.header.seq(),
            recorded_at: stored.header.timestamp().to_string(),
            data: world.data().cloned().unwrap_or_default(),
            contested,
        };
        (listed, beside)
    }))
}
