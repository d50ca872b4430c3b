//! `recall`: memories with proof, as a table or as the trace that a proposal would carry.

use std::io::{self, Write};

use counterfoil_actor::{Recalled, RecalledMemory};
use counterfoil_capsule::World;
use counterfoil_store::CapsuleLog;
use counterfoil_types::DidKey;
use counterfoil_types::json::Value;
use counterfoil_verify::{Form, terminal};

use crate::args::RecallArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::files::notice;
use crate::output::{count, table, write_table};
use crate::selecting::{self, Session};
use crate::when;

/// The most characters of a text in the table.
const EXCERPT: usize = 160;
const NAME: usize = 24;

pub(crate) async fn run(context: &Context, args: RecallArgs) -> Result<(), Failure> {
    let query = selecting::query(&args.query)?;
    let constraints = selecting::constraints(&(&args.select).into())?;
    let session = Session::open(&context.home, &(&args.select).into()).await?;
    let deliberation = session.actor.deliberate(session.base_world.clone());
    let recalled = deliberation
        .recall(query, Some(constraints))
        .await
        .map_err(selecting::failure)?;
    let writers = writers(context, &recalled).await?;
    context
        .out
        .answer(recalled.trace(), |out| human(out, &recalled, &writers))?;
    tell_of_archives(context).await
}

/// Who wrote each of the memories, where it was not this store's agent.
pub(crate) async fn writers(
    context: &Context,
    recalled: &Recalled<'_>,
) -> Result<Vec<Option<DidKey>>, Failure> {
    if context.out.form() == Form::Json {
        return Ok(Vec::new());
    }
    let (store, own) = (context.home.reader()?, context.home.agent_public()?);
    let mut writers = Vec::new();
    for memory in recalled.memories() {
        let index = store.index_of(memory.world().world_id()).await?;
        let stored = match index {
            Some(index) => store.capsule(index).await?,
            None => None,
        };
        let agent = stored.map(|stored| stored.header.agent());
        writers.push(agent.filter(|agent| *agent != own));
    }
    Ok(writers)
}

/// Who says it, and in brief whose memory it is when it is another agent's.
fn who(world: &World, writer: Option<&DidKey>) -> String {
    let speaker = member(world, "speaker").map(|speaker| terminal::plain(speaker, NAME));
    match (speaker, writer.map(brief)) {
        (Some(speaker), Some(writer)) => format!("{speaker} (by {writer})"),
        (None, Some(writer)) => writer,
        (speaker, None) => speaker.unwrap_or_else(|| "-".to_owned()),
    }
}

/// Both ends of a key: the middle tells nobody anything.
fn brief(agent: &DidKey) -> String {
    let did = agent.to_string();
    let key = did.strip_prefix("did:key:").unwrap_or(&did);
    let (head, tail) = (key.get(..9), key.get(key.len().saturating_sub(4)..));
    format!("{}…{}", head.unwrap_or(key), tail.unwrap_or_default())
}

/// What is archived is not searched: a person is told that there is something.
async fn tell_of_archives(context: &Context) -> Result<(), Failure> {
    if context.out.form() == Form::Json {
        return Ok(());
    }
    let segments = context.home.reader()?.segments().await?;
    let archived: u64 = segments.iter().map(|segment| segment.archived).sum();
    if archived > 0 {
        notice(format_args!(
            "{} archived and not searched; `counterfoil restore --all` brings them back",
            count(archived, "memory is", "memories are")
        ));
    }
    Ok(())
}

pub(crate) fn human(
    out: &mut dyn Write,
    recalled: &Recalled<'_>,
    writers: &[Option<DidKey>],
) -> io::Result<()> {
    if recalled.is_empty() {
        return writeln!(out, "Nothing found.");
    }
    let mut table = table(&["#", "conf", "when", "who", "text", "proof"]);
    for (rank, memory) in recalled.memories().enumerate() {
        table.add_row([
            (rank + 1).to_string(),
            format!("{:.2}", memory.selected().confidence().value()),
            when::to_minute(memory.world().created_at()),
            who(memory.world(), writers.get(rank).and_then(Option::as_ref)),
            format!("{}{}", caveat(memory), excerpt(memory.world())),
            mark(memory),
        ]);
    }
    write_table(out, &table)
}

/// The method, and whether the proof was checked here.
pub(crate) fn mark(memory: &RecalledMemory) -> String {
    match (memory.selected().evidence(), memory.selected().verified()) {
        (Some(evidence), true) => format!("{} ok", evidence.method().as_str()),
        (Some(evidence), false) => format!("{} unverified", evidence.method().as_str()),
        (None, _) => "none".to_owned(),
    }
}

/// Remarks of the selector that a reader must not miss, in brackets. A whole key is too long for a table.
fn caveat(memory: &RecalledMemory) -> String {
    let caveats = memory.annotation().caveats(brief);
    if caveats.is_empty() {
        return String::new();
    }
    format!("[{}] ", terminal::plain(&caveats.join("; "), EXCERPT))
}

/// The beginning of what is remembered, on one line.
pub(crate) fn excerpt(world: &World) -> String {
    let text = member(world, "text")
        .map(str::to_owned)
        .or_else(|| claimed(world));
    let caption = member(world, "caption").map(|caption| format!(" [{caption}]"));
    let shown = match (text, caption) {
        (Some(text), caption) => text + caption.as_deref().unwrap_or_default(),
        (None, Some(caption)) => caption,
        (None, None) => world.data().map(Value::to_string).unwrap_or_default(),
    };
    terminal::plain(&shown.replace(['\n', '\t', '\r'], " "), EXCERPT)
}

/// `ann lives in: Lisbon`, of a claim.
fn claimed(world: &World) -> Option<String> {
    let (subject, predicate) = (member(world, "subject")?, member(world, "predicate")?);
    let value = world
        .data()?
        .get("value")
        .filter(|_| member(world, "kind") == Some("claim"))?;
    let value = value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned);
    Some(format!("{subject} {predicate}: {value}"))
}

pub(crate) fn member<'a>(world: &'a World, name: &str) -> Option<&'a str> {
    world
        .data()?
        .get(name)?
        .as_str()
        .filter(|text| !text.is_empty())
}
