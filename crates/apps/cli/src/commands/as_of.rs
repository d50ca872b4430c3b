//! `as-of`: the memory as it stood at a time of recording, listed or recalled from (I2).

use counterfoil::UnixMillis;
use counterfoil_verify::terminal;

use super::recall::{self, excerpt};
use crate::args::AsOfArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{count, items, number, table, text, write_table};
use crate::when;

pub(crate) async fn run(context: &Context, args: AsOfArgs) -> Result<(), Failure> {
    let memory = &context.memory;
    let Some(query) = &args.query else {
        let answer = memory.as_of(args.time, args.skip, args.select.max).await?;
        return context.out.report(&answer, |out| {
            let value = answer.value();
            let total = number(value, "memories");
            let memories = count(total, "memory", "memories");
            writeln!(out, "As recorded by {}: {memories}", text(value, "asOf"))?;
            writeln!(out)?;
            let mut table = table(&["seq", "recorded", "when", "who", "text", "world"]);
            let listed = items(value, "listed");
            let details = answer.detail("listed").as_array();
            for (listed, detail) in listed.iter().zip(details.into_iter().flatten()) {
                let recorded: String = text(listed, "recordedAt").chars().take(16).collect();
                let contested = listed.get("contested").and_then(|why| why.as_str());
                let contested = contested.map(|why| format!("[{why}] ")).unwrap_or_default();
                let who = detail.get("who").and_then(|who| who.as_str());
                let created = UnixMillis::new(number(detail, "createdAt"));
                table.add_row([
                    text(listed, "seq"),
                    recorded.replace('T', " "),
                    created.map(when::to_minute).unwrap_or_default(),
                    terminal::plain(who.unwrap_or("-"), 24),
                    format!("{contested}{}", excerpt(&text(detail, "text"))),
                    terminal::plain(&text(listed, "worldId"), 60),
                ]);
            }
            write_table(out, &table)?;
            let length = u64::try_from(listed.len()).unwrap_or(u64::MAX);
            let shown = number(value, "skipped").saturating_add(length);
            if shown < total {
                writeln!(out, "\n{} more: --skip {shown}", total - shown)?;
            }
            Ok(())
        });
    };
    let options = (&args.select).into();
    let recalled = memory.recall_as_of(args.time, query, &options).await?;
    recall::answer(context, &recalled).await
}
