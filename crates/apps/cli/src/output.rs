//! Where answers go: one JSON document with `--json`, aligned lines without it.

mod table;

use std::fmt;
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

/// Writes a file as a whole or not at all: beside it first, then in its place. What is no plain
/// file, such as `/dev/stdout`, is written to.
pub(crate) fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    let special = std::fs::metadata(path).is_ok_and(|found| !found.is_file());
    let written = if special {
        std::fs::write(path, text)
    } else {
        replace(path, text)
    };
    written.map_err(|error| {
        Failure::input(
            format_args!("{} cannot be written ({error})", path.display()),
            "choose another path",
        )
    })
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    // The umask decides who may read it, as for any file that is handed on.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let folder = folder.unwrap_or(Path::new("."));
    // The system's word alone: its name in the folder says nothing to whoever asked for `path`.
    let mut file = builder.tempfile_in(folder).map_err(system_error)?;
    file.write_all(text.as_bytes()).map_err(system_error)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// What the system said, without the temporary name that it was told.
fn system_error(error: io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(_) => error,
        None => error.kind().into(),
    }
}

/// The most characters of a notice.
const NOTICE_LIMIT: usize = 2000;

/// Says something to the person, beside the answer; it may quote what others wrote.
pub(crate) fn notice(text: impl fmt::Display) {
    // A closed standard error leaves nobody to tell.
    let line = terminal::plain(&text.to_string().replace('\n', " "), NOTICE_LIMIT);
    let _ = writeln!(io::stderr(), "counterfoil: {line}");
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

    #[test]
    fn a_file_is_replaced_as_a_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.json");
        write_file(&path, "one").unwrap();
        write_file(&path, "two").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    /// The name of the temporary file beside it stood in the error.
    #[test]
    fn a_file_that_cannot_be_written_is_named_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("no/x.json");
        let said = write_file(&path, "x").unwrap_err().to_string();
        assert!(
            said.contains("x.json") && !said.contains("no/.tmp"),
            "{said}"
        );
    }
}
