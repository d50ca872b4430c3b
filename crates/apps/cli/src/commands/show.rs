//! `show`: one World with its capsule and its receipt.

use std::io::{self, Write};

use counterfoil_capsule::World;
use counterfoil_store::{CapsuleLog, MemoryStore, StoredCapsule};
use counterfoil_types::WorldId;
use counterfoil_types::json::{Limits, Value, parse};
use counterfoil_verify::terminal;
use serde::Serialize;

use crate::args::ShowArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{json_text, pairs};
use crate::when;

/// The most characters of a value shown to a person.
const LIMIT: usize = 1 << 20;

/// The most characters of an id that is not there.
const NAMED: usize = 80;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown {
    world: Value,
    index: u64,
    capsule: Value,
    receipt: Value,
}

pub(crate) async fn run(context: &Context, args: ShowArgs) -> Result<(), Failure> {
    let unknown = || {
        Failure::input(
            format_args!(
                "there is no memory \"{}\" in this store",
                named(&args.world_id)
            ),
            "take an id that `counterfoil recall --json` printed",
        )
    };
    let world_id = WorldId::new(args.world_id.as_str()).map_err(|_| unknown())?;
    let store = context.home.reader()?;
    let world = store.get(&world_id).await?.ok_or_else(unknown)?;
    let index = store.index_of(&world_id).await?.ok_or_else(unknown)?;
    let capsule = store.capsule(index).await?.ok_or_else(unknown)?;
    let shown = Shown {
        world: world.content_value().clone(),
        index,
        capsule: header(&capsule)?,
        receipt: world
            .metadata()
            .and_then(|it| it.get("receipt"))
            .cloned()
            .unwrap_or_default(),
    };
    context
        .out
        .answer(&shown, |out| human(out, &shown, &world, &capsule))
}

/// The beginning of an id as it was typed. Whoever prints it escapes it, as every error.
fn named(id: &str) -> String {
    id.chars().take(NAMED).collect()
}

fn header(capsule: &StoredCapsule) -> Result<Value, Failure> {
    parse(capsule.header.canonical().as_bytes(), Limits::HEADER)
        .map_err(|_| Failure::Bug("a header that is no JSON"))
}

fn human(
    out: &mut dyn Write,
    shown: &Shown,
    world: &World,
    capsule: &StoredCapsule,
) -> io::Result<()> {
    let data = json_text(&world.data()).unwrap_or_default();
    pairs(
        out,
        &[
            (
                "world",
                terminal::plain(&world.world_id().to_string(), LIMIT),
            ),
            ("created", when::to_minute(world.created_at())),
            ("recorded", capsule.header.timestamp().to_string()),
            ("agent", capsule.header.agent().to_string()),
            (
                "chain",
                format!(
                    "{}, number {}",
                    capsule.header.chain(),
                    capsule.header.seq()
                ),
            ),
            ("log index", shown.index.to_string()),
            ("content", format!("{} bytes", capsule.entry.content_size())),
            ("", capsule.entry.content().to_string()),
            ("capsule", capsule.entry.capsule().to_string()),
        ],
    )?;
    writeln!(out, "\n{}", data.trim_end())?;
    if let Some(proof) = shown.receipt.get("tlogProof").and_then(Value::as_str) {
        writeln!(out)?;
        for line in proof.lines() {
            writeln!(out, "{}", terminal::plain(line, LIMIT))?;
        }
    }
    Ok(())
}
