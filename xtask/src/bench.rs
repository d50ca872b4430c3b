//! `cargo xtask bench [NAME]`: builds a package of benchmarks in release and runs it, or tests for longer than CI does.

use anyhow::{Result, bail};

use crate::{process, repository};

/// Name on the command line, package.
const BENCHES: &[(Option<&str>, &str)] = &[
    (None, "counterfoil-benches"),
    (Some("recall"), "counterfoil-bench-recall"),
    (Some("claims"), "counterfoil-bench-claims"),
    (Some("exchange"), "counterfoil-bench-exchange"),
];

/// Tests that take a count: name on the command line, package, test, the variable that counts.
const LONGER: &[(&str, &str, &str, &str)] = &[
    ("kills", "counterfoil-cli", "kills", "COUNTERFOIL_KILLS"),
    (
        "faults",
        "counterfoil-faults",
        "faults",
        "COUNTERFOIL_CHANCES",
    ),
];

pub(crate) fn run(name: Option<&str>, more: &[String]) -> Result<()> {
    if let Some(longer) = LONGER.iter().find(|(known, ..)| Some(*known) == name) {
        return run_longer(longer, more);
    }
    let Some((_, package)) = BENCHES.iter().find(|(known, _)| *known == name) else {
        bail!(
            "there is no such benchmark; `recall`, `claims`, `exchange`, `kills` and `faults` are, and without a \
             name speed is measured"
        );
    };
    if !repository::packages()?.iter().any(|one| one == package) {
        bail!("the package {package} is not in this workspace");
    }
    let words = ["run", "--release", "--quiet", "--package", package, "--"];
    process::run(process::cargo(words).args(more))
}

/// The tests in release, one after the other and with what they print.
fn run_longer((_, package, test, count): &(&str, &str, &str, &str), more: &[String]) -> Result<()> {
    let words = ["test", "--release", "--quiet", "--package", package];
    let mut command = process::cargo(words);
    command.args(["--test", test, "--", "--nocapture", "--test-threads=1"]);
    match more {
        [] => {}
        [number] if number.parse::<u64>().is_ok() => {
            command.env(count, number);
        }
        _ => bail!("give one number: how many"),
    }
    process::run(&mut command)
}
