//! Where answers go: one JSON document with `--json`, aligned lines without it.

mod table;

use std::io::{self, IsTerminal, Write};
use std::path::Path;

use counterfoil_verify::{Form, terminal};
use serde::Serialize;

use crate::failure::Failure;

pub(crate) use table::{table, write_table};

/// Standard output, in the form that was asked for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    form: Form,
}

impl Output {
    pub(crate) const fn new(form: Form) -> Self {
        Self { form }
    }

    pub(crate) const fn form(self) -> Form {
        self.form
    }

    /// Whether a person watches: progress is for them alone.
    pub(crate) fn shows_progress(self) -> bool {
        self.form == Form::Human && io::stderr().is_terminal()
    }

    /// Writes the document with `--json`, and otherwise what `human` writes.
    pub(crate) fn answer(
        self,
        document: &impl Serialize,
        human: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        match self.form {
            Form::Json => out.write_all(json_text(document)?.as_bytes())?,
            Form::Human => human(&mut out)?,
        }
        out.flush()?;
        Ok(())
    }

    /// Says where a document was written. To what is no plain file, such as `/dev/stdout`, the
    /// document alone is the answer.
    pub(crate) fn written(self, path: &Path) -> Result<(), Failure> {
        if !std::fs::metadata(path).is_ok_and(|found| found.is_file()) {
            return Ok(());
        }
        let shown = path.display().to_string();
        self.answer(&serde_json::json!({ "output": shown }), |out| {
            pairs(out, &[("written to", shown.clone())])
        })
    }

    /// Writes text as it is, whatever the form.
    pub(crate) fn text(self, text: &str) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes())?;
        out.flush()?;
        Ok(())
    }
}

/// The document as it is written with `--json`: what would steer a terminal is escaped in it.
pub(crate) fn json_text(document: &impl Serialize) -> io::Result<String> {
    let text = serde_json::to_string_pretty(document)
        .map_err(|error| io::Error::other(error.to_string()))?;
    Ok(terminal::plain_json(&text) + "\n")
}

/// Lines of `name  value`, the values one under the other.
pub(crate) fn pairs(out: &mut dyn Write, pairs: &[(&str, String)]) -> io::Result<()> {
    let width = pairs
        .iter()
        .map(|(name, _)| name.chars().count())
        .max()
        .unwrap_or(0);
    pairs
        .iter()
        .try_for_each(|(name, value)| writeln!(out, "{name:<width$}  {value}"))
}

/// `3 memories`, `1 memory`.
pub(crate) fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_one_under_the_other() {
        let mut out = Vec::new();
        pairs(&mut out, &[("a", "1".into()), ("long", "2".into())]).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "a     1\nlong  2\n");
    }
}
