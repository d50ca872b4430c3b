//! `claim did KEY`: reports whether a request was committed under an idempotency key.

use crate::args::ClaimDidArgs;
use crate::claims::answer::human;
use crate::context::Context;
use crate::failure::Failure;

pub(super) async fn run(context: &Context, args: ClaimDidArgs) -> Result<(), Failure> {
    let committed = context.memory.committed(&args.key).await?;
    let answer = committed.value().get("answer");
    context.out.report(&committed, |out| match answer {
        Some(answer) => human(out, answer),
        None => writeln!(out, "Nothing was written under this key."),
    })
}
