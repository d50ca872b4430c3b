//! Errors of a check: the workspace cannot be read, or a declaration has no meaning.

use std::path::PathBuf;

/// A check without a verdict. A boundary that is broken is not an error but a [`crate::Violation`].
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
    /// The role is not one of the specification's modules.
    #[error("{manifest}: `{found}` is not a role; write one of {roles}")]
    UnknownRole {
        /// The manifest that declares it.
        manifest: PathBuf,
        /// The declared role.
        found: String,
        /// All roles, ready to print.
        roles: String,
    },
    /// `role` is no string.
    #[error("{manifest}: `role` must be a string such as \"authority\", not {found}")]
    RoleNotText {
        /// The manifest that declares it.
        manifest: PathBuf,
        /// The value as JSON.
        found: String,
    },
    /// The table has no `role`.
    #[error("{manifest}: `[package.metadata.counterfoil]` has no `role`; write one of {roles}")]
    RoleMissing {
        /// The manifest that declares the table.
        manifest: PathBuf,
        /// All roles, ready to print.
        roles: String,
    },
    /// A key beside `role`, most likely a misspelling of it.
    #[error(
        "{manifest}: `[package.metadata.counterfoil]` knows only `role`, and `{found}` is there; rename or remove it"
    )]
    UnknownKey {
        /// The manifest that declares it.
        manifest: PathBuf,
        /// The key.
        found: String,
    },
    /// `counterfoil` is no table.
    #[error(
        "{manifest}: `package.metadata.counterfoil` must be a table with the key `role`, not {found}"
    )]
    NotATable {
        /// The manifest that declares it.
        manifest: PathBuf,
        /// The value as JSON.
        found: String,
    },
    /// A table whose name is nearly `counterfoil`: silently ignoring it would leave a package unchecked.
    #[error(
        "{manifest}: `package.metadata.{found}` looks like a misspelt `counterfoil`; rename it"
    )]
    MisspeltTable {
        /// The manifest that declares it.
        manifest: PathBuf,
        /// The name of the table.
        found: String,
    },
    /// A role for the whole workspace; roles belong to packages.
    #[error(
        "`[workspace.metadata.counterfoil]` has no effect; declare the role of each package in its own `[package.metadata.counterfoil]`"
    )]
    WorkspaceRole,
    /// A source file that the check has to look into could not be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// Error of the system.
        source: std::io::Error,
    },
}
