//! `cargo xtask deny`: the third fence, `deny.toml`, after a look whether it says what the second one says.

mod refusal;

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail};
use counterfoil_boundaries::own::ROWS;
use serde::Deserialize;

use crate::{process, repository};

#[derive(Deserialize)]
struct Configuration {
    bans: Bans,
}

#[derive(Deserialize)]
struct Bans {
    deny: Vec<Ban>,
}

#[derive(Deserialize)]
struct Ban {
    #[serde(rename = "crate")]
    name: String,
    #[serde(default)]
    wrappers: BTreeSet<String>,
}

pub(crate) fn run() -> Result<()> {
    let differences = differences(&repository::read("deny.toml")?)?;
    if !differences.is_empty() {
        bail!(
            "deny.toml and the table of boundaries differ:\n{}",
            differences.join("\n")
        );
    }
    if process::output(&mut process::cargo(["deny", "--version"])).is_err() {
        bail!("cargo-deny is not there; `cargo install --locked cargo-deny` takes some minutes");
    }
    refusal::prove()?;
    // The advisories' database is the one part that needs the network on each run; `cargo deny check
    // advisories` is for whoever has it.
    let words = [
        "deny",
        "--workspace",
        "check",
        "bans",
        "licenses",
        "sources",
    ];
    process::run(&mut process::cargo(words))
}

/// Both say who may depend on whom: the table for this program, `deny.toml` for another one.
fn differences(text: &str) -> Result<Vec<String>> {
    let configuration: Configuration = toml::from_str(text).context("deny.toml")?;
    let bans = configuration.bans.deny;
    let mut found = Vec::new();
    for row in ROWS {
        let allowed: BTreeSet<&str> = ROWS
            .iter()
            .filter(|other| other.direct.contains(&row.package))
            .map(|other| other.package)
            .collect();
        let named: Option<BTreeSet<&str>> =
            bans.iter().find(|ban| ban.name == row.package).map(|ban| {
                let in_table = |name: &&str| ROWS.iter().any(|row| row.package == *name);
                ban.wrappers
                    .iter()
                    .map(String::as_str)
                    .filter(in_table)
                    .collect()
            });
        if named.as_ref().unwrap_or(&BTreeSet::new()) != &allowed {
            found.push(format!(
                "{}: {allowed:?} by the table, {named:?} there",
                row.package
            ));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deny_toml_says_what_the_table_says() {
        let text = repository::read("deny.toml").unwrap();
        assert_eq!(differences(&text).unwrap(), Vec::<String>::new());
    }

    /// FP-16: the line that would let an authority have the store is noticed before cargo-deny runs.
    #[test]
    fn one_wrapper_more_or_less_is_a_difference() {
        let text = repository::read("deny.toml").unwrap();
        let start = "crate = \"counterfoil-store\"\nwrappers = [";
        let more = text.replace(start, &format!("{start}\"counterfoil-authority\", "));
        let less = text.replace(
            "crate = \"counterfoil-store\"",
            "crate = \"counterfoil-stor\"",
        );
        for changed in [more, less] {
            assert_ne!(changed, text);
            assert_eq!(differences(&changed).unwrap().len(), 1);
        }
    }
}
