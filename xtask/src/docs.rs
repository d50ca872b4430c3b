//! `cargo xtask docs`: rustdoc of every package; a broken link is an error.

use anyhow::Result;

use crate::process;

pub(crate) fn run() -> Result<()> {
    let words = ["doc", "--quiet", "--workspace", "--no-deps"];
    process::run(process::cargo(words).env("RUSTDOCFLAGS", "-D warnings"))
}
