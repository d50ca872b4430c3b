//! The `counterfoil` command: everything is in the library, so that tests and documents reach it.

use std::process::ExitCode;

fn main() -> ExitCode {
    counterfoil_cli::run(std::env::args_os())
}
