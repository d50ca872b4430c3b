//! The `counterfoil` command line: a memory for AI agents that comes with receipts.
//!
//! [`run`] is the whole program; it is a library so that tests can call it.

mod cli;
mod commands;
mod context;
mod dates;
mod failure;
mod help;
mod input;
mod interrupt;
mod output;
mod place;
mod program;
mod progress;
mod telemetry;

pub use program::run;
