//! `embed`: makes the vectors of memories that have none.

use crate::context::Context;
use crate::failure::Failure;

pub(crate) async fn run(context: &Context, migrate: bool) -> Result<(), Failure> {
    context.memory.must_exist()?;
    context.watch_for_interruption()?;
    let embedded = match migrate {
        true => context.memory.migrate_vectors().await,
        false => context.memory.embed().await,
    };
    context.progress.finish_and_clear();
    let lines = [
        ("model", "{model}, {dimensions} dimensions"),
        ("made now", "embedded"),
        ("done", "{done} of {memories}"),
    ];
    context.out.lines(&embedded?, &lines)
}
