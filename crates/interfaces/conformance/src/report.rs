//! Findings of a run.

use core::fmt;

/// Result of a run: the number of checks, and the broken rules.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[must_use = "a report that nobody reads finds nothing"]
pub struct Report {
    checks: usize,
    broken: Vec<Broken>,
}

/// A broken rule.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Broken {
    /// Rule of the specification, such as `CR-16`, or its section.
    pub rule: String,
    /// The case.
    pub case: String,
    /// Finding in words.
    pub found: String,
}

impl Report {
    /// Number of checks.
    pub const fn checks(&self) -> usize {
        self.checks
    }

    /// The broken rules, in the order of the cases.
    pub fn broken(&self) -> &[Broken] {
        &self.broken
    }

    /// Returns true if checks were made and no rule was found broken.
    pub const fn is_sound(&self) -> bool {
        self.checks > 0 && self.broken.is_empty()
    }

    /// Counts a check, and keeps the finding of a failed one.
    pub(crate) fn check(
        &mut self,
        rule: &str,
        case: impl fmt::Display,
        fault: Option<impl fmt::Display>,
    ) {
        self.checks += 1;
        self.broken.extend(fault.map(|found| Broken {
            rule: rule.to_owned(),
            case: case.to_string(),
            found: found.to_string(),
        }));
    }

    /// As [`check`](Self::check), for a check that says no more than that it failed.
    pub(crate) fn holds(&mut self, rule: &str, case: impl fmt::Display, holds: bool, found: &str) {
        self.check(rule, case, (!holds).then_some(found));
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} checks, {} failed", self.checks, self.broken.len())?;
        for Broken { rule, case, found } in &self.broken {
            write!(f, "\n{rule}: {case}: {found}")?;
        }
        Ok(())
    }
}
