//! `answer`: answers other agents in a folder (docs/format/transports.md §2).

use counterfoil_verify::terminal;

use crate::args::AnswerArgs;
use crate::context::Context;
use crate::failure::Failure;
use crate::output::{items, notice, text};

/// Most characters of a name in a line.
const NAME: usize = 100;

pub(crate) async fn run(context: &Context, args: AnswerArgs) -> Result<(), Failure> {
    if !args.once {
        context.watch_for_interruption()?;
    }
    let mut failure = None;
    let answered = context
        .memory
        .answer_folder(&args.folder, !args.once, |round| {
            match round {
                Ok(round) => {
                    let written = context.out.report(&round, |out| {
                        let lists = ["answered", "refused", "left"];
                        let lists = lists.map(|name| items(round.value(), name));
                        let [answered, refused, left] = lists;
                        for answered in answered {
                            let (id, file) = (text(answered, "requestId"), text(answered, "file"));
                            writeln!(out, "answered {id}: {file}")?;
                        }
                        for refused in refused {
                            let (id, problem) =
                                (text(refused, "requestId"), text(refused, "problem"));
                            let detail = terminal::plain(&text(refused, "detail"), NAME);
                            writeln!(out, "refused {id}: {problem} ({detail})")?;
                        }
                        for left in left {
                            let (file, why) = (text(left, "file"), text(left, "why"));
                            writeln!(out, "left {}: {why}", terminal::plain(&file, NAME))?;
                        }
                        if lists.iter().all(|list| list.is_empty()) {
                            writeln!(out, "Nothing was asked.")?;
                        }
                        Ok(())
                    });
                    failure = written.err();
                }
                Err(trouble) => notice(trouble),
            }
            failure.is_none()
        });
    let answered = answered.await;
    failure.map_or(Ok(()), Err)?;
    Ok(answered?)
}
