//! Roles of packages (specification section 9.1), and how a manifest declares one.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use serde_json::{Map, Value};

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
    /// Adds a verification method (MR-04): pure, and without the store.
    Verifier,
}

const TABLE: &str = "counterfoil";

impl Role {
    /// All roles, in the order in which messages list them.
    pub(crate) const ALL: [Self; 6] = [
        Self::Actor,
        Self::Authority,
        Self::Projection,
        Self::Host,
        Self::Core,
        Self::Verifier,
    ];

    /// Spelling in manifests.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Actor => "actor",
            Self::Authority => "authority",
            Self::Projection => "projection",
            Self::Host => "host",
            Self::Core => "core",
            Self::Verifier => "verifier",
        }
    }

    /// The role that `package` declares under `[package.metadata.counterfoil]`, or `None` when it declares none.
    ///
    /// # Errors
    /// The declaration is read strictly, since a skipped one leaves a package unchecked: an unknown role or key, a `role` that is no string, a table without one, and a table whose name is
    /// nearly `counterfoil` are all refused.
    pub(crate) fn of_package(package: &Package) -> Result<Option<Self>, Error> {
        let Some(metadata) = package.metadata.as_object() else {
            return Ok(None);
        };
        let manifest = &package.manifest;
        if let Some(found) = metadata.keys().find(|key| is_misspelt(key)) {
            return Err(Error::MisspeltTable {
                manifest: manifest.clone(),
                found: one_line(found),
            });
        }
        match metadata.get(TABLE) {
            None => Ok(None),
            Some(Value::Object(table)) => from_table(table, manifest).map(Some),
            Some(other) => Err(Error::NotATable {
                manifest: manifest.clone(),
                found: other.to_string(),
            }),
        }
    }

    pub(crate) fn list(roles: &[Self]) -> String {
        roles
            .iter()
            .map(|role| role.as_str())
            .collect::<Vec<_>>()
            .join(", ")
    }
}

fn from_table(table: &Map<String, Value>, manifest: &Path) -> Result<Role, Error> {
    let manifest = manifest.to_path_buf();
    if let Some(found) = table.keys().find(|key| *key != "role") {
        return Err(Error::UnknownKey {
            manifest,
            found: one_line(found),
        });
    }
    match table.get("role") {
        None => Err(Error::RoleMissing {
            manifest,
            roles: Role::list(&Role::ALL),
        }),
        Some(Value::String(text)) => text.parse().map_err(|()| Error::UnknownRole {
            manifest,
            found: one_line(text),
            roles: Role::list(&Role::ALL),
        }),
        Some(other) => Err(Error::RoleNotText {
            manifest,
            found: other.to_string(),
        }),
    }
}

impl FromStr for Role {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL
            .into_iter()
            .find(|role| role.as_str() == text)
            .ok_or(())
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Up to two edits away, letter case and dashes aside.
fn is_misspelt(key: &str) -> bool {
    let plain: String = key
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .collect();
    key != TABLE && edit_distance(&plain, TABLE) <= 2
}

fn edit_distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (line, from) in left.chars().enumerate() {
        let mut next = vec![line + 1];
        let mut beside = line + 1;
        for (to, pair) in right.iter().zip(row.windows(2)) {
            let &[diagonal, above] = pair else { continue };
            let swap = diagonal + usize::from(from != *to);
            beside = swap.min(above + 1).min(beside + 1);
            next.push(beside);
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_is_nearly_ours_is_noticed_and_others_are_left_alone() {
        for near in [
            "counterfiol",
            "Counterfoil",
            "counter-foil",
            "counterfoi",
            "counterfoils",
        ] {
            assert!(is_misspelt(near), "{near}");
        }
        for other in ["counterfoil", "docs", "counter", "deb", "release"] {
            assert!(!is_misspelt(other), "{other}");
        }
    }

    #[test]
    fn roles_are_read_as_they_are_written() {
        for role in Role::ALL {
            assert_eq!(role.to_string().parse(), Ok(role));
        }
        assert_eq!("Actor".parse::<Role>(), Err(()));
    }
}
