//! `extract` and `claim import`: claims out of memories and out of files, which the gate judges.

use std::io::{self, Write};

use counterfoil::{ExtractOptions, text};
use counterfoil_claims::FactValue;
use counterfoil_types::json::Value;

use crate::args::{ClaimImportArgs, ExtractArgs, ReaderName};
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{self, count, items, number, pairs, table, write_table};

pub(crate) async fn run(context: &Context, args: ExtractArgs) -> Result<(), Failure> {
    context.memory.must_exist()?;
    context.watch_for_interruption()?;
    let options = ExtractOptions {
        with_model: args.with == ReaderName::Endpoint,
        dry_run: args.dry_run,
        max: args.max,
    };
    let extracted = context.memory.extract(args.world_id.as_deref(), &options);
    let extracted = extracted.await?;
    let document = extracted.value();
    context.out.report(&extracted, |out| {
        let listed = items(document, "listed");
        if !listed.is_empty() {
            let headings = ["subject", "predicate", "value", "when", "became", "read in"];
            let mut rows = table(&headings);
            let when = extracted.detail("when").as_array().into_iter().flatten();
            for (proposal, when) in listed.iter().zip(when) {
                let name = |member: &str| text::name(output::text(proposal, member));
                let value = FactValue::new(&proposal["value"]);
                let became = output::text(proposal, "became");
                let is_news = proposal["new"] == true;
                let end = match became.as_str() {
                    "proposed" | "refused" => "",
                    _ if is_news => "",
                    _ => " (nothing new)",
                };
                rows.add_row([
                    name("subject"),
                    name("predicate"),
                    value.as_ref().map(text::value).unwrap_or_default(),
                    output::text(when, ""),
                    format!("{}{end}", became.replace('_', " ")),
                    name("worldId"),
                ]);
            }
            write_table(out, &rows)?;
            writeln!(out)?;
        }
        let read = count(number(document, "read"), "memory", "memories");
        let proposals = number(document, "proposals");
        write!(
            out,
            "{read} read, {}",
            count(proposals, "proposal", "proposals")
        )?;
        if !args.dry_run && proposals > 0 {
            write!(
                out,
                ": {}; {} new",
                became(document),
                number(document, "written")
            )?;
        }
        writeln!(out)?;
        hints(out, document)?;
        items(document, "skipped").iter().try_for_each(|skipped| {
            let why = text::name(output::text(skipped, "why"));
            writeln!(
                out,
                "skipped in {}: {why}",
                output::text(skipped, "worldId")
            )
        })
    })
}

pub(crate) async fn import(context: &Context, args: ClaimImportArgs) -> Result<(), Failure> {
    context.memory.must_exist()?;
    context.watch_for_interruption()?;
    let (channel, from_agent) = (args.channel.channel(), args.from_agent.as_deref());
    let imported = context
        .memory
        .import_claims(&args.file, &channel, from_agent);
    let imported = imported.await?;
    let document = imported.value();
    context.out.report(&imported, |out| {
        let of = |name: &str| output::text(document, name);
        let mut lines = vec![
            ("format", of("format")),
            ("read", of("read")),
            ("became", became(document)),
            ("written", of("written")),
            ("nothing new", of("unchanged")),
            ("refused", of("refusedCount")),
        ];
        let lost = document["notCarried"].as_object().into_iter().flatten();
        for (at, (what, number)) in lost.enumerate() {
            let name = if at == 0 { "not carried over" } else { "" };
            lines.push((name, format!("{number} {what}")));
        }
        pairs(out, &lines)?;
        hints(out, document)
    })
}

/// `3 committed, 1 corroborated`.
fn became(document: &Value) -> String {
    let became = document["became"].as_object().into_iter().flatten();
    let parts = became.map(|(name, number)| format!("{number} {}", name.replace('_', " ")));
    parts.collect::<Vec<_>>().join(", ")
}

fn hints(out: &mut dyn Write, document: &Value) -> io::Result<()> {
    items(document, "hints").iter().try_for_each(|hint| {
        let [name, in_use] =
            ["predicate", "inUse"].map(|name| text::name(output::text(hint, name)));
        writeln!(
            out,
            "hint: \"{name}\" is new; \"{in_use}\" is in use and may be the same"
        )
    })
}
