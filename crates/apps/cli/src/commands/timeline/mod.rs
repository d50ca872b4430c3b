//! `timeline`: the claims about a subject over time, drawn in the terminal or as SVG.

mod scale;
mod svg;
mod text;

use crate::args::TimelineArgs;
use crate::context::Context;
use crate::failure::Failure;
use counterfoil::write_file;

pub(crate) async fn run(context: &Context, args: TimelineArgs) -> Result<(), Failure> {
    let timeline = context.memory.timeline(
        &args.subject,
        args.predicate.as_deref(),
        args.as_of,
        args.agent,
    );
    let timeline = timeline.await?;
    if let Some(path) = &args.svg {
        write_file(path, &svg::draw(&timeline))?;
        return context.out.written(path);
    }
    context
        .out
        .answer(&timeline, |out| text::draw(out, &timeline))
}
