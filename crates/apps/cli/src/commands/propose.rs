//! `propose`: recalls, and makes a proposal that cannot leave the trace of it behind (M-2, FP-02).

use std::path::Path;

use counterfoil_types::json::{Limits, Value, parse};
use counterfoil_types::{IntentBody, IntentInstance};
use counterfoil_verify::read_file;
use serde::Serialize;

use crate::args::ProposeArgs;
use crate::context::Context;
use crate::failure::{ErrorKind, Failure};
use crate::files::write_file;
use crate::output::{count, json_text, pairs};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Written {
    proposal_id: String,
    output: String,
    memories: usize,
}

pub(crate) async fn run(context: &Context, args: ProposeArgs) -> Result<(), Failure> {
    let intent = args.intent.as_deref().map(read_intent).transpose()?;
    let proposal = context
        .memory
        .propose(&args.summary, &args.recall, intent, &(&args.select).into())
        .await?;
    let text = json_text(&proposal)?;
    let Some(path) = args.output else {
        return context.out.text(&text);
    };
    write_file(&path, &text)?;
    let document = serde_json::to_value(&proposal).unwrap_or_default();
    let selected = document.pointer("/trace/context/memory/selected");
    let written = Written {
        proposal_id: proposal.proposal_id().to_owned(),
        output: path.display().to_string(),
        memories: selected.and_then(Value::as_array).map_or(0, Vec::len),
    };
    context.out.answer(&written, |out| {
        let recalled = u64::try_from(written.memories).unwrap_or(u64::MAX);
        pairs(
            out,
            &[
                ("proposal", written.proposal_id.clone()),
                ("carries", count(recalled, "memory", "memories")),
                ("written to", written.output.clone()),
            ],
        )
    })
}

/// An intent as a file states it: its body, or a whole one.
fn read_intent(path: &Path) -> Result<Value, Failure> {
    let shown = path.display();
    let refused = |error: &dyn core::fmt::Display| {
        Failure::input(
            format_args!("the intent in {shown} cannot be used: {error}"),
            "write {\"type\": \"...\", \"input\": ...}",
        )
    };
    let bytes = read_file("intent", path, Limits::CONTENT.bytes)
        .map_err(|error| Failure::new(ErrorKind::Input, error))?;
    let value = parse(&bytes, Limits::CONTENT).map_err(|error| refused(&error))?;
    if value.get("body").is_some() {
        IntentInstance::try_from(value.clone()).map_err(|error| refused(&error))?;
    } else {
        IntentBody::try_from(value.clone()).map_err(|error| refused(&error))?;
    }
    Ok(value)
}
