//! The binary `counterfoil-verify`: an authority that links no database (§9.2.3).

use std::process::ExitCode;

use clap::Parser;
use counterfoil_verify::{Output, VerifyArgs, run};

/// Check the memories of a proposal, offline.
///
/// Exit code 0 approved, 1 rejected, 2 indeterminate, 3 usage or input error.
#[derive(Parser)]
#[command(version, about)]
struct Arguments {
    #[command(flatten)]
    verify: VerifyArgs,
    /// Print one JSON document instead of the table.
    #[arg(long)]
    json: bool,
}

/// What clap exits with is 2, which here means indeterminate.
const USAGE_ERROR: u8 = 3;

fn main() -> ExitCode {
    match Arguments::try_parse() {
        Ok(arguments) => {
            let output = if arguments.json {
                Output::Json
            } else {
                Output::Human
            };
            run(&arguments.verify, output)
        }
        Err(error) => {
            // Nothing is left to do if the terminal is gone.
            let _ = error.print();
            if error.use_stderr() {
                ExitCode::from(USAGE_ERROR)
            } else {
                ExitCode::SUCCESS
            }
        }
    }
}
