//! `contested`: beliefs that sources contradict each other about (I7).

use counterfoil_claims::belief::Belief;
use counterfoil_store::{AsOf, all_contested};
use counterfoil_types::json::Value;
use serde::Serialize;

use super::believe::rows;
use crate::args::ContestedArgs;
use crate::claims::desk::Desk;
use crate::context::Context;
use crate::failure::Failure;

#[derive(Serialize)]
struct Contested {
    beliefs: Vec<Value>,
    /// Whether there are others beyond `--max`.
    more: bool,
}

pub(crate) async fn run(context: &Context, args: ContestedArgs) -> Result<(), Failure> {
    if args.max == 0 {
        return Err(Failure::input(
            "--max 0 lists nothing",
            "choose --max from 1",
        ));
    }
    let desk = Desk::reading(&context.home, None)?;
    let asked = AsOf::from(args.when);
    let (store, limit) = (desk.store.as_ref(), args.max.saturating_add(1));
    let mut beliefs = all_contested(store, desk.agent, asked, limit, &desk.settings).await?;
    let more = beliefs.len() > args.max;
    beliefs.truncate(args.max);
    desk.hand_out(&beliefs).await;
    let told = Contested {
        beliefs: beliefs.iter().map(Belief::to_json).collect(),
        more,
    };
    context.out.answer(&told, |out| {
        if beliefs.is_empty() {
            return writeln!(out, "Nothing is contested.");
        }
        rows(out, &beliefs, true)?;
        if more {
            writeln!(out, "There are more: --max")?;
        }
        writeln!(
            out,
            "Each side with its reference: counterfoil believe SUBJECT PREDICATE"
        )
    })
}
