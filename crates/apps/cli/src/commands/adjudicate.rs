//! `adjudicate`: a verdict on a claim that waits for one or is contested; all rivals are settled together.

use counterfoil_claims::Assertion;

use super::claim::assert;
use crate::args::AdjudicateArgs;
use crate::claims::refusals::{reference, references, refused};
use crate::context::Context;
use crate::failure::Failure;

pub(crate) async fn run(context: &Context, args: AdjudicateArgs) -> Result<(), Failure> {
    context.memory.must_exist()?;
    let handle = reference(&args.handle)?;
    let evidence = references(&args.evidence)?;
    let channel = args.said.channel.channel();
    let assertion = Assertion::verdict(&channel, handle, args.verdict.verdict(), evidence);
    assert(context, &args.said, assertion.map_err(refused)?).await
}
