//! One World, or one entry of the log, with its capsule and its receipt.

use counterfoil_capsule::World;
use counterfoil_life::Life as _;
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::{CapsuleLog, MemoryStore, StoreError, StoredCapsule, VersionRow};
use counterfoil_types::json::{Limits, Value, parse};
use counterfoil_types::{DidKey, Scope};

use crate::error::Error;
use crate::memory::Memory;
use crate::report::{Report, object};
use crate::versions::{find, unknown};

impl Memory {
    /// A memory by its id: content, capsule, receipt, and its place among its versions.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) when there is none of that id.
    pub async fn show(&self, id: &str) -> Result<Report, Error> {
        let (whole, id) = self.reaching(id).await?;
        let id = id.as_str();
        let store = whole.reader()?;
        let world_id = find((&store, &Scope::new()), id).await?;
        // The place is compared with the id.
        let place = store.chain_of(&world_id).await?;
        let index = store.index_of(&world_id).await?.filter(|_| place.is_some());
        self.entry_of(&whole, index.ok_or_else(|| unknown(id))?)
            .await
    }

    /// An entry of the log by its index, from 0: a memory, or a record about keys, chains and memories.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) when the log has no such entry.
    pub async fn show_entry(&self, index: u64) -> Result<Report, Error> {
        self.must_be_unbound()?;
        self.entry_of(self, index).await
    }

    async fn entry_of(&self, whole: &Self, index: u64) -> Result<Report, Error> {
        let store = whole.reader()?;
        let size = store.size().await?;
        let capsule = store.capsule(index).await?.ok_or_else(|| {
            Error::input(
                format_args!("the log has {size} entries and none with the index {index}"),
                "count from 0",
            )
        })?;
        let world = match capsule.entry.world() {
            Some(world_id) => store.get(world_id).await.map_err(StoreError::from)?,
            None => None,
        };
        let receipt = world
            .as_ref()
            .and_then(|world| world.metadata()?.get("receipt").cloned());
        let header = &capsule.header;
        let seq = header.seq();
        let chain = self
            .reached(&store, store.chain(&header.chain()).await?)
            .await?;
        let at = |seq: Option<u64>| {
            let found = chain.iter().find(|version| Some(version.seq) == seq);
            found.and_then(|version| version.world_id.clone())
        };
        let parsed = parse(header.canonical().as_bytes(), Limits::HEADER);
        let own = self.home().agent_public().ok();
        let id = capsule.entry.world().map(ToString::to_string);
        let id = id.unwrap_or_else(|| format!("entry {index}"));
        let mut marks = marks(&store, own, &capsule, &chain).await?;
        marks.splice(0..0, whole.mark(&id));
        // `null` for a record, and for erased content.
        let shown = object()
            .with("world", world.as_ref().map(World::content_value))
            .with("index", index)
            .with(
                "capsule",
                parsed.map_err(|_| Error::bug("a header that is no JSON"))?,
            )
            .with("receipt", receipt)
            .with_some("record", record(&capsule)?)
            .with("seq", seq)
            .with_some("previous", at(seq.checked_sub(1)))
            .with_some("next", at(seq.checked_add(1)))
            .with("key", header.key_number())
            .with("marks", marks);
        let named = capsule.entry.world().map(ToString::to_string);
        let (kind, name) = match capsule.entry.record() {
            Some(kind) => ("record", kind.to_string()),
            None => ("world", named.unwrap_or_default()),
        };
        Ok(Report::new(&shown)?
            .with("kind", kind)
            .with("name", name)
            .with("createdAt", world.map(|world| world.created_at().value()))
            .with("recordedAt", header.recorded().to_string())
            .with("agent", header.agent().to_string())
            .with("chain", header.chain().to_string())
            .with("bytes", capsule.entry.content_size)
            .with("content", capsule.entry.content.to_string())
            .with("hash", capsule.entry.capsule.to_string()))
    }
}

/// Content of a record; `None` for a World.
fn record(capsule: &StoredCapsule) -> Result<Option<Value>, Error> {
    let payload = capsule.payload.as_ref();
    let payload = payload.filter(|_| capsule.entry.record().is_some());
    let record = payload.map(|payload| parse(payload.text.as_bytes(), Limits::CONTENT));
    record
        .transpose()
        .map_err(|_| Error::bug("a record that is no JSON"))
}

/// Remarks that a reader must not miss.
async fn marks(
    store: &SqliteStore,
    own: Option<DidKey>,
    capsule: &StoredCapsule,
    chain: &[VersionRow],
) -> Result<Vec<String>, Error> {
    let mut marks = Vec::new();
    if own.is_some_and(|own| own != capsule.header.agent()) {
        marks.push("by another agent than this store's".to_owned());
    }
    if let Some(target) = capsule.header.extensions().rollback_to {
        let target = chain.iter().find(|version| version.capsule == target);
        let target = target.map(|version| version.seq.to_string());
        marks.push(format!("back to {}", target.unwrap_or_default()));
    }
    if capsule.payload.is_none() {
        marks.push("ERASED: what it said is gone, and that it was there is proven".to_owned());
    }
    if let Some(world_id) = capsule.entry.world()
        && let Some((index, ..)) = store.tombstones(Some(world_id)).await?.first()
    {
        marks.push(format!("FORGOTTEN: tombstone at entry {index}"));
    }
    let contested = store.contested(capsule.index).await?;
    marks.extend(contested.map(|contested| contested.to_string()));
    Ok(marks)
}
