//! `rebuild`: derived state is thrown away and made again from the capsules; it must come out the
//! same.

use counterfoil_types::json::Value;

use crate::context::Context;
use crate::failure::Failure;
use crate::output::{count, number, pairs, text};

pub(crate) async fn run(context: &Context) -> Result<(), Failure> {
    let made = context.memory.rebuild().await?;
    context.out.report(&made, |out| {
        let value = made.value();
        let verdict = match value.get("identical") {
            Some(Value::Bool(true)) => "as before",
            _ => "mended: it differed before",
        };
        let worlds = number(value, "worlds");
        pairs(
            out,
            &[
                ("rebuilt from", count(worlds, "capsule", "capsules")),
                ("digest", text(value, "after")),
                ("derived state", verdict.to_owned()),
            ],
        )
    })
}
