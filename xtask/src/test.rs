//! `cargo xtask test`: the tests of every package, then the examples in their documentation.

use anyhow::Result;

use crate::{process, repository};

/// Benches are no tests: they run for minutes.
const TARGETS: &[&str] = &["--lib", "--bins", "--tests", "--examples"];
/// Links the peers that we compare with; it is built where it is run, by `cargo xtask bench`.
const WITH_PEERS: &str = "counterfoil-benches";

pub(crate) fn run() -> Result<()> {
    let there = repository::packages()?
        .iter()
        .any(|package| package == WITH_PEERS);
    let exclude: &[&str] = if there {
        &["--exclude", WITH_PEERS]
    } else {
        &[]
    };
    let test = |targets: &[&str]| {
        let words = ["test", "--workspace"]
            .iter()
            .chain(exclude)
            .chain(targets)
            .copied();
        process::run(&mut process::cargo(words))
    };
    test(TARGETS)?;
    test(&["--doc"])
}
