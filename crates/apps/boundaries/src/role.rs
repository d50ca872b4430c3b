//! Roles of packages (specification section 9.1), and how a manifest declares one.

use std::fmt;

use serde_json::Value;

use crate::visible::one_line;
use crate::{Error, Package};

/// Module of the specification that a package plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    /// Uses memory to make proposals: may do everything.
    Actor,
    /// Decides on proposals: may read traces and check proofs.
    Authority,
    /// Turns intents into something: must be deterministic, so has no memory at all.
    Projection,
    /// Executes effects: has no memory at all.
    Host,
    /// Computes: has no memory at all.
    Core,
    /// Keeps Worlds (M-5): calls no other layer.
    Store,
    /// Finds memories and wraps their proofs (M-6): calls the store and `prove`.
    Selector,
    /// Adds a verification method (MR-04): pure, and without the store.
    Verifier,
    /// Makes the proofs of a method (M-7): pure, and without the store.
    Prover,
}

const TABLE: &str = "counterfoil";

impl Role {
    /// All roles, in the order in which messages list them.
    pub(crate) const ALL: [Self; 9] = [
        Self::Actor,
        Self::Authority,
        Self::Projection,
        Self::Host,
        Self::Core,
        Self::Store,
        Self::Selector,
        Self::Verifier,
        Self::Prover,
    ];

    /// The role that `package` declares under `[package.metadata.counterfoil]`, or `None` when it declares none.
    ///
    /// # Errors
    /// [`Error::Declaration`]: an unknown role or key, a `role` that is no string, a table without one, and a table
    /// whose name is nearly `counterfoil` are all refused, since a skipped declaration leaves a package unchecked.
    pub(crate) fn of_package(package: &Package) -> Result<Option<Self>, Error> {
        let refused = |problem| {
            let manifest = package.cargo.manifest_path.clone().into();
            Err(Error::Declaration { manifest, problem })
        };
        let Some(metadata) = package.cargo.metadata.as_object() else {
            return Ok(None);
        };
        // Up to two edits away, letter case and dashes aside.
        let is_misspelt = |key: &&String| {
            let plain = key.to_ascii_lowercase();
            let plain = plain.replace(|c: char| !c.is_ascii_alphanumeric(), "");
            *key != TABLE && strsim::levenshtein(&plain, TABLE) <= 2
        };
        if let Some(key) = metadata.keys().find(is_misspelt) {
            let key = one_line(key);
            return refused(format!(
                "`package.metadata.{key}` looks like a misspelt `counterfoil`; rename it"
            ));
        }
        let table = match metadata.get(TABLE) {
            None => return Ok(None),
            Some(Value::Object(table)) => table,
            Some(other) => {
                return refused(format!(
                    "`package.metadata.counterfoil` must be a table with the key `role`, not {other}"
                ));
            }
        };
        if let Some(key) = table.keys().find(|key| *key != "role") {
            let key = one_line(key);
            return refused(format!(
                "`[package.metadata.counterfoil]` knows only `role`, and `{key}` is there; rename or remove it"
            ));
        }
        let roles = Self::list(&Self::ALL);
        match table.get("role") {
            None => refused(format!(
                "`[package.metadata.counterfoil]` has no `role`; write one of {roles}"
            )),
            Some(Value::String(text)) => {
                match Self::ALL.iter().find(|role| role.to_string() == *text) {
                    Some(role) => Ok(Some(*role)),
                    None => {
                        let text = one_line(text);
                        refused(format!("`{text}` is not a role; write one of {roles}"))
                    }
                }
            }
            Some(other) => refused(format!(
                "`role` must be a string such as \"authority\", not {other}"
            )),
        }
    }

    /// Returns true for a role whose packages are pure (M-8).
    pub(crate) const fn is_pure(self) -> bool {
        matches!(self, Self::Verifier | Self::Prover)
    }

    pub(crate) fn list(roles: &[Self]) -> String {
        roles
            .iter()
            .map(Self::to_string)
            .collect::<Vec<_>>()
            .join(", ")
    }
}

/// The spelling in manifests.
impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{self:?}").to_lowercase())
    }
}
