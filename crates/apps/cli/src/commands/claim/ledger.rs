//! `claim ledger`: decisions of the gate, and claims that were handed out.

use crate::args::ClaimLedgerArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::rows;

pub(super) async fn run(context: &Context, args: ClaimLedgerArgs) -> Result<(), Failure> {
    let (claim, before) = (args.claim.as_deref(), args.before);
    let ledger = context.memory.claim_ledger(claim, before, args.max).await?;
    context.out.report(&ledger, |out| {
        if !rows(
            out,
            &["recorded", "about", "says", "said by", "became", "ref"],
            ledger.detail("rows"),
        )? {
            return writeln!(out, "No claims.");
        }
        match ledger.number("/before") {
            Some(before) => writeln!(out, "\nEarlier ones: --before {before}"),
            None => Ok(()),
        }
    })
}
