//! `claim did KEY`: whether something was committed under an idempotency key, after a doubt.

use serde::Serialize;

use crate::args::ClaimDidArgs;
use crate::claims::answer::Answer;
use crate::claims::desk::Desk;
use crate::context::Context;
use crate::failure::Failure;

#[derive(Serialize)]
struct Told {
    key: String,
    committed: bool,
    /// What was answered then.
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<Answer>,
}

pub(super) async fn run(context: &Context, args: ClaimDidArgs) -> Result<(), Failure> {
    let desk = Desk::looking(&context.home)?;
    let answer = match desk.store.committed(desk.agent, &args.key).await? {
        Some(outcome) => Some(Answer::of(desk.store.as_ref(), &outcome).await?),
        None => None,
    };
    let told = Told {
        key: args.key,
        committed: answer.is_some(),
        answer,
    };
    context.out.answer(&told, |out| match &told.answer {
        Some(answer) => answer.human(out),
        None => writeln!(out, "Nothing was written under this key."),
    })
}
