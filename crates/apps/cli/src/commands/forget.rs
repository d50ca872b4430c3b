//! `forget`: no selection gives a memory any more; nothing is taken away (MEM-MAINT).

use std::path::Path;

use counterfoil_capsule::documents::ForgetDecision;
use counterfoil_types::json::{Limits, Value, parse};
use counterfoil_verify::{read_file, terminal};

use crate::args::{ForgetArgs, ForgetFor};
use crate::context::Context;
use crate::failure::{ErrorKind, Failure};
use crate::output::{pairs, table, text, write_table};

const LIMIT: usize = 1024;

pub(crate) async fn run(context: &Context, args: ForgetArgs) -> Result<(), Failure> {
    let (Some(id), Some(reason)) = (&args.world_id, &args.reason) else {
        let forgotten = context.memory.forgotten().await?;
        return context.out.report(&forgotten, |out| {
            let document = forgotten.value();
            let tombstones = document.as_array().map(Vec::as_slice).unwrap_or_default();
            if tombstones.is_empty() {
                return writeln!(out, "Nothing is forgotten.");
            }
            let mut table = table(&["world", "for", "since", "entry", "reason"]);
            for tombstone in tombstones {
                table.add_row([
                    plain(tombstone, "/tombstone/world"),
                    for_whom(tombstone),
                    text(tombstone, "recordedAt"),
                    text(tombstone, "index"),
                    plain(tombstone, "/tombstone/reason"),
                ]);
            }
            write_table(out, &table)
        });
    };
    context.memory.must_exist()?;
    let forgotten = match (args.scope, &args.decision) {
        (ForgetFor::Actor, None) => context.memory.forget(id, reason).await?,
        (ForgetFor::Actor, Some(_)) => {
            return Err(Failure::input(
                "an agent decides by itself what it forgets",
                "leave --decision out, or give --scope global",
            ));
        }
        (ForgetFor::Global, Some(file)) => {
            let decision = decision(file)?;
            context.memory.forget_for_all(id, reason, &decision).await?
        }
        (ForgetFor::Global, None) => {
            return Err(Failure::input(
                "to forget for all needs an authority's decision",
                "give --decision",
            ));
        }
    };
    context.out.report(&forgotten, |out| {
        let tombstone = forgotten.value();
        let when = match tombstone.get("forgottenNow") {
            Some(Value::Bool(true)) => "now",
            _ => "already, before",
        };
        let (at, recorded) = (text(tombstone, "index"), text(tombstone, "recordedAt"));
        pairs(
            out,
            &[
                ("forgotten", plain(tombstone, "/tombstone/world")),
                ("", when.to_owned()),
                ("for", for_whom(tombstone)),
                ("tombstone", format!("log entry {at}, {recorded}")),
                ("reason", plain(tombstone, "/tombstone/reason")),
            ],
        )
    })
}

fn decision(file: &Path) -> Result<Value, Failure> {
    let bytes = read_file("decision", file, Limits::PROOF.bytes)
        .map_err(|error| Failure::new(ErrorKind::Input, error))?;
    let value =
        parse(&bytes, Limits::PROOF).map_err(|error| Failure::json(file.display(), &error))?;
    ForgetDecision::parse(&value).map_err(|error| {
        Failure::input(
            format_args!("{}: {error}", file.display()),
            "ask the authority for a decision made by `counterfoil decide forget`",
        )
    })?;
    Ok(value)
}

fn plain(tombstone: &Value, name: &str) -> String {
    terminal::plain(&text(tombstone, name), LIMIT)
}

fn for_whom(tombstone: &Value) -> String {
    match text(tombstone, "/tombstone/scope").as_str() {
        "actor" => plain(tombstone, "/tombstone/actor"),
        _ => "all".to_owned(),
    }
}
