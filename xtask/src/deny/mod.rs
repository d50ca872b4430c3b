//! `cargo xtask deny`: the third fence, `deny.toml`, after a comparison with the second one.

mod refusal;

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail};
use counterfoil_boundaries::own::dependencies;
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
    // advisories` is for those who have it.
    let words = "deny --workspace check bans licenses sources";
    process::run(&mut process::cargo(words.split(' ')))
}

/// Both say who may depend on whom: the table for this program, `deny.toml` for another one.
fn differences(text: &str) -> Result<Vec<String>> {
    let configuration: Configuration = toml::from_str(text).context("deny.toml")?;
    let bans = configuration.bans.deny;
    let mut found = Vec::new();
    for (package, _) in dependencies() {
        let allowed: BTreeSet<&str> = dependencies()
            .filter(|(_, direct)| direct.contains(&package))
            .map(|(other, _)| other)
            .collect();
        let ban = bans.iter().find(|ban| ban.name == package);
        let wrappers = ban.iter().flat_map(|ban| &ban.wrappers).map(String::as_str);
        let named: BTreeSet<&str> = wrappers
            .filter(|name| dependencies().any(|(package, _)| package == *name))
            .collect();
        if named != allowed {
            found.push(format!(
                "{package}: {allowed:?} by the table, {named:?} there"
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
