//! `prove`: a proof of a belief, for an authority (docs/format/belief.md).

use crate::args::ProveArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::files::write_file;
use crate::output::{notice, report_text};

pub(crate) async fn run(context: &Context, args: ProveArgs) -> Result<(), Failure> {
    let query = args.when.of(None);
    let proof = context
        .memory
        .prove(&args.subject, &args.predicate, &query, args.floor);
    let proof = proof.await?;
    proof.notices().iter().for_each(notice);
    let text = report_text(&proof);
    match &args.output {
        Some(path) => {
            write_file(path, &text)?;
            context.out.written(path)
        }
        None => context.out.text(&text),
    }
}
