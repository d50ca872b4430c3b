//! `diff`: the difference between two memories, of one chain or of two.

use counterfoil_types::json::Value;

use super::changes::{all, contrasted};
use crate::args::DiffArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::items;

/// The most characters of a value.
const LIMIT: usize = 400;

pub(crate) async fn run(context: &Context, args: DiffArgs) -> Result<(), Failure> {
    let different = context.memory.diff(&args.from, &args.to).await?;
    context.out.report(&different, |out| {
        let different = different.value();
        let (delta, others) = (items(different, "delta"), items(different, "others"));
        if delta.is_empty() && others.is_empty() {
            return writeln!(out, "They say the same.");
        }
        let whole = |value: &Value| contrasted(value, value, LIMIT).0;
        for (path, old, new) in all(delta, others) {
            writeln!(out, "{path}")?;
            let (old, new) = match (old, new) {
                (Some(old), Some(new)) => {
                    let (old, new) = contrasted(old, new, LIMIT);
                    (Some(old), Some(new))
                }
                (old, new) => (old.map(whole), new.map(whole)),
            };
            for (mark, value) in [("-", old), ("+", new)] {
                if let Some(value) = value {
                    writeln!(out, "  {mark} {value}")?;
                }
            }
        }
        Ok(())
    })
}
