//! `timeline`: the claims about a subject over time, drawn in the terminal or as SVG.

mod scale;
mod svg;
mod text;

use std::path::PathBuf;

use clap::Args;
use counterfoil::write_file;
use counterfoil_types::DidKey;

use crate::context::Context;
use crate::dates;
use crate::failure::Failure;

#[derive(Debug, Args)]
pub(crate) struct TimelineArgs {
    /// Of whom or what
    #[arg(allow_hyphen_values = true)]
    pub(crate) subject: String,
    /// Predicate [default: everything]
    #[arg(allow_hyphen_values = true)]
    pub(crate) predicate: Option<String>,
    /// Time of knowledge: later records are not drawn [default: now]
    #[arg(long, value_name = "T", value_parser = dates::recorded)]
    pub(crate) as_of: Option<u64>,
    /// The claims of another agent, which were imported
    #[arg(long, value_name = "DID")]
    pub(crate) agent: Option<DidKey>,
    /// Draw it into this file instead
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
}

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
