//! The memory as recorded by a time, listed or recalled from (I2).

use counterfoil_capsule::Timestamp;
use counterfoil_life::Life as _;
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::StoreError;
use counterfoil_types::json::Value;
use counterfoil_types::{DidKey, Scope, UnixMillis, WorldId};
use serde::Serialize;
use serde_json::json;

use crate::error::Error;
use crate::memory::Memory;
use crate::recall::{RecallOptions, Recalled, member, text_of};
use crate::report::{Report, object};
use crate::versions;

impl Memory {
    /// The memory as recorded by a time: `max` of the versions that were current then, after the first `skip`.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) when nothing was recorded by then.
    pub async fn as_of(&self, time: Timestamp, skip: usize, max: usize) -> Result<Report, Error> {
        let agent = self.home().agent_public()?;
        let (whole, scope) = (self.whole(), self.scope());
        let store = whole.reader()?;
        let (last, index, memories) = standing(&store, time, &agent, scope).await?;
        let ids = store.current_at(index, &agent, scope, (skip, max)).await?;
        let (mut listed, mut beside) = (Vec::new(), Vec::new());
        for world_id in ids {
            if let Some((one, about)) = one((&whole, scope), &store, world_id).await? {
                listed.push(one);
                beside.push(about);
            }
        }
        let answer = object()
            .with("asOf", time)
            .with("atWorldId", last)
            .with("memories", memories)
            .with("skipped", skip)
            .with("listed", listed);
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
        let options = self.within(options)?;
        let store = self.whole().reader()?;
        let (last, ..) = standing(&store, time, &agent, &options.scope).await?;
        let options = RecallOptions {
            asked_at: options.asked_at.or(UnixMillis::new(time.millis()).ok()),
            ..options
        };
        self.recall_at(query, &options, Some(last)).await
    }
}

/// The World that was recorded last, its log index, and the number of memories.
async fn standing(
    store: &SqliteStore,
    time: Timestamp,
    agent: &DidKey,
    scope: &Scope,
) -> Result<(WorldId, u64, u64), Error> {
    let standing = store.standing_at(time, agent, scope).await?;
    standing.ok_or_else(|| {
        Error::input(
            format_args!("nothing was recorded by {time}"),
            "the time is that of recording (`counterfoil show` gives it); name a later one",
        )
    })
}

/// A listed memory, and what people see of it beside the document.
async fn one(
    (memory, scope): (&Memory, &Scope),
    store: &SqliteStore,
    world_id: WorldId,
) -> Result<Option<(impl Serialize, Value)>, Error> {
    let stored = versions::stored(store, &world_id).await;
    let Some(stored) = StoreError::skip_withheld(stored)? else {
        return Ok(None);
    };
    let contested = store.contested(stored.index).await?;
    let contested = contested.map(|contested| contested.to_string());
    let contested = memory.mark(&world_id).or(contested);
    let world = versions::content(&stored)?;
    let world = world.filter(|world| Scope::of(world.data()).contains(scope));
    Ok(world.map(|world| {
        let beside = json!({
            "createdAt": world.created_at().value(),
            "who": member(&world, "speaker"),
            "text": text_of(&world),
        });
        let listed = object()
            .with("id", world_id)
            .with("index", stored.index)
            .with("seq", stored.header.seq())
            .with("recordedAt", stored.header.recorded())
            .with("data", world.data().cloned())
            .with_some("contested", contested);
        (listed, beside)
    }))
}
