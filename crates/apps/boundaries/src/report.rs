//! Report of a check, for a person (Display) and for a program (JSON).

use std::fmt;

use serde::{Serialize, Serializer};

use crate::{Path, Role};

/// The result of a check that came to a verdict.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// Every package that was checked.
    pub checked: Vec<Checked>,
    /// Members of the workspace that declare no role and were not checked.
    pub without_role: Vec<String>,
    /// Optional dependencies, of local packages outside of the workspace, that no feature turned on. Packages behind
    /// them were not checked.
    pub not_looked_at: Vec<String>,
    /// Empty when all boundaries hold.
    pub violations: Vec<Violation>,
}

/// A package that was checked.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Checked {
    /// Its name.
    pub package: String,
    /// Its role in the check.
    pub role: String,
    /// Paths of its tests to packages that it may not reach itself: allowed, and listed.
    #[serde(serialize_with = "as_texts")]
    pub dev_only: Vec<Path>,
}

/// A boundary that does not hold.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Violation {
    /// The package that breaks it.
    pub package: String,
    /// Role of that package in the check.
    pub role: String,
    /// The rules that forbid it.
    pub rule: String,
    /// The prohibition, and the remedy.
    pub message: String,
    /// Shortest path to the forbidden package; `None` when the finding is about no path.
    #[serde(serialize_with = "as_steps")]
    pub path: Option<Path>,
}

impl Report {
    /// Returns true if all boundaries hold.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.violations.is_empty()
    }

    /// The report as one JSON document.
    #[must_use]
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

impl Violation {
    /// A dependency that only a feature of a package outside of the workspace would turn on.
    pub(crate) fn of_inactive(
        package: &str,
        role: Role,
        rule: crate::Rule,
        optional: &str,
    ) -> Self {
        Self {
            package: package.to_owned(),
            role: role.to_string(),
            rule: rule.ids.to_owned(),
            message: format!("{}; remove the optional dependency {optional}", rule.text),
            path: None,
        }
    }

    pub(crate) fn of_role(package: &str, role: Role, rule: crate::Rule, path: Path) -> Self {
        Self {
            package: package.to_owned(),
            role: role.to_string(),
            rule: rule.ids.to_owned(),
            message: format!(
                "{}; remove the dependency that leads to {}, or move that code to a package of another role",
                rule.text,
                path.end()
            ),
            path: Some(path),
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} ({}) breaks {}: {}",
            self.package, self.role, self.rule, self.message
        )?;
        match &self.path {
            Some(path) => writeln!(f, "    {path}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self
            .checked
            .iter()
            .map(|one| one.package.len())
            .max()
            .unwrap_or(0);
        for one in &self.checked {
            let broken = self
                .violations
                .iter()
                .any(|found| found.package == one.package);
            let verdict = if broken { "BROKEN" } else { "ok" };
            writeln!(f, "{:width$}  {:10}  {verdict}", one.package, one.role)?;
            for path in &one.dev_only {
                writeln!(f, "{:width$}  tests only, allowed: {path}", "")?;
            }
        }
        if !self.without_role.is_empty() {
            writeln!(
                f,
                "without a role, not checked: {}",
                self.without_role.join(", ")
            )?;
        }
        for one in &self.not_looked_at {
            writeln!(f, "optional and off, not looked at: {one}")?;
        }
        for violation in &self.violations {
            write!(f, "\n{violation}")?;
        }
        Ok(())
    }
}

fn as_texts<S: Serializer>(paths: &[Path], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(paths.iter().map(ToString::to_string))
}

fn as_steps<S: Serializer>(path: &Option<Path>, to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(
        path.iter()
            .flat_map(|path| &path.0)
            .map(|step| &step.package),
    )
}
