//! `contested`: beliefs on which sources contradict each other (I7).

use super::believe::rows;
use crate::args::ContestedArgs;
use crate::context::Context;
use crate::failure::Failure;

pub(crate) async fn run(context: &Context, args: ContestedArgs) -> Result<(), Failure> {
    let query = args.when.of(None);
    let contested = context.memory.contested(&query, args.max).await?;
    context.out.answer(&contested, |out| {
        if contested.beliefs.is_empty() {
            return writeln!(out, "Nothing is contested.");
        }
        rows(out, &contested.beliefs, true)?;
        if contested.more == Some(true) {
            writeln!(out, "There are more: --max")?;
        }
        writeln!(
            out,
            "Each side with its reference: counterfoil believe SUBJECT PREDICATE"
        )
    })
}
