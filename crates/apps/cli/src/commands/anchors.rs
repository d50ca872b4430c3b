//! `anchors`: what an authority must trust, with the floor that later receipts continue from.

use serde::Serialize;

use crate::args::AnchorsArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::files::write_file;
use crate::output::pairs;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    output: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    floor: Option<u64>,
}

pub(crate) async fn run(context: &Context, args: AnchorsArgs) -> Result<(), Failure> {
    let (text, floor) = context.memory.anchors(args.floor()).await?;
    let Some(path) = &args.output else {
        return context.out.text(&text);
    };
    write_file(path, &text)?;
    let written = Written {
        output: path.display().to_string(),
        floor,
    };
    context.out.answer(&written, |out| {
        let floor = floor.map_or_else(|| "none".to_owned(), |size| size.to_string());
        pairs(
            out,
            &[("written to", written.output.clone()), ("floor", floor)],
        )
    })
}
