//! Counterfoil as a Model Context Protocol server on standard input and output and over HTTP, as hooks of coding agents, and as an
//! entry in their configuration.
//!
//! What a model calls is the word of a model, always: the crate reaches the facade alone, and with it no channel of claims but
//! [`Memory::claim_of_model`](counterfoil::Memory::claim_of_model). The host's configuration, [`McpOptions`], says which tools there
//! are and to which scope the session is bound. What is recalled is quoted data ([`quote`]).

mod arguments;
mod calls;
mod erasing;
mod failure;
mod hook;
mod http;
mod install;
mod prompt;
mod proofs;
mod quoting;
mod resources;
mod results;
mod server;
mod session;
pub mod shared;
mod tools;
mod transcript;

pub use hook::{HookEvent, run_hook};
pub use http::HttpServer;
pub use install::{Client, InstallOptions, Installation};
pub use quoting::quote;
pub use server::serve;
pub use session::McpOptions;
pub use tools::{ToolName, ToolUse};
