//! `cargo xtask soak [N] [--from SEED]`: sequences of operations on the claim engine and its oracle, in release.

use anyhow::Result;

use crate::process;

/// Runs the sequences of `count` seeds from `from` on. What is printed says where to go on.
pub(crate) fn run(count: u64, from: u64) -> Result<()> {
    let words = [
        "test",
        "--release",
        "--quiet",
        "--package",
        "counterfoil-claims-tests",
        "--test",
        "claims",
        "--",
        "--nocapture",
        "--exact",
        "machine::soak",
    ];
    process::run(
        process::cargo(words)
            .env("COUNTERFOIL_SOAK", count.to_string())
            .env("COUNTERFOIL_SOAK_FROM", from.to_string()),
    )
}
