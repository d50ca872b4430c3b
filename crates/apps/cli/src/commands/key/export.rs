//! `key export`: the public history of the agent's keys, one capsule a line, for whoever checks what it signs.

use counterfoil_capsule::{CapsuleDocument, SaltedBody};
use counterfoil_store::{Body, StoredCapsule};
use serde::Serialize;

use crate::args::KeyExportArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::files::write_file;
use crate::output::pairs;
use crate::rotation::chain_of;

#[derive(Serialize)]
struct Written {
    output: String,
    records: usize,
}

pub(super) async fn run(context: &Context, args: KeyExportArgs) -> Result<(), Failure> {
    let store = context.home.reader()?;
    let chain = chain_of(&store, context.home.agent_public()?).await?;
    let text: String = chain.records.iter().map(line).collect();
    let Some(path) = args.output else {
        return context.out.text(&text);
    };
    write_file(&path, &text)?;
    let written = Written {
        output: path.display().to_string(),
        records: chain.records.len(),
    };
    context.out.answer(&written, |out| {
        pairs(
            out,
            &[
                ("written to", written.output.clone()),
                ("records", written.records.to_string()),
            ],
        )
    })
}

/// A capsule as it travels, on one line.
fn line(record: &StoredCapsule) -> String {
    let body = |body: &Body| SaltedBody {
        text: body.text.clone(),
        salt: body.salt,
    };
    let document = CapsuleDocument::new(
        record.header.clone(),
        record.signature,
        (record.entry.field_root(), record.entry.field_count()),
        record.payload.as_ref().map(body),
        record.delta.as_ref().map(body),
    );
    format!("{}\n", document.to_text())
}
