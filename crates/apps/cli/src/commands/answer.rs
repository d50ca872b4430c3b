//! `answer`: answers other agents in a folder (docs/format/transports.md §2).

use std::path::PathBuf;

use clap::Args;

use crate::context::Context;
use crate::failure::Failure;
use crate::output::{each, notice};

#[derive(Debug, Args)]
pub(crate) struct AnswerArgs {
    /// The folder, with inbox and outbox in it; the store is named with --dir before `answer`
    #[arg(id = "folder", long = "dir", value_name = "FOLDER", display_order = 0)]
    pub(crate) folder: PathBuf,
    /// Answer the waiting requests, and end
    #[arg(long)]
    pub(crate) once: bool,
    /// Hides the inherited global `--dir`, which would mean two things here.
    #[arg(id = "dir", hide = true, value_parser = no_store)]
    _store: Option<PathBuf>,
}

/// After `answer`, no store can be named.
fn no_store(_text: &str) -> Result<PathBuf, &'static str> {
    Err("nothing is expected here; the store is named before the command, the folder with --dir")
}

/// The lists of a round, and a line for each item.
const LISTS: [(&str, &str); 3] = [
    ("answered", "answered {requestId}: {file}"),
    ("refused", "refused {requestId}: {problem} ({detail:100})"),
    ("left", "left {file:100}: {why}"),
];

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
                    let written = context.out.report(&round, |out, round| {
                        let mut lines = each(round, &LISTS).peekable();
                        if lines.peek().is_none() {
                            return writeln!(out, "Nothing was asked.");
                        }
                        lines.try_for_each(|line| writeln!(out, "{line}"))
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

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use crate::cli::{Cli, Command, PeerGroup};

    /// After `answer`, `--dir` took the place of the store.
    #[test]
    fn the_store_stands_before_answer_and_the_folder_after_it() {
        for (line, store) in [
            (
                vec![
                    "counterfoil",
                    "--dir",
                    "store",
                    "answer",
                    "--dir",
                    "folder",
                    "--once",
                ],
                Some("store".into()),
            ),
            (
                vec!["counterfoil", "answer", "--once", "--dir", "folder"],
                None,
            ),
        ] {
            let cli = Cli::try_parse_from(&line).unwrap();
            let Command::Peers(PeerGroup::Answer(args)) = cli.command else {
                panic!("{line:?}")
            };
            assert_eq!(
                (cli.dir, args.folder, args.once),
                (store, "folder".into(), true),
                "{line:?}"
            );
        }
        for line in [
            vec!["counterfoil", "--dir", "store", "answer", "--once"],
            vec!["counterfoil", "answer", "--in", "folder"],
            vec!["counterfoil", "answer", "--dir", "folder", "store"],
        ] {
            assert!(Cli::try_parse_from(&line).is_err(), "{line:?}");
        }
    }
}
