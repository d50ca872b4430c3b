//! Arguments of the commands that answer other agents.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Address to listen on
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8410")]
    pub(crate) listen: SocketAddr,
    /// The certificate chain, in PEM
    #[arg(long, value_name = "FILE", requires = "key")]
    pub(crate) cert: Option<PathBuf>,
    /// Its private key, in PEM
    #[arg(long, value_name = "FILE", requires = "cert")]
    pub(crate) key: Option<PathBuf>,
    /// The URL by which others reach it, for the agent card
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// A proxy on this machine ends TLS and names the caller in X-Forwarded-For
    #[arg(long)]
    pub(crate) behind_proxy: bool,
    /// Requests of one address a second, on average
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) rate: u32,
}

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

#[derive(Debug, Args)]
pub(crate) struct HearArgs {
    /// The message; `-` is standard input
    #[arg(value_name = "FILE")]
    pub(crate) message: PathBuf,
    /// Speaker, as the conversation names it
    #[arg(long, value_name = "NAME")]
    pub(crate) from: Option<String>,
    /// Store the messages, as texts that somebody said
    #[arg(long)]
    pub(crate) keep: bool,
}

/// After `answer`, no store can be named.
fn no_store(_text: &str) -> Result<PathBuf, &'static str> {
    Err("nothing is expected here; the store is named before the command, the folder with --dir")
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
