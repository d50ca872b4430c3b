//! The `counterfoil` command line: a memory for AI agents that comes with receipts.
//!
//! [`run`] is the whole program; it is a library so that the README's example is compiled and run
//! with the crates that it names.
#![cfg_attr(doctest, doc = include_str!("../../../../README.md"))]

mod args;
mod authorities;
mod claims;
mod commands;
mod context;
mod exchange;
mod failure;
mod floor;
mod home;
mod import;
mod interrupt;
mod keys;
mod output;
mod program;
mod recovery;
mod rotation;
mod selecting;
mod settings_file;
mod versions;
mod when;

pub use program::run;
