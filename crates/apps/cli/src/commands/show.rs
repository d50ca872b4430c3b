//! `show`: one World, or one entry of the log, with its capsule and its receipt.

use std::io::{self, Write};

use counterfoil_capsule::{LogEntry, World};
use counterfoil_sqlite::SqliteStore;
use counterfoil_store::{CapsuleLog, MemoryStore, StoredCapsule};
use counterfoil_types::json::{Limits, Value, parse};
use counterfoil_types::{DidKey, WorldId};
use counterfoil_verify::terminal;
use serde::Serialize;

use crate::args::ShowArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{json_text, pairs};
use crate::versions::unknown;
use crate::when;

/// The most characters of a value shown to a person.
const LIMIT: usize = 1 << 20;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown {
    /// `null` for a record, and for what is erased.
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

pub(crate) async fn run(context: &Context, args: ShowArgs) -> Result<(), Failure> {
    let store = context.home.reader()?;
    let index = match (&args.world_id, args.entry) {
        (_, Some(index)) => index,
        (Some(id), None) => {
            let world_id = WorldId::new(id.as_str()).map_err(|_| unknown(id))?;
            store
                .index_of(&world_id)
                .await?
                .ok_or_else(|| unknown(id))?
        }
        (None, None) => return Err(Failure::input("nothing is named", "name a memory")),
    };
    let size = store.size().await?;
    let capsule = store.capsule(index).await?.ok_or_else(|| {
        Failure::input(
            format_args!("the log has {size} entries and none with the index {index}"),
            "count from 0",
        )
    })?;
    let world = match capsule.entry.world() {
        Some(world_id) => store.get(world_id).await?,
        None => None,
    };
    let shown = Shown {
        world: world
            .as_ref()
            .map(|world| world.content_value().clone())
            .unwrap_or_default(),
        index,
        capsule: header(&capsule)?,
        receipt: world
            .as_ref()
            .and_then(|world| world.metadata()?.get("receipt").cloned())
            .unwrap_or_default(),
        record: record(&capsule)?,
        place: place(&store, context.home.agent_public().ok(), &capsule).await?,
    };
    context
        .out
        .answer(&shown, |out| human(out, &shown, world.as_ref(), &capsule))
}

fn header(capsule: &StoredCapsule) -> Result<Value, Failure> {
    parse(capsule.header.canonical().as_bytes(), Limits::HEADER)
        .map_err(|_| Failure::bug("a header that is no JSON"))
}

/// What a record says; `None` for a World.
fn record(capsule: &StoredCapsule) -> Result<Option<Value>, Failure> {
    let payload = capsule.payload.as_ref();
    let payload = payload.filter(|_| capsule.entry.as_record().is_some());
    let record = payload.map(|payload| parse(payload.text.as_bytes(), Limits::CONTENT));
    record
        .transpose()
        .map_err(|_| Failure::bug("a record that is no JSON"))
}

async fn place(
    store: &SqliteStore,
    own: Option<DidKey>,
    capsule: &StoredCapsule,
) -> Result<Place, Failure> {
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

fn human(
    out: &mut dyn Write,
    shown: &Shown,
    world: Option<&World>,
    capsule: &StoredCapsule,
) -> io::Result<()> {
    pairs(out, &lines(shown, world, capsule))?;
    let said = world.map(World::data).or(Some(shown.record.as_ref()));
    if let Some(Some(said)) = said {
        let said = json_text(said).unwrap_or_default();
        writeln!(out, "\n{}", said.trim_end())?;
    }
    if let Some(proof) = shown.receipt.get("tlogProof").and_then(Value::as_str) {
        writeln!(out)?;
        for line in proof.lines() {
            writeln!(out, "{}", terminal::plain(line, LIMIT))?;
        }
    }
    Ok(())
}

fn lines(
    shown: &Shown,
    world: Option<&World>,
    capsule: &StoredCapsule,
) -> Vec<(&'static str, String)> {
    let id = |world_id: &WorldId| terminal::plain(&world_id.to_string(), LIMIT);
    let what = match &capsule.entry {
        LogEntry::World(entry) => ("world", id(entry.world())),
        LogEntry::Record(entry) => ("record", entry.kind().to_string()),
    };
    let mut lines = vec![what];
    lines.extend(world.map(|world| ("created", when::to_minute(world.created_at()))));
    let (header, place) = (&capsule.header, &shown.place);
    lines.push(("recorded", header.timestamp().to_string()));
    lines.push(("agent", header.agent().to_string()));
    if place.key > 0 {
        lines.push(("key", format!("number {}", place.key)));
    }
    lines.push(("chain", format!("{}, number {}", header.chain(), place.seq)));
    lines.extend(place.previous.as_ref().map(|it| ("previous", id(it))));
    lines.extend(place.next.as_ref().map(|it| ("next", id(it))));
    let marks = place.marks.iter();
    lines.extend(marks.map(|mark| ("", terminal::plain(mark, LIMIT))));
    lines.push(("log index", shown.index.to_string()));
    lines.push(("content", format!("{} bytes", capsule.entry.content_size())));
    lines.push(("", capsule.entry.content().to_string()));
    lines.push(("capsule", capsule.entry.capsule().to_string()));
    lines
}
