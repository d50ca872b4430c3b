//! `cargo xtask conformance`: every rule of the specification, how it is held, and the tests that hold it.
//!
//! `docs/spec/rules.txt` says what must be held, `docs/spec/held-by.toml` by what, `docs/spec/cases.txt` what was tried. Nothing is believed: each item
//! must be defined, each test must run and name its rule, each refusal must have a twin that compiles, and what the engines
//! declare must be reached by a test of the program.

mod cases;
mod check;
mod declared;
mod held_by;
mod mutants;
mod page;
mod rules;
mod sources;
mod twins;

use anyhow::{Context, Result, bail};

use crate::repository;
use sources::Sources;

const PAGE: &str = "docs/conformance.md";

pub(crate) use mutants::Selection;

/// Writes the page, or checks that it is written; or runs mutants.
pub(crate) fn run(check_only: bool, selection: &Selection) -> Result<()> {
    let rules = rules::parse(&repository::read("docs/spec/rules.txt")?, rules::is_rule)?;
    let cases = rules::parse(&repository::read("docs/spec/cases.txt")?, rules::is_case)?;
    let held = held_by::parse(&repository::read("docs/spec/held-by.toml")?)?;
    let sources = Sources::read()?;
    if selection.mutants.is_some() {
        return mutants::run(&held, &sources, selection);
    }
    let mut gaps = check::gaps(&rules, &held, &sources);
    gaps.extend(twins::gaps(&sources));
    gaps.extend(declared::gaps(&sources));
    gaps.extend(mutants::gaps(&held, &sources));
    let named = cases::named(&sources);
    gaps.extend(cases::gaps(&cases, &named));
    for gap in &gaps {
        eprintln!("{gap}");
    }
    if !gaps.is_empty() {
        bail!(
            "{} gaps in docs/spec/held-by.toml, in what it names, or in the cases",
            gaps.len()
        );
    }
    let page = page::render(&rules, &held, &sources)
        + &page::render_cases(&cases, &named)
        + &page::render_mutants(&mutants::rows(&held)?);
    if !check_only {
        std::fs::write(repository::root().join(PAGE), page).context("cannot write the page")
    } else if repository::read(PAGE)? == page {
        Ok(())
    } else {
        bail!("{PAGE} is not what the rules give; run `cargo xtask conformance`")
    }
}
