//! `cargo xtask bench [NAME]`: builds a package of benchmarks in release and runs it.

use anyhow::{Result, bail};

use crate::{process, repository};

/// Name on the command line, package.
const BENCHES: &[(Option<&str>, &str)] = &[
    (None, "counterfoil-benches"),
    (Some("recall"), "counterfoil-bench-recall"),
];

pub(crate) fn run(name: Option<&str>, more: &[String]) -> Result<()> {
    let Some((_, package)) = BENCHES.iter().find(|(known, _)| *known == name) else {
        bail!("there is no such benchmark; `recall` is one, and without a name speed is measured");
    };
    if !repository::packages()?.iter().any(|one| one == package) {
        bail!("the package {package} is not in this workspace");
    }
    let words = ["run", "--release", "--quiet", "--package", package, "--"];
    process::run(process::cargo(words).args(more))
}
