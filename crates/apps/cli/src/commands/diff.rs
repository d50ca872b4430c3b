//! `diff`: what is different between two memories, of one chain or of two.

use std::io::{self, Write};

use counterfoil_capsule::World;
use counterfoil_capsule::delta::{Effect, FORMAT};
use counterfoil_sqlite::SqliteStore;
use counterfoil_types::WorldId;
use counterfoil_types::json::Value;
use serde::Serialize;

use super::update::version;
use crate::args::DiffArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::versions::{self, Changes, Located, contrasted};

/// The most characters of a value.
const LIMIT: usize = 400;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Different {
    from: WorldId,
    to: WorldId,
    same_chain: bool,
    format: &'static str,
    /// Paths begin within `data`: `update --patch` takes it.
    delta: Vec<Value>,
    /// What differs beside `data`; paths begin at the World.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    others: Vec<Value>,
}

pub(crate) async fn run(context: &Context, args: DiffArgs) -> Result<(), Failure> {
    let store = context.home.reader()?;
    let (from, before) = said(&store, &args.from).await?;
    let (to, after) = said(&store, &args.to).await?;
    let changes = Changes::between(&before, &after).ok_or_else(|| {
        Failure::input(
            "they differ in more than 256 KiB",
            "look at each with `counterfoil show`",
        )
    })?;
    let different = Different {
        same_chain: from.chain == to.chain,
        from: from.world_id,
        to: to.world_id,
        format: FORMAT,
        delta: changes.to_patch(),
        others: changes.others(),
    };
    context.out.answer(&different, |out| human(out, &changes))
}

fn human(out: &mut dyn Write, changes: &Changes) -> io::Result<()> {
    let mut same = true;
    for (path, operation) in changes.all() {
        same = false;
        writeln!(out, "{path}")?;
        let (old, new) = match operation.effect() {
            Effect::Add(value) => (None, Some(whole(value))),
            Effect::Remove(old) => (Some(whole(old)), None),
            Effect::Replace { old, value } => {
                let (old, new) = contrasted(old, value, LIMIT);
                (Some(old), Some(new))
            }
        };
        for (mark, value) in [("-", old), ("+", new)] {
            if let Some(value) = value {
                writeln!(out, "  {mark} {value}")?;
            }
        }
    }
    if same {
        writeln!(out, "They say the same.")?;
    }
    Ok(())
}

fn whole(value: &Value) -> String {
    contrasted(value, value, LIMIT).0
}

async fn said(store: &SqliteStore, id: &str) -> Result<(Located, World), Failure> {
    let named = versions::locate(store, id).await?;
    let stored = version(store, &named, named.seq).await?;
    let world = versions::content(&stored)?.ok_or_else(|| {
        Failure::unproven(
            format_args!(
                "{} is erased, so nobody knows any more what it said",
                named.world_id
            ),
            "compare versions that are there",
        )
    })?;
    Ok((named, world))
}
