//! `as-of`: the memory as it stood at a time of recording, listed or recalled from (I2).

use std::io::{self, Write};

use counterfoil_capsule::{Timestamp, World};
use counterfoil_sqlite::{SqliteStore, Standing};
use counterfoil_store::CapsuleLog;
use counterfoil_types::WorldId;
use counterfoil_types::json::Value;
use serde::Serialize;

use super::recall::{self, excerpt, member};
use crate::args::AsOfArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{count, table, write_table};
use crate::selecting::{self, Session};
use crate::{versions, when};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AsOf {
    as_of: String,
    at_world_id: WorldId,
    /// How many memories stood in it.
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
    #[serde(skip)]
    world: World,
}

pub(crate) async fn run(context: &Context, args: AsOfArgs) -> Result<(), Failure> {
    let agent = context.home.agent_public()?;
    let store = context.home.reader()?;
    let nothing = || {
        Failure::input(
            format_args!("nothing was recorded by {}", args.time),
            "the time is that of recording (`counterfoil show` gives it); name a later one",
        )
    };
    let standing = store.standing_at(args.time, &agent).await?;
    let standing = standing.ok_or_else(nothing)?;
    let Some(query) = &args.query else {
        return list(context, &args, &store, standing).await;
    };
    let query = selecting::query(query)?;
    let constraints = selecting::constraints(&(&args.select).into())?;
    let session = Session::open(&context.home, &(&args.select).into()).await?;
    let deliberation = session.actor.deliberate(standing.world_id);
    let recalled = deliberation.recall(query, Some(constraints)).await;
    let recalled = recalled.map_err(selecting::failure)?;
    let writers = recall::writers(context, &recalled).await?;
    context.out.answer(recalled.trace(), |out| {
        recall::human(out, &recalled, &writers)
    })
}

async fn list(
    context: &Context,
    args: &AsOfArgs,
    store: &SqliteStore,
    standing: Standing,
) -> Result<(), Failure> {
    let agent = context.home.agent_public()?;
    let page = (args.skip, args.select.max);
    let ids = store.current_at(standing.index, &agent, page).await?;
    let mut listed = Vec::with_capacity(ids.len());
    for world_id in ids {
        listed.extend(one(store, world_id).await?);
    }
    let answer = AsOf {
        as_of: args.time.to_string(),
        at_world_id: standing.world_id,
        memories: standing.memories,
        skipped: args.skip,
        listed,
    };
    context.out.answer(&answer, |out| human(out, &answer))
}

async fn one(store: &SqliteStore, world_id: WorldId) -> Result<Option<Listed>, Failure> {
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
    Ok(versions::content(&stored)?.map(|world| Listed {
        world_id,
        index: stored.index,
        seq: stored.header.seq(),
        recorded_at: stored.header.timestamp().to_string(),
        data: world.data().cloned().unwrap_or_default(),
        contested,
        world,
    }))
}

fn human(out: &mut dyn Write, answer: &AsOf) -> io::Result<()> {
    let memories = count(answer.memories, "memory", "memories");
    writeln!(out, "As recorded by {}: {memories}", answer.as_of)?;
    writeln!(out)?;
    let mut table = table(&["seq", "recorded", "when", "who", "text", "world"]);
    for listed in &answer.listed {
        let recorded: String = listed.recorded_at.chars().take(16).collect();
        let contested = listed.contested.as_ref();
        let contested = contested.map(|why| format!("[{why}] ")).unwrap_or_default();
        let who = member(&listed.world, "speaker").unwrap_or("-");
        table.add_row([
            listed.seq.to_string(),
            recorded.replace('T', " "),
            when::to_minute(listed.world.created_at()),
            counterfoil_verify::terminal::plain(who, 24),
            format!("{contested}{}", excerpt(&listed.world)),
            counterfoil_verify::terminal::plain(&listed.world_id.to_string(), 60),
        ]);
    }
    write_table(out, &table)?;
    let shown = answer.skipped + answer.listed.len();
    let shown = u64::try_from(shown).unwrap_or(u64::MAX);
    if shown < answer.memories {
        writeln!(out, "\n{} more: --skip {shown}", answer.memories - shown)?;
    }
    Ok(())
}

/// Reads a time of recording: as `show` prints it, or as any other time, of which the whole
/// millisecond counts.
pub(crate) fn parse_time(text: &str) -> Result<Timestamp, String> {
    if let Ok(exact) = text.parse() {
        return Ok(exact);
    }
    let at = counterfoil_verify::time::parse(text).map_err(|error| error.to_string())?;
    let micros = at.value().saturating_mul(1_000).saturating_add(999);
    Timestamp::from_micros(micros).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_counts_to_the_end_of_what_it_names() {
        let micros = |text| parse_time(text).unwrap().micros();
        assert_eq!(micros("2026-02-10T00:00:00.123456Z"), 1_770_681_600_123_456);
        assert_eq!(micros("2026-02-10T00:00:00.123Z"), 1_770_681_600_123_999);
        assert_eq!(micros("2026-02-10"), 1_770_681_600_000_999);
        assert!(parse_time("yesterday").is_err());
    }
}
