//! `pending`: claims that wait for a verdict, with the claims that contradict them.

use crate::context::Context;
use crate::failure::Failure;
use crate::output::rows;

pub(crate) async fn run(context: &Context) -> Result<(), Failure> {
    let pending = context.memory.pending().await?;
    context.out.report(&pending, |out| {
        if rows(
            out,
            &["handle", "about", "says", "against", "until"],
            pending.detail("rows"),
        )? {
            return writeln!(
                out,
                "\nGive a verdict: counterfoil adjudicate HANDLE affirm|deny|unknown --evidence WORLD_ID"
            );
        }
        writeln!(out, "Nothing waits for a verdict.")?;
        if pending.detail("oracle") == false {
            writeln!(
                out,
                "Claims wait where claims.toml says that there is an oracle; what is contested: \
                 counterfoil contested"
            )?;
        }
        Ok(())
    })
}
