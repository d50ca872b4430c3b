//! `cargo xtask figures`: runs the benchmarks and writes `docs/figures.md` from their output.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::{bench, process, repository};

const PAGE: &str = "docs/figures.md";
const HEAD: &str = "# Figures

Written by `cargo xtask figures`; do not edit. Each block is the output of one benchmark, in which this
project and its peers are measured in the same run. Compare ratios: absolute times depend on the machine.
";

/// Runs the benchmarks named in `names`, or all of them, and replaces their sections of the page.
pub(crate) fn run(names: &[String]) -> Result<()> {
    let known: Vec<&str> = bench::NAMES.iter().map(|(name, _)| *name).collect();
    if let Some(name) = names.iter().find(|name| !known.contains(&name.as_str())) {
        bail!(
            "there is no benchmark `{name}`; choose among {}",
            known.join(", ")
        );
    }
    let wanted = |name: &str| names.is_empty() || names.iter().any(|one| one == name);
    let before = repository::read(PAGE).unwrap_or_default();
    let mut page = HEAD.to_owned();
    let there = |(_, package): &&(&str, &str)| repository::has_package(package);
    for (name, package) in bench::NAMES.iter().filter(there) {
        if wanted(name) {
            page.push_str(&measured(name, package)?);
        } else {
            page.push_str(section_of(&before, name).unwrap_or_default());
        }
    }
    let path = repository::root().join(PAGE);
    fs::write(path, page).with_context(|| format!("cannot write {PAGE}"))
}

/// One section: the command, the machine, the commit, and the output of a run.
fn measured(name: &str, package: &str) -> Result<String> {
    let words = ["run", "--release", "--quiet", "--package", package];
    let printed = process::output(&mut process::cargo(words))?;
    let commit = process::output(Command::new("git").args(["rev-parse", "--short", "HEAD"]))?;
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (commit, printed) = (commit.trim(), printed.trim_end());
    let head = format!("`cargo xtask bench {name}` at {commit} on {cores} cores:");
    Ok(format!(
        "\n## {name}\n\n{head}\n\n```text\n{printed}\n```\n"
    ))
}

/// The section of `name` in a page that was written before.
fn section_of<'a>(page: &'a str, name: &str) -> Option<&'a str> {
    let start = page.find(&format!("\n## {name}\n"))?;
    let rest = page.get(start..)?;
    let end = rest.get(1..)?.find("\n## ").map_or(rest.len(), |at| at + 1);
    rest.get(..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_ends_where_the_next_begins() {
        let page = "# Figures\n\n## speed\n\na\n\n## claims\n\nb\n";
        assert_eq!(section_of(page, "speed"), Some("\n## speed\n\na\n"));
        assert_eq!(section_of(page, "claims"), Some("\n## claims\n\nb\n"));
        assert_eq!(section_of(page, "recall"), None);
    }
}
