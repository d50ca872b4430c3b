//! `remember`: seals one memory. Its text or JSON is kept as it is given.

use std::path::Path;

use counterfoil::Note;
use counterfoil_types::json::{Limits, Value, parse};
use counterfoil_verify::{InputError, read_file, read_standard_input};

use crate::args::RememberArgs;
use crate::context::Context;
use crate::failure::{ErrorKind, Failure};
use crate::output::pairs;
use crate::remember::holds_nul;

pub(crate) async fn run(context: &Context, args: RememberArgs) -> Result<(), Failure> {
    context.memory.must_exist()?;
    let done = context.memory.remember(note(args)?).await?;
    context.out.answer(&done, |out| {
        pairs(
            out,
            &[
                ("world", done.world_id.to_string()),
                ("index", done.index.to_string()),
                ("log size", done.tree_size.to_string()),
            ],
        )
    })
}

fn note(args: RememberArgs) -> Result<Note, Failure> {
    let note: Note = match (args.text, args.file) {
        (_, Some(file)) => return Ok(Note::document(document(&file)?)),
        (Some(dash), None) if dash == "-" => standard_input()?.into(),
        (Some(text), None) => text.into(),
        (None, None) => {
            return Err(Failure::input(
                "there is nothing to remember",
                "give a text",
            ));
        }
    };
    Ok(args.share.into_iter().fold(note, Note::shared))
}

pub(crate) fn document(path: &Path) -> Result<Value, Failure> {
    let bytes = read_file("file", path, Limits::CONTENT.bytes).map_err(unreadable)?;
    json_document(&path.display(), &bytes)
}

/// The JSON on standard input.
pub(crate) fn standard_document() -> Result<Value, Failure> {
    let bytes = read_standard_input("document", Limits::CONTENT.bytes).map_err(unreadable)?;
    json_document(&"standard input", &bytes)
}

fn json_document(name: &dyn core::fmt::Display, bytes: &[u8]) -> Result<Value, Failure> {
    let value = parse(bytes, Limits::CONTENT).map_err(|error| Failure::json(name, &error))?;
    if holds_nul(&value) {
        return Err(Failure::input(
            format_args!("{name} contains the character NUL in a string"),
            "remove it",
        ));
    }
    Ok(value)
}

pub(crate) fn standard_input() -> Result<String, Failure> {
    let bytes = read_standard_input("text", Limits::CONTENT.bytes).map_err(unreadable)?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::input(
            format_args!("standard input is not UTF-8 at byte {at}"),
            "convert it to UTF-8",
        )
    })?;
    Ok(text.trim_end_matches(['\n', '\r']).to_owned())
}

fn unreadable(error: InputError) -> Failure {
    match error {
        InputError::TooLarge { path, .. } => Failure::input(
            format_args!(
                "{} is above 1 MiB, the limit for one memory",
                path.display()
            ),
            "split it, or import it as a record",
        ),
        other => Failure::new(ErrorKind::Input, other),
    }
}
