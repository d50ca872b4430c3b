//! `claim end`, `reopen`, `release`, `supersede`: assertions about a claim.

use counterfoil::Memory;
use counterfoil_claims::{Assertion, ClaimRef, Identifier, Target};

use crate::args::{ClaimEndArgs, ClaimRefArgs, ClaimSupersedeArgs, SaidArgs};
use crate::claims::answer::answer;
use crate::context::Context;
use crate::failure::Failure;

/// With one name a claim, with two a line whose one live claim is meant.
pub(super) async fn end(context: &Context, args: ClaimEndArgs) -> Result<(), Failure> {
    context.memory.must_exist()?;
    let target = match &args.predicate {
        None => Target::Claim(Memory::reference(&args.reference)?),
        Some(of) => Target::Line {
            subject: Identifier::new("subject", &args.reference)?,
            predicate: Identifier::new("predicate", of)?,
        },
    };
    let assertion = Assertion::end(&args.said.channel.channel(), target, args.at);
    assert(context, &args.said, assertion).await
}

pub(super) async fn reopen(context: &Context, args: ClaimRefArgs) -> Result<(), Failure> {
    let target = claim(context, &args.reference)?;
    let assertion = Assertion::reopen(&args.said.channel.channel(), target);
    assert(context, &args.said, assertion).await
}

pub(super) async fn release(context: &Context, args: ClaimRefArgs) -> Result<(), Failure> {
    let target = claim(context, &args.reference)?;
    let assertion = Assertion::release(&args.said.channel.channel(), target);
    assert(context, &args.said, assertion).await
}

pub(super) async fn supersede(context: &Context, args: ClaimSupersedeArgs) -> Result<(), Failure> {
    let target = claim(context, &args.reference)?;
    let by = Memory::reference(&args.by)?;
    let assertion = Assertion::supersede(&args.said.channel.channel(), target, by);
    assert(context, &args.said, assertion).await
}

fn claim(context: &Context, text: &str) -> Result<ClaimRef, Failure> {
    context.memory.must_exist()?;
    Ok(Memory::reference(text)?)
}

/// Submits an assertion under the key of the request and prints the gate's answer.
pub(crate) async fn assert(
    context: &Context,
    said: &SaidArgs,
    assertion: Assertion,
) -> Result<(), Failure> {
    let assertion = match &said.key {
        Some(key) => assertion.keyed(key)?,
        None => assertion,
    };
    answer(context, &context.memory.assert(assertion).await?)
}
