//! The second fence (specification section 9): which package may reach which layer, over Cargo's own graph.
//!
//! rustc refuses a name that a package does not depend on; it does not refuse the dependency. This crate does:
//! it reads `cargo metadata` without a platform filter and with every feature of the workspace's members on,
//! follows normal and build edges, and names the shortest path to what a role may not reach. Dev-dependencies
//! never reach a user's build; they are listed and allowed.
//!
//! Three entrances over one graph:
//!
//! - [`check_roles`] for anyone's workspace: packages say which module of the specification they are with
//!   `[package.metadata.counterfoil] role = "authority"`. The command is `cargo counterfoil check-boundaries`.
//! - [`own::check`] for this workspace: exact dependencies per crate, closures, the allow-list of the pure crates.
//! - [`check_reach`] for this workspace: what the public API of each role's crates hands on.
//!
//! An authority reaches no crate that is for IO, of a list that a workspace extends.
//!
//! A package of the role `verifier` or `prover` is held to more: its sources and those of every local package behind it are
//! read for ways past `no_std`, from elsewhere it takes only what our own pure crates may take, by name, and all of it is
//! compiled without `std`.
//!
//! Success says that no *dependency path* exists. It says nothing about what a program does by other means: a
//! Host that opens the store's file with its own SQLite is outside of what a dependency graph can show.

mod bare;
mod error;
mod graph;
mod io;
mod matrix;
pub mod own;
mod purity;
mod reach;
mod report;
mod role;
mod roles;
pub mod source;
mod tokens;
mod visible;

pub use error::Error;
pub use graph::Graph;
pub(crate) use graph::{Package, Path, Visit};
pub(crate) use matrix::Part;
pub use reach::check_reach;
pub(crate) use report::Checked;
pub use report::Report;
pub(crate) use role::Role;
pub use roles::check_roles;
pub use visible::visible;
