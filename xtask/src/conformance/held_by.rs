//! Holds of each rule: `[[M-1]]` tables with `kind`, `name` and an optional `note`.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde::Deserialize;

/// Rule id to all that holds it.
pub(super) type HeldBy = BTreeMap<String, Vec<Hold>>;

/// One thing that holds a rule.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Hold {
    pub(super) kind: Kind,
    /// `package::Item`, `package::the_test`, or the path of a case that must not compile.
    pub(super) name: String,
    #[serde(default)]
    pub(super) note: String,
    /// Patch under `tests/mutants` that breaks the rule, and makes the test fail.
    pub(super) mutant: Option<String>,
}

/// Way in which a rule is held, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Kind {
    /// A type whose values cannot break the rule.
    Type,
    /// A program that breaks the rule does not compile.
    CompileFail,
    /// Code that refuses what breaks it.
    Check,
    /// A rule that a policy turns on.
    Policy,
    /// A test that fails when it is broken.
    Test,
}

impl Kind {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Type => "type",
            Self::CompileFail => "does not compile",
            Self::Check => "check",
            Self::Policy => "policy",
            Self::Test => "test",
        }
    }

    /// Does it run with the tests?
    pub(super) const fn is_tested(self) -> bool {
        matches!(self, Self::Test | Self::CompileFail)
    }
}

pub(super) fn parse(text: &str) -> Result<HeldBy> {
    let mut held: HeldBy = toml::from_str(text).context("docs/spec/held-by.toml")?;
    for holds in held.values_mut() {
        holds.sort_by_key(|hold| hold.kind);
    }
    Ok(held)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_kinds_and_members_are_refused() {
        assert!(parse("[[M-1]]\nkind = \"compile-fail\"\nname = \"a\"\n").is_ok());
        assert!(parse("[[M-1]]\nkind = \"prayer\"\nname = \"a\"\n").is_err());
        assert!(parse("[[M-1]]\nkind = \"test\"\nnames = \"a\"\n").is_err());
        assert!(parse("[[M-1]]\nkind = \"test\"\n").is_err());
    }
}
