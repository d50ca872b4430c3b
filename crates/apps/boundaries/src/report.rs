//! Report of a check, for a person (Display) and for a program (JSON).

use std::fmt;

use serde::Serialize;

use crate::{Package, Path};

/// The result of a check that came to a verdict.
#[derive(Debug, Default)]
pub struct Report {
    /// Every package that was checked.
    pub(crate) checked: Vec<Checked>,
    /// Members of the workspace that declare no role and were not checked.
    pub(crate) without_role: Vec<String>,
    /// Optional dependencies, of local packages outside of the workspace, that no feature turned on. Packages behind
    /// them were not checked.
    pub(crate) not_looked_at: Vec<String>,
    /// Empty when all boundaries hold.
    violations: Vec<Violation>,
}

/// A package that was checked.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Checked {
    package: String,
    /// Its role in the check.
    role: String,
    /// Paths of its tests to packages that it may not reach itself: allowed, and listed.
    dev_only: Vec<String>,
    /// Columns of the access matrix that it reaches, where that was looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    reaches: Option<String>,
}

/// A boundary that does not hold.
#[derive(Debug, Serialize)]
pub(crate) struct Violation {
    /// The package that breaks it.
    package: String,
    /// Role of that package in the check.
    role: String,
    /// The rules that forbid it.
    rule: &'static str,
    /// The prohibition, and the remedy.
    message: String,
    /// Shortest path to the forbidden package; empty when the finding is about no path.
    path: Path,
}

impl Checked {
    pub(crate) fn new(package: &Package, role: String, tests: &[Path]) -> Self {
        Self {
            package: package.name().to_owned(),
            role,
            dev_only: tests.iter().map(Path::to_string).collect(),
            reaches: None,
        }
    }

    /// The same, with the columns that the package reaches.
    pub(crate) fn reaching(self, columns: &[&str]) -> Self {
        let reaches = match columns {
            [] => "nothing".to_owned(),
            columns => columns.join(", "),
        };
        Self {
            reaches: Some(reaches),
            ..self
        }
    }
}

impl Report {
    /// Adds findings about `package`: rule, message and path of each.
    pub(crate) fn add(
        &mut self,
        package: &str,
        role: &str,
        found: impl IntoIterator<Item = (&'static str, String, Path)>,
    ) {
        let violation = |(rule, message, path)| Violation {
            package: package.to_owned(),
            role: role.to_owned(),
            rule,
            message,
            path,
        };
        self.violations.extend(found.into_iter().map(violation));
    }

    /// The same, with each member that declares no role as a finding.
    #[must_use]
    pub fn strict(mut self) -> Self {
        for package in std::mem::take(&mut self.without_role) {
            let message = "it declares no role, so nothing holds it; add `[package.metadata.counterfoil]` with its role";
            let found = ("--strict", message.to_owned(), Path::default());
            self.add(&package, "none", [found]);
        }
        self
    }

    /// Returns true if all boundaries hold.
    pub fn holds(&self) -> bool {
        self.violations.is_empty()
    }

    /// The report as one JSON document.
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::json!({
            "status": if self.holds() { "ok" } else { "violated" },
            "checked": self.checked,
            "withoutRole": self.without_role,
            "notLookedAt": self.not_looked_at,
            "violations": self.violations,
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.checked.iter().map(|one| one.package.len());
        let width = names.max().unwrap_or(0);
        for one in &self.checked {
            let broken = self
                .violations
                .iter()
                .any(|found| found.package == one.package);
            let verdict = if broken { "BROKEN" } else { "ok" };
            writeln!(f, "{:width$}  {:10}  {verdict}", one.package, one.role)?;
            if let Some(reaches) = &one.reaches {
                writeln!(f, "{:width$}  reaches {reaches}", "")?;
            }
            for path in &one.dev_only {
                writeln!(f, "{:width$}  tests only, allowed: {path}", "")?;
            }
        }
        if !self.without_role.is_empty() {
            let names = self.without_role.join(", ");
            writeln!(f, "without a role, not checked: {names}")?;
        }
        for one in &self.not_looked_at {
            writeln!(f, "optional and off, not looked at: {one}")?;
        }
        for Violation {
            package,
            role,
            rule,
            message,
            path,
        } in &self.violations
        {
            writeln!(f, "\n{package} ({role}) breaks {rule}: {message}")?;
            if path.len() > 0 {
                writeln!(f, "    {path}")?;
            }
        }
        Ok(())
    }
}
