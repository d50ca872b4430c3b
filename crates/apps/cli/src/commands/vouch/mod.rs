//! `vouch`: who stands up for whom.

mod import;
mod issue;
mod list;
mod revoke;

use std::path::Path;

use crate::args::VouchCommand;
use crate::context::Context;
use crate::failure::Failure;
use crate::files::write_file;

pub(crate) async fn run(context: &Context, command: VouchCommand) -> Result<(), Failure> {
    match command {
        VouchCommand::Issue(args) => issue::run(context, args).await,
        VouchCommand::Import(args) => import::run(context, args).await,
        VouchCommand::Revoke(args) => revoke::run(context, args).await,
        VouchCommand::List(args) => list::run(context, args).await,
    }
}

/// Writes a signed document, on one line: the signature covers exactly its bytes, in any output format.
fn hand_out(context: &Context, document: &[u8], output: Option<&Path>) -> Result<(), Failure> {
    let text =
        std::str::from_utf8(document).map_err(|_| Failure::bug("a document that is no text"))?;
    let line = format!("{text}\n");
    let Some(path) = output else {
        return context.out.text(&line);
    };
    write_file(path, &line)?;
    context.out.written(path)
}
