//! `cargo counterfoil check-boundaries`: fails on every dependency path that specification 9.1 forbids.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use counterfoil_boundaries::{Graph, check_roles, visible};

/// Cargo calls its subcommands with their own name as the first argument.
#[derive(Parser)]
#[command(name = "cargo", bin_name = "cargo")]
struct Cargo {
    #[command(subcommand)]
    command: Called,
}

#[derive(Subcommand)]
enum Called {
    /// Checks for workspaces that use Counterfoil
    Counterfoil {
        #[command(subcommand)]
        command: Command,
    },
}

#[derive(Subcommand)]
enum Command {
    /// Checks that no package reaches a part of the memory that its role may not have
    ///
    /// A package declares its role in its Cargo.toml:
    ///
    ///     [package.metadata.counterfoil]
    ///     role = "authority"   # or actor, projection, host, core,
    ///                          # store, selector, verifier, prover
    ///
    /// Exit status: 0 all boundaries hold, 1 one is broken, 3 the workspace could not be checked.
    #[command(verbatim_doc_comment)]
    CheckBoundaries {
        /// The Cargo.toml of the workspace or of one of its packages
        #[arg(long, value_name = "PATH")]
        manifest_path: Option<PathBuf>,
        /// Fails for each package of the workspace that declares no role
        #[arg(long)]
        strict: bool,
        /// Prints one JSON document
        #[arg(long)]
        json: bool,
        /// Keeps cargo from the network
        #[arg(long)]
        offline: bool,
    },
}

fn main() -> ExitCode {
    let Called::Counterfoil { command } = match Cargo::try_parse() {
        Ok(cargo) => cargo.command,
        Err(problem) => {
            // No message is possible when the terminal itself is gone.
            drop(problem.print());
            return ExitCode::from(if problem.use_stderr() { 3 } else { 0 });
        }
    };
    let Command::CheckBoundaries {
        manifest_path,
        strict,
        json,
        offline,
    } = command;
    let options: &[&str] = if offline { &["--offline"] } else { &[] };
    let checked =
        Graph::load(manifest_path.as_deref(), options).and_then(|graph| check_roles(&graph));
    let checked = checked.map(|report| if strict { report.strict() } else { report });
    let (document, code) = match &checked {
        Ok(report) => (report.to_json(), u8::from(!report.holds())),
        Err(problem) => {
            eprintln!("error: {}", visible(&problem.to_string()));
            let error = problem.to_string();
            (serde_json::json!({ "status": "error", "error": error }), 3)
        }
    };
    if json {
        println!("{}", visible(&format!("{document:#}")));
    } else if let Ok(report) = checked {
        print!("{}", visible(&report.to_string()));
    }
    ExitCode::from(code)
}
