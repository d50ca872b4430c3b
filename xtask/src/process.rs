//! Running Cargo and other programs at the root of the repository.

use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::repository::root;

/// A call of the same Cargo that runs this program.
pub(crate) fn cargo<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(arguments).current_dir(root());
    command
}

/// Runs `command` with the terminal it was given, and fails when it fails.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let shown = show(command);
    eprintln!("+ {shown}");
    let status = command
        .status()
        .with_context(|| format!("cannot start `{shown}`"))?;
    if status.success() {
        Ok(())
    } else {
        bail!("`{shown}` failed ({status})")
    }
}

/// Runs `command` and returns what it printed.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let shown = show(command);
    let output = command
        .output()
        .with_context(|| format!("cannot start `{shown}`"))?;
    if !output.status.success() {
        bail!(
            "`{shown}` failed: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{shown}` printed no UTF-8"))
}

fn show(command: &Command) -> String {
    let program = std::path::Path::new(command.get_program());
    let name = program.file_name().unwrap_or(program.as_os_str());
    let words = std::iter::once(name).chain(command.get_args());
    words
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}
