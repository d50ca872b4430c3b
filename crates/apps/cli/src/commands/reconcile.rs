//! `reconcile`: a restored backup gets back the entries that were signed after it (capsules 4.5 (3), C42).

use crate::args::ReconcileArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::members;

pub(crate) async fn run(context: &Context, args: &ReconcileArgs) -> Result<(), Failure> {
    let done = context.memory.reconcile(&args.from).await?;
    context.out.report(&done, |out| {
        let lines = [
            ("entries before", "before"),
            ("entries now", "after"),
            ("erased again", "erased"),
        ];
        members(out, done.value(), &lines)?;
        match done.number("/added") {
            Some(0) => writeln!(out, "\nNothing was missing: the store may be written."),
            _ => writeln!(
                out,
                "\nThe log is the one that was signed last: the store may be written again."
            ),
        }
    })
}
