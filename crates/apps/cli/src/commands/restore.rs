//! `restore`: what is archived comes back, once every byte of its segment has been checked (D55, D56).

use crate::args::RestoreArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{columns, items, number};

pub(crate) async fn run(context: &Context, args: RestoreArgs) -> Result<(), Failure> {
    if args.list {
        let known = context.memory.segments().await?;
        return context.out.report(&known, |out| {
            match known.value().as_array().map(Vec::as_slice) {
                Some([]) | None => writeln!(out, "Nothing was ever archived."),
                Some(known) => columns(
                    out,
                    known,
                    &[
                        ("segment", "segment"),
                        ("memories", "capsules"),
                        ("archived", "archived"),
                        ("receipt", "receipt"),
                    ],
                ),
            }
        });
    }
    let restored = context
        .memory
        .restore(&args.segments, args.from, args.discard)
        .await?;
    context.out.report(&restored, |out| {
        let restored = restored.value();
        let segments = items(restored, "segments");
        if segments.is_empty() {
            return match args.discard {
                true => writeln!(
                    out,
                    "Nothing is archived, and no file of a segment is left there."
                ),
                false => writeln!(out, "Nothing is archived."),
            };
        }
        columns(
            out,
            segments,
            &[
                ("segment", "segment"),
                ("restored", "restored"),
                ("here already", "present"),
                ("stay erased", "erased"),
            ],
        )?;
        let erased: u64 = segments.iter().map(|it| number(it, "erased")).sum();
        match (args.discard, erased) {
            (true, _) => writeln!(out, "\nThe files of these segments are removed."),
            (false, 0) => Ok(()),
            (false, _) => writeln!(
                out,
                "\nThe files still hold what was erased: restore them again with --discard, which \
             removes them."
            ),
        }
    })
}
