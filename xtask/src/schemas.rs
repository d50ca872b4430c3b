//! `cargo xtask schemas`: writes docs/schemas, the JSON Schema of each document that agents send one another.

use anyhow::Result;

use crate::process;

/// The schemas are made from the types that read the documents, by a package that nothing shipped depends on.
pub(crate) fn run() -> Result<()> {
    let package = "counterfoil-exchange-tests";
    let words = [
        "run",
        "--quiet",
        "--package",
        package,
        "--example",
        "schemas",
    ];
    process::run(&mut process::cargo(words))
}
