//! The binary `counterfoil-verify`: an authority that links no database (§9.2.3).

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use counterfoil_verify::belief::verify_belief;
use counterfoil_verify::{Form, VerifyArgs, finish, one_line, terminal, verify};

/// Check the memories of a proposal and decide, offline and with no database
#[derive(Parser)]
#[command(version, max_term_width = 100, after_help = EXIT_CODES)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    verify: Option<VerifyArgs>,
    /// Print one JSON document instead of the table
    #[arg(long)]
    json: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Check a proof of belief: its units are verified and folded again
    #[command(after_help = EXIT_CODES)]
    Belief {
        #[command(flatten)]
        belief: VerifyArgs,
        /// Print one JSON document instead of the table
        #[arg(long)]
        json: bool,
    },
}

const EXIT_CODES: &str =
    "Exit codes: 0 approved, 1 rejected, 2 indeterminate, 3 usage or input error.";
/// Advice on a wrong command line.
const CURE: &str = "run `counterfoil-verify --help` for the options";
/// Exit code of a wrong command line. That of clap is 2, which here means indeterminate.
const USAGE_ERROR: u8 = 3;
/// Characters of an error line.
const LINE_LIMIT: usize = 2000;

fn main() -> ExitCode {
    let command = Arguments::command().mut_subcommand("belief", VerifyArgs::of_belief);
    let matches = command.try_get_matches();
    match matches.and_then(|matches| Arguments::from_arg_matches(&matches)) {
        Ok(arguments) => arguments.run(),
        Err(error) if error.use_stderr() => {
            let line = terminal::plain(&one_line(&error, CURE), LINE_LIMIT);
            // The exit code says it too if standard error is gone.
            let _ = writeln!(io::stderr(), "error: {line}");
            ExitCode::from(USAGE_ERROR)
        }
        Err(help) => {
            // Nothing is left to do if the terminal is gone.
            let _ = help.print();
            ExitCode::SUCCESS
        }
    }
}

impl Arguments {
    fn run(self) -> ExitCode {
        match (self.command, self.verify) {
            (Some(Command::Belief { belief, json }), _) => {
                finish(verify_belief(&belief, form(json), None))
            }
            (None, Some(args)) => finish(verify(&args, form(self.json))),
            // clap asks for the file before it comes to this.
            (None, None) => ExitCode::from(USAGE_ERROR),
        }
    }
}

const fn form(json: bool) -> Form {
    if json { Form::Json } else { Form::Human }
}
