//! From the command line to an exit code: 0 done or approved, 1 refused, 2 indeterminate, 3 usage
//! or input, 4 store, 130 Ctrl-C.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;
use counterfoil_verify::terminal;

use crate::args::{Cli, Command, LogCommand};
use crate::commands;
use crate::context::Context;
use crate::failure::{DONE, Failure};
use crate::home::Home;
use crate::output::{Form, Output};

/// The most characters of an error line.
const LINE_LIMIT: usize = 2000;

/// Runs the program with its arguments, the first of which is its own name. Answers go to standard
/// output; what went wrong is one line on standard error, which says what to do.
#[must_use]
pub fn run(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    match execute(cli) {
        Ok(()) => ExitCode::from(DONE),
        Err(failure) => {
            if !failure.is_silent() {
                complain(&failure.to_string());
            }
            ExitCode::from(failure.code())
        }
    }
}

fn execute(cli: Cli) -> Result<(), Failure> {
    let form = if cli.json { Form::Json } else { Form::Human };
    let context = Context {
        home: Home::locate(cli.dir)?,
        out: Output::new(form),
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .map_err(|error| {
            Failure::place(
                format_args!("no thread can be started ({error})"),
                "end other programs",
            )
        })?;
    runtime.block_on(dispatch(&context, cli.command))
}

async fn dispatch(context: &Context, command: Command) -> Result<(), Failure> {
    match command {
        Command::Init(args) => commands::init::run(context, args),
        Command::Remember(args) => commands::remember::run(context, args).await,
        Command::Import(args) => commands::import::run(context, args).await,
        Command::Recall(args) => commands::recall::run(context, args).await,
        Command::Show(args) => commands::show::run(context, args).await,
        Command::Propose(args) => commands::propose::run(context, args).await,
        Command::Anchors(args) => commands::anchors::run(context, args).await,
        Command::Verify(args) => commands::verify::run(context, &args),
        Command::Log(LogCommand::Checkpoint) => commands::log::checkpoint(context).await,
        Command::Log(LogCommand::Consistency(args)) => {
            commands::log::consistency(context, args).await
        }
        Command::Log(LogCommand::Export(args)) => commands::log::export(context, args).await,
        Command::Audit(args) => commands::audit::run(context, args).await,
        Command::Doctor => commands::doctor::run(context).await,
        Command::Stats => commands::stats::run(context).await,
        Command::Rebuild => commands::rebuild::run(context).await,
        Command::Demo => commands::demo::run(context).await,
    }
}

/// Help and version are answers; all else is one line, and exit 3 where clap would give 2.
fn usage(error: &clap::Error) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // Nobody is left to read it if this fails.
            let _ = error.print();
            return ExitCode::from(DONE);
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
        }
        _ => complain(&one_line(&error.to_string())),
    }
    ExitCode::from(Failure::Input(String::new()).code())
}

/// The part of clap's message before the usage, on one line.
fn one_line(message: &str) -> String {
    let what = message.split("\n\nUsage:").next().unwrap_or(message);
    let what = what
        .split("\n\nFor more information")
        .next()
        .unwrap_or(what);
    let words: Vec<&str> = what
        .trim_start_matches("error:")
        .split_whitespace()
        .collect();
    format!(
        "{}; run `counterfoil help` for the commands and options",
        words.join(" ")
    )
}

/// One line on standard error. If that is gone, the exit code says it.
fn complain(text: &str) {
    let line = terminal::plain(&text.replace('\n', " "), LINE_LIMIT);
    let _ = writeln!(io::stderr(), "counterfoil: {line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_usage_error_is_one_line() {
        let error =
            Cli::try_parse_from(["counterfoil", "recall", "q", "--max", "many"]).unwrap_err();
        let line = one_line(&error.to_string());
        assert!(
            line.starts_with("invalid value 'many' for '--max <N>'"),
            "{line}"
        );
        assert!(!line.contains('\n') && !line.contains("Usage"), "{line}");
    }
}
