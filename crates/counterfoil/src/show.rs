//! One World, or one entry of the log, with its capsule and its receipt.

use counterfoil_capsule::LogEntry;
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::{CapsuleLog, MemoryStore, StoredCapsule};
use counterfoil_types::json::{Limits, Value, parse};
use counterfoil_types::{DidKey, WorldId};
use serde::Serialize;

use crate::error::Error;
use crate::memory::Memory;
use crate::report::Report;
use crate::versions::unknown;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown {
    /// `null` for a record, and for erased content.
    world: Value,
    index: u64,
    capsule: Value,
    receipt: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    record: Option<Value>,
    #[serde(flatten)]
    place: Place,
}

/// Its place among its versions, and what has to be known of it.
#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
struct Place {
    seq: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    previous: Option<WorldId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<WorldId>,
    /// The number of the key that signed; the first has 0.
    key: u64,
    marks: Vec<String>,
}

impl Memory {
    /// A memory by its id: content, capsule, receipt, and its place among its versions.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) when there is none of that id.
    pub async fn show(&self, id: &str) -> Result<Report, Error> {
        let world_id = WorldId::new(id).map_err(|_| unknown(id))?;
        let store = self.reader()?;
        let index = store.index_of(&world_id).await?;
        self.show_entry(index.ok_or_else(|| unknown(id))?).await
    }

    /// An entry of the log by its index, from 0: a memory, or a record about keys, chains and memories.
    ///
    /// # Errors
    /// [`ErrorKind::Input`](crate::ErrorKind::Input) when the log has no such entry.
    pub async fn show_entry(&self, index: u64) -> Result<Report, Error> {
        let store = self.reader()?;
        let size = store.size().await?;
        let capsule = store.capsule(index).await?.ok_or_else(|| {
            Error::input(
                format_args!("the log has {size} entries and none with the index {index}"),
                "count from 0",
            )
        })?;
        let world = match capsule.entry.world() {
            Some(world_id) => store.get(world_id).await?,
            None => None,
        };
        let receipt = world
            .as_ref()
            .and_then(|world| world.metadata()?.get("receipt").cloned());
        let shown = Shown {
            world: world
                .as_ref()
                .map(|world| world.content_value().clone())
                .unwrap_or_default(),
            index,
            capsule: header(&capsule)?,
            receipt: receipt.unwrap_or_default(),
            record: record(&capsule)?,
            place: place(&store, self.home().agent_public().ok(), &capsule).await?,
        };
        let (kind, name) = match &capsule.entry {
            LogEntry::World(entry) => ("world", entry.world.to_string()),
            LogEntry::Record(entry) => ("record", entry.kind().to_string()),
        };
        let header = &capsule.header;
        Ok(Report::new(&shown)?
            .with("kind", kind)
            .with("name", name)
            .with("createdAt", world.map(|world| world.created_at().value()))
            .with("recordedAt", header.timestamp().to_string())
            .with("agent", header.agent().to_string())
            .with("chain", header.chain().to_string())
            .with("bytes", capsule.entry.content_size())
            .with("content", capsule.entry.content().to_string())
            .with("hash", capsule.entry.capsule().to_string()))
    }
}

fn header(capsule: &StoredCapsule) -> Result<Value, Error> {
    parse(capsule.header.canonical().as_bytes(), Limits::HEADER)
        .map_err(|_| Error::bug("a header that is no JSON"))
}

/// Content of a record; `None` for a World.
fn record(capsule: &StoredCapsule) -> Result<Option<Value>, Error> {
    let payload = capsule.payload.as_ref();
    let payload = payload.filter(|_| capsule.entry.as_record().is_some());
    let record = payload.map(|payload| parse(payload.text.as_bytes(), Limits::CONTENT));
    record
        .transpose()
        .map_err(|_| Error::bug("a record that is no JSON"))
}

async fn place(
    store: &SqliteStore,
    own: Option<DidKey>,
    capsule: &StoredCapsule,
) -> Result<Place, Error> {
    let seq = capsule.header.seq();
    let chain = store.chain(&capsule.header.chain()).await?;
    let at = |seq: Option<u64>| {
        let found = chain.iter().find(|version| Some(version.seq) == seq);
        found.and_then(|version| version.world_id.clone())
    };
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
        && let Some(tombstone) = store.tombstones_of(world_id).await?.first()
    {
        marks.push(format!("FORGOTTEN: tombstone at entry {}", tombstone.index));
    }
    let contested = store.contested(capsule.index).await?;
    marks.extend(contested.map(|contested| contested.to_string()));
    Ok(Place {
        seq,
        previous: at(seq.checked_sub(1)),
        next: at(seq.checked_add(1)),
        key: capsule.header.key_number(),
        marks,
    })
}
