//! Versions of a World: which one a search gives, what came after it, and which were current at a
//! time (capsules 4.3, I2).

use std::sync::Arc;

use async_trait::async_trait;
use counterfoil_capsule::{Code, Timestamp, World};
use counterfoil_life::versions::{self, recorded_until};
use counterfoil_life::{entries, forks};
use counterfoil_store::text_index::{TextHit, TextIndex, TextQuery};
use counterfoil_store::{StoreError, StoreLocation};
use counterfoil_types::{DidKey, Scope, WorldId};
use rusqlite::{Connection, params};

use super::SqliteStore;
use crate::claims::UNIT;
use crate::port::Tables;
use crate::scopes;
use crate::statement::Statements;
use crate::text::{self, Contents, LEFT_OUT, RankedWorld, SearchCaches};

#[async_trait]
impl TextIndex for SqliteStore {
    async fn search(&self, query: &TextQuery) -> Result<Vec<TextHit>, StoreError> {
        self.find(query, text::search).await
    }

    async fn claims_with_all(&self, query: &TextQuery) -> Result<Vec<TextHit>, StoreError> {
        let search: Search = |connection, query, last, (contents, _)| {
            text::claims_with_all((connection, UNIT), query, last, contents)
        };
        self.find(query, search).await
    }
}

/// A query over the index, up to a log index.
type Search = fn(
    &Connection,
    &TextQuery,
    Option<u64>,
    (Contents<'_>, &SearchCaches),
) -> Result<Vec<RankedWorld>, StoreError>;

impl SqliteStore {
    async fn find(&self, query: &TextQuery, search: Search) -> Result<Vec<TextHit>, StoreError> {
        let (query, check) = (query.clone(), Arc::clone(&self.options().check));
        let caches = Arc::clone(&self.caches);
        self.query(move |connection| {
            let tables = Tables::checked(connection, &check);
            let bound = match query.bound.clone() {
                Some(world_id) => {
                    let index = entries::index_of(&tables, &world_id)?;
                    Some(index.ok_or(StoreError::UnknownBound { world_id })?)
                }
                None => None,
            };
            hits(&tables, search, &query, (bound, &caches))
        })
        .await
    }

    /// The memory in `scope` as it stood at `time`, the end of that microsecond included: the World that was recorded last, which
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
        scope: &Scope,
    ) -> Result<Option<(WorldId, u64, u64)>, StoreError> {
        let (actor, scope) = (actor.to_string(), scope.clone());
        self.query(move |connection| {
            let within = recorded_until(&Tables::new(connection), time)?;
            let in_scope = scopes::within_sql(connection, &scope, "idx")?;
            let sql = format!("SELECT max(idx) FROM world WHERE idx < ?1 {in_scope}");
            let last = connection.get(&sql, [within])?;
            let Some(index) = last else {
                return Ok(None);
            };
            let in_scope = scopes::within_sql(connection, &scope, "turn.idx")?;
            let sql =
                format!("SELECT count(*) {CURRENT} AND turn.idx NOT IN ({LEFT_OUT}) {in_scope}");
            let memories = connection.get(&sql, params![actor, index])?;
            Ok(Some((
                entries::world_at(&Tables::new(connection), index)?,
                index,
                memories,
            )))
        })
        .await
    }

    /// Tests whether a World with content has this id and is in `scope`; true for any id if that is empty. It is decided without a
    /// look at content.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    pub async fn is_in_scope(&self, id: &WorldId, scope: &Scope) -> Result<bool, StoreError> {
        let (id, scope) = (id.clone(), scope.clone());
        self.query(move |connection| scopes::is_in(connection, &id, &scope))
            .await
    }

    /// The World in `scope` that was recorded last.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    pub async fn latest_in(&self, scope: &Scope) -> Result<Option<WorldId>, StoreError> {
        let scope = scope.clone();
        self.query(move |connection| {
            let in_scope = scopes::within_sql(connection, &scope, "idx")?;
            let sql = format!("SELECT max(idx) FROM world WHERE true {in_scope}");
            let last: Option<u64> = connection.get(&sql, [])?;
            last.map(|last| entries::world_at(&Tables::new(connection), last))
                .transpose()
        })
        .await
    }

    /// Current versions that may say what `world` says in its scope, by the same speaker, and that `actor` has not forgotten: at
    /// most 64, the first recorded first. They have to be compared.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    pub async fn saying(&self, world: &World, actor: &DidKey) -> Result<Vec<WorldId>, StoreError> {
        self.marked(text::marks::said(world), actor).await
    }

    /// Current versions in exactly `scope` that may have the idempotency key `key`, as [`saying`](Self::saying) gives them.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    pub async fn keyed(
        &self,
        key: &str,
        scope: &Scope,
        actor: &DidKey,
    ) -> Result<Vec<WorldId>, StoreError> {
        self.marked(text::marks::key(key, scope), actor).await
    }

    async fn marked(&self, mark: i64, actor: &DidKey) -> Result<Vec<WorldId>, StoreError> {
        let (actor, check) = (actor.to_string(), Arc::clone(&self.options().check));
        self.query(move |connection| {
            let tables = Tables::checked(connection, &check);
            let found = text::marks::marked(connection, mark, &actor)?.into_iter();
            Ok(found.filter_map(|index| id_at(&tables, index)).collect())
        })
        .await
    }

    /// Ids in a scope that begin with `prefix`, in their order: at most `limit`.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    pub async fn ids_with_prefix(
        &self,
        prefix: &str,
        limit: usize,
        scope: &Scope,
    ) -> Result<Vec<WorldId>, StoreError> {
        let (prefix, check) = (prefix.to_owned(), Arc::clone(&self.options().check));
        let scope = scope.clone();
        self.query(move |connection| {
            let tables = Tables::checked(connection, &check);
            let limit = i64::try_from(limit).unwrap_or(i64::MAX);
            let in_scope = scopes::within_sql(connection, &scope, "idx")?;
            let sql = format!(
                "SELECT idx FROM world WHERE id >= ?1 AND id < ?1 || char(1114111) {in_scope}
                 ORDER BY id LIMIT ?2"
            );
            let indexes: Vec<u64> = connection.list(&sql, params![prefix, limit])?;
            let ids = indexes.into_iter();
            Ok(ids.filter_map(|index| id_at(&tables, index)).collect())
        })
        .await
    }

    /// One page of the versions in `scope` that were current when the entry `index` was the last of the log:
    /// of each memory one, the latest recorded first. Versions that are erased, archived, or forgotten by
    /// `actor` or for all are left out.
    ///
    /// # Errors
    /// [`StoreError`] when the store cannot be read.
    pub async fn current_at(
        &self,
        index: u64,
        actor: &DidKey,
        scope: &Scope,
        (offset, limit): (usize, usize),
    ) -> Result<Vec<WorldId>, StoreError> {
        let (actor, check) = (actor.to_string(), Arc::clone(&self.options().check));
        let scope = scope.clone();
        self.query(move |connection| {
            let tables = Tables::checked(connection, &check);
            let [offset, limit] = [offset, limit].map(|it| i64::try_from(it).unwrap_or(i64::MAX));
            let in_scope = scopes::within_sql(connection, &scope, "turn.idx")?;
            let sql = format!(
                "SELECT turn.idx {CURRENT} AND turn.idx NOT IN ({LEFT_OUT}) {in_scope}
                 ORDER BY turn.idx DESC LIMIT ?3 OFFSET ?4"
            );
            let indexes: Vec<u64> = connection.list(&sql, params![actor, index, limit, offset])?;
            let ids = indexes.into_iter();
            Ok(ids.filter_map(|index| id_at(&tables, index)).collect())
        })
        .await
    }
}

/// One page of a search, up to the log index `bound`. A hit of which the memory is withheld is none.
fn hits(
    tables: &Tables<'_>,
    search: Search,
    query: &TextQuery,
    (bound, caches): (Option<u64>, &SearchCaches),
) -> Result<Vec<TextHit>, StoreError> {
    let contents = |index| content(tables, index);
    let mut hits = Vec::new();
    for found in search(tables.connection(), query, bound, (&contents, caches))? {
        let Some(world_id) = id_at(tables, found.idx) else {
            continue;
        };
        let mut hit = TextHit::new(world_id, found.idx, found.score, found.places);
        hit.meaning = found.meaning;
        // A header that cannot be read is withheld where the hit is fetched.
        hit.replaced = unless_damaged(versions::replaced(tables, found.idx, bound))?;
        hit.contest = unless_damaged(forks::contested(tables, found.idx))?;
        hits.push(hit);
    }
    Ok(hits)
}

/// Returns the content of the memory at a log index; `None` when it is not there, or withheld.
pub(super) fn content(tables: &Tables<'_>, index: u64) -> Result<Option<World>, StoreError> {
    let read = StoreError::skip_withheld(entries::capsule(tables, index));
    let payload = read?.and_then(|stored| stored.payload);
    let world = payload.map(|payload| World::from_json(payload.text.as_bytes()));
    world
        .transpose()
        .map_err(|error| StoreError::corrupt(StoreLocation::entry("body", index), error))
}

/// Returns the memory at a log index; `None` where the index of memories lacks it, which is then on the list of entries
/// withheld.
fn id_at(tables: &Tables<'_>, index: u64) -> Option<WorldId> {
    let id = entries::world_at(tables, index).ok();
    if id.is_none() {
        drop(entries::withheld(
            tables,
            format!("entry {index}"),
            Code::Missing,
        ));
    }
    id
}

fn unless_damaged<T>(read: Result<Option<T>, StoreError>) -> Result<Option<T>, StoreError> {
    match read {
        Err(StoreError::Corrupt { .. }) => Ok(None),
        read => read,
    }
}

/// A version is current as long as none of its memory follows.
const CURRENT: &str = "FROM text_turns AS turn WHERE turn.idx <= ?2 AND NOT EXISTS (
    SELECT 1 FROM text_turns AS later WHERE later.first = coalesce(turn.first, turn.idx)
    AND later.idx > turn.idx AND later.idx <= ?2)";
