//! `cargo xtask tidy`: the house style that neither rustfmt nor clippy sees. Each check tests its own refusals.

mod crates;
mod decisions;
mod house;
mod rust;
mod text;

use std::fmt;

use anyhow::{Result, ensure};

use crate::repository;

/// A place that is not tidy.
#[derive(Debug, PartialEq, Eq)]
struct Finding {
    /// Path from the root, with a line when there is one.
    place: String,
    /// What to do.
    text: String,
}

impl Finding {
    fn new(place: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            text: text.into(),
        }
    }

    /// `line` counts from 0, as iterators do.
    fn at(path: &str, line: usize, text: impl Into<String>) -> Self {
        Self::new(format!("{path}:{}", line + 1), text)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.text)
    }
}

pub(crate) fn run() -> Result<()> {
    let long = rust::LONG;
    let files = repository::files()?;
    for path in files.iter().filter(|path| path.ends_with(".rs")) {
        let lines = rust::lines_without_tests(path, &repository::read(path)?);
        if lines > long {
            println!("{path}: {lines} lines; more than {long} want a split");
        }
    }
    let findings = findings()?;
    for finding in &findings {
        eprintln!("{finding}");
    }
    ensure!(
        findings.is_empty(),
        "{} places are not tidy",
        findings.len()
    );
    Ok(())
}

fn findings() -> Result<Vec<Finding>> {
    let files = repository::files()?;
    let (mut found, mut sources) = (Vec::new(), Vec::new());
    for path in files.iter().filter(|path| text::is_ours(path)) {
        let content = repository::read(path)?;
        found.extend(text::check(path, &content, &text::machine()));
        if path.ends_with("Cargo.toml") {
            found.extend(crates::check_manifest(path, &content));
        }
        if path.ends_with(".rs") {
            found.extend(rust::check(path, &content));
            sources.push((path.clone(), content));
        }
    }
    found.extend(house::check(&sources));
    found.extend(crates::check_licences(&files));
    let (workspace, package) = (
        repository::read("Cargo.toml")?,
        repository::read(crates::UNSAFE)?,
    );
    found.extend(crates::check_own_lints(&workspace, &package));
    found.extend(decisions::check(&files));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_tidy() {
        let findings = findings().unwrap();
        let shown: Vec<String> = findings.iter().map(ToString::to_string).collect();
        assert!(findings.is_empty(), "{}", shown.join("\n"));
    }
}
