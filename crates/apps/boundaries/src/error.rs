//! Errors of a check: the workspace cannot be read, or a declaration has no meaning.

use std::path::PathBuf;

/// A check without a verdict. A broken boundary is not an error but a finding of the report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Cargo could not describe the workspace.
    #[error("cargo cannot describe this workspace: {0}")]
    Metadata(#[from] cargo_metadata::Error),
    /// Cargo described the packages and left their graph out.
    #[error("cargo gave no dependency graph; run `cargo metadata` without `--no-deps`")]
    NoGraph,
    /// No package declares a role, so there is nothing to check.
    #[error(
        "no package of this workspace declares a role; add\n\n    [package.metadata.counterfoil]\n    role = \"actor\"   # or {roles}\n\nto the Cargo.toml of each package that plays one"
    )]
    NoRole {
        /// The other roles, ready to print.
        roles: String,
    },
    /// A declaration of a role that has no meaning. Ignoring it would leave a package unchecked.
    #[error("{manifest}: {problem}")]
    Declaration {
        /// The manifest that declares it.
        manifest: PathBuf,
        /// The fault and the remedy, ready to print.
        problem: String,
    },
    /// A role for the whole workspace; roles belong to packages.
    #[error(
        "`[workspace.metadata.counterfoil]` has no effect; declare the role of each package in its own `[package.metadata.counterfoil]`"
    )]
    WorkspaceRole,
    /// A build without `std` came to no verdict: a dependency is not there, or the toolchain lacks its library.
    #[error(
        "a verifier or prover could not be built without std; see that `cargo check` works:\n{0}"
    )]
    Build(String),
    /// rustdoc described no public API, or in another format.
    #[error("rustdoc did not describe the crates of the roles: {0}")]
    Describe(String),
    /// A source file that the check has to look into could not be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// Error of the system.
        source: std::io::Error,
    },
}
