//! `history`: the versions of a memory, what changed in each, and what became of it.

use std::io::{self, Write};

use counterfoil_capsule::World;
use counterfoil_sqlite::{Contested, SqliteStore};
use counterfoil_store::{CapsuleLog, ContentState, StoreError, VersionRow};
use counterfoil_types::WorldId;
use counterfoil_types::json::Value;
use serde::Serialize;

use super::line_history;
use super::recall::excerpt;
use super::update::{head_of, too_much, version};
use crate::args::HistoryArgs;
use crate::context::Context;
use crate::failure::{ErrorKind, Failure};
use crate::output::{count, table, write_table};
use crate::versions::{self, Changes, Located};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct History {
    chain: String,
    agent: String,
    /// How many there are; the listed ones are the newest.
    count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    forgotten: Option<u64>,
    versions: Vec<Listed>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    seq: u64,
    world_id: Option<WorldId>,
    index: u64,
    recorded_at: String,
    /// The number of the key that signed; the first has 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<u64>,
    /// Paths begin within `data`. Absent for the first version, and where it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<Vec<Value>>,
    /// The number of the version whose state this one restores.
    #[serde(skip_serializing_if = "Option::is_none")]
    rollback_to: Option<u64>,
    /// Where the content is: "present", "erased" or "archived".
    content: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    contested: Option<String>,
    #[serde(skip)]
    told: String,
}

pub(crate) async fn run(context: &Context, args: HistoryArgs) -> Result<(), Failure> {
    if args.max == 0 {
        return Err(Failure::input(
            "--max 0 lists nothing",
            "choose --max from 1",
        ));
    }
    if let Some(predicate) = &args.predicate {
        return line_history::run(context, &args, predicate).await;
    }
    if args.when.at.is_some() || args.when.as_of.is_some() {
        return Err(Failure::input(
            "--at and --as-of ask about a subject and a predicate",
            "give both, or use `counterfoil as-of` for memories",
        ));
    }
    let store = context.home.reader()?;
    let named = versions::locate(&store, &args.world_id).await;
    let named = named.map_err(|failure| or_a_predicate(failure.into(), &args.world_id))?;
    let all = store.chain(&named.chain).await?;
    let shown = all
        .get(all.len().saturating_sub(args.max)..)
        .unwrap_or(&all);
    let history = History {
        chain: named.chain.to_string(),
        agent: head_of(&store, &named).await?.agent.to_string(),
        count: u64::try_from(all.len()).unwrap_or(u64::MAX),
        forgotten: forgotten(&store, &all).await?,
        versions: listed(&store, &named, &all, shown).await?,
    };
    context.out.answer(&history, |out| human(out, &history))
}

/// Who named a subject is told that its claims are listed by predicate.
fn or_a_predicate(failure: Failure, named: &str) -> Failure {
    match failure {
        Failure::Memory(error)
            if error.kind() == ErrorKind::Input && !named.starts_with("world-") =>
        {
            Failure::new(
                ErrorKind::Input,
                format!(
                    "{error}; or, of a subject, name a predicate too: `counterfoil believe SUBJECT` lists them"
                ),
            )
        }
        other => other,
    }
}

/// The log index of the tombstone of a memory, if it is forgotten.
async fn forgotten(store: &SqliteStore, all: &[VersionRow]) -> Result<Option<u64>, Failure> {
    for version in all {
        let Some(world_id) = &version.world_id else {
            continue;
        };
        if let Some(tombstone) = store.tombstones_of(world_id).await?.first() {
            return Ok(Some(tombstone.index));
        }
    }
    Ok(None)
}

async fn listed(
    store: &SqliteStore,
    named: &Located,
    all: &[VersionRow],
    shown: &[VersionRow],
) -> Result<Vec<Listed>, Failure> {
    let mut before = match shown.first().and_then(|first| first.seq.checked_sub(1)) {
        Some(seq) => read(store, named, seq).await?.world,
        None => None,
    };
    let mut listed = Vec::with_capacity(shown.len());
    for one in shown {
        let read = read(store, named, one.seq).await?;
        let restored = |hash| all.iter().find(|version| version.capsule == hash);
        let rollback_to = one.rollback_to.and_then(restored).map(|it| it.seq);
        let changes = match (&before, &read.world) {
            (Some(before), Some(after)) => Some(Changes::between(before, after)),
            _ => None,
        };
        let contested = store.contested(one.index).await?;
        listed.push(Listed {
            seq: one.seq,
            world_id: one.world_id.clone(),
            index: one.index,
            recorded_at: one.recorded_at.to_string(),
            key: read.key,
            told: told(one, read.world.as_ref(), changes.as_ref(), rollback_to),
            changes: changes.flatten().map(|changes| changes.to_patch()),
            rollback_to,
            content: content(one.content),
            contested: contested.as_ref().map(Contested::to_string),
        });
        before = read.world;
    }
    Ok(listed)
}

/// What of a version can be read here.
struct Read {
    key: Option<u64>,
    world: Option<World>,
}

async fn read(store: &SqliteStore, named: &Located, seq: u64) -> Result<Read, Failure> {
    match version(store, named, seq).await {
        Ok(stored) => Ok(Read {
            key: Some(stored.header.key_number()),
            world: versions::content(&stored)?,
        }),
        Err(failure) if matches!(failure.store(), Some(StoreError::Archived { .. })) => Ok(Read {
            key: None,
            world: None,
        }),
        Err(other) => Err(other),
    }
}

/// What happened, in a line.
fn told(
    version: &VersionRow,
    world: Option<&World>,
    changes: Option<&Option<Changes>>,
    rollback_to: Option<u64>,
) -> String {
    let what = match (version.content, changes, world) {
        (ContentState::Erased, ..) => "ERASED".to_owned(),
        (ContentState::Archived, ..) => "archived".to_owned(),
        (_, Some(Some(changes)), _) => changes.in_words(),
        (_, Some(None), _) => too_much(),
        (_, None, Some(world)) if version.seq == 0 => excerpt(world),
        // What it changed went with the version before it.
        (_, None, Some(world)) => format!("now: {}", excerpt(world)),
        _ => String::new(),
    };
    match rollback_to {
        Some(seq) => format!("back to {seq}: {what}"),
        None => what,
    }
}

const fn content(state: ContentState) -> &'static str {
    match state {
        ContentState::Erased => "erased",
        ContentState::Archived => "archived",
        _ => "present",
    }
}

fn human(out: &mut dyn Write, history: &History) -> io::Result<()> {
    writeln!(out, "chain {}", history.chain)?;
    writeln!(out, "agent {}", history.agent)?;
    writeln!(out, "{}", count(history.count, "version", "versions"))?;
    if let Some(tombstone) = history.forgotten {
        writeln!(
            out,
            "FORGOTTEN: no recall gives it (tombstone: entry {tombstone})"
        )?;
    }
    writeln!(out)?;
    let with_keys = history.versions.iter().any(|it| it.key > Some(0));
    let mut headings = vec!["seq", "recorded", "world"];
    headings.extend(with_keys.then_some("key"));
    headings.push("what");
    let mut table = table(&headings);
    for version in &history.versions {
        let day_and_minute: String = version.recorded_at.chars().take(16).collect();
        let id = version.world_id.as_ref().map(ToString::to_string);
        let mut row = vec![
            version.seq.to_string(),
            day_and_minute.replace('T', " "),
            counterfoil_verify::terminal::plain(&id.unwrap_or_default(), 60),
        ];
        if with_keys {
            row.push(version.key.map(|key| key.to_string()).unwrap_or_default());
        }
        let contested = version.contested.as_ref().map(|why| format!(" [{why}]"));
        row.push(format!("{}{}", version.told, contested.unwrap_or_default()));
        table.add_row(row);
    }
    write_table(out, &table)
}
