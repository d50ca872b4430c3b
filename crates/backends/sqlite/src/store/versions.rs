//! Versions of a World: which one a search gives, what came after it, and which were current at a
//! time (capsules 4.3, I2).

use async_trait::async_trait;
use counterfoil_capsule::{Timestamp, World};
use counterfoil_life::versions::{self, recorded_until};
use counterfoil_life::{entries, forks};
use counterfoil_store::text_index::{TextHit, TextIndex, TextQuery};
use counterfoil_store::{CapsuleLog, StoreError, StoreLocation};
use counterfoil_types::{DidKey, WorldId};
use rusqlite::{Connection, params};

use super::SqliteStore;
use crate::port::Tables;
use crate::statement::Statements;
use crate::text::{self, LEFT_OUT};

#[async_trait]
impl TextIndex for SqliteStore {
    async fn search(&self, query: &TextQuery) -> Result<Vec<TextHit>, StoreError> {
        let bound = match query.bound.clone() {
            Some(world_id) => {
                let index = self.index_of(&world_id).await?;
                Some(index.ok_or(StoreError::UnknownBound { world_id })?)
            }
            None => None,
        };
        let query = query.clone();
        self.query(move |connection| search(connection, &query, bound))
            .await
    }
}

impl SqliteStore {
    /// The memory as it stood at `time`, the end of that microsecond included: the World that was recorded last, which
    /// is the bound for a search, its log index, and the number of memories that are not erased, archived or
    /// forgotten now. Transaction time, when this store recorded, and not when something happened. `None` when
    /// nothing was.
    ///
    /// Rests on the times of the log not falling, which holds for all that was stamped here.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    pub async fn standing_at(
        &self,
        time: Timestamp,
        actor: &DidKey,
    ) -> Result<Option<(WorldId, u64, u64)>, StoreError> {
        let actor = actor.to_string();
        self.query(move |connection| {
            let within = recorded_until(&Tables::new(connection), time)?;
            let last = connection.get("SELECT max(idx) FROM world WHERE idx < ?1", [within])?;
            let Some(index) = last else {
                return Ok(None);
            };
            let sql = format!("SELECT count(*) {CURRENT} AND turn.idx NOT IN ({LEFT_OUT})");
            let memories = connection.get(&sql, params![actor, index])?;
            Ok(Some((
                entries::world_at(&Tables::new(connection), index)?,
                index,
                memories,
            )))
        })
        .await
    }

    /// One page of the versions that were current when the entry `index` was the last of the log:
    /// of each memory one, the latest recorded first. Versions that are erased, archived, or forgotten by
    /// `actor` or for all are left out.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    pub async fn current_at(
        &self,
        index: u64,
        actor: &DidKey,
        (offset, limit): (usize, usize),
    ) -> Result<Vec<WorldId>, StoreError> {
        let actor = actor.to_string();
        self.query(move |connection| {
            let [offset, limit] = [offset, limit].map(|it| i64::try_from(it).unwrap_or(i64::MAX));
            let sql = format!(
                "SELECT turn.idx {CURRENT} AND turn.idx NOT IN ({LEFT_OUT})
                 ORDER BY turn.idx DESC LIMIT ?3 OFFSET ?4"
            );
            let indexes: Vec<u64> = connection.list(&sql, params![actor, index, limit, offset])?;
            let ids = indexes.into_iter();
            ids.map(|index| entries::world_at(&Tables::new(connection), index))
                .collect()
        })
        .await
    }
}

/// One page of a search, up to the log index `bound`.
fn search(
    connection: &Connection,
    query: &TextQuery,
    bound: Option<u64>,
) -> Result<Vec<TextHit>, StoreError> {
    let tables = Tables::new(connection);
    // `None` when the content is not there.
    let contents = |index| {
        let payload = entries::capsule(&tables, index)?.and_then(|stored| stored.payload);
        let world = payload.map(|payload| World::from_json(payload.text.as_bytes()));
        world
            .transpose()
            .map_err(|error| StoreError::corrupt(StoreLocation::entry("body", index), error))
    };
    let found = text::search(connection, query, bound, &contents)?;
    found
        .into_iter()
        .map(|found| {
            let world_id = entries::world_at(&tables, found.idx)?;
            Ok(TextHit {
                world_id,
                index: found.idx,
                score: found.score,
                places: found.places,
                replaced: versions::replaced(&tables, found.idx, bound)?,
                contest: forks::contested(&tables, found.idx)?,
            })
        })
        .collect()
}

/// A version is current as long as none of its memory follows.
const CURRENT: &str = "FROM text_turns AS turn WHERE turn.idx <= ?2 AND NOT EXISTS (
    SELECT 1 FROM text_turns AS later WHERE later.first = coalesce(turn.first, turn.idx)
    AND later.idx > turn.idx AND later.idx <= ?2)";
