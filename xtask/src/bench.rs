//! `cargo xtask bench [NAME]`: builds a package of benchmarks in release and runs it, or tests for longer than CI does.

use anyhow::{Result, bail};

use crate::{process, repository};

/// Name on the command line, package. The first runs where no name is given.
pub(crate) const NAMES: &[(&str, &str)] = &[
    (SPEED, "counterfoil-benches"),
    ("recall", "counterfoil-bench-recall"),
    ("claims", "counterfoil-bench-claims"),
    (DOORS, "counterfoil-bench-doors"),
    ("exchange", "counterfoil-bench-exchange"),
    ("extract", "counterfoil-bench-extract"),
    ("ground", "counterfoil-bench-reach"),
];
const SPEED: &str = "speed";
/// Runs the program itself, which is built for it.
const DOORS: &str = "doors";

/// Tests that take a count: name on the command line, package and what cargo is to run of it, the variable that counts.
const LONGER: &[(&str, &str, &str)] = &[
    ("kills", "counterfoil-cli --test kills", "COUNTERFOIL_KILLS"),
    (
        "faults",
        "counterfoil-faults --test faults",
        "COUNTERFOIL_CHANCES",
    ),
    (
        "histories",
        "counterfoil-sqlite --test backend a_follower_has",
        "COUNTERFOIL_HISTORIES",
    ),
    (
        "reach",
        "counterfoil-ground-tests --test ground loses_nothing",
        "COUNTERFOIL_GROUND_CYCLES",
    ),
    (
        "proposals",
        "counterfoil-verify --test envelope no_change",
        "COUNTERFOIL_MUTANTS",
    ),
];

pub(crate) fn run(name: Option<&str>, more: &[String]) -> Result<()> {
    let is_named = |known: &str| Some(known) == name;
    if let Some((_, tests, count)) = LONGER.iter().find(|(known, ..)| is_named(known)) {
        // In release, one after the other and with their output.
        let words = ["test", "--release", "--quiet", "--package"];
        let mut command = process::cargo(words.into_iter().chain(tests.split(' ')));
        command.args(["--", "--nocapture", "--test-threads=1", "--include-ignored"]);
        match more {
            [] => {}
            [number] if number.parse::<u64>().is_ok() => drop(command.env(count, number)),
            _ => bail!("give one number: how many"),
        }
        return process::run(&mut command);
    }
    let wanted = name.unwrap_or(SPEED);
    let Some((_, package)) = NAMES.iter().find(|(known, _)| *known == wanted) else {
        bail!(
            "there is no benchmark `{wanted}`; choose speed, recall, claims, doors, exchange, extract, ground, kills, faults, histories, reach or proposals"
        );
    };
    if !repository::has_package(package) {
        bail!("the package {package} is not in this workspace");
    }
    if wanted == DOORS {
        let words = [
            "build",
            "--release",
            "--quiet",
            "--package",
            "counterfoil-cli",
        ];
        process::run(&mut process::cargo(words))?;
    }
    let words = ["run", "--release", "--quiet", "--package", package, "--"];
    process::run(process::cargo(words).args(more))
}
