//! `forget`: no selection gives a memory any more; nothing is taken away (MEM-MAINT).

use std::io::{self, Write};
use std::path::Path;

use counterfoil_capsule::documents::{ApprovedForgetting, ForgetDecision, Tombstone};
use counterfoil_sqlite::{ForgetReport, ForgetRequest, RecordAt};
use counterfoil_types::WorldId;
use counterfoil_types::json::{Limits, parse};
use counterfoil_verify::{read_file, terminal};
use serde_json::{Value, json};

use crate::args::{ForgetArgs, ForgetFor};
use crate::context::Context;
use crate::failure::{ErrorKind, Failure};
use crate::output::{pairs, table, write_table};
use crate::{authorities, versions};

const LIMIT: usize = 1024;

pub(crate) async fn run(context: &Context, args: ForgetArgs) -> Result<(), Failure> {
    let (Some(id), Some(reason)) = (&args.world_id, &args.reason) else {
        return list(context).await;
    };
    let unknown = || versions::unknown(id);
    let world_id = WorldId::new(id.as_str()).map_err(|_| unknown())?;
    context.home.must_exist()?;
    let decision = match (args.scope, &args.decision) {
        (ForgetFor::Actor, None) => None,
        (ForgetFor::Actor, Some(_)) => {
            return Err(Failure::input(
                "an agent decides by itself what it forgets",
                "leave --decision out, or give --scope global",
            ));
        }
        (ForgetFor::Global, Some(file)) => Some(Box::new(approved(context, file)?)),
        (ForgetFor::Global, None) => {
            return Err(Failure::input(
                "to forget for all needs an authority's decision",
                "give --decision",
            ));
        }
    };
    let agent = context.home.agent()?;
    let forgetting = ForgetRequest {
        world_id,
        decision,
        reason: reason.clone(),
    };
    let store = context.home.writer()?;
    let forgotten = store.forget(agent, forgetting).await?.ok_or_else(unknown)?;
    let (tombstone, now) = match &forgotten {
        ForgetReport::Before(tombstone) => (tombstone, false),
        ForgetReport::Now(tombstone) => (tombstone, true),
        _ => return Err(Failure::bug("an outcome that is not known")),
    };
    let mut document = written(tombstone);
    if let Some(members) = document.as_object_mut() {
        members.insert("forgottenNow".to_owned(), now.into());
    }
    context
        .out
        .answer(&document, |out| human(out, tombstone, now))
}

fn approved(context: &Context, file: &Path) -> Result<ApprovedForgetting, Failure> {
    let bytes = read_file("decision", file, Limits::PROOF.bytes)
        .map_err(|error| Failure::new(ErrorKind::Input, error.to_string()))?;
    let value =
        parse(&bytes, Limits::PROOF).map_err(|error| Failure::json(file.display(), &error))?;
    let decision = ForgetDecision::parse(&value).map_err(|error| {
        Failure::input(
            format_args!("{}: {error}", file.display()),
            "ask the authority for a decision made by `counterfoil decide forget`",
        )
    })?;
    let authorities = authorities::read(&context.home)?;
    decision
        .approve(&authorities)
        .map_err(|error| Failure::new(ErrorKind::Refused, error.to_string()))
}

async fn list(context: &Context) -> Result<(), Failure> {
    let tombstones = context.home.reader()?.tombstones().await?;
    let document: Vec<Value> = tombstones.iter().map(written).collect();
    context.out.answer(&document, |out| {
        if tombstones.is_empty() {
            return writeln!(out, "Nothing is forgotten.");
        }
        let mut table = table(&["world", "for", "since", "entry", "reason"]);
        for tombstone in &tombstones {
            let said = &tombstone.document;
            table.add_row([
                terminal::plain(&said.world.to_string(), LIMIT),
                for_whom(tombstone),
                tombstone.recorded_at.to_string(),
                tombstone.index.to_string(),
                terminal::plain(said.reason.as_str(), LIMIT),
            ]);
        }
        write_table(out, &table)
    })
}

fn for_whom(tombstone: &RecordAt<Tombstone>) -> String {
    match &tombstone.document.decision {
        None => terminal::plain(tombstone.document.actor.as_str(), LIMIT),
        Some(_) => "all".to_owned(),
    }
}

/// A tombstone and its place, as it is written with `--json`.
pub(crate) fn written(tombstone: &RecordAt<Tombstone>) -> Value {
    json!({
        "index": tombstone.index,
        "capsule": tombstone.capsule.to_string(),
        "recordedAt": tombstone.recorded_at.to_string(),
        "tombstone": tombstone.document.to_value(),
    })
}

fn human(out: &mut dyn Write, tombstone: &RecordAt<Tombstone>, now: bool) -> io::Result<()> {
    let said = &tombstone.document;
    let when = if now { "now" } else { "already, before" };
    pairs(
        out,
        &[
            ("forgotten", terminal::plain(&said.world.to_string(), LIMIT)),
            ("", when.to_owned()),
            ("for", for_whom(tombstone)),
            (
                "tombstone",
                format!("log entry {}, {}", tombstone.index, tombstone.recorded_at),
            ),
            ("reason", terminal::plain(said.reason.as_str(), LIMIT)),
        ],
    )
}
